// Ends a simulation when nothing is under way in the drive any more: after its shutdown the firmware would go
// on collecting for as long as it wants, so it is asked to come to a rest.
#pragma once

#include <systemc>

#include "platform/ssd/ssd.h"

namespace twinplane::platform {

class QuiesceWatcher : public sc_core::sc_module {
 public:
  QuiesceWatcher(const sc_core::sc_module_name& name, Ssd& ssd);

  /// From inside the simulation.
  void stop_when_idle() { look_.notify(sc_core::SC_ZERO_TIME); }

 private:
  void look();

  Ssd& ssd_;
  sc_core::sc_event look_{"time"};
};

} // namespace twinplane::platform
