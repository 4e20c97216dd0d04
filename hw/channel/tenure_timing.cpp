#include "hw/channel/tenure_timing.h"

#include <algorithm>

#include "hw/spec/onfi_commands.h"

namespace twinplane::hw {

TenureTiming::TenureTiming(const BusTiming& bus, TimePs tDBSY) : bus_(bus) {
  build_gaps(tDBSY);
}

void TenureTiming::build_gaps(TimePs tDBSY) {
  const BusTiming& t = bus_;
  const TimePs preamble = t.tRPRE + t.tDQSRE;
  const TimePs write_end = t.tWPST + t.tWPSTH + t.tCALS;
  const TimePs read_end = std::max(t.tRHW, t.tRPST + t.tRPSTH);

  for (const PhaseKind next : {PhaseKind::command, PhaseKind::address, PhaseKind::data_in}) {
    set_gap(After::start, next, t.tCS);
    set_gap(After::confirm, next, t.tWB);
    set_gap(After::plane_confirm, next, t.tWB + tDBSY);
    set_gap(After::data_in, next, write_end);
    set_gap(After::feature_in, next, std::max(write_end, t.tWB));
    set_gap(After::busy_address, next, t.tWB);
    set_gap(After::data_out, next, read_end);
  }
  set_gap(After::address, PhaseKind::data_in, std::max(t.tADL, t.tWPRE));
  set_gap(After::column_address, PhaseKind::data_in, std::max(t.tCCS, t.tWPRE));
  set_gap(After::start, PhaseKind::data_out, t.tCS + t.tRR + preamble);
  set_gap(After::column_confirm, PhaseKind::data_out, t.tCCS + preamble);
  for (const After after : {After::command, After::status, After::address, After::busy_address}) {
    set_gap(after, PhaseKind::data_out, t.tWHR + preamble);
  }
  for (const After after : {After::confirm, After::plane_confirm, After::busy_address}) {
    ends_[static_cast<std::size_t>(after)] = t.tWB;
  }
  ends_[static_cast<std::size_t>(After::data_in)] = t.tWPST + t.tWPSTH;
  ends_[static_cast<std::size_t>(After::feature_in)] = std::max(t.tWPST + t.tWPSTH, t.tWB);
  ends_[static_cast<std::size_t>(After::data_out)] = read_end;
}

TimePs TenureTiming::gap(const Cursor& cursor, const OnfiPhase& next) const {
  if (cursor.after == After::plane_confirm && next.kind == PhaseKind::command &&
      (next.opcode == onfi::opcode::read_status || next.opcode == onfi::opcode::read_status_enhanced)) {
    return bus_.tWB; // status may be read while the LUN is busy
  }
  return gaps_[static_cast<std::size_t>(cursor.after)][static_cast<std::size_t>(next.kind)];
}

TimePs TenureTiming::length(const OnfiPhase& phase) const {
  switch (phase.kind) {
    case PhaseKind::command:
      return bus_.tWC;
    case PhaseKind::address:
      return phase.address_cycles * bus_.tWC;
    case PhaseKind::data_in:
      return bus_.data_in.of(phase.bytes);
    case PhaseKind::data_out:
      break;
  }
  return bus_.data_out.of(phase.bytes);
}

TenureTiming::Cursor TenureTiming::step(const Cursor& cursor, const OnfiPhase& phase) {
  namespace op = onfi::opcode;
  switch (phase.kind) {
    case PhaseKind::data_in:
      return {cursor.opcode == op::set_features ? After::feature_in : After::data_in, cursor.opcode};
    case PhaseKind::data_out:
      return {After::data_out, cursor.opcode};
    case PhaseKind::address:
      switch (cursor.opcode) {
        case op::change_write_column:
          return {After::column_address, cursor.opcode};
        case op::read_parameter_page:
        case op::get_features:
        case op::reset_lun:
          return {After::busy_address, cursor.opcode};
        default:
          return {After::address, cursor.opcode};
      }
    case PhaseKind::command:
      break;
  }
  switch (phase.opcode) {
    case op::read_confirm:
    case op::program_confirm:
    case op::erase_confirm:
    case op::reset:
    case op::synchronous_reset:
      return {After::confirm, phase.opcode};
    case op::read_multiplane:
    case op::program_multiplane:
    case op::erase_multiplane:
      return {After::plane_confirm, phase.opcode};
    case op::change_column_confirm:
      return {After::column_confirm, phase.opcode};
    case op::read_status:
    case op::read_status_enhanced:
      return {After::status, phase.opcode};
    default:
      return {After::command, phase.opcode};
  }
}

TimePs TenureTiming::stamp(OnfiTenure& tenure, TimePs start, BusUseTimes& use) const {
  namespace op = onfi::opcode;
  Cursor cursor;
  TimePs now = start;
  BusUse last = BusUse::command;
  for (std::uint32_t i = 0; i < tenure.phase_count; ++i) {
    OnfiPhase& phase = tenure.phases[i];
    phase.start = now + gap(cursor, phase);
    phase.end = phase.start + length(phase);
    cursor = step(cursor, phase);
    const bool status = cursor.opcode == op::read_status || cursor.opcode == op::read_status_enhanced;
    last = status ? BusUse::status : static_cast<BusUse>(phase.kind);
    use[static_cast<std::size_t>(last)] += phase.end - now;
    now = phase.end;
  }
  const TimePs end = now + ends_[static_cast<std::size_t>(cursor.after)];
  use[static_cast<std::size_t>(last)] += end - now;
  return end;
}

TimePs TenureTiming::duration(const OnfiTenure& tenure) const {
  Cursor cursor;
  TimePs total = 0;
  for (std::uint32_t i = 0; i < tenure.phase_count; ++i) {
    total += gap(cursor, tenure.phases[i]) + length(tenure.phases[i]);
    cursor = step(cursor, tenure.phases[i]);
  }
  return total + ends_[static_cast<std::size_t>(cursor.after)];
}

} // namespace twinplane::hw
