#include "hw/nand/cycles.h"

namespace twinplane::hw {

void CommandCycles::on_command(const OnfiPhase& phase) {
  const CommandRow& row = s_.target.commands[phase.opcode];
  s_.input = keep_answer(row.action) ? Input::answer : Input::none;
  const bool ends_operation = is_confirm(row.action) && !s_.between_operations();
  if (ends_operation) s_.select_operation();
  if (!ready_for(row)) return refuse_command(row, phase);
  if (ends_operation && s_.operation_busy(phase.start)) return refuse_busy(row, phase);
  s_.waiting = {row.address == AddressForm::none ? Action::unknown : row.action, row.address, phase.start};
  start(row, phase);
}

void CommandCycles::start(const CommandRow& row, const OnfiPhase& phase) {
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
      if (s_.timed()) s_.die->resume(ArrayKind::erase, s_.array_start(phase.end));
      break;
    case Action::select_output:
      s_.output = Output::page;
      s_.output_addressed = false;
      break;
    case Action::status:
      s_.output = Output::status;
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
bool CommandCycles::keep_answer(Action action) {
  if (action == Action::open_read) return s_.input == Input::answer;
  if (action != Action::status) return false;
  if (s_.output >= Output::id) registers_.interrupt();
  return s_.output >= Output::id || s_.input == Input::answer;
}

bool CommandCycles::ready_for(const CommandRow& row) const {
  const DecoderState::Operation& o = s_.operation;
  const bool can_begin = s_.between_operations() && o.stage != Stage::refused;
  switch (row.needs) {
    case Needs::nothing:
      return row.action != Action::unknown;
    case Needs::read_addressed:
      return o.kind == ArrayKind::read && o.stage == Stage::addressed;
    case Needs::program_addressed:
      return o.kind == ArrayKind::program && !s_.between_operations();
    case Needs::program_loaded:
      return o.kind == ArrayKind::program && o.stage == Stage::loaded;
    case Needs::program_queue:
      return s_.access_of(s_.lun_of_queue(ArrayKind::program)).queue.holds(ArrayKind::program);
    case Needs::erase_addressed:
      return o.kind == ArrayKind::erase && o.stage == Stage::addressed;
    case Needs::column_addressed:
      return s_.output_addressed;
    case Needs::cache_read:
      if (o.kind == ArrayKind::read && o.stage == Stage::addressed) return s_.access->can_read_ahead();
      return can_begin && !s_.group_open && s_.access->can_continue_read();
    case Needs::cache_stream:
      return can_begin && s_.access->reading_ahead();
  }
  return false;
}

/// The cycles that follow a refused command are ignored; the confirm of a refused operation ends it.
void CommandCycles::refuse_command(const CommandRow& row, const OnfiPhase& phase) {
  const bool queues = row.action == Action::queue;
  const bool confirm = is_confirm(row.action);
  if (s_.operation.stage != Stage::refused || row.action == Action::unknown) {
    s_.refuse(Rule::protocol, row.expected, phase, &s_.operation.at);
  } else if (confirm && !queues && s_.operation.kind == ArrayKind::read) {
    s_.die->invalidate_output(*s_.access, phase.start);
    s_.output = Output::page;
  }
  s_.waiting.action = Action::unknown;
  s_.operation.stage = Stage::refused;
  if (confirm) s_.close(queues);
}

/// A command inside the operation has made its LUN busy: the confirm ends the operation, and nothing is left of
/// its group.
void CommandCycles::refuse_busy(const CommandRow& row, const OnfiPhase& phase) {
  s_.refuse(Rule::busy, "expected a ready LUN", phase, &s_.operation.at);
  s_.access->queue.count = 0;
  s_.queued_luns &= ~s_.lun_bit();
  s_.operation.stage = Stage::refused;
  refuse_command(row, phase);
}

/// The prefix stands before an operation, and all planes of one are used in the same mode.
void CommandCycles::take_prefix(bool slc, const OnfiPhase& phase) {
  if (s_.between_operations() && (!s_.group_open || slc == s_.slc)) {
    s_.slc = slc;
    return;
  }
  s_.refuse(Rule::slc_mode, "expected the SLC prefix before the first plane", phase);
  for (std::uint32_t lun = 0; lun < s_.rows.luns(); ++lun) s_.access_of(lun).queue.count = 0;
  s_.queued_luns = 0;
  s_.operation.stage = Stage::refused;
  s_.end_plane(false);
}

/// 60h-60h-D0h: the first plane waits without a confirm of its own.
void CommandCycles::open(ArrayKind kind, const OnfiPhase& phase) {
  DecoderState::Operation& operation = s_.operation;
  const bool addressed = operation.stage == Stage::addressed;
  if (!s_.between_operations()) s_.select_operation();
  if (addressed && kind == ArrayKind::erase && operation.kind == kind && !operation.cancel) {
    join_group(phase);
  } else if (!s_.between_operations()) {
    s_.refuse(Rule::protocol, "expected the confirm of the operation before", phase, &operation.at);
  }
  operation.kind = kind;
  operation.stage = Stage::open;
  operation.jedec = phase.opcode == onfi::opcode::program_continue;
  operation.cancel = false;
}

/// A LUN that is busy does not take the command: its address will be refused.
void CommandCycles::join_group(const OnfiPhase& phase) {
  if (s_.busy(phase.start)) return;
  s_.queued_luns |= s_.lun_bit();
  s_.die->join(*s_.access, s_.operation.kind, s_.operation.at.place, s_.array_start(phase.end));
  s_.group_open = true;
}

void CommandCycles::queue_plane(const OnfiPhase& phase) {
  if (s_.operation.cancel) {
    s_.queued_luns &= ~s_.lun_bit();
    s_.access->queue.count = 0;
    s_.close(false);
    s_.occupy(phase, s_.array_timing().tDBSY);
    return;
  }
  s_.queued_luns |= s_.lun_bit();
  s_.die->queue(*s_.access, s_.operation.kind, s_.operation.at.place, s_.array_start(phase.end));
  s_.close(true);
}

void CommandCycles::launch(const OnfiPhase& phase, bool cache) {
  const DecoderState::Operation& operation = s_.operation;
  s_.queued_luns &= ~s_.lun_bit();
  if (operation.cancel) {
    s_.refuse(Rule::protocol, "expected D1h after a row address of all ones", phase);
    s_.access->queue.count = 0;
  } else {
    s_.die->launch(*s_.access, {operation.kind, s_.slc, operation.at.place, s_.array_start(phase.end), cache,
                                phase.opcode == onfi::opcode::read_copyback});
  }
  s_.close(false);
  s_.output = operation.kind == ArrayKind::read ? Output::page : Output::none;
}

/// The array has no part in it yet.
void CommandCycles::load(const OnfiPhase& phase) {
  s_.queued_luns &= ~s_.lun_bit();
  s_.die->load(*s_.access, {ArrayKind::program, s_.slc, s_.operation.at.place, s_.array_start(phase.end)});
  s_.close(false);
  s_.output = Output::none;
}

/// 31h, with the address before it or without one, and 3Fh.
void CommandCycles::read_cache(Action action, const OnfiPhase& phase) {
  if (s_.operation.stage == Stage::addressed) return launch(phase, true);
  s_.operation.stage = Stage::closed;
  if (s_.busy(phase.start)) return s_.refuse(Rule::busy, "expected a ready LUN", phase);
  s_.output = Output::page;
  if (action == Action::read_cache) {
    s_.die->read_ahead(*s_.access, s_.array_start(phase.end));
  } else {
    s_.die->end_read_ahead(*s_.access, s_.array_start(phase.end));
  }
}

void CommandCycles::reset_target(const OnfiPhase& phase) {
  s_.queued_luns = 0;
  for (Die& d : s_.target.dies) d.reset(d.access(s_.mode), s_.array_start(phase.end));
  if (s_.timed()) {
    for (Die& d : s_.target.dies) d.cells().set_read_level(0);
    if (s_.target.registers.reset(phase.opcode == onfi::opcode::reset)) s_.switch_timing(timing::sdr(0));
  }
  s_.close(false);
  s_.output = Output::none;
  s_.input = Input::none;
}

} // namespace twinplane::hw
