// What out-of-band words do not tell, written to the flash (journal.h).
#pragma once

#include "firmware/ftl/feature_set.h"

namespace twinplane::fw {

/// Without checkpoints a drive is without a journal as one is that has too few spare blocks.
inline bool asks_for_checkpoints(const FtlConfig& config) {
  return config.checkpoint_interval != 0;
}

inline constexpr FeatureKey journal_key() {
  return {"journal", asks_for_checkpoints,
          "ftl.checkpoint_interval: must be 0, for this build has no feature journal"};
}

} // namespace twinplane::fw
