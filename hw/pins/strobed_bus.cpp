#include "hw/pins/strobed_bus.h"

namespace twinplane::hw {

void StrobedBus::on_change(const PinLevels& before, const PinLevels& levels, TimePs now) {
  if (before.we_n && !levels.we_n) we_fall_ = now;
  if (!before.we_n && levels.we_n) write_cycle(before, now);
  if (bus_.ddr && before.dqs != levels.dqs && levels.dqs_driven) strobe_in(before, levels.dqs, now);
  if (before.re_n != levels.re_n) bus_.ddr ? read_edge_ddr(levels, now) : read_edge_sdr(levels, now);
  end_bursts(levels, now);
}

void StrobedBus::write_cycle(const PinLevels& at_edge, TimePs now) {
  PinTarget* target = targets_.addressed(at_edge.selected, now);
  if (target == nullptr) return;
  PinFaults& faults = targets_.shared().faults;
  const Strobe strobe{we_fall_, now};
  if (!at_edge.re_n) {
    faults.report(PinFault::strobes_overlap, now, "expected RE# high while WE# is low");
  } else if (at_edge.cle && at_edge.ale) {
    faults.report(PinFault::latches_overlap, now, "expected CLE or ALE low when WE# rises");
  } else if (!at_edge.dq_driven) {
    faults.report(PinFault::undriven, now, "expected the controller to drive DQ when WE# rises");
  } else if (at_edge.cle) {
    target->command(at_edge.dq, strobe, !at_edge.wp_n);
  } else if (at_edge.ale) {
    target->address(at_edge.dq, strobe);
  } else if (bus_.ddr) {
    faults.report(PinFault::data_by_we, now, "expected data with DQS on a DDR interface");
  } else {
    target->data_in(at_edge.dq, strobe);
  }
}

void StrobedBus::read_edge_sdr(const PinLevels& levels, TimePs now) {
  if (!levels.data_cycle() || !levels.we_n) return;
  if (levels.re_n) {
    if (drives_.planned().dq_driven) drives_.release(now + bus_.tRHOH);
    return;
  }
  PinTarget* target = targets_.addressed(levels.selected, now);
  if (target == nullptr) return;
  drives_.release_earlier(now + bus_.tRLOH);
  drives_.later({now + bus_.tREA, target->data_out(now, !levels.wp_n), true, true, false});
}

void StrobedBus::read_edge_ddr(const PinLevels& levels, TimePs now) {
  if (!levels.data_cycle() || !levels.we_n) return;
  const TimePs at = now + bus_.tDQSRE;
  if (!burst_out_) { // the preamble: DQS goes low
    if (levels.re_n) return;
    burst_out_ = true;
    drives_.later({at, 0xFF, false, false, true});
    return;
  }
  PinTarget* target = targets_.addressed(levels.selected, now);
  if (target == nullptr) return;
  drives_.later({at, target->data_out(now, !levels.wp_n), true, levels.re_n, true});
}

void StrobedBus::strobe_in(const PinLevels& at_edge, bool rising, TimePs now) {
  if (!at_edge.data_cycle() || !at_edge.we_n || !at_edge.re_n) return;
  if (!burst_in_ && !rising) return; // the preamble
  if (!burst_in_) dqs_edge_ = now;
  burst_in_ = true;
  PinTarget* target = targets_.addressed(at_edge.selected, now);
  if (target == nullptr) return;
  if (!at_edge.dq_driven) {
    targets_.shared().faults.report(PinFault::undriven, now,
                                    "expected the controller to drive DQ at an edge of DQS");
    return;
  }
  target->data_in(at_edge.dq, {dqs_edge_, now});
  dqs_edge_ = now;
}

/// SDR output ends with CE#; DDR bursts also with CLE or ALE.
void StrobedBus::end_bursts(const PinLevels& levels, TimePs now) {
  const bool ends = bus_.ddr ? !levels.data_cycle() : levels.selected == 0;
  if (!ends) return;
  burst_in_ = false;
  burst_out_ = false;
  const PinDrives::Drive& planned = drives_.planned();
  if (planned.dq_driven || planned.dqs_driven) drives_.release(now + (bus_.ddr ? bus_.tDQSRH : bus_.tRHOH));
}

} // namespace twinplane::hw
