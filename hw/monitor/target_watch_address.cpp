// The address cycles: where a command goes, and whether it may go there now.
#include <algorithm>

#include "hw/monitor/target_watch.h"

namespace twinplane::hw {

using timing::Event;

std::uint32_t TargetWatch::cycles(AddressShape shape) const {
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
      return row_cycles_;
    case AddressShape::page:
      return onfi::kColumnCycles + row_cycles_;
  }
  return 0;
}

BusPlace TargetWatch::decode(const OnfiPhase& phase, std::uint32_t first) const {
  std::uint32_t row = 0;
  for (std::uint32_t i = 0; i < row_cycles_ && first + i < phase.address.size(); ++i) {
    row |= std::uint32_t{phase.address[first + i]} << (8 * i);
  }
  const std::uint32_t lun = layout_.lun_bits == 0 ? 0 : layout_.lun(row);
  return {lun, layout_.plane(row), layout_.block(row), layout_.page(row)};
}

bool TargetWatch::exists(const BusPlace& place, TimePs at) {
  if (place.lun >= luns_.size()) {
    find(MonitorRule::bad_address, "no such LUN", at, place);
    return false;
  }
  lun_ = place.lun;
  if (place.plane < config_.geometry.planes_per_die) return true;
  find(MonitorRule::bad_address, "no such plane", at, place);
  return false;
}

bool TargetWatch::column_fits(const OnfiPhase& phase) {
  const std::uint32_t column = phase.address[0] | std::uint32_t{phase.address[1]} << 8;
  if (column >= config_.geometry.page_size + config_.geometry.spare_size) {
    find(MonitorRule::bad_address, "no such column", phase.start, {lun_});
    return false;
  }
  if (!config_.bus.ddr || column % 2 == 0) return true;
  find(MonitorRule::odd_column, "expected an even column on a DDR interface", phase.start, {lun_});
  return false;
}

void TargetWatch::on_address(const OnfiPhase& phase) {
  const std::uint32_t count = phase.address_cycles == 0 ? 1 : phase.address_cycles;
  const TimePs length = phase.end - phase.start;
  for (std::uint32_t i = 0; i < count; ++i) { // the phase's cycles are equal
    const TimePs at = phase.start + length * i / count;
    check_timing(Event::address, at);
    gate_.insert(mask(Event::latch), at);
  }
  const bool wanted = wants_address_;
  wants_address_ = false;
  gate_.insert(address_events(command_), phase.end);

  bool fits = phase.address_cycles == cycles(command_.address);
  if (command_.role == Role::load_elsewhere) fits = fits || phase.address_cycles == onfi::kColumnCycles;
  if (!wanted || !fits) {
    if (!wanted && operation_.stage == Stage::passed_over) return;
    find(MonitorRule::address_cycles,
         wanted ? "wrong number of address cycles" : "expected a command before the address", phase.start,
         {lun_});
    operation_.stage = Stage::passed_over;
    return;
  }
  switch (command_.role) {
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
      for (LunWatch& lun : luns_) {
        if (!lun.reports.empty()) expect_busy(lun, phase.end, kNever);
      }
      break;
    default:
      address_target(phase);
      break;
  }
}

/// 00h, 80h, 81h, 60h.
void TargetWatch::address_operation(const OnfiPhase& phase) {
  const bool row_only = command_.address == AddressShape::row;
  LunWatch& last = lun();
  const bool ones = std::all_of(phase.address.begin(), phase.address.begin() + row_cycles_,
                                [](std::uint8_t cycle) { return cycle == 0xFF; });
  if (row_only && ones && last.queue.count != 0 && last.queue.work == CellWork::erase) {
    operation_.cancel = true;
    operation_.stage = Stage::addressed;
    return;
  }
  operation_.stage = Stage::passed_over; // until every check has passed
  operation_.place = decode(phase, row_only ? 0 : onfi::kColumnCycles);
  const BusPlace& place = operation_.place;
  if (!exists(place, phase.start)) return;
  const bool other_work = lun().running.work != operation_.work;
  const bool beside = operation_.work == CellWork::read && lun().planes_read(command_at_);
  if (beside ? lun().planes_busy(1u << place.plane, command_at_)
             : busy(lun(), command_at_) || (timed_ && other_work && lun().array_busy(command_at_))) {
    find(MonitorRule::busy, other_work ? "expected an idle array" : "expected a ready LUN", phase.start,
         place);
    return;
  }
  if (lun().load_count != 0 && operation_.work != CellWork::program) {
    find(MonitorRule::wordline, "expected the next page of the wordline", phase.start, place);
    return;
  }
  if (!group_open_) check_fresh_operation(lun(), place, phase.start);
  if (!joins_queue(place, phase.start)) return;
  if (!row_only && !column_fits(phase)) return;
  operation_.stage = Stage::addressed;
  if (operation_.work != CellWork::program) return;
  lun().data_planes &= ~(1u << place.plane);
  const bool continues = command_.opcode == onfi::opcode::program_continue;
  if (command_.role != Role::set_up) return;      // 85h has its own rules
  if (continues && takes_copyback(place)) return; // JEDEC: 81h for the planes after 85h
  lun().copyback_planes &= ~(1u << place.plane);  // 80h clears the register
}

