// Dotted names as nested scopes, in order of first mention.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace twinplane::platform {

class ScopeTree {
 public:
  /// `number` is the caller's.
  void add(std::string_view name, std::size_t number) {
    Scope* scope = &root_;
    for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
      scope = &scope->child(name.substr(0, dot));
      name.remove_prefix(dot + 1);
    }
    scope->variables.push_back({std::string(name), number});
  }

  /// Calls visitor.begin_scope(name), visitor.variable(last part of the name, number) and
  /// visitor.end_scope(): a scope's own variables first.
  template <typename Visitor>
  void visit(Visitor&& visitor) const {
    root_.visit_inside(visitor);
  }

 private:
  struct Variable {
    std::string name;
    std::size_t number;
  };
  struct Scope {
    std::string name;
    std::vector<Variable> variables;
    std::vector<std::unique_ptr<Scope>> children;

    /// The newest child first: signals arrive scope by scope.
    Scope& child(std::string_view child_name) {
      for (auto it = children.rbegin(); it != children.rend(); ++it) {
        if ((*it)->name == child_name) return **it;
      }
      children.push_back(std::make_unique<Scope>());
      children.back()->name = child_name;
      return *children.back();
    }
    template <typename Visitor>
    void visit_inside(Visitor& visitor) const {
      for (const Variable& v : variables) visitor.variable(v.name, v.number);
      for (const auto& scope : children) {
        visitor.begin_scope(scope->name);
        scope->visit_inside(visitor);
        visitor.end_scope();
      }
    }
  };

  Scope root_;
};

} // namespace twinplane::platform
