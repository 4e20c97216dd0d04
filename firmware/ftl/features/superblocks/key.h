// Superblocks: the blocks of equal number of all planes of one die, or of several, as one unit (superblocks.h).
#pragma once

#include "firmware/ftl/feature_set.h"

namespace twinplane::fw {

inline constexpr FeatureKey superblocks_key() {
  return {"superblocks", [](const FtlConfig& c) { return c.erase_unit != EraseUnit::block; },
          "ftl.erase_unit: must be \"block\", for this build has no feature superblocks"};
}

} // namespace twinplane::fw
