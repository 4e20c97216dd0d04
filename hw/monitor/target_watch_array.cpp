// Array operations: what is queued, started, suspended, and how long R/B# is low for it.
#include "hw/monitor/target_watch.h"

namespace twinplane::hw {

/// The command ends the operation that the cycles before it described.
bool TargetWatch::closes_operation(const MonitorCommand& command, TimePs at) {
  const Stage needed = command.work == CellWork::program ? Stage::loaded : Stage::addressed;
  if (operation_.work == command.work && operation_.stage == needed) return true;
  if (operation_.stage != Stage::passed_over) {
    find(MonitorRule::sequence,
         command.work == CellWork::program ? "expected a confirm of 80h, a page address and data"
         : command.work == CellWork::read  ? "expected a confirm of 00h and a page address"
                                           : "expected a confirm of 60h and a row address",
         at, operation_.place);
  } else if (command.work == CellWork::read) {
    output_ = Output::page;
    lun().data_planes |= 1u << lun().plane; // garbage, and the host knows
    lun().copyback_planes &= ~(1u << lun().plane);
  }
  operation_.stage = Stage::closed;
  return false;
}

void TargetWatch::queue_plane(const MonitorCommand& command, const OnfiPhase& phase) {
  group_open_ = true;
  if (!closes_operation(command, phase.start)) return;
  operation_.stage = Stage::closed;
  PlaneGroup& queue = lun().queue;
  if (operation_.cancel) {
    queue.count = 0;
    group_open_ = slc_ = false; // the prefix was that group's
    expect_busy(lun(), phase.end, config_.array.tDBSY);
    return;
  }
  queue.work = command.work;
  PlaneGroup group = queue;
  group.add(operation_.place, operation_.sectors, operation_.copies);
  if (!may_stand_beside_reads(command, group, phase.end)) {
    queue.count = 0;
    forget_group(command.work);
    return;
  }
  if (join(queue, phase.start)) expect_busy(lun(), phase.end, config_.array.tDBSY);
}

/// The operation's plane becomes one of the group, unless the LUN has no more planes: then nothing is left of
/// it.
bool TargetWatch::join(PlaneGroup& group, TimePs at) {
  lun().read_continues = false;
  if (group.count < config_.geometry.planes_per_die &&
      group.add(operation_.place, operation_.sectors, operation_.copies)) {
    return true;
  }
  find(MonitorRule::distinct_planes, "more planes than the die has", at, operation_.place);
  group.count = 0;
  forget_group(operation_.work);
  return false;
}

/// A group was refused as a whole: nothing can be continued, and of a read the registers hold garbage.
void TargetWatch::forget_group(CellWork work) {
  lun().last_read.count = 0;
  if (work != CellWork::read) return;
  lun().data_planes = ~0u;
  lun().copyback_planes = 0;
}

void TargetWatch::start(const MonitorCommand& command, const OnfiPhase& phase) {
  const bool cached = command.registers == Register::cache_next;
  if (command.work == CellWork::read && (cached || command.registers == Register::cache_end) &&
      operation_.stage != Stage::addressed && operation_.stage != Stage::passed_over) {
    continue_cache_read(command, phase);
    return;
  }
  group_open_ = false;
  const bool slc = slc_;
  slc_ = false;
  if (!closes_operation(command, phase.start)) return;
  operation_.stage = Stage::closed;
  LunWatch& lun = this->lun();
  if (operation_.cancel) {
    find(MonitorRule::sequence, "expected D1h after a row address of all ones", phase.start, {lun_});
    lun.queue.count = 0;
    return;
  }
  if (cached && command.work == CellWork::read && lun.last_read.count == 0) {
    find(MonitorRule::sequence, "expected 31h after a read", phase.start, operation_.place);
    return;
  }
  PlaneGroup group = lun.queue;
  lun.queue.count = 0;
  group.work = command.work;
  group.slc = slc;
  lun.last_read.count = 0; // what is refused cannot be continued
  output_ = command.work == CellWork::read ? Output::page : Output::none;
  const bool of_pass = config_.one_pass && timed_ && command.work == CellWork::program;
  if (of_pass && (!slc || lun.load_count != 0)) return start_pass(group, command, phase);
  if (!join(group, phase.start) || !may_stand_beside_reads(command, group, phase.end) ||
      !judge_group(group, phase.end) || !array_is_free(command, phase.end)) {
    forget_group(command.work);
    return;
  }
  if (!allowed_while_suspended(group, cached, phase.end)) return;
  // The page before is not over when the supply fails: R/B# stays low until then, and no cell changes.
  if (group.work == CellWork::program && lun.array_until >= power_cut_at_) {
    expect_busy(lun, phase.end, kNever);
    return;
  }
  judge_planes(group, phase.end);
  if (group.count != 0) run(lun, group, command, phase.end);
}

/// 30h and 35h need the page register, which 31h leaves to the array until it is idle.
bool TargetWatch::array_is_free(const MonitorCommand& command, TimePs confirm_end) {
  const bool cached = command.registers == Register::cache_next;
  if (command.work != CellWork::read || cached || !timed_) return true;
  const TimePs fall = confirm_end + config_.bus.tWB;
  if (!lun().array_busy(fall) || lun().planes_read(fall)) return true;
  find(MonitorRule::busy, "expected 31h or 3Fh while a page is read ahead", confirm_end, operation_.place);
  return false;
}

/// While planes read, only 30h of a single plane.
bool TargetWatch::may_stand_beside_reads(const MonitorCommand& command, const PlaneGroup& group,
                                         TimePs confirm_end) {
  if (!timed_ || !lun().planes_read(confirm_end + config_.bus.tWB)) return true;
  const bool single = command.role == Role::start && command.registers == Register::page && group.count == 1;
  if (single) return true;
  find(MonitorRule::busy, "expected 30h of one plane while others read", confirm_end, operation_.place);
  return false;
}

/// 31h without an address reads the next page; 3Fh ends the stream.
void TargetWatch::continue_cache_read(const MonitorCommand& command, const OnfiPhase& phase) {
  LunWatch& lun = this->lun();
  const bool next = command.registers == Register::cache_next;
  const bool fits = next ? lun.last_read.count != 0 && lun.read_continues : lun.reading_ahead;
  if (!fits || operation_.stage == Stage::loaded || group_open_) {
    find(MonitorRule::sequence, next ? "expected 31h after a read" : "expected 3Fh after 31h", phase.start,
         {lun_});
    return;
  }
  operation_.stage = Stage::closed;
  if (busy(lun, phase.start)) {
    find(MonitorRule::busy, "expected a ready LUN", phase.start, {lun_});
    return;
  }
  output_ = Output::page;
  if (!next) {
    lun.reading_ahead = false;
    lun.last_read.count = 0;
    lun.data_waiting = true;
    expect_busy(lun, phase.end, kNever);
    return;
  }
  PlaneGroup group = lun.last_read;
  for (std::uint32_t i = 0; i < group.count; ++i) ++group.places[i].page;
  if (!allowed_while_suspended(group, true, phase.end)) return;
  judge_planes(group, phase.end);
  if (group.count != 0) run(lun, group, command, phase.end);
}

/// Facts A3.1: planes differ, page bits equal (PAC; an erase has none), block bits equal where the part
/// restricts them (BAC). The LUN was compared with each address.
bool TargetWatch::judge_group(PlaneGroup& group, TimePs at) {
  const BusPlace& first = group.places[0];
  std::uint32_t planes = 0;
  for (std::uint32_t i = 0; i < group.count; ++i) {
    const BusPlace& p = group.places[i];
    const char* detail = nullptr;
    MonitorRule rule = MonitorRule::distinct_planes;
    if ((planes >> p.plane & 1u) != 0) {
      detail = "the planes of a group must differ";
    } else if (config_.pac && group.work != CellWork::erase && p.page != first.page) {
      rule = MonitorRule::pac;
      detail = "the pages of a group must be equal";
    } else if (config_.bac && p.block != first.block) {
      rule = MonitorRule::bac;
      detail = "the blocks of a group must be equal";
    }
    if (detail != nullptr) {
      find(rule, detail, at, p);
      return false;
    }
    planes |= 1u << p.plane;
  }
  return true;
}

/// Each plane for itself; those that may not run are taken out.
void TargetWatch::judge_planes(PlaneGroup& group, TimePs at) {
  const CellBook& cells = lun().cells;
  for (std::uint32_t i = 0; i < group.count;) {
    const BusPlace place = group.places[i];
    CellBook::Verdict verdict = cells.judge_place(place, group.slc, group.work == CellWork::erase);
    const bool looks = verdict.rule == MonitorRule::slc_mode && group.work == CellWork::read;
    if (looks && !cells.modes_told()) verdict = {};
    if (!verdict && group.work == CellWork::program) {
      verdict = cells.judge_program(place, group.slc, group.sectors[i]);
      if (!verdict && group.copies[i] > config_.copybacks) {
        verdict = {MonitorRule::sequence, "the page has had all its moves by copyback"};
      }
    }
    if (!verdict) {
      ++i;
      continue;
    }
    find(verdict.rule, verdict.detail, at, place);
    if (group.work == CellWork::read) {
      lun().data_planes |= 1u << place.plane; // garbage
      lun().copyback_planes &= ~(1u << place.plane);
    }
    group.remove(i);
  }
}

bool TargetWatch::allowed_while_suspended(const PlaneGroup& group, bool cached, TimePs at) {
  const LunWatch& lun = this->lun();
  const PlaneGroup& held = lun.suspended;
  if (held.work == CellWork::none) return true;
  const BusPlace& place = group.places[0];
  const char* detail = nullptr;
  if (held.work == CellWork::program && cached && group.work == CellWork::read) {
    detail = "no cache read while a program is suspended";
  } else if (held.work == CellWork::program && group.work != CellWork::read) {
    detail = "only reads while a program is suspended";
  } else if (group.work == CellWork::erase && !held.holds_block(place)) {
    detail = "no other erase while one is suspended";
  } else if (group.work != CellWork::erase && held.holds_block(place)) {
    detail = "the block's operation is suspended";
  }
  if (detail == nullptr) return true;
  find(MonitorRule::suspend, detail, at, place);
  return false;
}

void TargetWatch::run(LunWatch& lun, const PlaneGroup& group, const MonitorCommand& command,
                      TimePs confirm_end) {
  const bool cached = command.registers == Register::cache_next;
  const bool streaming = cached || lun.cached_program || lun.reading_ahead;
  lun.running = group;
  lun.array_until = lun.array_reported;
  if (group.work == CellWork::read) {
    lun.last_read = group;
    lun.read_continues = true;
    lun.data_planes = group.plane_mask() | (lun.data_planes & ~group.plane_mask());
    lun.plane = group.places[group.count - 1].plane;
    lun.plane_selected = false;
    lun_selected_ = false;
    lun.data_waiting = true;
    note_senses(lun, group, confirm_end);
    lun.copyback_planes &= ~group.plane_mask();
    if (command.registers == Register::copyback) {
      lun.copyback_planes |= group.plane_mask();
      for (std::uint32_t i = 0; i < group.count; ++i) {
        lun.copies[group.places[i].plane] = lun.cells.copies(group.places[i]);
      }
    }
    lun.reading_ahead = cached;
  } else {
    write_cells(lun, group);
    lun.unread_planes = group.plane_mask();
    lun.cached_program = cached;
    lun.last_read.count = 0;
  }
  if (config_.independent_plane_reads && timed_ && group.work == CellWork::read &&
      command.registers == Register::page) {
    expect_plane_read(lun, group, confirm_end);
    return;
  }
  // How long a cache operation takes depends on what the array still does.
  expect_busy(lun, confirm_end, streaming ? kNever : array_time(lun, group));
  lun.running_until = lun.ready_at;
}

/// R/B# is low until the last plane is ready: beside other reads it rises later, or not at another time.
void TargetWatch::expect_plane_read(LunWatch& lun, const PlaneGroup& group, TimePs confirm_end) {
  const TimePs fall = confirm_end + config_.bus.tWB;
  const TimePs end = fall + array_time(lun, group);
  if (!lun.busy(fall)) {
    expect_busy(lun, confirm_end, end - fall);
  } else if (end > lun.ready_at) {
    const bool told = !config_.sees_dies || (!lun.reports.empty() && lun.reports.front().rise == end);
    if (!told) {
      find(MonitorRule::ready_busy, "R/B# does not rise with the last plane", end, group.places[0]);
    }
    if (!lun.reports.empty()) lun.reports.erase(lun.reports.begin());
    lun.ready_at = end;
  }
  for (std::uint32_t i = 0; i < group.count; ++i) lun.plane_ready[group.places[i].plane] = end;
  lun.reading_until = lun.running_until = lun.ready_at;
}

void TargetWatch::write_cells(LunWatch& lun, const PlaneGroup& group) {
  for (std::uint32_t i = 0; i < group.count; ++i) {
    lun.senses[group.places[i].plane] = {};
    if (group.work == CellWork::erase) {
      lun.cells.erase(group.places[i]);
    } else {
      lun.cells.program(group.places[i], group.slc, group.sectors[i]);
      if (group.copies[i] != 0) lun.cells.note_copies(group.places[i], group.copies[i]);
      lun.data_planes &= ~(1u << group.places[i].plane);
    }
  }
}

// --- suspend, resume ---

void TargetWatch::suspend(const MonitorCommand& command, const OnfiPhase& phase, const BusPlace* place) {
  LunWatch& lun = this->lun();
  // The die looks when R/B# could fall: what ends before that is not suspended.
  const bool idle = !timed_ || !lun.array_busy(phase.end + config_.bus.tWB);
  if (!idle && (lun.running.work != command.work || !lun.running.holds_block(*place) ||
                lun.suspended.work != CellWork::none || lun.cached_program)) {
    find(MonitorRule::suspend, "expected the suspend of the operation that runs", phase.start, *place);
    return;
  }
  if (!idle && !lun.reports.empty()) { // otherwise it ends before it is suspended
    lun.suspended = lun.running;
    lun.array_until = lun.array_reported = 0; // R/B# tells
  }
  if (idle || !lun.reports.empty()) expect_busy(lun, phase.end, kNever);
}

void TargetWatch::resume(CellWork work, const OnfiPhase& phase) {
  LunWatch& lun = this->lun();
  if (lun.suspended.work != work) {
    find(MonitorRule::suspend, "nothing is suspended", phase.start, {lun_});
    return;
  }
  if (busy(lun, phase.start)) {
    find(MonitorRule::busy, "expected a ready LUN to resume on", phase.start, {lun_});
    return;
  }
  lun.running = lun.suspended;
  lun.suspended.work = CellWork::none;
  lun.last_read.count = 0;
  expect_busy(lun, phase.end, kNever);
  lun.running_until = lun.ready_at;
}

/// Takes the die's report that fits; a part may fall earlier than tWB, but not later.
void TargetWatch::expect_busy(LunWatch& lun, TimePs end, TimePs low) {
  if (!timed_ || low == 0) return;
  const TimePs fall = end + config_.bus.tWB;
  if (!config_.sees_dies) {
    lun.ready_at = low == kNever ? fall : std::max(lun.ready_at, fall + low);
    return;
  }
  const BusPlace place{static_cast<std::uint32_t>(&lun - luns_.data())};
  if (lun.reports.empty()) {
    find(MonitorRule::ready_busy, "R/B# did not fall", fall, place);
    if (low != kNever) lun.ready_at = fall + low;
    return;
  }
  const BusyReport report = lun.reports.front();
  lun.reports.erase(lun.reports.begin());
  lun.ready_at = report.rise;
  if (low == kNever || report.fall == kNever) return;
  if (report.fall < end || report.fall > fall) {
    find(MonitorRule::ready_busy, "R/B# did not fall within tWB", report.fall, place);
  } else if (report.rise - report.fall != low) {
    find(MonitorRule::ready_busy, "R/B# was low for another time than the table's", report.rise, place);
  }
}

} // namespace twinplane::hw
