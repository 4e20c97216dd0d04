#include "hw/nand/cycles.h"

#include <algorithm>

namespace twinplane::hw {

bool AddressCycles::fits(Action action, std::uint32_t address_cycles) const {
  if (address_cycles == s_.rows.cycles(s_.waiting.form)) return true;
  return action == Action::write_column && address_cycles == s_.rows.cycles(AddressForm::page);
}

void AddressCycles::on_address(const OnfiPhase& phase) {
  const Action action = s_.waiting.action;
  s_.waiting.action = Action::unknown;
  if (action != Action::unknown && fits(action, phase.address_cycles)) return complete(action, phase);
  if (s_.operation.stage == Stage::refused && action == Action::unknown) return;
  s_.refuse(
      Rule::protocol,
      action == Action::unknown ? "expected a command before the address" : "expected all address cycles",
      phase);
  s_.operation.stage = Stage::refused;
}

void AddressCycles::complete(Action action, const OnfiPhase& phase) {
  switch (action) {
    case Action::open_read:
    case Action::open_program:
    case Action::open_erase:
      address_operation(phase);
      break;
    case Action::write_column:
      address_write(phase);
      break;
    case Action::zq_long:
    case Action::zq_short:
      calibrate(action, phase);
      break;
    case Action::configure_odt:
      s_.input = Input::odt;
      break;
    case Action::select_volume:
      break;
    case Action::column:
    case Action::column_enhanced:
      address_output(action, phase);
      break;
    case Action::status_enhanced:
      address_status(phase);
      break;
    case Action::reset_lun:
      reset_lun(phase);
      break;
    case Action::get_lun_features:
    case Action::set_lun_features:
      registers_.address_lun_feature(action, phase);
      break;
    case Action::suspend_program:
    case Action::suspend_erase:
    case Action::resume_program:
      address_suspended(action, phase);
      break;
    default:
      registers_.address_target(action, phase);
      break;
  }
}

bool AddressCycles::column_exists(const OnfiPhase& phase) {
  const std::uint32_t column = phase.address[0] | std::uint32_t{phase.address[1]} << 8;
  if (s_.rows.column_fits(column, s_.ddr())) return true;
  s_.refuse(Rule::bad_address,
            column >= s_.rows.columns() ? "expected a column inside page and spare area"
                                        : "expected an even column on a DDR interface",
            phase);
  s_.operation.stage = Stage::refused;
  return false;
}

// --- operations ---

void AddressCycles::address_operation(const OnfiPhase& phase) {
  DecoderState::Operation& operation = s_.operation;
  const bool row_only = s_.waiting.form == AddressForm::row;
  const bool ones = row_only && std::all_of(&phase.address[0], &phase.address[s_.rows.row_cycles()],
                                            [](std::uint8_t cycle) { return cycle == 0xFF; });
  const std::uint32_t queued = ones ? s_.lun_of_queue(ArrayKind::erase) : 0;
  if (ones && s_.access_of(queued).queue.holds(ArrayKind::erase)) {
    operation.cancel = true;
    operation.at.lun = queued;
    operation.stage = Stage::addressed;
    return;
  }
  operation.stage = Stage::refused; // until every check has passed
  operation.at = s_.rows.decode(phase, row_only ? 0 : onfi::kColumnCycles);
  if (!may_operate(phase)) return;
  if (!row_only && !column_exists(phase)) return;
  operation.stage = Stage::addressed;
  if (operation.kind != ArrayKind::program) return;
  const std::uint32_t plane = operation.at.place.plane;
  if (operation.jedec && s_.access->registers.begin_copyback(plane)) {
    operation.stage = Stage::loaded;
  } else {
    s_.access->registers[plane].clear();
  }
}

/// The addressed LUN exists, takes an operation of this kind now, and nothing that is queued forbids it.
bool AddressCycles::may_operate(const OnfiPhase& phase) {
  const DecoderState::Operation& operation = s_.operation;
  const std::uint32_t plane = operation.at.place.plane;
  if (!s_.exists(operation.at, phase)) return false;
  if (const RuleResult fault = s_.die->check_start(*s_.access, operation.kind, plane, s_.waiting.since)) {
    s_.refuse(fault->rule, fault->detail, phase, &operation.at);
    return false;
  }
  if (!s_.group_open) s_.begin_operation(operation.kind, plane, s_.waiting.since);
  if ((s_.queued_luns & ~s_.lun_bit()) != 0 && !same_lun_as_queue(phase)) return false;
  if (s_.access->queue.continues(operation.kind)) return true;
  s_.refuse(Rule::protocol, "expected all planes of a group with the same operation", phase, &operation.at);
  s_.access->queue.count = 0;
  s_.queued_luns &= ~s_.lun_bit();
  return false;
}

bool AddressCycles::same_lun_as_queue(const OnfiPhase& phase) {
  for (std::uint32_t lun = 0; lun < s_.rows.luns(); ++lun) {
    DieAccess& other = s_.access_of(lun);
    if (lun == s_.lun || !other.queue.holds(s_.operation.kind)) continue;
    other.queue.count = 0;
    s_.queued_luns &= ~(1u << lun);
    other.failed_planes |= other.registers.all();
    s_.refuse(Rule::same_lun, "expected all planes of a group in one LUN", phase, &s_.operation.at);
    return false;
  }
  return true;
}

/// 85h: inside a program a column, or another place for its data; after 11h with the row of a queued
/// plane, that plane again; after 35h a copyback program.
void AddressCycles::address_write(const OnfiPhase& phase) {
  if (s_.operation.stage == Stage::refused) return;
  const bool inside = s_.operation.kind == ArrayKind::program && !s_.between_operations();
  if (inside) s_.select_operation();
  const bool column_only = phase.address_cycles == onfi::kColumnCycles;
  const RowAddress at = column_only ? RowAddress{} : s_.rows.decode(phase, onfi::kColumnCycles);
  if (!inside) {
    s_.operation = {ArrayKind::program, Stage::refused, at};
    if (column_only) return s_.refuse(Rule::protocol, "expected 85h inside a program", phase);
    begin_write(at, phase);
  } else if (s_.operation_busy(s_.waiting.since)) {
    s_.refuse(Rule::busy, "expected a ready LUN", phase, &s_.operation.at);
    s_.operation.stage = Stage::refused;
  } else if (column_only) {
    column_exists(phase);
  } else {
    change_row(at, phase);
  }
}

void AddressCycles::begin_write(const RowAddress& at, const OnfiPhase& phase) {
  const std::uint32_t plane = at.place.plane;
  const bool exists = at.lun < s_.rows.luns() && plane < s_.rows.planes();
  const bool copyback = exists && s_.access_of(at.lun).registers[plane].copyback;
  const bool queued = exists && s_.access_of(at.lun).queue.holds(ArrayKind::program);
  if (!copyback && !queued) {
    return s_.refuse(Rule::protocol, "expected 85h inside a program, or after 35h in the same plane", phase,
                     &at);
  }
  if (!may_operate(phase) || !column_exists(phase)) return;
  if (!s_.access->queue.reopen(plane) && !s_.access->registers.begin_copyback(plane))
    return s_.refuse(Rule::protocol, "expected the plane of 11h or 35h", phase, &at);
  s_.operation.stage = Stage::loaded;
}

/// Change row address: the loaded data go somewhere else in the same plane.
void AddressCycles::change_row(const RowAddress& at, const OnfiPhase& phase) {
  DecoderState::Operation& operation = s_.operation;
  if (at.lun != operation.at.lun || at.place.plane != operation.at.place.plane) {
    s_.refuse(Rule::protocol, "expected 85h in the plane of the program", phase, &at);
    operation.stage = Stage::refused;
  } else if (column_exists(phase)) {
    operation.at = at;
  }
}

/// 84h, 61h, 13h; functional accesses find every operation finished.
void AddressCycles::address_suspended(Action action, const OnfiPhase& phase) {
  const bool erase = action == Action::suspend_erase;
  const RowAddress at = s_.rows.decode(phase, erase ? 0 : onfi::kColumnCycles);
  if (!s_.exists(at, phase) || !s_.timed()) return;
  s_.output = Output::none;
  if (action == Action::resume_program) {
    s_.die->resume(ArrayKind::program, s_.array_start(phase.end));
  } else {
    s_.die->suspend(erase ? ArrayKind::erase : ArrayKind::program, at.place, s_.array_start(phase.end));
  }
}

// --- other commands ---

/// F9h, D9h: the addressed LUN calibrates its drivers.
void AddressCycles::calibrate(Action action, const OnfiPhase& phase) {
  const RowAddress at{phase.address[0], {}};
  if (!s_.exists(at, phase)) return;
  if (s_.array_busy(s_.waiting.since)) return s_.refuse(Rule::busy, "expected an idle LUN", phase);
  s_.occupy(phase, action == Action::zq_long ? s_.array_timing().tZQCL : s_.array_timing().tZQCS);
}

void AddressCycles::address_output(Action action, const OnfiPhase& phase) {
  DecoderState::Operation& operation = s_.operation;
  if (action == Action::column_enhanced) {
    const RowAddress at = s_.rows.decode(phase, onfi::kColumnCycles);
    if (!s_.exists(at, phase)) return;
    s_.access->registers.select(at.place.plane);
  } else if (operation.kind == ArrayKind::read && operation.stage == Stage::addressed) {
    s_.select_operation();
    s_.access->registers.select(operation.at.place.plane); // JEDEC: 00h a5 05h a2 E0h
    operation.stage = Stage::closed;
  }
  if (s_.output_busy(s_.waiting.since)) return s_.refuse(Rule::busy, "expected a ready LUN", phase);
  s_.output_addressed = column_exists(phase);
}

void AddressCycles::address_status(const OnfiPhase& phase) {
  const RowAddress at = s_.rows.decode(phase, 0);
  if (!s_.exists(at, phase)) return;
  s_.status_plane = at.place.plane;
  s_.output = Output::status_enhanced;
}

void AddressCycles::reset_lun(const OnfiPhase& phase) {
  const RowAddress at = s_.rows.decode(phase, 0);
  if (!s_.exists(at, phase)) return;
  s_.queued_luns &= ~s_.lun_bit();
  s_.die->reset(*s_.access, s_.array_start(phase.end));
  if (s_.timed()) {
    s_.die->cells().set_read_level(0);
    s_.target.registers.reset_lun(s_.lun);
  }
  s_.close(false);
  s_.output = Output::none;
}

} // namespace twinplane::hw
