// Boot's way to work: descriptors are appended to the rings, and nothing else is done until all have
// completed.
#pragma once

#include "firmware/ftl/state.h"
#include "firmware/hal/boot_wait.h"
#include "firmware/hal/flash_port.h"

namespace twinplane::fw {

/// Behind the doorbells. Calls `take(channel, completion)` for each completion, which counts `waiting` down.
template <class Take>
void take_all_answers(FtlState& state, FlashPort* ports, BootWait& interrupts, const std::uint32_t& waiting,
                      Take&& take) {
  state.spend_charged();
  while (waiting != 0) {
    interrupts.wait();
    state.charge(1, state.config.cost.interrupt);
    for (std::uint32_t c = 0; c < state.config.geometry.channels; ++c)
      ports[c].poll([&](const FlashCompletion& done) { take(c, done); });
    state.spend_charged();
  }
}

} // namespace twinplane::fw
