// What a PCI function needs of the device behind it: the NVMe front end is one.
#pragma once

#include <cstdint>

#include "hw/spec/sim_time.h"

namespace twinplane::hw {

class PciClient {
 public:
  /// Reset of the function (power-on, FLR): registers take their defaults, nothing that is under way reaches
  /// the host any more, no interrupt is pending.
  virtual void reset_function(TimePs at) = 0;
  /// Message Control of the MSI-X capability has been written.
  virtual void set_msix(std::uint16_t control, TimePs at) = 0;
  /// False: the device may not access host memory, interrupt messages included. What it tries is answered
  /// with an error; messages stay pending.
  virtual void set_bus_master(bool enabled, TimePs at) = 0;
  /// The pin stays low.
  virtual void disable_intx(bool disabled, TimePs at) = 0;
  /// The pin would be high, were it not disabled.
  virtual bool interrupt_pending() const = 0;

 protected:
  ~PciClient() = default;
};

} // namespace twinplane::hw
