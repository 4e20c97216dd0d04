// An SLC-mode cache before native blocks (slc_cache.h).
#pragma once

#include "firmware/ftl/feature_set.h"

namespace twinplane::fw {

inline bool has_slc_cache(const FtlConfig& c) {
  return same_name(c.regions, "slc_cache") || same_name(c.regions, "mga") || same_name(c.regions, "ipu") ||
         same_name(c.regions, "pslc");
}

/// A program of a page of the cache takes the subpages of as many writes as wait.
inline bool fills_cache_pages(const FtlConfig& c) {
  return same_name(c.regions, "pslc");
}

/// Native pages hold subpages of any logical pages, else of one.
inline bool evicts_packed(const FtlConfig& c) {
  return c.slc_cache.packed_eviction || fills_cache_pages(c);
}

inline constexpr FeatureKey slc_cache_key() {
  return {
      "slc_cache", has_slc_cache,
      "ftl.regions: must not be \"slc_cache\", \"mga\", \"ipu\" or \"pslc\", for this build has no feature "
      "slc_cache"};
}

} // namespace twinplane::fw
