#include "hw/pins/clocked_bus.h"

#include <string>

#include "hw/pins/clocked_times.h"

namespace twinplane::hw {

namespace {

bool package_drives(const PinLevels& levels) {
  return levels.selected != 0 && !levels.re_n;
}

} // namespace

/// A strobe may rise together with the clock: what the clock announces then is for later strobes.
void ClockedBus::on_change(const PinLevels& before, const PinLevels& levels, TimePs now) {
  if (before.we_n && !levels.we_n) clock_falls(levels, now);
  if (!before.we_n && levels.we_n) clock_rises(before, now);
  const bool strobes = before.dqs_driven && levels.dqs_driven && before.dqs != levels.dqs;
  if (strobes) strobe_in(before, levels.dqs, now);
  if (package_drives(before) != package_drives(levels)) turn(package_drives(levels), now);
  if (before.selected != 0 && levels.selected == 0) end_input(now);
}

void ClockedBus::clock_rises(const PinLevels& at_edge, TimePs now) {
  half_out_ = false;
  if (!at_edge.cle && !at_edge.ale) return;
  PinTarget* target = targets_.addressed(at_edge.selected, now);
  if (target == nullptr) return;
  if (at_edge.cle != at_edge.ale) {
    latch(*target, at_edge, now);
  } else if (at_edge.re_n) {
    if (announced_ == 0) dqs_edge_ = now;
    announced_ += 2;
  } else {
    half_out_ = true;
    byte_out(*target, at_edge, true, now);
  }
}

void ClockedBus::clock_falls(const PinLevels& levels, TimePs now) {
  clock_fall_ = now;
  if (!half_out_) return;
  half_out_ = false;
  PinTarget* target = targets_.addressed(levels.selected, now);
  if (target != nullptr) byte_out(*target, levels, false, now);
}

void ClockedBus::latch(PinTarget& target, const PinLevels& at_edge, TimePs now) {
  PinFaults& faults = targets_.shared().faults;
  end_input(now);
  const Strobe strobe{clock_fall_, now};
  if (!at_edge.re_n) {
    faults.report(PinFault::turned_round, now, "expected W/R# high for a command or address");
  } else if (!at_edge.dq_driven) {
    faults.report(PinFault::undriven, now, "expected the controller to drive DQ when CLK rises");
  } else if (at_edge.cle) {
    target.command(at_edge.dq, strobe, !at_edge.wp_n);
  } else {
    target.address(at_edge.dq, strobe);
  }
}

void ClockedBus::byte_out(PinTarget& target, const PinLevels& at_edge, bool dqs, TimePs now) {
  const std::uint8_t byte = target.data_out(now, !at_edge.wp_n);
  drives_.later({now + bus_.tDQSRE, byte, true, dqs, true});
}

void ClockedBus::strobe_in(const PinLevels& at_edge, bool rising, TimePs now) {
  if (at_edge.selected == 0 || !at_edge.re_n) return;
  const bool first_of_pair = announced_ % 2 == 0;
  if (rising != first_of_pair) return; // preamble, or the end of a strobe that was not announced
  PinFaults& faults = targets_.shared().faults;
  if (announced_ == 0) {
    faults.report(PinFault::unannounced, now, "expected CLK to announce what DQS strobes");
    return;
  }
  --announced_;
  PinTarget* target = targets_.addressed(at_edge.selected, now);
  if (target == nullptr) return;
  if (!at_edge.dq_driven) {
    faults.report(PinFault::undriven, now, "expected the controller to drive DQ at an edge of DQS");
    return;
  }
  target->data_in(at_edge.dq, {dqs_edge_, now});
  dqs_edge_ = now;
}

/// What was announced must have come before anything else begins.
void ClockedBus::end_input(TimePs now) {
  if (announced_ == 0) return;
  const std::string text = "expected DQS to strobe " + std::to_string(announced_) + " more bytes";
  targets_.shared().faults.report(PinFault::unstrobed, now, text.c_str());
  announced_ = 0;
}

void ClockedBus::turn(bool package_drives, TimePs now) {
  if (package_drives) {
    end_input(now);
    drives_.later({now + clocked::kDqsDriven, 0xFF, true, false, true});
  } else {
    drives_.release(now + bus_.tRPST); // tDQSHZ
  }
}

} // namespace twinplane::hw
