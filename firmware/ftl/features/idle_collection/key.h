// Space is made while the host asks for nothing (idle_collection.cpp). Its keys are its own: a build without it does not
// know them.
#pragma once

#include "firmware/ftl/feature_set.h"

namespace twinplane::fw {

inline constexpr FeatureKey idle_collection_key() {
  return {"idle_collection"};
}

} // namespace twinplane::fw
