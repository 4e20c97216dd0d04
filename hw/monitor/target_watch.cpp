#include "hw/monitor/target_watch.h"

namespace twinplane::hw {

using timing::Event;

TargetWatch::TargetWatch(const MonitorConfig& config, std::uint32_t chip, bool timed,
                         std::vector<CellBook>& books, FindingSink& sink)
    : config_(config),
      layout_(config.geometry),
      row_cycles_(onfi::row_cycles(layout_)),
      chip_(chip),
      timed_(timed),
      sink_(sink),
      gate_(config.bus, config.array),
      foreign_(config.bus, config.array) {
  luns_.reserve(books.size());
  for (CellBook& book : books) luns_.emplace_back(book);
}

void TargetWatch::on_tenure(const OnfiTenure& tenure, TimePs start) {
  gate_.insert(mask(Event::select), start);
  for (std::uint32_t i = 0; i < tenure.phase_count; ++i) {
    const OnfiPhase& phase = tenure.phases[i];
    if (timed_ && phase.end + config_.bus.tWB >= power_cut_at_) break;
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
  for (LunWatch& lun : luns_) {
    for (const BusyReport& report : lun.reports) {
      find(MonitorRule::ready_busy, "R/B# moved without a command that moves it",
           report.fall == kNever ? report.rise : report.fall,
           {static_cast<std::uint32_t>(&lun - luns_.data())});
      lun.ready_at = report.rise;
    }
    lun.reports.clear();
    lun.array_until = lun.array_reported;
  }
}

void TargetWatch::on_ready_busy(std::uint32_t lun, bool ready, TimePs at) {
  std::vector<BusyReport>& reports = luns_[lun].reports;
  if (!ready) {
    reports.push_back({at, kNever});
  } else if (!reports.empty() && reports.back().rise == kNever) {
    reports.back().rise = at;
  } else {
    reports.push_back({kNever, at});
  }
}

void TargetWatch::set_write_protect(bool low, TimePs at) {
  write_protected_ = low;
  gate_.insert(mask(Event::write_protect), at);
}

void TargetWatch::finish(TimePs at) {
  for (LunWatch& lun : luns_) {
    if (lun.queue.count == 0) continue;
    find(MonitorRule::open_group, "planes were queued and never started", at, lun.queue.places[0]);
    lun.queue.count = 0;
  }
}

// --- commands ---

void TargetWatch::on_command(const OnfiPhase& phase) {
  const MonitorCommand& command = find_command(phase.opcode, config_);
  const bool status = command.role == Role::status || command.role == Role::status_select;
  check_timing(status ? Event::status : Event::command, phase.start);
  gate_.insert(mask(Event::latch), phase.start);
  command_ = command;
  command_at_ = phase.start;
  if (command.role != Role::column_confirm && command.role != Role::unknown) column_addressed_ = false;
  wants_address_ = command.address != AddressShape::none;
  feature_addressed_ = false;
  if (command.role == Role::status) {
    registers_wait_ = registers_wait_ || output_ == Output::registers;
  } else if (command.opcode != onfi::opcode::read) {
    registers_wait_ = false;
  }
  switch (command.role) {
    case Role::unknown:
      find(MonitorRule::sequence, "expected a command of the standard", phase.start);
      operation_.stage = Stage::passed_over;
      break;
    case Role::set_up:
      open(command.work, phase.start);
      break;
    case Role::queue:
      queue_plane(command, phase);
      break;
    case Role::start:
      start(command, phase);
      break;
    case Role::load:
      timed_ ? load(command, phase) : start(find_command(onfi::opcode::program_confirm, config_), phase);
      break;
    case Role::column_confirm:
      if (!column_addressed_) {
        find(MonitorRule::sequence, "expected E0h after 05h or 06h and its address", phase.start);
        operation_.stage = Stage::passed_over;
        break;
      }
      output_ = Output::page;
      column_addressed_ = false;
      break;
    case Role::status:
      check_70h(phase.start);
      output_ = Output::status;
      status_planes_ = ~0u;
      break;
    case Role::reset:
      for (LunWatch& lun : luns_) reset(lun, phase);
      break;
    case Role::resume:
      if (!wants_address_) resume(command.work, phase);
      break;
    case Role::slc_enter:
    case Role::slc_leave:
      take_prefix(command.role == Role::slc_enter, phase.start);
      break;
    default:
      break; // the address completes it
  }
  gate_.insert(command_events(command), phase.end);
}

/// 81h continues a group; 60h after 60h and its row is the JEDEC way to queue a plane.
void TargetWatch::open(CellWork work, TimePs at) {
  const bool pending = operation_.stage == Stage::addressed || operation_.stage == Stage::loaded;
  if (pending && work == CellWork::erase && operation_.work == CellWork::erase && !operation_.cancel) {
    lun().queue.work = work;
    join(lun().queue, at);
    group_open_ = true;
  } else if (pending) {
    find(MonitorRule::sequence, "expected the confirm of the operation before", at, operation_.place);
  }
  if (command_.opcode == onfi::opcode::program_continue &&
      (lun().queue.count == 0 || lun().queue.work != CellWork::program)) {
    find(MonitorRule::sequence, "expected 81h only between the planes of a program", at);
    operation_.stage = Stage::passed_over;
    wants_address_ = false;
    return;
  }
  operation_ = {work, Stage::opened, false, {}, 0};
}

/// With several LUNs at work 70h shows whichever was addressed last, or two answer at once.
void TargetWatch::check_70h(TimePs at) {
  std::uint32_t active = 0;
  for (const LunWatch& lun : luns_) {
    active += timed_ && (at < lun.running_until || lun.unread_planes != 0) ? 1 : 0;
  }
  if (active > 1) find(MonitorRule::status_70h, "expected 78h while several LUNs are active", at, {lun_});
}

// --- data ---

void TargetWatch::on_data_in(const OnfiPhase& phase) {
  check_timing(Event::data_in, phase.start);
  check_burst(phase, config_.bus.data_in);
  gate_.insert(feature_addressed_ ? mask(Event::data_in, Event::feature_in) : mask(Event::data_in),
               phase.end);
  if (feature_addressed_) {
    take_feature(phase);
    return;
  }
  if (command_.role == Role::accessory || operation_.stage == Stage::passed_over) return;
  if (operation_.work != CellWork::program ||
      (operation_.stage != Stage::addressed && operation_.stage != Stage::loaded)) {
    find(MonitorRule::sequence, "expected data in after 80h and a page address", phase.start);
    return;
  }
  operation_.stage = Stage::loaded;
  operation_.sectors |= phase.sector_mask;
}

/// The parameters of EFh, for every LUN, or of D5h.
void TargetWatch::take_feature(const OnfiPhase& phase) {
  feature_addressed_ = false;
  if (phase.bytes != onfi::feature::parameters * (config_.bus.ddr ? 2 : 1)) {
    find(MonitorRule::sequence, "expected four parameters of a feature", phase.start);
    return;
  }
  const bool level = feature_ == onfi::feature::read_retry && phase.data != nullptr;
  if (level && phase.data[0] >= kReadLevels) {
    find(MonitorRule::bad_address, "no such read level", phase.start, {lun_});
    return;
  }
  for (LunWatch& lun : luns_) {
    if (feature_of_lun_ && &lun != &this->lun()) continue;
    if (level) lun.read_level = phase.data[0];
    expect_busy(lun, phase.end, config_.array.tFEAT);
  }
}

void TargetWatch::on_data_out(const OnfiPhase& phase) {
  if (command_.opcode == onfi::opcode::read && command_.role == Role::set_up && wants_address_) {
    output_ = registers_wait_ ? Output::registers : Output::page; // 00h without address: back to data output
    if (operation_.stage == Stage::opened) operation_.stage = Stage::closed;
  }
  wants_address_ = false;
  const LunWatch& from = lun();
  const bool busy_output = output_ == Output::page ? output_busy(from, phase.start) : busy(from, phase.start);
  if (output_ != Output::status && !busy_output) {
    const bool by_plane = output_ == Output::page && from.ready_at == from.reading_until;
    gate_.insert(mask(Event::ready), by_plane ? from.plane_ready[from.plane] : from.ready_at);
  }
  check_timing(Event::data_out, phase.start);
  if (output_ != Output::status) check_burst(phase, config_.bus.data_out);
  gate_.insert(mask(Event::data_out), phase.end);
  if (output_ == Output::status) {
    check_status_byte(phase);
  } else if (busy_output) {
    find(MonitorRule::busy, "expected data out of a ready LUN", phase.start, {lun_});
  } else if (output_ == Output::page) {
    check_page_out(phase);
  } else if (output_ == Output::none) {
    find(MonitorRule::sequence, "expected data out after a command that has an answer", phase.start, {lun_});
  }
}

void TargetWatch::check_status_byte(const OnfiPhase& phase) {
  LunWatch& from = lun();
  if (phase.data != nullptr && phase.bytes != 0) {
    const bool ready = (phase.data[0] & onfi::status::rdy) != 0;
    if (ready == (timed_ && from.planes_busy(status_planes_, phase.start))) {
      find(MonitorRule::status_value, "RDY of the status contradicts R/B#", phase.start, {lun_});
    }
  }
  if (!busy(from, phase.start)) from.unread_planes &= ~status_planes_;
}

void TargetWatch::check_page_out(const OnfiPhase& phase) {
  LunWatch& from = lun();
  const BusPlace place{lun_, from.plane};
  if (column_addressed_)
    find(MonitorRule::plane_selection, "expected E0h before data out", phase.start, place);
  if ((from.data_planes >> from.plane & 1u) == 0) {
    if (operation_.stage == Stage::passed_over) return;
    find(MonitorRule::sequence, "expected data out after a read of this plane", phase.start, place);
    return;
  }
  if ((from.data_planes & (from.data_planes - 1)) != 0 && from.last_read.count > 1 && !from.plane_selected) {
    find(MonitorRule::plane_selection, "expected 06h-E0h after a multi-plane read", phase.start, place);
  }
  from.data_waiting = false;
  from.senses[from.plane].moved = true;
  for (const LunWatch& other : luns_) {
    if (!other.data_waiting || lun_selected_) continue;
    find(MonitorRule::lun_selection, "expected 06h or 78h to select the LUN", phase.start, place);
    break;
  }
}

// --- shared ---

void TargetWatch::find(MonitorRule rule, const char* detail, TimePs at, const BusPlace& place) {
  Finding finding;
  finding.rule = rule;
  finding.detail = detail;
  finding.time = timed_ ? at : 0;
  finding.chip = chip_;
  finding.place = place;
  sink_.on_finding(finding);
}

void TargetWatch::check_timing(Event following, TimePs at) {
  if (!timed_) return;
  const auto broken = [&](const timing::Rule& row) {
    sink_.on_finding({MonitorRule::timing, "came too early", row.name, at, chip_, {lun_}});
  };
  gate_.check(following, at, broken);
  if (at < foreign_until_) foreign_.check(following, at, broken);
}

/// A burst must not be faster than the rate of the mode.
void TargetWatch::check_burst(const OnfiPhase& phase, const ByteTime& rate) {
  if (!timed_ || phase.end - phase.start >= rate.of(phase.bytes)) return;
  const char* name = config_.bus.ddr ? "tDSC" : phase.kind == PhaseKind::data_in ? "tWC" : "tRC";
  sink_.on_finding({MonitorRule::timing, "burst is too fast", name, phase.start, chip_, {lun_}});
}

} // namespace twinplane::hw
