// What out-of-band words do not tell, written to the flash (journal.h).
#pragma once

#include "firmware/ftl/feature_set.h"

namespace twinplane::fw {

inline constexpr FeatureKey journal_key() {
  return {"journal"};
}

} // namespace twinplane::fw
