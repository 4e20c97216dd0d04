#include "hw/nand/decoder.h"

#include <algorithm>

namespace twinplane::hw {

namespace {

std::uint32_t mask(std::uint32_t bits) {
  return bits == 32 ? ~0u : (1u << bits) - 1;
}

} // namespace

Decoder::RowFields::RowFields(const RowLayout& layout)
    : plane_shift(layout.plane_shift()),
      block_shift(layout.block_shift()),
      lun_shift(layout.lun_bits == 0 ? 0 : layout.lun_shift()), // its mask is 0 then
      page_mask(mask(layout.page_bits)),
      plane_mask(mask(layout.plane_bits)),
      block_mask(mask(layout.block_bits)),
      lun_mask(mask(layout.lun_bits)) {}

Decoder::Decoder(Face face, const Target& target)
    : face_(face),
      target_(target),
      fields_(target.context.layout),
      row_cycles_(onfi::row_cycles(target.context.layout)),
      planes_(target.context.config.geometry.planes_per_die),
      die_(&target.dies[0]) {}

void Decoder::run(OnfiTenure& tenure) {
  target_.context.request_tag = tenure.request_tag;
  for (std::uint32_t i = 0; i < tenure.phase_count; ++i) {
    OnfiPhase& phase = tenure.phases[i];
    switch (phase.kind) {
      case PhaseKind::command:
        on_command(phase);
        break;
      case PhaseKind::address:
        on_address(phase);
        break;
      case PhaseKind::data_in:
        on_data_in(phase);
        break;
      case PhaseKind::data_out:
        on_data_out(phase);
        break;
    }
  }
  tenure.ready_at = timed() ? die().busy_until() : 0;
}

// --- commands ---

void Decoder::on_command(const OnfiPhase& phase) {
  const CommandRow& row = target_.commands[phase.opcode];
  input_ = Input::none;
  if (!ready_for(row)) {
    refuse_command(row, phase);
    return;
  }
  waiting_ = row.address == AddressForm::none ? Action::unknown : row.action;
  waiting_form_ = row.address;
  waiting_since_ = phase.start;
  switch (row.action) {
    case Action::open_read:
      open(ArrayKind::read, phase);
      break;
    case Action::open_program:
      open(ArrayKind::program, phase);
      break;
    case Action::open_erase:
      open(ArrayKind::erase, phase);
      break;
    case Action::queue:
      queue_plane(phase);
      break;
    case Action::launch:
      launch(phase);
      break;
    case Action::select_output:
      output_ = Output::page;
      output_addressed_ = false;
      break;
    case Action::status:
      output_ = Output::status;
      break;
    case Action::reset:
      reset_target(phase);
      break;
    case Action::slc_enter:
      slc_ = true;
      break;
    case Action::slc_leave:
      slc_ = false;
      break;
    default:
      break; // the address completes it
  }
}

bool Decoder::ready_for(const CommandRow& row) const {
  const Operation& s = operation_;
  switch (row.needs) {
    case Needs::nothing:
      return row.action != Action::unknown;
    case Needs::read_addressed:
      return s.kind == ArrayKind::read && s.stage == Stage::addressed;
    case Needs::program_addressed:
      return s.kind == ArrayKind::program && (s.stage == Stage::addressed || s.stage == Stage::loaded);
    case Needs::program_loaded:
      return s.kind == ArrayKind::program && s.stage == Stage::loaded;
    case Needs::program_queue:
      return die_->queued(face_, ArrayKind::program);
    case Needs::erase_addressed:
      return s.kind == ArrayKind::erase && s.stage == Stage::addressed;
    case Needs::column_addressed:
      return output_addressed_;
  }
  return false;
}

/// The cycles that follow a refused command are swallowed; the confirm of a refused operation ends it.
void Decoder::refuse_command(const CommandRow& row, const OnfiPhase& phase) {
  const bool confirm = row.action == Action::queue || row.action == Action::launch;
  if (operation_.stage != Stage::refused || row.action == Action::unknown) {
    refuse(Rule::protocol, row.expected, phase, &operation_.at);
  } else if (row.action == Action::launch && operation_.kind == ArrayKind::read) {
    die().spoil_output(face_, phase.start);
    output_ = Output::page;
  }
  waiting_ = Action::unknown;
  operation_.stage = confirm ? Stage::closed : Stage::refused;
  if (confirm) end_plane(row.action);
}

void Decoder::end_plane(Action confirm) {
  group_open_ = confirm == Action::queue;
  if (!group_open_) slc_ = false;
}

void Decoder::open(ArrayKind kind, const OnfiPhase& phase) {
  if (operation_.stage == Stage::addressed || operation_.stage == Stage::loaded) {
    refuse(Rule::protocol, "expected the confirm of the operation before", phase, &operation_.at);
  }
  operation_.kind = kind;
  operation_.stage = Stage::open;
}

TimePs Decoder::array_start(TimePs confirm_end) const {
  return timed() ? confirm_end + target_.context.config.bus.tWB : 0;
}

void Decoder::queue_plane(const OnfiPhase& phase) {
  queued_luns_ |= 1u << lun_;
  die().queue(face_, operation_.kind, operation_.at.place, array_start(phase.end));
  operation_.stage = Stage::closed;
  end_plane(Action::queue);
}

void Decoder::launch(const OnfiPhase& phase) {
  queued_luns_ &= ~(1u << lun_);
  die().launch(face_, {operation_.kind, slc_, operation_.at.place, array_start(phase.end)});
  operation_.stage = Stage::closed;
  end_plane(Action::launch);
  output_ = operation_.kind == ArrayKind::read ? Output::page : Output::none;
}

void Decoder::reset_target(const OnfiPhase& phase) {
  queued_luns_ = 0;
  for (Die& d : target_.dies) d.reset(face_, array_start(phase.end));
  if (timed()) target_.registers.reset();
  operation_.stage = Stage::closed;
  end_plane(Action::launch);
  output_ = Output::none;
  input_ = Input::none;
}

// --- data ---

void Decoder::on_data_in(const OnfiPhase& phase) {
  if (input_ == Input::features) {
    store_feature(phase);
    return;
  }
  if (operation_.stage == Stage::refused) return;
  if (operation_.kind != ArrayKind::program ||
      (operation_.stage != Stage::addressed && operation_.stage != Stage::loaded)) {
    refuse(Rule::protocol, "expected data in after 80h and a page address", phase);
    return;
  }
  die().data_in(face_, operation_.at.place.plane, phase.sector_mask, phase.sectors, phase.oob);
  operation_.stage = Stage::loaded;
}

void Decoder::store_feature(const OnfiPhase& phase) {
  input_ = Input::none;
  TargetRegisters::Parameters* parameters = target_.registers.feature(register_address_);
  const std::uint32_t copies = target_.context.config.bus.ddr ? 2 : 1;
  if (parameters == nullptr || phase.data == nullptr || phase.bytes != parameters->size() * copies) {
    refuse(Rule::protocol, "expected EFh with a known feature address and four parameters", phase);
    return;
  }
  for (std::size_t i = 0; i < parameters->size(); ++i) (*parameters)[i] = phase.data[i * copies];
  occupy_target(phase, target_.context.config.array.tFEAT);
}

void Decoder::on_data_out(OnfiPhase& phase) {
  if (waiting_ == Action::open_read) output_ = Output::page; // 00h without address: back to data output
  waiting_ = Action::unknown;
  if (output_ != Output::status && output_ != Output::status_enhanced && lun_is_busy_at(phase.start)) {
    refuse(Rule::busy, "expected data out of a ready LUN", phase);
    if (phase.oob != nullptr) *phase.oob = kBlankOob;
    return;
  }
  if (output_ == Output::page) {
    if (operation_.stage == Stage::open) operation_.stage = Stage::closed;
    page_out(phase);
    return;
  }
  if (output_ == Output::none || phase.data == nullptr) {
    refuse(Rule::protocol, "expected data out after a command that has an answer", phase);
    return;
  }
  for (std::uint32_t i = 0; i < phase.bytes; ++i)
    phase.data[i] = output_byte(output_offset_ + i, phase.start);
  output_offset_ += phase.bytes;
}

void Decoder::page_out(OnfiPhase& phase) {
  std::uint64_t oob = kBlankOob;
  if (die().readable(face_, die().selected_plane(face_))) {
    const PageRegister& page = die().data_out(face_, phase.sector_mask, phase.sectors);
    phase.blank = page.blank;
    phase.corrupt = page.corrupt;
    oob = page.oob;
  } else if (operation_.stage != Stage::refused) {
    refuse(Rule::protocol, "expected data out after a read of this plane", phase);
  }
  if (phase.oob != nullptr) *phase.oob = oob;
}

std::uint8_t Decoder::output_byte(std::uint32_t offset, TimePs at) {
  const std::uint32_t single = target_.context.config.bus.ddr ? offset / 2 : offset;
  switch (output_) {
    case Output::status:
      return die().status(face_, at);
    case Output::status_enhanced:
      return die().status(face_, at, status_plane_);
    case Output::id:
      return target_.registers.id(register_address_, single);
    case Output::parameter_page: {
      const auto& page = target_.registers.parameter_page();
      return offset < page.size() ? page[offset] : std::uint8_t{0};
    }
    case Output::features: {
      const TargetRegisters::Parameters* p = target_.registers.feature(register_address_);
      return p != nullptr && single < p->size() ? (*p)[single] : std::uint8_t{0};
    }
    case Output::none:
    case Output::page:
      break;
  }
  return 0;
}

// --- shared ---

bool Decoder::lun_is_busy_at(TimePs at) const {
  return timed() && die_->busy(at);
}

void Decoder::occupy_target(const OnfiPhase& phase, TimePs duration) {
  if (!timed()) return;
  for (Die& d : target_.dies) d.occupy(array_start(phase.end), duration);
}

void Decoder::refuse(Rule rule, const char* detail, const OnfiPhase& phase, const RowAddress* at) {
  Refusal refusal;
  refusal.rule = rule;
  refusal.detail = detail;
  refusal.time = timed() ? phase.start : 0;
  std::uint32_t planes = die().all_planes();
  if (at != nullptr) {
    refusal.plane = at->place.plane;
    refusal.block = at->place.block;
    refusal.page = at->place.page;
    if (at->place.plane < target_.context.config.geometry.planes_per_die) planes = 1u << at->place.plane;
  }
  die().refuse(face_, planes, refusal);
}

} // namespace twinplane::hw
