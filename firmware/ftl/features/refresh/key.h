// Data are written once more before they are lost (refresh.h). Its keys are its own: a build without it does not know
// them.
#pragma once

#include "firmware/ftl/feature_set.h"

namespace twinplane::fw {

inline constexpr FeatureKey refresh_key() {
  return {"refresh"};
}

} // namespace twinplane::fw
