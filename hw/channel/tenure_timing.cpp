#include "hw/channel/tenure_timing.h"

#include <algorithm>

#include "hw/spec/onfi_commands.h"

namespace twinplane::hw {

TenureTiming::TenureTiming(const BusTiming& bus, TimePs tDBSY) : bus_(bus) {
  build_gaps(tDBSY);
  build_opcodes();
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

void TenureTiming::build_opcodes() {
  namespace op = onfi::opcode;
  for (const std::uint8_t confirm :
       {op::read_confirm, op::program_confirm, op::erase_confirm, op::reset, op::synchronous_reset}) {
    opcodes_[confirm].command = After::confirm;
  }
  for (const std::uint8_t confirm : {op::read_multiplane, op::program_multiplane, op::erase_multiplane}) {
    opcodes_[confirm].command = After::plane_confirm;
  }
  opcodes_[op::change_column_confirm].command = After::column_confirm;
  for (const std::uint8_t status : {op::read_status, op::read_status_enhanced}) {
    opcodes_[status].command = After::status;
    opcodes_[status].status = true;
  }
  opcodes_[op::change_write_column].address = After::column_address;
  for (const std::uint8_t busy : {op::read_parameter_page, op::get_features, op::reset_lun}) {
    opcodes_[busy].address = After::busy_address;
  }
  opcodes_[op::set_features].data_in = After::feature_in;
}

/// Calls visit(phase number, end of the phase before, start, end, use) for every phase.
template <typename Visit>
TimePs TenureTiming::walk(const OnfiTenure& tenure, TimePs start, Visit&& visit) const {
  After after = After::start;
  const Opcode* opcode = &opcodes_[0];
  TimePs now = start;
  for (std::uint32_t i = 0; i < tenure.phase_count; ++i) {
    const OnfiPhase& phase = tenure.phases[i];
    TimePs begin = now + gaps_[static_cast<std::size_t>(after)][static_cast<std::size_t>(phase.kind)];
    TimePs length = bus_.tWC;
    switch (phase.kind) {
      case PhaseKind::command:
        opcode = &opcodes_[phase.opcode];
        // Status may be read while the LUN is busy with tDBSY.
        if (after == After::plane_confirm && opcode->status) begin = now + bus_.tWB;
        after = opcode->command;
        break;
      case PhaseKind::address:
        length *= phase.address_cycles;
        after = opcode->address;
        break;
      case PhaseKind::data_in:
        length = bus_.data_in.of(phase.bytes);
        after = opcode->data_in;
        break;
      case PhaseKind::data_out:
        length = bus_.data_out.of(phase.bytes);
        after = After::data_out;
        break;
    }
    visit(i, now, begin, begin + length, opcode->status ? BusUse::status : static_cast<BusUse>(phase.kind));
    now = begin + length;
  }
  return now + ends_[static_cast<std::size_t>(after)];
}

TimePs TenureTiming::stamp(OnfiTenure& tenure, TimePs start, BusUseTimes& use) const {
  BusUse last = BusUse::command;
  TimePs last_end = start;
  const TimePs end =
      walk(tenure, start, [&](std::uint32_t i, TimePs before, TimePs from, TimePs to, BusUse what) {
        tenure.phases[i].start = from;
        tenure.phases[i].end = to;
        use[static_cast<std::size_t>(what)] += to - before;
        last = what;
        last_end = to;
      });
  use[static_cast<std::size_t>(last)] += end - last_end;
  return end;
}

TimePs TenureTiming::duration(const OnfiTenure& tenure) const {
  return walk(tenure, 0, [](std::uint32_t, TimePs, TimePs, TimePs, BusUse) {});
}

} // namespace twinplane::hw
