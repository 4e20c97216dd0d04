// When did the host's data reach the device? Answers for the front end's DMA ring, to a block that must
// not start before (a FlashDescriptor's `fence` names the DMA index, see hw/spec/host_descriptor.h).
#pragma once

#include <cstdint>
#include <systemc>

#include "hw/spec/sim_time.h"

namespace twinplane::hw {

class DmaFence : public virtual sc_core::sc_interface {
 public:
  /// Absolute time (ps, may lie in the future) at which DMA descriptor `index` (counted from 1, free
  /// running) is done; 0 when that was long ago, kNever when its doorbell has not been rung yet.
  [[nodiscard]] virtual TimePs done_at(std::uint32_t index) const = 0;
};

} // namespace twinplane::hw