/// The status register is about to be cleared, and WP# protects the cells.
void TargetWatch::check_fresh_operation(LunWatch& lun, const BusPlace& place, TimePs at) {
  if (lun.unread_planes != 0 && lun.suspended.work == CellWork::none && !lun.cached_program) {
    find(MonitorRule::unread_status, "the result of the last operation was not read", at, place);
  }
  if (lun.suspended.work == CellWork::none) lun.unread_planes = 0;
  // Another kind of operation ends a stream of cache operations.
  if (operation_.work != CellWork::read) lun.reading_ahead = false;
  if (operation_.work != CellWork::program) lun.cached_program = false;
  if (write_protected_ && operation_.work != CellWork::read) {
    find(MonitorRule::write_protect, "WP# is low: the part ignores it", at, place);
  }
}

/// Planes of a group: one LUN, one kind of operation.
bool TargetWatch::joins_queue(const BusPlace& place, TimePs at) {
  for (LunWatch& other : luns_) {
    const bool foreign = &other != &luns_[place.lun];
    if (!foreign || other.queue.count == 0 || other.queue.work != operation_.work) continue;
    find(MonitorRule::same_lun, "expected all planes of a group in one LUN", at, place);
    other.queue.count = 0;
    return false;
  }
  PlaneGroup& queue = lun().queue;
  if (queue.count == 0 || queue.work == operation_.work) return true;
  find(MonitorRule::sequence, "expected all planes of a group with the same operation", at, place);
  queue.count = 0;
  return false;
}

/// 85h: a column of the page that is being loaded, another row for what was loaded, or a copyback program.
void TargetWatch::address_load(const OnfiPhase& phase) {
  const bool loading = operation_.work == CellWork::program &&
                       (operation_.stage == Stage::addressed || operation_.stage == Stage::loaded);
  if (phase.address_cycles == onfi::kColumnCycles) {
    if (!loading) {
      if (operation_.stage == Stage::passed_over) return;
      find(MonitorRule::sequence, "expected 85h inside a program", phase.start, {lun_});
    } else if (!column_fits(phase)) {
      operation_.stage = Stage::passed_over;
    }
    return;
  }
  if (operation_.stage == Stage::passed_over) return;
  const BusPlace place = decode(phase, onfi::kColumnCycles);
  if (loading) {
    change_row(place, phase);
  } else {
    reopen_or_copy(place, phase);
  }
}

/// What was loaded goes to another page of the same plane.
void TargetWatch::change_row(const BusPlace& place, const OnfiPhase& phase) {
  if (place.lun != operation_.place.lun || place.plane != operation_.place.plane) {
    find(MonitorRule::sequence, "expected 85h in the plane of the program", phase.start, place);
    operation_.stage = Stage::passed_over;
  } else if (!column_fits(phase)) {
    operation_.stage = Stage::passed_over;
  } else {
    operation_.place = place;
  }
}

