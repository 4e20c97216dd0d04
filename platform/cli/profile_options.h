// Options that name a workload profile and scale it; shared by `run` and `trace`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/workload/profile.h"

namespace twinplane::platform::cli {

struct ProfileOptions {
  std::string name;                 // of a built-in profile, or a file; empty = none
  std::vector<std::string> changes; // KEY=VALUE
  ProfileScale scale;
  double footprint_share = 0.0; // of the drive; replaces scale.footprint when above 0
  std::optional<std::uint64_t> seed;
};

/// Everything but the seed, for which `run` has an option already.
void add_profile_options(CLI::App& command, ProfileOptions& options);

/// The profile, scaled. `exported_bytes` is the drive's capacity. Throws InputError.
Profile resolve_profile(const ProfileOptions& options, std::uint64_t exported_bytes);

} // namespace twinplane::platform::cli
