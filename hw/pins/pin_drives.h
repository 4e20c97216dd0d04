// What the packages will put on DQ and DQS, in the order of its times.
#pragma once

#include <cstdint>
#include <deque>
#include <systemc>

#include "hw/pins/onfi_pins.h"
#include "hw/spec/sim_time.h"

namespace twinplane::hw {

class PinDrives {
 public:
  struct Drive {
    TimePs at = 0;
    std::uint8_t dq = 0xFF;
    bool dq_driven = false;
    bool dqs = true;
    bool dqs_driven = false;
  };

  explicit PinDrives(OnfiPins& pins) : pins_(pins) {}

  /// The end of a burst does not overtake its last byte.
  void later(Drive drive);
  /// As later(), and no target drives any more.
  void release(TimePs at) { later({at, 0xFF, false, true, false}); }
  /// A release that has not happened yet comes no later than `at`.
  void release_earlier(TimePs at);
  /// What will hold after all that was said.
  const Drive& planned() const { return planned_; }

  /// The process that waits for this calls put().
  const sc_core::sc_event& event() const { return event_; }
  void put();

 private:
  OnfiPins& pins_;
  std::deque<Drive> drives_;
  Drive planned_; // the last of them
  sc_core::sc_event event_;
};

} // namespace twinplane::hw
