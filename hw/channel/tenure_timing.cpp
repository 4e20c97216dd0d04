#include "hw/channel/tenure_timing.h"

#include "hw/spec/onfi_commands.h"
#include "hw/spec/timing_rules.h"

namespace twinplane::hw {

namespace {

using timing::Event;

/// As `following`, in the order of TenureTiming's columns.
constexpr std::array<Event, 5> kNext{Event::command, Event::address, Event::data_in, Event::data_out,
                                     Event::status};

} // namespace

TenureTiming::TenureTiming(const BusTiming& bus, TimePs tDBSY) : bus_(bus) {
  build_gaps(tDBSY);
  build_opcodes();
}

/// What the phase was, as the timing rules name it.
timing::EventMask TenureTiming::events(After after) {
  switch (after) {
    case After::start:
      return mask(Event::select);
    case After::command:
      return mask(Event::command);
    case After::status:
      return mask(Event::status);
    case After::confirm:
      return mask(Event::command, Event::confirm);
    case After::plane_confirm:
      return mask(Event::command, Event::plane_confirm);
    case After::column_confirm:
      return mask(Event::command, Event::column_confirm);
    case After::address:
      return mask(Event::address, Event::load_address);
    case After::column_address:
      return mask(Event::address, Event::column_address);
    case After::busy_address:
      return mask(Event::address, Event::busy_address);
    case After::data_in:
      return mask(Event::data_in);
    case After::feature_in:
      return mask(Event::data_in, Event::feature_in);
    case After::data_out:
      return mask(Event::data_out);
  }
  return 0;
}

void TenureTiming::build_gaps(TimePs tDBSY) {
  ArrayTiming array;
  array.tDBSY = tDBSY;
  for (std::size_t after = 0; after < kAfters; ++after) {
    const timing::EventMask before = events(static_cast<After>(after));
    for (std::size_t next = 0; next < kNext.size(); ++next) {
      gaps_[after][next] = timing::longest_wait(before, kNext[next], bus_, array);
    }
    // The bus is handed over when a status command could come (which waits for R/B# to be valid and for the
    // bus to turn round), after data in already when CE# may rise.
    const bool loaded = (before & mask(Event::data_in)) != 0 && (before & mask(Event::feature_in)) == 0;
    ends_[after] = timing::longest_wait(before, loaded ? Event::release : Event::status, bus_, array);
  }
  // Data out in a tenure of its own: R/B# rose, and that is why the tenure begins.
  const auto start = static_cast<std::size_t>(After::start);
  const auto data_out = static_cast<std::size_t>(PhaseKind::data_out);
  gaps_[start][data_out] = bus_.tCS + timing::longest_wait(mask(Event::ready), Event::data_out, bus_, array);
  ends_[start] = 0;
}

void TenureTiming::build_opcodes() {
  namespace op = onfi::opcode;
  for (const std::uint8_t confirm : {op::read_confirm, op::read_copyback, op::read_cache, op::read_cache_end,
                                     op::program_confirm, op::program_cache, op::program_load,
                                     op::erase_confirm, op::erase_resume, op::reset, op::synchronous_reset}) {
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
  for (const std::uint8_t busy :
       {op::read_parameter_page, op::get_features, op::get_lun_features, op::reset_lun, op::program_suspend,
        op::program_resume, op::erase_suspend, op::read_unique_id, op::zq_long, op::zq_short}) {
    opcodes_[busy].address = After::busy_address;
  }
  opcodes_[op::set_features].data_in = After::feature_in;
  opcodes_[op::set_lun_features].data_in = After::feature_in;
}

/// Calls visit(phase number, end of the phase before, start, end, use) for every phase.
template <typename Visit>
TimePs TenureTiming::walk(const OnfiTenure& tenure, TimePs start, Visit&& visit) const {
  After after = After::start;
  const Opcode* opcode = &opcodes_[0];
  TimePs now = start;
  for (std::uint32_t i = 0; i < tenure.phase_count; ++i) {
    const OnfiPhase& phase = tenure.phases[i];
    std::size_t next = static_cast<std::size_t>(phase.kind);
    if (phase.kind == PhaseKind::command) {
      opcode = &opcodes_[phase.opcode];
      if (opcode->status) next = kStatus;
    }
    const TimePs begin = now + gaps_[static_cast<std::size_t>(after)][next];
    TimePs length = bus_.tWC;
    switch (phase.kind) {
      case PhaseKind::command:
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
