// The address cycles: which LUN, plane, block and page a command is for, and whether it may come now.
#include <algorithm>
#include <cstring>

#include "hw/nand/decoder.h"

namespace twinplane::hw {

std::uint32_t Decoder::cycles(AddressForm form) const {
  switch (form) {
    case AddressForm::none:
      return 0;
    case AddressForm::one:
      return 1;
    case AddressForm::lun_feature:
      return 2;
    case AddressForm::column:
      return onfi::kColumnCycles;
    case AddressForm::row:
      return row_cycles_;
    case AddressForm::page:
      return onfi::kColumnCycles + row_cycles_;
  }
  return 0;
}

bool Decoder::fits(Action action, std::uint32_t address_cycles) const {
  if (address_cycles == cycles(waiting_form_)) return true;
  return action == Action::write_column && address_cycles == cycles(AddressForm::page);
}

void Decoder::on_address(const OnfiPhase& phase) {
  const Action action = waiting_;
  waiting_ = Action::unknown;
  if (action == Action::unknown || !fits(action, phase.address_cycles)) {
    if (operation_.stage == Stage::refused && action == Action::unknown) return;
    refuse(
        Rule::protocol,
        action == Action::unknown ? "expected a command before the address" : "expected all address cycles",
        phase);
    operation_.stage = Stage::refused;
    return;
  }
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
      input_ = Input::odt;
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
      address_lun_feature(action, phase);
      break;
    case Action::suspend_program:
    case Action::suspend_erase:
    case Action::resume_program:
      address_suspended(action, phase);
      break;
    default:
      address_target(action, phase);
      break;
  }
}

RowAddress Decoder::decode_row(const OnfiPhase& phase, std::uint32_t first_cycle) const {
  std::uint32_t row = 0;
  std::memcpy(&row, &phase.address[first_cycle], sizeof row); // least significant cycle first
  return decode_row(row);
}

bool Decoder::exists(const RowAddress& at, const OnfiPhase& phase) {
  const bool lun_exists = at.lun < target_.dies.size();
  if (lun_exists) select(at.lun);
  if (lun_exists && at.place.plane < planes_) return true;
  refuse(Rule::bad_address, lun_exists ? "plane beyond the die" : "LUN beyond the package", phase, &at);
  return false;
}

bool Decoder::column_exists(const OnfiPhase& phase) {
  const Geometry& g = target_.context.config.geometry;
  const std::uint32_t column = phase.address[0] | std::uint32_t{phase.address[1]} << 8;
  if (column_fits(column)) return true;
  const bool beyond = column >= g.page_size + g.spare_size;
  refuse(
      Rule::bad_address,
      beyond ? "expected a column inside page and spare area" : "expected an even column on a DDR interface",
      phase);
  operation_.stage = Stage::refused;
  return false;
}

bool Decoder::same_lun_as_queue(const RowAddress& at, const OnfiPhase& phase) {
  for (std::uint32_t lun = 0; lun < target_.dies.size(); ++lun) {
    if (lun == at.lun || !target_.dies[lun].queued(face_, operation_.kind)) continue;
    Refusal refusal;
    refusal.rule = Rule::same_lun;
    refusal.detail = "expected all planes of a group in one LUN";
    refusal.time = timed() ? phase.start : 0;
    refusal.plane = at.place.plane;
    refusal.block = at.place.block;
    refusal.page = at.place.page;
    target_.dies[lun].drop_queue(face_);
    queued_luns_ &= ~(1u << lun);
    target_.dies[lun].fail(face_);
    die().refuse(face_, 1u << at.place.plane, refusal);
    return false;
  }
  return true;
}

void Decoder::address_operation(const OnfiPhase& phase) {
  const bool row_only = waiting_form_ == AddressForm::row;
  const bool ones = row_only && std::all_of(&phase.address[0], &phase.address[row_cycles_],
                                            [](std::uint8_t cycle) { return cycle == 0xFF; });
  if (ones && die().queued(face_, ArrayKind::erase)) {
    operation_.cancel = true;
    operation_.stage = Stage::addressed;
    return;
  }
  operation_.stage = Stage::refused; // until every check has passed
  operation_.at = decode_row(phase, row_only ? 0 : onfi::kColumnCycles);
  if (!may_operate(phase)) return;
  if (!row_only && !column_exists(phase)) return;
  operation_.stage = Stage::addressed;
  if (operation_.kind != ArrayKind::program) return;
  const std::uint32_t plane = operation_.at.place.plane;
  if (operation_.jedec && die().begin_copyback(face_, plane)) {
    operation_.stage = Stage::loaded;
  } else {
    die().begin_program(face_, plane);
  }
}