/// 85h that begins an operation: of a plane that 11h closed, or of a page that 35h has read.
void TargetWatch::reopen_or_copy(const BusPlace& place, const OnfiPhase& phase) {
  operation_ = {CellWork::program, Stage::passed_over, false, place, 0};
  if (!exists(place, phase.start)) return;
  PlaneGroup& queue = lun().queue;
  const std::uint32_t entry = queue.work == CellWork::program ? queue.find_plane(place.plane) : queue.count;
  const bool reopens = entry != queue.count;
  if (!reopens && (lun().copyback_planes >> place.plane & 1u) == 0) {
    find(MonitorRule::sequence, "expected 85h after 35h or 11h of the same plane", phase.start, place);
    return;
  }
  address_operation(phase);
  if (operation_.stage != Stage::addressed) return;
  if (!reopens) {
    takes_copyback(place);
    return;
  }
  operation_.stage = Stage::loaded;
  operation_.sectors = queue.sectors[entry];
  operation_.copies = queue.copies[entry];
  queue.remove(entry);
}

/// The plane's register holds a page to copy: it is loaded now.
bool TargetWatch::takes_copyback(const BusPlace& place) {
  const std::uint32_t plane = 1u << place.plane;
  if ((lun().copyback_planes & plane) == 0) return false;
  lun().copyback_planes &= ~plane;
  operation_.stage = Stage::loaded;
  operation_.sectors = ~0u;
  operation_.copies = lun().copies[place.plane] + 1;
  return true;
}

/// 05h and 06h; 05h after 00h and its address is the JEDEC way to name plane and column.
void TargetWatch::address_column(const OnfiPhase& phase) {
  if (command_.address == AddressShape::page) {
    const BusPlace place = decode(phase, onfi::kColumnCycles);
    if (!exists(place, phase.start)) return;
    lun().plane = place.plane;
    lun().plane_selected = true;
    lun_selected_ = true;
  } else if (operation_.work == CellWork::read && operation_.stage == Stage::addressed) {
    lun().plane = operation_.place.plane;
    lun().plane_selected = true;
    lun_selected_ = true;
    operation_.stage = Stage::closed;
  }
  if (output_busy(lun(), command_at_)) {
    find(MonitorRule::busy, "expected a ready LUN", phase.start, {lun_});
    return;
  }
  column_addressed_ = column_fits(phase);
}

/// D4h, D5h: LUN and feature. Only that LUN has to be idle.
void TargetWatch::address_lun_feature(const OnfiPhase& phase) {
  output_ = Output::none;
  operation_.stage = Stage::passed_over; // until every check has passed
  if (!exists({phase.address[0], 0}, phase.start)) return;
  if (timed_ && lun().array_busy(command_at_)) {
    find(MonitorRule::busy, "expected an idle LUN", phase.start, {lun_});
    return;
  }
  feature_ = phase.address[1];
  if (feature_ == onfi::feature::timing_mode || feature_ == onfi::feature::nvddr2_configuration) {
    find(MonitorRule::bad_address, "the interface belongs to the target", phase.start, {lun_});
    return;
  }
  operation_.stage = Stage::closed;
  if (command_.role == Role::set_lun_feature) {
    feature_addressed_ = feature_of_lun_ = true;
    return;
  }
  output_ = Output::registers;
  expect_busy(lun(), phase.end, config_.array.tFEAT);
}

/// Commands that their address completes.
void TargetWatch::address_target(const OnfiPhase& phase) {
  const bool has_row = command_.address == AddressShape::row || command_.address == AddressShape::page;
  if (has_row) {
    const BusPlace place = decode(phase, command_.address == AddressShape::page ? onfi::kColumnCycles : 0);
    if (!exists(place, phase.start)) return;
    if (command_.role == Role::status_select) {
      output_ = Output::status;
      status_planes_ = 1u << place.plane;
      lun_selected_ = true;
    } else if (command_.role == Role::reset_lun) {
      reset(lun(), phase);
    } else if (command_.role == Role::suspend) {
      suspend(command_, phase, &place);
    } else {
      resume(command_.work, phase);
    }
    return;
  }
  output_ = Output::none;
  for (const LunWatch& lun : luns_) {
    if (!timed_ || !lun.array_busy(command_at_)) continue;
    find(MonitorRule::target_busy, "expected every LUN of the target idle", phase.start);
    return;
  }
  if (command_.role == Role::set_feature) {
    feature_addressed_ = true;
    feature_of_lun_ = false;
    feature_ = phase.address[0];
    return;
  }
  output_ = Output::registers;
  if (command_.role == Role::identify) return;
  const TimePs low = command_.role == Role::table ? config_.array.tR[0] : config_.array.tFEAT;
  for (LunWatch& lun : luns_) expect_busy(lun, phase.end, low);
}

} // namespace twinplane::hw
