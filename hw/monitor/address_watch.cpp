#include "hw/monitor/address_watch.h"

#include <algorithm>

namespace twinplane::hw {

using Stage = WatchStage;
using Output = WatchOutput;
using timing::Event;

std::uint32_t AddressWatch::cycles(AddressShape shape) const {
  switch (shape) {
    case AddressShape::none:
      return 0;
    case AddressShape::one:
      return 1;
    case AddressShape::two:
      return 2;
    case AddressShape::column:
      return onfi::kColumnCycles;
    case AddressShape::row:
      return s_.row_cycles;
    case AddressShape::page:
      return onfi::kColumnCycles + s_.row_cycles;
  }
  return 0;
}

void AddressWatch::on_address(const OnfiPhase& phase) {
  const std::uint32_t count = phase.address_cycles == 0 ? 1 : phase.address_cycles;
  const TimePs length = phase.end - phase.start;
  for (std::uint32_t i = 0; i < count; ++i) { // the phase's cycles are equal
    const TimePs at = phase.start + length * i / count;
    s_.timing.check(Event::address, at, s_.lun_number);
    s_.timing.insert(mask(Event::latch), at);
  }
  const bool wanted = s_.wants_address;
  s_.wants_address = false;
  s_.timing.insert(address_events(s_.command), phase.end);

  bool fits = phase.address_cycles == cycles(s_.command.address);
  if (s_.command.role == Role::load_elsewhere) fits = fits || phase.address_cycles == onfi::kColumnCycles;
  if (!wanted || !fits) {
    if (!wanted && s_.operation.stage == Stage::passed_over) return;
    s_.find(MonitorRule::address_cycles,
            wanted ? "wrong number of address cycles" : "expected a command before the address", phase.start,
            {s_.lun_number});
    s_.operation.stage = Stage::passed_over;
    return;
  }
  complete(phase);
}

void AddressWatch::complete(const OnfiPhase& phase) {
  switch (s_.command.role) {
    case Role::set_up:
      address_operation(phase);
      break;
    case Role::load_elsewhere:
      address_load(phase);
      break;
    case Role::column:
      address_column(phase);
      break;
    case Role::get_lun_feature:
    case Role::set_lun_feature:
      address_lun_feature(phase);
      break;
    case Role::accessory: // calibration may take time; the standard leaves open which LUNs take part
      for (LunWatch& lun : s_.luns) {
        const bool falls = !lun.reports.empty() && lun.reports.front().fall <= phase.end + s_.config.bus.tWB;
        if (falls) s_.expect_busy(lun, phase.end, kNever);
      }
      break;
    default:
      address_target(phase);
      break;
  }
}

/// 00h, 80h, 81h, 60h.
void AddressWatch::address_operation(const OnfiPhase& phase) {
  const bool row_only = s_.command.address == AddressShape::row;
  const LunWatch& waiting = s_.lun_of_queue(CellWork::erase);
  const bool ones = std::all_of(phase.address.begin(), phase.address.begin() + s_.row_cycles,
                                [](std::uint8_t cycle) { return cycle == 0xFF; });
  if (row_only && ones && waiting.queue.count != 0 && waiting.queue.work == CellWork::erase) {
    s_.operation.cancel = true;
    s_.operation.place.lun = s_.number(waiting);
    s_.operation.stage = Stage::addressed;
    return;
  }
  s_.operation.stage = Stage::passed_over; // until every check has passed
  s_.operation.place = s_.decode(phase, row_only ? 0 : onfi::kColumnCycles);
  const BusPlace& place = s_.operation.place;
  if (!may_operate(place, phase.start)) return;
  if (!row_only && !s_.column_fits(phase)) return;
  s_.operation.stage = Stage::addressed;
  if (s_.operation.work != CellWork::program) return;
  s_.lun().data_planes &= ~(1u << place.plane);
  const bool continues = s_.command.opcode == onfi::opcode::program_continue;
  if (s_.command.role != Role::set_up) return;      // 85h has its own rules
  if (continues && takes_copyback(place)) return;   // JEDEC: 81h for the planes after 85h
  s_.lun().copyback_planes &= ~(1u << place.plane); // 80h clears the register
}

/// The addressed LUN exists, takes an operation of this kind now, and nothing that is queued forbids it.
bool AddressWatch::may_operate(const BusPlace& place, TimePs at) {
  if (!s_.exists(place, at)) return false;
  LunWatch& lun = s_.lun();
  const CellWork work = s_.operation.work;
  const bool other_work = lun.running.work != work;
  const bool beside = work == CellWork::read && lun.planes_read(s_.command_at);
  if (beside ? lun.planes_busy(1u << place.plane, s_.command_at)
             : s_.busy(lun, s_.command_at) || (s_.timed && other_work && lun.array_busy(s_.command_at))) {
    s_.find(MonitorRule::busy, other_work ? "expected an idle array" : "expected a ready LUN", at, place);
    return false;
  }
  if (s_.write_protected && work != CellWork::read) {
    s_.find(MonitorRule::write_protect, "WP# is low: the part ignores it", at, place);
    return false;
  }
  if (lun.load_count != 0 && work != CellWork::program) {
    s_.find(MonitorRule::wordline, "expected the next page of the wordline", at, place);
    return false;
  }
  if (!s_.group_open) check_fresh_operation(lun, place, at);
  return joins_queue(place, at);
}

/// The status register is about to be cleared.
void AddressWatch::check_fresh_operation(LunWatch& lun, const BusPlace& place, TimePs at) {
  if (lun.unread_planes != 0 && lun.suspended.work == CellWork::none && !lun.cached_program) {
    s_.find(MonitorRule::unread_status, "the result of the last operation was not read", at, place);
  }
  if (lun.suspended.work == CellWork::none) lun.unread_planes = 0;
  // Another kind of operation ends a stream of cache operations.
  if (s_.operation.work != CellWork::read) lun.reading_ahead = false;
  if (s_.operation.work != CellWork::program) lun.cached_program = false;
}

/// Planes of a group: one LUN, one kind of operation.
bool AddressWatch::joins_queue(const BusPlace& place, TimePs at) {
  for (LunWatch& other : s_.luns) {
    const bool foreign = &other != &s_.luns[place.lun];
    if (!foreign || other.queue.count == 0 || other.queue.work != s_.operation.work) continue;
    s_.find(MonitorRule::same_lun, "expected all planes of a group in one LUN", at, place);
    other.queue.count = 0;
    return false;
  }
  PlaneGroup& queue = s_.lun().queue;
  if (queue.count == 0 || queue.work == s_.operation.work) return true;
  s_.find(MonitorRule::sequence, "expected all planes of a group with the same operation", at, place);
  queue.count = 0;
  return false;
}

/// 85h: a column of the page that is being loaded, another row for what was loaded, or a copyback program.
void AddressWatch::address_load(const OnfiPhase& phase) {
  const bool loading = s_.operation.work == CellWork::program && s_.inside_operation();
  if (loading) {
    s_.select_operation();
    if (s_.operation_busy(s_.command_at)) {
      s_.find(MonitorRule::busy, "expected 85h to a ready LUN", phase.start, s_.operation.place);
      s_.operation.stage = Stage::passed_over;
      return;
    }
  }
  if (phase.address_cycles == onfi::kColumnCycles) {
    if (!loading) {
      if (s_.operation.stage == Stage::passed_over) return;
      s_.find(MonitorRule::sequence, "expected 85h inside a program", phase.start, {s_.lun_number});
    } else if (!s_.column_fits(phase)) {
      s_.operation.stage = Stage::passed_over;
    }
    return;
  }
  if (s_.operation.stage == Stage::passed_over) return;
  const BusPlace place = s_.decode(phase, onfi::kColumnCycles);
  if (loading) {
    change_row(place, phase);
  } else {
    reopen_or_copy(place, phase);
  }
}

/// What was loaded goes to another page of the same plane.
void AddressWatch::change_row(const BusPlace& place, const OnfiPhase& phase) {
  if (place.lun != s_.operation.place.lun || place.plane != s_.operation.place.plane) {
    s_.find(MonitorRule::sequence, "expected 85h in the plane of the program", phase.start, place);
    s_.operation.stage = Stage::passed_over;
  } else if (!s_.column_fits(phase)) {
    s_.operation.stage = Stage::passed_over;
  } else {
    s_.operation.place = place;
  }
}

/// 85h that begins an operation: of a plane that 11h closed, or of a page that 35h has read.
void AddressWatch::reopen_or_copy(const BusPlace& place, const OnfiPhase& phase) {
  s_.operation = {CellWork::program, Stage::passed_over, false, place, 0};
  if (!s_.exists(place, phase.start)) return;
  PlaneGroup& queue = s_.lun().queue;
  const std::uint32_t entry = queue.work == CellWork::program ? queue.find_plane(place.plane) : queue.count;
  const bool reopens = entry != queue.count;
  if (!reopens && (s_.lun().copyback_planes >> place.plane & 1u) == 0) {
    s_.find(MonitorRule::sequence, "expected 85h after 35h or 11h of the same plane", phase.start, place);
    return;
  }
  address_operation(phase);
  if (s_.operation.stage != Stage::addressed) return;
  if (!reopens) {
    takes_copyback(place);
    return;
  }
  s_.operation.stage = Stage::loaded;
  s_.operation.sectors = queue.sectors[entry];
  s_.operation.copies = queue.copies[entry];
  queue.remove(entry);
}

/// The plane's register holds a page to copy: it is loaded now.
bool AddressWatch::takes_copyback(const BusPlace& place) {
  const std::uint32_t plane = 1u << place.plane;
  if ((s_.lun().copyback_planes & plane) == 0) return false;
  s_.lun().copyback_planes &= ~plane;
  s_.operation.stage = Stage::loaded;
  s_.operation.sectors = ~0u;
  s_.operation.copies = s_.lun().copies[place.plane] + 1;
  return true;
}

/// 05h and 06h; 05h after 00h and its address is the JEDEC way to name plane and column.
void AddressWatch::address_column(const OnfiPhase& phase) {
  if (s_.command.address == AddressShape::page) {
    const BusPlace place = s_.decode(phase, onfi::kColumnCycles);
    if (!s_.exists(place, phase.start)) return;
    s_.lun().plane = place.plane;
    s_.lun().plane_selected = true;
    s_.lun_selected = true;
  } else if (s_.operation.work == CellWork::read && s_.operation.stage == Stage::addressed) {
    s_.select_operation();
    s_.lun().plane = s_.operation.place.plane;
    s_.lun().plane_selected = true;
    s_.lun_selected = true;
    s_.operation.stage = Stage::closed;
  }
  if (s_.output_busy(s_.lun(), s_.command_at)) {
    s_.find(MonitorRule::busy, "expected a ready LUN", phase.start, {s_.lun_number});
    return;
  }
  s_.column_addressed = s_.column_fits(phase);
}

/// D4h, D5h: LUN and feature. Only that LUN has to be idle.
void AddressWatch::address_lun_feature(const OnfiPhase& phase) {
  s_.output = Output::none;
  s_.operation.stage = Stage::passed_over; // until every check has passed
  if (!s_.exists({phase.address[0], 0}, phase.start)) return;
  if (s_.timed && s_.lun().array_busy(s_.command_at)) {
    s_.find(MonitorRule::busy, "expected an idle LUN", phase.start, {s_.lun_number});
    return;
  }
  s_.feature = phase.address[1];
  if (!has_feature(s_.feature, true)) {
    s_.find(MonitorRule::bad_address, "no such feature of a LUN", phase.start, {s_.lun_number});
    return;
  }
  s_.operation.stage = Stage::closed;
  if (s_.command.role == Role::set_lun_feature) {
    s_.feature_addressed = s_.feature_of_lun = true;
    return;
  }
  s_.output = Output::registers;
  s_.expect_busy(s_.lun(), phase.end, s_.config.array.tFEAT);
}

/// Commands that their address completes: of a LUN or plane, or of the target.
void AddressWatch::address_row(const OnfiPhase& phase) {
  const MonitorCommand& command = s_.command;
  const BusPlace place = s_.decode(phase, command.address == AddressShape::page ? onfi::kColumnCycles : 0);
  if (!s_.exists(place, phase.start)) return;
  if (command.role == Role::status_select) {
    s_.output = Output::status;
    s_.status_planes = 1u << place.plane;
    s_.lun_selected = true;
  } else if (command.role == Role::reset_lun) {
    array_.reset(s_.lun(), phase);
  } else if (command.role == Role::suspend) {
    array_.suspend(command, phase, place);
  } else {
    array_.resume(command.work, phase);
  }
}

void AddressWatch::address_target(const OnfiPhase& phase) {
  const bool has_row = s_.command.address == AddressShape::row || s_.command.address == AddressShape::page;
  if (has_row) return address_row(phase);
  s_.output = Output::none;
  for (const LunWatch& lun : s_.luns) {
    if (!s_.timed || !lun.array_busy(s_.command_at)) continue;
    s_.find(MonitorRule::target_busy, "expected every LUN of the target idle", phase.start);
    return;
  }
  const bool feature = s_.command.role == Role::set_feature || s_.command.role == Role::get_feature;
  if (feature && !has_feature(phase.address[0], false)) {
    s_.find(MonitorRule::bad_address, "no such feature", phase.start);
    return;
  }
  if (s_.command.role == Role::set_feature) {
    s_.feature_addressed = true;
    s_.feature_of_lun = false;
    s_.feature = phase.address[0];
    return;
  }
  s_.output = Output::registers;
  if (s_.command.role == Role::identify) return;
  const TimePs low = s_.command.role == Role::table ? s_.config.array.tR[0] : s_.config.array.tFEAT;
  for (LunWatch& lun : s_.luns) s_.expect_busy(lun, phase.end, low);
}

} // namespace twinplane::hw
