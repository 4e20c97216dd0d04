// When host data is in device DRAM: the front end's DMA engine answers, flash controllers ask.
#pragma once

#include <cstdint>

#include "hw/spec/sim_time.h"

namespace twinplane::hw {

class DmaFence {
 public:
  /// Absolute time at which the data of DMA descriptor `index` (counted from 1) has moved; kNever
  /// when the engine has not come to it yet.
  virtual TimePs done_at(std::uint32_t index) const = 0;

 protected:
  ~DmaFence() = default;
};

} // namespace twinplane::hw
