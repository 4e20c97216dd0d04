// An SLC-mode cache before native blocks (slc_cache.h).
#pragma once

#include "firmware/ftl/feature_set.h"

namespace twinplane::fw {

inline bool has_slc_cache(const FtlConfig& c) {
  return same_name(c.regions, "slc_cache") || same_name(c.regions, "mga") || same_name(c.regions, "ipu");
}

inline constexpr FeatureKey slc_cache_key() {
  return {
      "slc_cache", has_slc_cache,
      "ftl.regions: must not be \"slc_cache\", \"mga\" or \"ipu\", for this build has no feature slc_cache"};
}

} // namespace twinplane::fw
