// Blocks of equal number in all planes of a die (twin_blocks.h).
#pragma once

#include "firmware/ftl/feature_set.h"

namespace twinplane::fw {

inline constexpr FeatureKey twin_blocks_key() {
  return {"twin_blocks", [](const FtlConfig& c) { return same_name(c.block_allocation, "twin"); },
          "ftl.block_allocation: must not be \"twin\", for this build has no feature twin_blocks"};
}

} // namespace twinplane::fw
