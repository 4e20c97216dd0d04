#include "hw/pins/clocked_checker.h"

#include <algorithm>

#include "hw/pins/clocked_times.h"
#include "hw/spec/onfi_commands.h"

namespace twinplane::hw {

namespace op = onfi::opcode;

void ClockedChecker::on_change(const PinLevels& before, const PinLevels& levels, TimePs now) {
  if (before.selected != 0) {
    if (before.we_n && !levels.we_n) clock_falls(now);
    if (!before.we_n && levels.we_n) clock_rises(before, now);
    if (before.dqs != levels.dqs && before.dqs_driven && levels.dqs_driven) strobe(levels.dqs, now);
  }
  levels_change(before, levels, now);
}

// --- the clock ---

void ClockedChecker::clock_falls(TimePs now) {
  times_.expect(PinRule::tCKH, rise_, clocked::half_period(bus_), now);
  fall_ = now;
}

void ClockedChecker::clock_rises(const PinLevels& at_edge, TimePs now) {
  times_.expect(PinRule::tCKL, fall_, clocked::half_period(bus_), now);
  times_.expect(PinRule::tCK, rise_, bus_.tCK, now);
  times_.expect_at_most(PinRule::tCK, std::max(rise_, select_), clocked::kLongestPeriod, now);
  times_.expect(PinRule::tCALS, control_change_, bus_.tCLS, now);
  times_.expect(PinRule::tDSS, dqs_fall_, clocked::strobe_apart(bus_), now);
  rise_ = now;
  if (!at_edge.cle && !at_edge.ale) return;
  times_.expect(PinRule::tCS, select_, bus_.tCS, now);
  if (at_edge.re_n && last_ == Cycle::data_out) times_.expect(PinRule::tRHW, ask_, bus_.tRHW, now);
  active_ = now;
  if (at_edge.cle != at_edge.ale) {
    latch(at_edge, now);
  } else {
    at_edge.re_n ? announce_in(now) : ask_out(at_edge, now);
  }
}

void ClockedChecker::latch(const PinLevels& at_edge, TimePs now) {
  times_.expect(PinRule::tCAS, dq_change_, bus_.tCAS, now);
  times_.expect(PinRule::tCAD, latched_, bus_.tWC, now);
  times_.expect(PinRule::tWW, protect_change_, bus_.tWW, now);
  dq_taken_ = now;
  dq_rule_ = PinRule::tCAH;
  dq_hold_ = bus_.tCAH;
  latched_ = now;
  announced_ = 0;
  bursting_ = false;
  if (at_edge.cle) opcode_ = at_edge.dq;
  last_ = at_edge.cle ? Cycle::command : Cycle::address;
  last_latch_ = last_;
}

void ClockedChecker::announce_in(TimePs now) {
  if (announced_ == 0) announce_ = now;
  announced_ += 2;
  last_ = Cycle::data_in;
}

void ClockedChecker::ask_out(const PinLevels& at_edge, TimePs now) {
  times_.expect(PinRule::tWRCK, turn_, bus_.tRPRE, now);
  if (last_latch_ == Cycle::command && opcode_ == op::change_column_confirm) {
    times_.expect(PinRule::tCCS, latched_, bus_.tCCS, now);
  } else {
    times_.expect(PinRule::tWHR, latched_, bus_.tWHR, now);
  }
  last_ = Cycle::data_out;
  ask_ = now;
  if (opcode_ == op::read_status || opcode_ == op::read_status_enhanced) return;
  const auto chip = static_cast<std::size_t>(__builtin_ctz(at_edge.selected));
  times_.expect(PinRule::tRR, ready_rise_[chip], bus_.tRR, now);
}

// --- the strobe of data in ---

/// An edge of the wrong direction is a preamble, one that is not announced means nothing.
void ClockedChecker::strobe(bool rising, TimePs now) {
  const bool first_of_pair = announced_ % 2 == 0;
  if (announced_ == 0 || rising != first_of_pair) return;
  if (!bursting_) {
    first_strobe(now);
  } else if (rising) {
    times_.expect(PinRule::tDQSL, dqs_fall_, clocked::strobe_pulse(bus_), now);
    times_.expect(PinRule::tDSC, dqs_rise_, bus_.tCK, now);
  } else {
    times_.expect(PinRule::tDQSH, dqs_rise_, clocked::strobe_pulse(bus_), now);
    times_.expect(PinRule::tDSH, rise_, clocked::strobe_apart(bus_), now);
  }
  times_.expect(PinRule::tDS, dq_change_, bus_.tDS, now);
  dq_taken_ = now;
  dq_rule_ = PinRule::tDH;
  dq_hold_ = bus_.tDH;
  rising ? dqs_rise_ = now : dqs_fall_ = now;
  bursting_ = true;
  strobed_ = true;
  --announced_;
}

void ClockedChecker::first_strobe(TimePs now) {
  times_.expect(PinRule::tDQSS, announce_, clocked::first_strobe_min(bus_), now);
  times_.expect_at_most(PinRule::tDQSS, announce_, clocked::first_strobe_max(bus_), now);
  times_.expect(PinRule::tWPRE, dqs_low_, bus_.tWPRE, now);
  if (last_latch_ != Cycle::address) return;
  const bool column = opcode_ == op::change_write_column;
  times_.expect(column ? PinRule::tCCS : PinRule::tADL, latched_, column ? bus_.tCCS : bus_.tADL, now);
}

// --- levels between the edges ---

void ClockedChecker::levels_change(const PinLevels& before, const PinLevels& levels, TimePs now) {
  if (before.dq != levels.dq || before.dq_driven != levels.dq_driven) {
    times_.expect(dq_rule_, dq_taken_, dq_hold_, now);
    dq_change_ = now;
  }
  if (before.cle != levels.cle || before.ale != levels.ale || before.re_n != levels.re_n) {
    times_.expect(PinRule::tCALH, rise_, bus_.tCLH, now);
    control_change_ = now;
  }
  if (before.re_n && !levels.re_n) turn_ = now;
  if (!before.re_n && levels.re_n) times_.expect(PinRule::tCKWR, ask_, clocked::turn_back(bus_), now);
  if (before.wp_n != levels.wp_n) protect_change_ = now;
  strobe_released(before, levels, now);
  if (before.selected != levels.selected) selection_changes(before, levels, now);
}

/// The postamble ends when DQS is let go or rises without a byte.
void ClockedChecker::strobe_released(const PinLevels& before, const PinLevels& levels, TimePs now) {
  const bool was_low = before.dqs_driven && !before.dqs;
  const bool is_low = levels.dqs_driven && !levels.dqs;
  if (!was_low && is_low) dqs_low_ = now;
  if (!was_low || is_low) return;
  dqs_low_ = 0;
  if (!strobed_ || dqs_rise_ == now) return;
  times_.expect(PinRule::tWPST, dqs_fall_, bus_.tWPST, now);
  strobed_ = false;
}

void ClockedChecker::selection_changes(const PinLevels& before, const PinLevels& levels, TimePs now) {
  for (std::size_t chip = 0; chip < deselect_.size(); ++chip) {
    const bool was = (before.selected >> chip & 1u) != 0;
    const bool is = (levels.selected >> chip & 1u) != 0;
    if (was && !is) {
      times_.expect(PinRule::tCH, active_, bus_.tCH, now);
      deselect_[chip] = now;
      announced_ = 0;
    } else if (!was && is) {
      times_.expect(PinRule::tCEH, deselect_[chip], bus_.tCEH, now);
      select_ = now;
    }
  }
}

} // namespace twinplane::hw
