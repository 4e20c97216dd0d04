#include "hw/pins/pin_target.h"

#include <algorithm>

#include "hw/spec/onfi_commands.h"

namespace twinplane::hw {

namespace op = onfi::opcode;

PinTarget::PinTarget(Shared& shared, Socket& socket, std::uint32_t chip)
    : shared_(shared),
      socket_(socket),
      recorder_(shared.config.channel, chip),
      commands_(op::slc_enter, op::slc_leave, true),
      row_cycles_(onfi::row_cycles(RowLayout(shared.config.geometry))),
      input_(shared.config.geometry, shared.config.data_mode, shared.config.subpage_words),
      output_(shared.config.geometry, shared.config.data_mode, shared.config.subpage_words) {
  payload_.set_command(tlm::TLM_IGNORE_COMMAND);
  payload_.set_extension(&tenure_);
}

PinTarget::~PinTarget() {
  payload_.clear_extension(&tenure_);
}

// --- cycles ---

void PinTarget::command(std::uint8_t opcode, const Strobe& strobe, bool write_protected) {
  end_run();
  ++shared_.statistics.commands;
  if (swallow(opcode, strobe.start, write_protected)) return;
  opcode_ = opcode;
  choose_data(opcode);
  OnfiPhase& phase = begin(PhaseKind::command, strobe);
  phase.opcode = opcode;
  send();
  tell(phase, strobe.end);
}

/// True for the commands of an operation that WP# forbids, from its first to its confirm. 85h inside a program goes
/// on with it; after 35h or 11h it begins one.
bool PinTarget::swallow(std::uint8_t opcode, TimePs at, bool write_protected) {
  const CommandRow& row = commands_[opcode];
  const bool loads = row.action == Action::write_column;
  const bool continues = (loads && loading_) || row.needs == Needs::program_addressed ||
                         row.needs == Needs::program_loaded || row.needs == Needs::program_queue ||
                         row.needs == Needs::erase_addressed;
  const bool begins = (loads && !loading_) || opcode == op::program || opcode == op::erase;
  follow_program(row.action);
  if (continues && swallowing_) return true;
  swallowing_ = write_protected && begins;
  if (swallowing_) {
    shared_.faults.report(PinFault::write_protected, at, "program or erase while WP# is low is ignored");
  }
  return swallowing_;
}

/// Whether a program is open, sent or swallowed: from 80h, 81h or 85h to its confirm, or until something else
/// takes its place.
void PinTarget::follow_program(Action action) {
  if (action == Action::open_program || action == Action::write_column) {
    loading_ = true;
  } else if (is_confirm(action) || action == Action::open_read || action == Action::open_erase ||
             action == Action::reset || action == Action::reset_lun) {
    loading_ = false;
  }
}

/// What the next data will be.
void PinTarget::choose_data(std::uint8_t opcode) {
  fetched_ = false;
  switch (opcode) {
    case op::program:
    case op::program_continue:
      input_.clear();
      break;
    case op::read_status:
    case op::read_status_enhanced:
      output_kind_ = Output::status;
      break;
    case op::read_id:
    case op::read_parameter_page:
    case op::get_features:
    case op::get_lun_features:
      output_kind_ = Output::registers;
      break;
    case op::read:
    case op::change_column:
    case op::change_column_enhanced:
      output_kind_ = Output::page;
      break;
    case op::read_cache:
    case op::read_cache_end:
      output_kind_ = Output::page;
      column_ = 0;
      break;
    default:
      break;
  }
}

void PinTarget::address(std::uint8_t byte, const Strobe& strobe) {
  if (run_ != Run::address) end_run();
  ++shared_.statistics.addresses;
  if (swallowing_) return;
  if (run_ == Run::none) {
    run_ = Run::address;
    strobes_ = strobe;
    first_end_ = strobe.end;
    address_ = {};
  }
  strobes_.end = strobe.end;
  address_[run_bytes_++] = byte;
  // 85h takes a column, or a column and a row: the next cycle tells.
  const bool open = opcode_ == op::change_write_column;
  if (run_bytes_ == address_.size() || (!open && run_bytes_ == address_cycles())) end_run();
}

std::uint32_t PinTarget::address_cycles() const {
  return hw::address_cycles(commands_[opcode_].address, row_cycles_);
}

/// Column addresses come first in all addresses that have one.
void PinTarget::take_column() {
  const AddressForm form = commands_[opcode_].address;
  if (form != AddressForm::page && form != AddressForm::column) return;
  column_ = address_[0] | std::uint32_t{address_[1]} << 8;
}

void PinTarget::open_data(const Strobe& strobe) {
  const bool feature = opcode_ == op::set_features || opcode_ == op::set_lun_features;
  run_ = feature ? Run::register_in : Run::page_in;
  strobes_ = strobe;
  first_end_ = strobe.end;
  input_.forget_writes();
}

void PinTarget::data_in(std::uint8_t byte, const Strobe& strobe) {
  if (run_ == Run::address) end_run();
  ++shared_.statistics.bytes_in;
  if (swallowing_) return;
  if (run_ == Run::none) open_data(strobe);
  strobes_.end = strobe.end;
  if (run_ == Run::register_in) {
    registers_[run_bytes_++] = byte;
    const std::uint32_t copies = shared_.config.bus.ddr ? 2 : 1;
    if (run_bytes_ == onfi::feature::parameters * copies) end_run();
    return;
  }
  if (input_.has(column_)) {
    input_.write(column_, byte);
  } else {
    shared_.faults.report(PinFault::overrun, strobe.end, "data in beyond the spare area is lost");
  }
  ++column_;
  ++run_bytes_;
}

std::uint8_t PinTarget::data_out(TimePs at, bool write_protected) {
  end_run();
  ++shared_.statistics.bytes_out;
  if (output_kind_ == Output::page) return page_byte(at);
  std::uint8_t byte = 0;
  OnfiPhase& phase = begin(PhaseKind::data_out, {at, at + shared_.config.bus.data_out.of(1)});
  phase.bytes = 1;
  phase.data = &byte;
  send();
  if (output_kind_ == Output::status && write_protected) {
    byte = static_cast<std::uint8_t>(byte & ~onfi::status::wp_n);
  }
  recorder_.add(phase, phase.start);
  return byte;
}

std::uint8_t PinTarget::page_byte(TimePs at) {
  const Geometry& g = shared_.config.geometry;
  if (!fetched_) {
    output_.clear();
    OnfiPhase& phase = begin(PhaseKind::data_out, {at, at + shared_.config.bus.data_out.of(1)});
    phase.bytes = g.page_size;
    phase.sectors = output_.sectors();
    phase.sector_mask = static_cast<std::uint32_t>((std::uint64_t{1} << g.sectors_per_page()) - 1);
    phase.oob = output_.words.data();
    if (output_.has_subpage_words()) phase.words = output_.words.data(); // the same first one
    send();
    if (phase.corrupt) output_.words.fill(PageBytes::kUndecodable);
    fetched_ = true;
  }
  recorder_.page_byte(column_ / g.sector_size, at, at + shared_.config.bus.data_out.of(1));
  if (output_.has(column_)) return output_.read(column_++);
  shared_.faults.report(PinFault::overrun, at, "data out beyond the spare area reads as FFh");
  return 0xFF;
}

// --- phases ---

void PinTarget::end_run() {
  if (run_ == Run::none) return;
  if (run_ == Run::address) {
    OnfiPhase& phase = begin(PhaseKind::address, strobes_);
    phase.address_cycles = static_cast<std::uint8_t>(run_bytes_);
    phase.address = address_;
    take_column();
  } else {
    OnfiPhase& phase = begin(PhaseKind::data_in, strobes_);
    phase.bytes = run_bytes_;
    if (run_ == Run::register_in) {
      phase.data = registers_.data();
    } else {
      phase.sectors = input_.sectors();
      phase.sector_mask = input_.written_sectors();
      if (input_.oob_written()) (input_.has_subpage_words() ? phase.words : phase.oob) = input_.words.data();
    }
  }
  run_ = Run::none;
  run_bytes_ = 0;
  send();
  tell(tenure_.phases[0], first_end_);
}

void PinTarget::deselect(TimePs at) {
  end_run();
  recorder_.close(at);
}

OnfiPhase& PinTarget::begin(PhaseKind kind, const Strobe& strobe) {
  tenure_.phase_count = 0;
  OnfiPhase& phase = tenure_.add(kind);
  phase.start = strobe.start;
  phase.end = strobe.end;
  return phase;
}

void PinTarget::send() {
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  socket_->b_transport(payload_, delay);
  ++shared_.statistics.transactions;
  if (!payload_.is_response_ok()) {
    shared_.faults.report(PinFault::no_answer, tenure_.phases[0].start, "error response from the package");
  }
}

/// Cycles go on until the next strobe falls, which is not known yet when a phase is complete; so they are
/// told as ending with their strobe. DQS and the clock of NV-DDR mark whole cycles as they are.
void PinTarget::tell(const OnfiPhase& phase, TimePs first_end) {
  const BusTiming& bus = shared_.config.bus;
  const bool by_we = !shared_.config.clocked() && (phase.kind != PhaseKind::data_in || !bus.ddr);
  recorder_.add(phase, by_we ? std::min(phase.start, first_end - std::min(first_end, bus.tWC)) : phase.start);
}

} // namespace twinplane::hw
