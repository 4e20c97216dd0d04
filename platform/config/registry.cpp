#include "platform/config/registry.h"

#include <algorithm>
#include <map>

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
  static const std::map<std::string_view, const Parameter*> kByKey = [] {
    std::map<std::string_view, const Parameter*> by_key;
    for (const Parameter& p : registry()) by_key.emplace(p.key, &p);
    return by_key;
  }();
  const auto found = kByKey.find(key);
  return found == kByKey.end() ? nullptr : found->second;
}

bool is_section(std::string_view name) {
  const auto& all = registry();
  return std::any_of(all.begin(), all.end(), [&](const Parameter& p) {
    return p.key.size() > name.size() && p.key.substr(0, name.size()) == name && p.key[name.size()] == '.';
  });
}

std::string nearest_key(std::string_view key) {
  const std::size_t dot = key.find('.');
  const std::string section(key.substr(0, dot));
  const std::string_view rest = dot == std::string_view::npos ? key : key.substr(dot + 1);
  const bool section_exists = is_section(section);
  std::vector<std::string> candidates;
  for (const Parameter& p : registry()) {
    const std::string_view own_rest = p.key.substr(p.key.find('.') + 1);
    if (own_rest == rest) return std::string(p.key);
    if (section_exists && p.key.substr(0, dot) == section) candidates.emplace_back(own_rest);
    if (!section_exists) candidates.emplace_back(p.key);
  }
  // Inside a section only the rest counts: a shared prefix would make everything look similar.
  if (!section_exists) return nearest(key, candidates);
  const std::string near = nearest(rest, candidates);
  return near.empty() ? "" : section + "." + near;
}

} // namespace twinplane::platform
