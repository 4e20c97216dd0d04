// How levels become cycles, and what the packages answer on DQ and DQS: strobed_bus.h for SDR and NV-DDR2 and
// its successors, clocked_bus.h for NV-DDR.
#pragma once

#include "hw/pins/pin_levels.h"
#include "hw/spec/sim_time.h"

namespace twinplane::hw {

class PinBus {
 public:
  PinBus() = default;
  virtual ~PinBus() = default;
  PinBus(const PinBus&) = delete;
  PinBus& operator=(const PinBus&) = delete;

  /// The pins have changed from `before` to `levels` at `now`. Told before the targets hear of CE#.
  virtual void on_change(const PinLevels& before, const PinLevels& levels, TimePs now) = 0;
};

} // namespace twinplane::hw
