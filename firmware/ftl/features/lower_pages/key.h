// Copies of pages that later programs may ruin, or padding behind them (lower_pages.h).
#pragma once

#include "firmware/ftl/feature_set.h"

namespace twinplane::fw {

inline constexpr FeatureKey lower_pages_key() {
  return {"lower_pages", protects_lower_pages,
          "ftl.lower_pages: must be \"none\", for this build has no feature lower_pages"};
}

} // namespace twinplane::fw
