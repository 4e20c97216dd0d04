#include "hw/monitor/target_watch.h"

namespace twinplane::hw {

using Stage = WatchStage;
using Output = WatchOutput;
using timing::Event;

void TargetWatch::on_tenure(const OnfiTenure& tenure, TimePs start) {
  s_.timing.insert(mask(Event::select), start);
  for (std::uint32_t i = 0; i < tenure.phase_count; ++i) {
    const OnfiPhase& phase = tenure.phases[i];
    if (s_.timed && phase.end + s_.config.bus.tWB >= s_.power_cut_at) break;
    switch (phase.kind) {
      case PhaseKind::command:
        on_command(phase);
        break;
      case PhaseKind::address:
        addresses_.on_address(phase);
        break;
      case PhaseKind::data_in:
        data_.on_data_in(phase);
        break;
      case PhaseKind::data_out:
        data_.on_data_out(phase);
        break;
    }
  }
  for (LunWatch& lun : s_.luns) {
    for (const BusyReport& report : lun.reports) {
      s_.find(MonitorRule::ready_busy, "R/B# moved without a command that moves it",
              report.fall == kNever ? report.rise : report.fall, {s_.number(lun)});
      lun.ready_at = report.rise;
    }
    lun.reports.clear();
    lun.array_until = lun.array_reported;
  }
}

void TargetWatch::on_ready_busy(std::uint32_t lun, bool ready, TimePs at) {
  std::vector<BusyReport>& reports = s_.luns[lun].reports;
  if (!ready) {
    reports.push_back({at, kNever});
  } else if (!reports.empty() && reports.back().rise == kNever) {
    reports.back().rise = at;
  } else {
    reports.push_back({kNever, at});
  }
}

void TargetWatch::set_write_protect(bool low, TimePs at) {
  s_.write_protected = low;
  s_.timing.insert(mask(Event::write_protect), at);
}

void TargetWatch::finish(TimePs at) {
  for (LunWatch& lun : s_.luns) {
    if (lun.queue.count == 0) continue;
    s_.find(MonitorRule::open_group, "planes were queued and never started", at, lun.queue.places[0]);
    lun.queue.count = 0;
  }
}

/// A block whose erase was under way or suspended must be erased again.
void TargetWatch::cut_power() {
  for (LunWatch& lun : s_.luns) {
    if (s_.timed && lun.array_busy(s_.power_cut_at)) lun.cut_off(lun.running);
    lun.cut_off(lun.suspended);
    lun.cells.forget_block_modes();
    lun.forget_operations();
    lun.reports.clear();
  }
  s_.power_on();
}

void TargetWatch::on_command(const OnfiPhase& phase) {
  const MonitorCommand& command = find_command(phase.opcode, s_.config);
  const bool status = command.role == Role::status || command.role == Role::status_select;
  s_.timing.check(status ? Event::status : Event::command, phase.start, s_.lun_number);
  s_.timing.insert(mask(Event::latch), phase.start);
  s_.command = command;
  s_.command_at = phase.start;
  if (command.role != Role::column_confirm && command.role != Role::unknown) s_.column_addressed = false;
  s_.wants_address = command.address != AddressShape::none;
  s_.feature_addressed = false;
  if (command.role == Role::status) {
    s_.registers_wait = s_.registers_wait || s_.output == Output::registers;
  } else if (command.opcode != onfi::opcode::read) {
    s_.registers_wait = false;
  }
  begin(command, phase);
  s_.timing.insert(command_events(command), phase.end);
}

void TargetWatch::begin(const MonitorCommand& command, const OnfiPhase& phase) {
  switch (command.role) {
    case Role::unknown:
      s_.find(MonitorRule::sequence, "expected a command of the standard", phase.start);
      s_.operation.stage = Stage::passed_over;
      break;
    case Role::set_up:
      open(command.work, phase.start);
      break;
    case Role::queue:
      array_.queue_plane(command, phase);
      break;
    case Role::start:
      array_.start(command, phase);
      break;
    case Role::load:
      s_.timed ? array_.load(command, phase)
               : array_.start(find_command(onfi::opcode::program_confirm, s_.config), phase);
      break;
    case Role::column_confirm:
      if (!s_.column_addressed) {
        s_.find(MonitorRule::sequence, "expected E0h after 05h or 06h and its address", phase.start);
        s_.operation.stage = Stage::passed_over;
        break;
      }
      s_.output = Output::page;
      s_.column_addressed = false;
      break;
    case Role::status:
      check_70h(phase.start);
      s_.output = Output::status;
      s_.status_planes = ~0u;
      break;
    case Role::reset:
      for (LunWatch& lun : s_.luns) array_.reset(lun, phase);
      break;
    case Role::resume:
      if (!s_.wants_address) array_.resume(command.work, phase);
      break;
    case Role::slc_enter:
    case Role::slc_leave:
      take_prefix(command.role == Role::slc_enter, phase.start);
      break;
    default:
      break; // the address completes it
  }
}

/// 81h continues a group; 60h after 60h and its row is the JEDEC way to queue a plane.
void TargetWatch::open(CellWork work, TimePs at) {
  const bool pending = s_.inside_operation();
  if (pending) s_.select_operation();
  if (pending && work == CellWork::erase && s_.operation.work == CellWork::erase && !s_.operation.cancel) {
    join_group(work, at);
  } else if (pending) {
    s_.find(MonitorRule::sequence, "expected the confirm of the operation before", at, s_.operation.place);
  }
  const PlaneGroup& queue = s_.lun_of_queue(CellWork::program).queue;
  if (s_.command.opcode == onfi::opcode::program_continue &&
      (queue.count == 0 || queue.work != CellWork::program)) {
    s_.find(MonitorRule::sequence, "expected 81h only between the planes of a program", at);
    s_.operation.stage = Stage::passed_over;
    s_.wants_address = false;
    return;
  }
  s_.operation = {work, Stage::opened, false, {}, 0};
}

/// A LUN that is busy does not take the command, and the address will be a finding.
void TargetWatch::join_group(CellWork work, TimePs at) {
  if (s_.operation_busy(at)) return;
  s_.lun().queue.work = work;
  array_.join(s_.lun().queue, at);
  s_.group_open = true;
}

/// With several LUNs at work 70h shows whichever was addressed last, or two answer at once.
void TargetWatch::check_70h(TimePs at) {
  std::uint32_t active = 0;
  for (const LunWatch& lun : s_.luns) {
    active += s_.timed && (at < lun.running_until || lun.unread_planes != 0) ? 1 : 0;
  }
  if (active > 1)
    s_.find(MonitorRule::status_70h, "expected 78h while several LUNs are active", at, {s_.lun_number});
}

/// The prefix stands before an operation, and all planes of one are used in the same mode.
void TargetWatch::take_prefix(bool slc, TimePs at) {
  if (!s_.inside_operation() && (!s_.group_open || slc == s_.slc)) {
    s_.slc = slc;
    return;
  }
  s_.find(MonitorRule::slc_mode, "expected the SLC prefix before the first plane", at, {s_.lun_number});
  for (LunWatch& lun : s_.luns) lun.queue.count = 0;
  s_.operation.stage = Stage::passed_over;
  s_.group_open = s_.slc = false;
}

} // namespace twinplane::hw
