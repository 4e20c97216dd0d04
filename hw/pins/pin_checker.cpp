#include "hw/pins/pin_checker.h"

#include "hw/spec/onfi_commands.h"

namespace twinplane::hw {

PinChecker::PinChecker(const PinConfig& config, PinFaults& faults)
    : config_(config),
      times_(faults),
      clocked_(config, times_),
      deselect_(config.chips, 0),
      ready_rise_(config.chips, 0) {}

void PinChecker::on_change(const PinLevels& before, const PinLevels& levels, TimePs now) {
  if (config_.clocked()) return clocked_.on_change(before, levels, now);
  if (before.selected != 0) {
    if (before.we_n && !levels.we_n) write_falls(now);
    if (!before.we_n && levels.we_n) write_rises(before, now);
    if (before.re_n != levels.re_n && levels.data_cycle() && levels.we_n) read_edge(levels, now);
    if (config_.bus.ddr && before.dqs != levels.dqs) strobe_edge(before, now);
  }
  levels_change(before, levels, now);
}

void PinChecker::write_falls(TimePs now) {
  times_.expect(PinRule::tWC, we_fall_, config_.bus.tWC, now);
  times_.expect(PinRule::tWH, we_rise_, config_.bus.tWH, now);
  times_.expect(PinRule::tWW, protect_change_, config_.bus.tWW, now);
  if (last_ == Cycle::data_out) times_.expect(PinRule::tRHW, re_rise_, config_.bus.tRHW, now);
  we_fall_ = now;
}

void PinChecker::write_rises(const PinLevels& at_edge, TimePs now) {
  const BusTiming& t = config_.bus;
  times_.expect(PinRule::tWP, we_fall_, t.tWP, now);
  times_.expect(PinRule::tCS, select_, config_.bus.tCS, now);
  times_.expect(PinRule::tCLS, latch_change_, t.tCLS, now);
  const bool data = !at_edge.cle && !at_edge.ale;
  const bool strobed = data || !t.ddr;
  times_.expect(PinRule::tDS, dq_change_, strobed ? t.tDS : t.tCAS, now);
  dq_taken_ = now;
  dq_hold_ = strobed ? t.tDH : t.tCAH;
  if (data) data_in_begins(now);
  if (at_edge.cle) opcode_ = at_edge.dq;
  last_ = at_edge.cle ? Cycle::command : at_edge.ale ? Cycle::address : Cycle::data_in;
  we_rise_ = now;
}

void PinChecker::data_in_begins(TimePs now) {
  if (last_ != Cycle::address) return;
  if (opcode_ == onfi::opcode::change_write_column) {
    times_.expect(PinRule::tCCS, we_rise_, config_.bus.tCCS, now);
  } else {
    times_.expect(PinRule::tADL, we_rise_, config_.bus.tADL, now);
  }
}

void PinChecker::read_edge(const PinLevels& levels, TimePs now) {
  const BusTiming& t = config_.bus;
  if (levels.re_n) {
    times_.expect(PinRule::tRP, re_fall_, t.tRP, now);
    re_rise_ = now;
    return;
  }
  if (last_ == Cycle::data_out) {
    times_.expect(PinRule::tREH, re_rise_, t.tREH, now);
    if (!config_.bus.ddr) times_.expect(PinRule::tRC, re_fall_, config_.bus.data_out.of(1), now);
  } else {
    data_out_begins(levels, now);
  }
  last_ = Cycle::data_out;
  re_fall_ = now;
}

void PinChecker::data_out_begins(const PinLevels& levels, TimePs now) {
  namespace op = onfi::opcode;
  times_.expect(PinRule::tAR, ale_fall_, config_.bus.tAR, now);
  times_.expect(PinRule::tCLR, cle_fall_, config_.bus.tCLR, now);
  if (last_ == Cycle::command && opcode_ == op::change_column_confirm) {
    times_.expect(PinRule::tCCS, we_rise_, config_.bus.tCCS, now);
  } else {
    times_.expect(PinRule::tWHR, we_rise_, config_.bus.tWHR, now);
  }
  if (opcode_ == op::read_status || opcode_ == op::read_status_enhanced) return;
  const auto chip = static_cast<std::size_t>(__builtin_ctz(levels.selected));
  times_.expect(PinRule::tRR, ready_rise_[chip], config_.bus.tRR, now);
}

/// DDR data in: the first edge of a burst is a rising one, its preamble is not data.
void PinChecker::strobe_edge(const PinLevels& at_edge, TimePs now) {
  if (!at_edge.data_cycle() || !at_edge.we_n || !at_edge.re_n || !at_edge.dq_driven) return;
  if (last_ == Cycle::address && at_edge.dqs) return;
  data_in_begins(now);
  times_.expect(PinRule::tDS, dq_change_, config_.bus.tDS, now);
  last_ = Cycle::data_in;
  dq_taken_ = now;
  dq_hold_ = config_.bus.tDH;
}

void PinChecker::levels_change(const PinLevels& before, const PinLevels& levels, TimePs now) {
  const BusTiming& t = config_.bus;
  if (before.dq != levels.dq || before.dq_driven != levels.dq_driven) {
    times_.expect(PinRule::tDH, dq_taken_, dq_hold_, now);
    dq_change_ = now;
  }
  if (before.cle != levels.cle || before.ale != levels.ale) {
    times_.expect(PinRule::tCLH, we_rise_, t.tCLH, now);
    latch_change_ = now;
    if (before.cle && !levels.cle) cle_fall_ = now;
    if (before.ale && !levels.ale) ale_fall_ = now;
  }
  if (before.wp_n != levels.wp_n) protect_change_ = now;
  if (before.selected != levels.selected) selection_changes(before, levels, now);
}

void PinChecker::selection_changes(const PinLevels& before, const PinLevels& levels, TimePs now) {
  for (std::size_t chip = 0; chip < deselect_.size(); ++chip) {
    const bool was = (before.selected >> chip & 1u) != 0;
    const bool is = (levels.selected >> chip & 1u) != 0;
    if (was && !is) {
      times_.expect(PinRule::tCH, we_rise_, config_.bus.tCH, now);
      deselect_[chip] = now;
    } else if (!was && is) {
      times_.expect(PinRule::tCEH, deselect_[chip], config_.bus.tCEH, now);
      select_ = now;
    }
  }
}

} // namespace twinplane::hw
