// Writes that are answered when their data are in DRAM (buffered_writes.h).
#pragma once

#include "firmware/ftl/feature_set.h"

namespace twinplane::fw {

inline bool buffers_writes(const FtlConfig& config) {
  return config.write_ack == WriteAck::buffered;
}

inline constexpr FeatureKey write_buffer_key() {
  return {"write_buffer", buffers_writes,
          "ftl.write_ack: must be \"programmed\", for this build has no feature write_buffer"};
}

} // namespace twinplane::fw
