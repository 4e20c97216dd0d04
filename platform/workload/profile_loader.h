// Workload profiles from TOML: files of one's own, and those that are built in (traces/profiles).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platform/workload/profile.h"

namespace twinplane::platform {

struct BuiltinProfile {
  const char* name;
  const char* text; // TOML
};

/// In order of their names.
const std::vector<BuiltinProfile>& builtin_profiles();

/// A name of builtin_profiles(), or the path of a file (it holds a '/' or ends with ".toml"). Throws
/// InputError: no such file or name, and what parse_profile() finds.
Profile load_profile(const std::string& name_or_path, const std::vector<std::string>& changes = {});

/// Throws InputError with one line per problem: `my.toml:7: write.aling: unknown key; did you mean
/// write.align?`. `name` stands for the file in messages. `changes` ("arrival.bias=0.8", values as in TOML)
/// win over the text.
Profile parse_profile(std::string_view text, const std::string& name,
                      const std::vector<std::string>& changes = {});

} // namespace twinplane::platform
