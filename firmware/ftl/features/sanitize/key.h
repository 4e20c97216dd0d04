// Purge of all data (purge.h). A host is told whether the drive can.
#pragma once

#include "firmware/ftl/feature_set.h"

namespace twinplane::fw {

inline constexpr FeatureKey sanitize_key() {
  return {"sanitize"};
}

} // namespace twinplane::fw
