#include "platform/config/registry.h"

#include <algorithm>

#include "platform/config/nearest.h"
#include "platform/config/registry_rows.h"

namespace twinplane::platform {

const std::vector<Parameter>& registry() {
  static const std::vector<Parameter> kRows = [] {
    rows::Rows all;
    rows::add_device_rows(all);
    rows::add_system_rows(all);
    return all;
  }();
  return kRows;
}

const Parameter* find_parameter(std::string_view key) {
  const auto& all = registry();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Parameter& p) { return p.key == key; });
  return found == all.end() ? nullptr : &*found;
}

bool is_section(std::string_view name) {
  const auto& all = registry();
  return std::any_of(all.begin(), all.end(), [&](const Parameter& p) {
    return p.key.size() > name.size() && p.key.substr(0, name.size()) == name && p.key[name.size()] == '.';
  });
}

std::string nearest_key(std::string_view key) {
  const std::string_view last = key.substr(key.rfind('.') + 1); // npos + 1 == 0: the whole key
  std::vector<std::string> candidates;
  for (const Parameter& p : registry()) {
    if (p.key.substr(p.key.rfind('.') + 1) == last) return std::string(p.key);
    candidates.emplace_back(p.key);
  }
  return nearest(key, candidates);
}

} // namespace twinplane::platform
