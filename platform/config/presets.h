// Presets: the value of one key chooses defaults of others. Keys that the user sets win.
#pragma once

#include <string_view>
#include <vector>

namespace twinplane::platform {

struct PresetValue {
  std::string_view key;
  std::string_view value; // as on the command line (--set key=value)
};

struct Preset {
  std::string_view selector; // "ftl.policy"
  std::string_view choice;   // "conventional"
  std::vector<PresetValue> values;
  std::string_view meaning = {}; // policies: in a line beside the name, at most 80 characters
};

/// Rows of all presets; those of one selector are contiguous.
const std::vector<Preset>& presets();

} // namespace twinplane::platform
