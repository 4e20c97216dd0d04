// Hot blocks that use their fast pages alone, and cold ones (two_regions.h).
#pragma once

#include "firmware/ftl/feature_set.h"

namespace twinplane::fw {

inline bool has_partitions(const FtlConfig& c) {
  return same_name(c.regions, "combo") || same_name(c.regions, "combo_logs") || same_name(c.regions, "broms");
}

inline constexpr FeatureKey partitions_key() {
  return {"partitions", has_partitions,
          "ftl.regions: must not be \"combo\", \"combo_logs\" or \"broms\", for this build has no feature "
          "partitions"};
}

} // namespace twinplane::fw
