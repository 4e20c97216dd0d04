#include "platform/config/loader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "platform/config/checks.h"
#include "platform/config/error.h"
#include "platform/config/fio_words.h"
#include "platform/config/presets.h"
#include "platform/config/registry.h"
#include "platform/config/toml_source.h"

namespace twinplane::platform {

namespace {

std::string read_file(const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf(); // a folder opens, and fails here
  const bool empty = in && in.peek() == std::ifstream::traits_type::eof() && !in.bad();
  if (!in.is_open() || text.bad() || (text.fail() && !empty)) {
    throw InputError(path + ": cannot read the configuration: " + std::strerror(errno));
  }
  return text.str();
}

std::string unknown_key(const std::string& key, const Literal& value) {
  if (is_section(key)) return key + ": is a section, expected keys below it";
  if (const std::string instead = instead_of_fio_key(key, value); !instead.empty()) {
    return key + ": a word of fio that is no key here; expected " + instead;
  }
  const std::string near = nearest_key(key);
  return key + ": unknown key" + (near.empty() ? "" : "; did you mean " + near + "?");
}

std::string in_fios_manner(const std::string& key, const Literal& value) {
  const std::string instead = instead_of_fio_value(key, value);
  return instead.empty() ? "" : "; fio's way of saying it, here: " + instead;
}

/// Keys that have been set and should change something: what a file sets may be switched off by hand.
std::vector<std::string> meant_to_act(const std::map<std::string, std::string>& origins) {
  constexpr const char* kByHand = "--set";
  const auto set_by_hand = [](const auto& entry) { return entry.second == kByHand; };
  const bool any = std::any_of(origins.begin(), origins.end(), set_by_hand);
  std::vector<std::string> keys;
  for (const auto& entry : origins) {
    if (!any || set_by_hand(entry)) keys.push_back(entry.first);
  }
  return keys;
}

/// The text that a word or name parameter holds, without quotes.
std::string text_of(const Parameter& parameter, const Config& config) {
  const std::string quoted = format_toml(parameter, config);
  return quoted.substr(1, quoted.size() - 2);
}

/// What the presets choose, as it is assigned.
struct PresetAssignment {
  const Parameter* parameter;
  Literal value;
};

/// Of each row of presets(), read once.
const std::vector<std::vector<PresetAssignment>>& preset_assignments() {
  static const std::vector<std::vector<PresetAssignment>> kRows = [] {
    std::vector<std::vector<PresetAssignment>> rows;
    for (const Preset& preset : presets()) {
      rows.emplace_back();
      for (const PresetValue& v : preset.values)
        rows.back().push_back({find_parameter(v.key), read_toml_value(v.value)});
    }
    return rows;
  }();
  return kRows;
}

/// One value for all page types is spread over the list.
void spread(TimeList& list, std::uint32_t types) {
  if (list.count != 1) return;
  list.at.fill(list.at[0]);
  for (std::size_t t = types; t < list.at.size(); ++t) list.at[t] = 0;
  list.count = types;
}

/// Of both kinds, by page type.
void spread_times(Config& config, CellType cell) {
  const auto types = static_cast<std::uint32_t>(cell);
  spread(config.nand.tR, types);
  spread(config.nand.tPROG, types);
}

std::string join_lines(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += (out.empty() ? "" : "\n") + line;
  return out;
}

} // namespace

bool LoadedConfig::sets_section(std::string_view section) const {
  const std::string prefix = std::string(section) + ".";
  const auto at = origins.lower_bound(prefix);
  return at != origins.end() && at->first.compare(0, prefix.size(), prefix) == 0;
}

void ConfigLoader::add_file(const std::string& path) {
  add_text(read_file(path), path);
}

void ConfigLoader::add_text(std::string_view text, const std::string& name) {
  for (TomlEntry& entry : read_toml(text, name)) {
    assignments_.push_back(
        {std::move(entry.key), std::move(entry.value), name + ":" + std::to_string(entry.line)});
  }
}

void ConfigLoader::add_setting(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw InputError("--set " + std::string(assignment) + ": expected key=value");
  }
  const std::string key(assignment.substr(0, equals));
  assignments_.push_back({key, read_toml_value(assignment.substr(equals + 1)), "--set"});
}

void ConfigLoader::add_value(std::string_view key, Literal value, std::string origin) {
  assignments_.push_back({std::string(key), std::move(value), std::move(origin)});
}

/// Before all else: their selectors' final values decide, the user's own settings go on top.
void ConfigLoader::apply_presets(Config& config) const {
  std::string_view selector;
  std::string choice;
  for (std::size_t i = 0; i < presets().size(); ++i) {
    const Preset& preset = presets()[i];
    if (preset.selector != selector) { // those of one selector are contiguous
      selector = preset.selector;
      choice = choice_of(selector);
    }
    if (choice != preset.choice) continue;
    for (const PresetAssignment& a : preset_assignments()[i]) assign(*a.parameter, a.value, config);
  }
}

std::string ConfigLoader::choice_of(std::string_view selector) const {
  const Parameter& parameter = *find_parameter(selector);
  Config chosen;
  for (const Assignment& a : assignments_) {
    if (a.key == selector) assign(parameter, a.value, chosen);
  }
  return text_of(parameter, chosen);
}

LoadedConfig ConfigLoader::finish() const {
  LoadedConfig loaded;
  Config& config = loaded.config;
  std::vector<std::string> problems;

  apply_presets(config);
  for (const Assignment& a : assignments_) {
    const Parameter* parameter = find_parameter(a.key);
    const std::string error = parameter == nullptr ? "" : assign(*parameter, a.value, config);
    if (parameter == nullptr) problems.push_back(a.origin + ": " + unknown_key(a.key, a.value));
    if (!error.empty())
      problems.push_back(a.origin + ": " + a.key + ": " + error + in_fios_manner(a.key, a.value));
    loaded.origins[a.key] = a.origin;
  }
  if (!problems.empty()) throw InputError(join_lines(problems));

  Config defaults;
  spread_times(config, config.geometry.cell);
  spread_times(defaults, config.geometry.cell);
  std::vector<Finding> findings = check_config(config);
  for (Finding& f : check_effect(config, defaults, meant_to_act(loaded.origins)))
    findings.push_back(std::move(f));
  for (const Finding& finding : findings) {
    const auto origin = loaded.origins.find(finding.key);
    const std::string line =
        (origin == loaded.origins.end() ? "" : origin->second + ": ") + finding.key + ": " + finding.text;
    (finding.error ? problems : loaded.warnings).push_back(line);
  }
  if (!problems.empty()) throw InputError(join_lines(problems));
  return loaded;
}

void require_valid(const Config& config) {
  std::vector<std::string> problems;
  Config same;
  for (const Parameter& parameter : registry()) {
    const std::string error = assign(parameter, read_toml_value(format_toml(parameter, config)), same);
    if (!error.empty()) problems.push_back(std::string(parameter.key) + ": " + error);
  }
  if (problems.empty()) { // else they are no ground to reckon on
    for (const Finding& finding : check_config(config)) {
      if (finding.error) problems.push_back(finding.key + ": " + finding.text);
    }
  }
  if (!problems.empty()) throw InputError(join_lines(problems));
}

Config default_config() {
  return ConfigLoader().finish().config;
}

} // namespace twinplane::platform
