// TOML text as a flat list of dotted keys with line numbers. Keeps toml++ in one translation unit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platform/config/literal.h"

namespace twinplane::platform {

struct TomlEntry {
  std::string key; // dotted
  Literal value;
  std::size_t line = 0;
};

/// Leaves in order of their lines; an empty table is a leaf of type `other`. Throws InputError
/// "name:line:column: ..." on a syntax error.
std::vector<TomlEntry> read_toml(std::string_view text, const std::string& name);

/// One value as after `key =`; bare text that is no TOML value is taken as a string.
Literal read_toml_value(std::string_view text);

} // namespace twinplane::platform
