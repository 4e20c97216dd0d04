// Moves inside a die (copyback.cpp).
#pragma once

#include "firmware/ftl/feature_set.h"

namespace twinplane::fw {

inline constexpr FeatureKey copyback_key() {
  return {"copyback", [](const FtlConfig& c) { return c.copybacks != 0; },
          "ftl.copyback: must be 0, for this build has no feature copyback"};
}

} // namespace twinplane::fw
