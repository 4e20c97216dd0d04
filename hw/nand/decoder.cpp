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
      lun_mask(mask(layout.lun_bits)),
      lun_bits(lun_mask << lun_shift) {}

Decoder::Decoder(Face face, const Target& target)
    : face_(face),
      target_(target),
      fields_(target.context.layout),
      row_cycles_(onfi::row_cycles(target.context.layout)),
      luns_(target.context.config.geometry.dies_per_chip),
      planes_(target.context.config.geometry.planes_per_die),
      columns_(target.context.config.geometry.page_size + target.context.config.geometry.spare_size),
      die_(&target.dies[0]) {}

void Decoder::power_on() {
  operation_ = {};
  end_commands();
  waiting_form_ = AddressForm::none;
  waiting_since_ = 0;
  output_ = Output::none;
  output_addressed_ = group_open_ = slc_ = retimed_ = false;
  register_address_ = 0;
  queued_luns_ = feature_lun_ = output_offset_ = status_plane_ = 0;
  select(0);
}

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
  announce_ready(tenure);
  if (!retimed_) return;
  tenure.new_timing = &target_.context.bus;
  retimed_ = false;
}

// --- commands ---

void Decoder::on_command(const OnfiPhase& phase) {
  const CommandRow& row = target_.commands[phase.opcode];
  const bool answering = keep_answer(row.action);
  input_ = answering ? Input::answer : Input::none;
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
    case Action::launch_cache:
      launch(phase, row.action == Action::launch_cache);
      break;
    case Action::load:
      load(phase);
      break;
    case Action::read_cache:
    case Action::read_cache_end:
      read_cache(row.action, phase);
      break;
    case Action::resume_erase:
      if (timed()) die().resume(ArrayKind::erase, array_start(phase.end));
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
    case Action::slc_leave:
      take_prefix(row.action == Action::slc_enter, phase);
      break;
    default:
      break; // the address completes it
  }
}

/// 70h and then 00h, without an address, interrupt an answer of the target's registers.
bool Decoder::keep_answer(Action action) {
  if (action == Action::open_read) return input_ == Input::answer;
  if (action != Action::status) return false;
  if (output_ >= Output::id) answer_ = output_;
  return output_ >= Output::id || input_ == Input::answer;
}

/// The prefix stands before an operation, and all planes of one are used in the same mode.
void Decoder::take_prefix(bool slc, const OnfiPhase& phase) {
  if (between_operations() && (!group_open_ || slc == slc_)) {
    slc_ = slc;
    return;
  }
  refuse(Rule::slc_mode, "expected the SLC prefix before the first plane", phase);
  for (Die& d : target_.dies) d.drop_queue(face_);
  queued_luns_ = 0;
  operation_.stage = Stage::refused;
  end_plane(Action::launch);
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
    case Needs::cache_read:
      if (s.kind == ArrayKind::read && s.stage == Stage::addressed) return die_->can_read_ahead(face_);
      return between_operations() && s.stage != Stage::refused && !group_open_ &&
             die_->can_continue_read(face_);
    case Needs::cache_stream:
      return between_operations() && s.stage != Stage::refused && die_->reading_ahead(face_);
  }
  return false;
}

/// The cycles that follow a refused command are ignored; the confirm of a refused operation ends it.
void Decoder::refuse_command(const CommandRow& row, const OnfiPhase& phase) {
  const bool confirm = row.action == Action::queue || row.action == Action::launch ||
                       row.action == Action::launch_cache || row.action == Action::load ||
                       row.action == Action::read_cache;
  if (operation_.stage != Stage::refused || row.action == Action::unknown) {
    refuse(Rule::protocol, row.expected, phase, &operation_.at);
  } else if (confirm && row.action != Action::queue && operation_.kind == ArrayKind::read) {
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
  const bool addressed = operation_.stage == Stage::addressed;
  if (addressed && kind == ArrayKind::erase && operation_.kind == kind && !operation_.cancel) {
    join_plane(phase);
  } else if (addressed || operation_.stage == Stage::loaded) {
    refuse(Rule::protocol, "expected the confirm of the operation before", phase, &operation_.at);
  }
  operation_.kind = kind;
  operation_.stage = Stage::open;
  operation_.jedec = phase.opcode == onfi::opcode::program_continue;
  operation_.cancel = false;
}

/// 60h-60h-D0h: the first plane waits without a confirm of its own.
void Decoder::join_plane(const OnfiPhase& phase) {
  queued_luns_ |= 1u << lun_;
  die().join(face_, operation_.kind, operation_.at.place, array_start(phase.end));
  group_open_ = true;
}

void Decoder::queue_plane(const OnfiPhase& phase) {
  if (operation_.cancel) {
    queued_luns_ &= ~(1u << lun_);
    die().drop_queue(face_);
    operation_.stage = Stage::closed;
    end_plane(Action::launch);
    if (timed()) die().occupy(array_start(phase.end), target_.context.config.array.tDBSY);
    return;
  }
  queued_luns_ |= 1u << lun_;
  die().queue(face_, operation_.kind, operation_.at.place, array_start(phase.end));
  operation_.stage = Stage::closed;
  end_plane(Action::queue);
}

void Decoder::launch(const OnfiPhase& phase, bool cache) {
  queued_luns_ &= ~(1u << lun_);
  if (operation_.cancel) {
    refuse(Rule::protocol, "expected D1h after a row address of all ones", phase);
    die().drop_queue(face_);
  } else {
    die().launch(face_, {operation_.kind, slc_, operation_.at.place, array_start(phase.end), cache,
                         phase.opcode == onfi::opcode::read_copyback});
  }
  operation_.stage = Stage::closed;
  end_plane(Action::launch);
  output_ = operation_.kind == ArrayKind::read ? Output::page : Output::none;
}

/// The array has no part in it yet.
void Decoder::load(const OnfiPhase& phase) {
  queued_luns_ &= ~(1u << lun_);
  die().load(face_, {ArrayKind::program, slc_, operation_.at.place, array_start(phase.end)});
  operation_.stage = Stage::closed;
  end_plane(Action::load);
  output_ = Output::none;
}

/// 31h, with the address before it or without one, and 3Fh.
void Decoder::read_cache(Action action, const OnfiPhase& phase) {
  if (operation_.stage == Stage::addressed) {
    launch(phase, true);
    return;
  }
  operation_.stage = Stage::closed;
  if (lun_is_busy_at(phase.start)) {
    refuse(Rule::busy, "expected a ready LUN", phase);
    return;
  }
  output_ = Output::page;
  if (action == Action::read_cache) {
    die().read_ahead(face_, array_start(phase.end));
  } else {
    die().end_read_ahead(face_, array_start(phase.end));
  }
}

void Decoder::reset_target(const OnfiPhase& phase) {
  queued_luns_ = 0;
  for (Die& d : target_.dies) d.reset(face_, array_start(phase.end));
  if (timed()) {
    for (Die& d : target_.dies) d.set_read_level(0);
    if (target_.registers.reset(phase.opcode == onfi::opcode::reset)) switch_timing(timing::sdr(0));
  }
  operation_.stage = Stage::closed;
  end_plane(Action::launch);
  output_ = Output::none;
  input_ = Input::none;
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
