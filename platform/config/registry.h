// The list of all parameters, in the order of documentation and dump.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platform/config/parameter.h"

namespace twinplane::platform {

/// Upper limit "none": whole numbers end at 2^63 - 1 (TOML integers).
constexpr double kUnlimited = 9223372036854775808.0;

/// Every parameter; keys are unique, sections are contiguous.
const std::vector<Parameter>& registry();

const Parameter* find_parameter(std::string_view key);

/// True when a parameter's key starts with `name` and a dot.
bool is_section(std::string_view name);

/// The most similar key, or "" when none is near: the same name in another section, else the nearest
/// name in this section, else (no such section) the nearest key.
std::string nearest_key(std::string_view key);

} // namespace twinplane::platform