/// The addressed LUN exists, takes an operation of this kind now, and nothing that is queued forbids it.
bool Decoder::may_operate(const OnfiPhase& phase) {
  if (!exists(operation_.at, phase)) return false;
  if (const Fault* fault =
          die().judge_open(face_, operation_.kind, operation_.at.place.plane, waiting_since_)) {
    refuse(fault->rule, fault->detail, phase, &operation_.at);
    return false;
  }
  if (!group_open_) begin_operation(operation_.kind, operation_.at.place.plane, waiting_since_);
  if ((queued_luns_ & ~(1u << lun_)) != 0 && !same_lun_as_queue(operation_.at, phase)) return false;
  if (die().continues(face_, operation_.kind)) return true;
  refuse(Rule::protocol, "expected all planes of a group with the same operation", phase, &operation_.at);
  die().drop_queue(face_);
  queued_luns_ &= ~(1u << lun_);
  return false;
}

/// 85h: inside a program a column, or another place for its data; after 11h with the row of a queued
/// plane, that plane again; after 35h a copyback program.
void Decoder::address_write(const OnfiPhase& phase) {
  if (operation_.stage == Stage::refused) return;
  const bool inside = operation_.kind == ArrayKind::program && !between_operations();
  const bool column_only = phase.address_cycles == onfi::kColumnCycles;
  const RowAddress at = column_only ? RowAddress{} : decode_row(phase, onfi::kColumnCycles);
  if (inside) {
    if (!column_only) {
      change_row(at, phase);
    } else {
      column_exists(phase);
    }
    return;
  }
  operation_ = {ArrayKind::program, Stage::refused, at};
  if (column_only) return refuse(Rule::protocol, "expected 85h inside a program", phase);
  const bool copyback = at.lun < target_.dies.size() && at.place.plane < planes_ &&
                        target_.dies[at.lun].holds_copyback(face_, at.place.plane);
  const bool queued = at.lun == lun_ && die().queued(face_, ArrayKind::program);
  if (!copyback && !queued) {
    return refuse(Rule::protocol, "expected 85h inside a program, or after 35h in the same plane", phase,
                  &at);
  }
  if (!may_operate(phase) || !column_exists(phase)) return;
  if (!die().reopen(face_, at.place.plane) && !die().begin_copyback(face_, at.place.plane)) {
    return refuse(Rule::protocol, "expected the plane of 11h or 35h", phase, &at);
  }
  operation_.stage = Stage::loaded;
}

/// Change row address: the loaded data go somewhere else in the same plane.
void Decoder::change_row(const RowAddress& at, const OnfiPhase& phase) {
  if (at.lun != operation_.at.lun || at.place.plane != operation_.at.place.plane) {
    refuse(Rule::protocol, "expected 85h in the plane of the program", phase, &at);
    operation_.stage = Stage::refused;
  } else if (column_exists(phase)) {
    operation_.at = at;
  }
}

/// F9h, D9h: the addressed LUN calibrates its drivers.
void Decoder::calibrate(Action action, const OnfiPhase& phase) {
  const RowAddress at{phase.address[0], {}};
  if (!exists(at, phase)) return;
  if (timed() && die().array_busy(waiting_since_)) {
    return refuse(Rule::busy, "expected an idle LUN", phase);
  }
  const ArrayTiming& t = target_.context.config.array;
  if (timed()) die().occupy(array_start(phase.end), action == Action::zq_long ? t.tZQCL : t.tZQCS);
}

