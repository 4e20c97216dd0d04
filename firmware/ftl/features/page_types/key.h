// Pages by their type (page_types.h).
#pragma once

#include "firmware/ftl/feature_set.h"

namespace twinplane::fw {

inline constexpr FeatureKey page_types_key() {
  return {
      "page_types",
      [](const FtlConfig& c) {
        return same_name(c.block_allocation, "pa") || same_name(c.block_allocation, "pa-twin");
      },
      "ftl.block_allocation: must not be \"pa\" or \"pa-twin\", for this build has no feature page_types"};
}

} // namespace twinplane::fw
