// The features that a build has: one row for each, beside whose folder nothing else names it.
//
// TWINPLANE_FEATURES (CMake) leaves features out: their folders are not built, and a configuration that asks for one
// of them is refused.
#pragma once

#include <cstdint>

#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/config.h"
#include "firmware/ftl/hooks.h"

namespace twinplane::fw {

struct FeatureRow {
  const char* name;    // of its folder
  const char* missing; // "KEY: ...": what a build without it says to a configuration that asks for it
  bool (*wanted)(const FtlConfig&);
  Feature* (*make)(BootMemory&, const FtlConfig&); // nullptr: the build is without it
};

/// In the order in which the features are called.
struct FeatureRows {
  const FeatureRow* first;
  std::uint32_t count;
};
FeatureRows feature_rows();

/// Makes those that the configuration asks for. False: the memory is exhausted.
[[nodiscard]] bool make_features(BootMemory& memory, const FtlConfig& config, Hooks& hooks);
/// The text of the first feature that it asks for and the build has not; nullptr: there is none.
const char* check_features(const FtlConfig& config);

} // namespace twinplane::fw