void Decoder::address_output(Action action, const OnfiPhase& phase) {
  if (action == Action::column_enhanced) {
    const RowAddress at = decode_row(phase, onfi::kColumnCycles);
    if (!exists(at, phase)) return;
    die().select_plane(face_, at.place.plane);
  } else if (operation_.kind == ArrayKind::read && operation_.stage == Stage::addressed) {
    die().select_plane(face_, operation_.at.place.plane); // JEDEC: 00h a5 05h a2 E0h
    operation_.stage = Stage::closed;
  }
  if (output_is_busy_at(waiting_since_)) {
    refuse(Rule::busy, "expected a ready LUN", phase);
    return;
  }
  output_addressed_ = column_exists(phase);
}

void Decoder::address_status(const OnfiPhase& phase) {
  const RowAddress at = decode_row(phase, 0);
  if (!exists(at, phase)) return;
  status_plane_ = at.place.plane;
  output_ = Output::status_enhanced;
}

void Decoder::reset_lun(const OnfiPhase& phase) {
  const RowAddress at = decode_row(phase, 0);
  if (!exists(at, phase)) return;
  queued_luns_ &= ~(1u << lun_);
  die().reset(face_, array_start(phase.end));
  if (timed()) {
    die().set_read_level(0);
    target_.registers.reset_lun(lun_);
  }
  operation_.stage = Stage::closed;
  end_plane(Action::launch);
  output_ = Output::none;
}

/// 84h, 61h, 13h; functional accesses find every operation finished.
void Decoder::address_suspended(Action action, const OnfiPhase& phase) {
  const bool erase = action == Action::suspend_erase;
  const RowAddress at = decode_row(phase, erase ? 0 : onfi::kColumnCycles);
  if (!exists(at, phase) || !timed()) return;
  output_ = Output::none;
  if (action == Action::resume_program) {
    die().resume(ArrayKind::program, array_start(phase.end));
  } else {
    die().suspend(erase ? ArrayKind::erase : ArrayKind::program, at.place, array_start(phase.end));
  }
}

/// D4h, D5h: of one LUN, whose array must be idle; the others may be busy. The interface belongs to the
/// target.
void Decoder::address_lun_feature(Action action, const OnfiPhase& phase) {
  output_ = Output::none;
  operation_.stage = Stage::refused; // until every check has passed
  const RowAddress at{phase.address[0], {}};
  if (!exists(at, phase)) return;
  if (timed() && die().array_busy(waiting_since_)) {
    return refuse(Rule::busy, "expected an idle LUN", phase);
  }
  register_address_ = phase.address[1];
  output_offset_ = 0;
  if (!target_.registers.has_lun_feature(register_address_)) {
    return refuse(Rule::bad_address, "expected a feature address of a LUN of this part", phase);
  }
  operation_.stage = Stage::closed;
  feature_lun_ = lun_;
  if (action == Action::set_lun_features) {
    input_ = Input::lun_features;
    return;
  }
  output_ = Output::features;
  if (timed()) die().occupy(array_start(phase.end), target_.context.config.array.tFEAT);
}

/// 90h, ECh, EEh, EFh: they belong to the target, so every LUN must be idle.
void Decoder::address_target(Action action, const OnfiPhase& phase) {
  output_ = Output::none;
  for (const Die& d : target_.dies) {
    if (!timed() || !d.array_busy(waiting_since_)) continue;
    refuse(Rule::busy, "expected every LUN of the target ready", phase);
    return;
  }
  register_address_ = phase.address[0];
  output_offset_ = 0;
  const ArrayTiming& t = target_.context.config.array;
  feature_lun_ = 0;
  const bool feature = action == Action::get_features || action == Action::set_features;
  if (feature && target_.registers.feature(0, register_address_) == nullptr) {
    refuse(Rule::bad_address, "expected a feature address of this part", phase);
    return;
  }
  if (action == Action::id) {
    output_ = Output::id;
  } else if (action == Action::parameter_page) {
    output_ = Output::parameter_page;
    occupy_target(phase, t.tR[0]);
  } else if (action == Action::unique_id) {
    output_ = Output::unique_id;
    occupy_target(phase, t.tR[0]);
  } else if (action == Action::get_features) {
    output_ = Output::features;
    occupy_target(phase, t.tFEAT);
  } else {
    input_ = Input::features;
  }
}

} // namespace twinplane::hw
