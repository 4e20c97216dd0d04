#include "platform/waves/vcd_scopes.h"

namespace twinplane::platform {

void VcdScopes::add(const Variable& v) {
  Scope* scope = &root_;
  std::string_view rest = v.name;
  for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
    scope = &scope->child(rest.substr(0, dot));
    rest.remove_prefix(dot + 1);
  }
  std::string& out = scope->declarations;
  out.append("$var wire ").append(std::to_string(v.bits)).append(" ");
  out.append(v.code).append(" ").append(rest);
  if (v.bits > 1) out.append(" [").append(std::to_string(v.bits - 1)).append(":0]");
  out.append(" $end\n");
}

void VcdScopes::append_to(std::string& out) const {
  out += root_.declarations;
  for (const auto& scope : root_.children) scope->append_to(out);
}

// The newest child first: signals arrive scope by scope.
VcdScopes::Scope& VcdScopes::Scope::child(std::string_view child_name) {
  for (auto it = children.rbegin(); it != children.rend(); ++it) {
    if ((*it)->name == child_name) return **it;
  }
  children.push_back(std::make_unique<Scope>());
  children.back()->name = child_name;
  return *children.back();
}

void VcdScopes::Scope::append_to(std::string& out) const {
  out.append("$scope module ").append(name).append(" $end\n");
  out += declarations;
  for (const auto& scope : children) scope->append_to(out);
  out.append("$upscope $end\n");
}

} // namespace twinplane::platform
