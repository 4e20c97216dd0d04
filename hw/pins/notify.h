// Events at a time of the model.
#pragma once

#include <systemc>

#include "hw/core/kernel_time.h"

namespace twinplane::hw {

/// Also for times that are now: then one delta cycle later.
inline void notify_at(sc_core::sc_event& event, TimePs at) {
  const TimePs now = kernel_now();
  event.notify(to_sc_time(at > now ? at - now : 0));
}

} // namespace twinplane::hw
