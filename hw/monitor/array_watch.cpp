#include "hw/monitor/array_watch.h"

#include <algorithm>

namespace twinplane::hw {

using Stage = WatchStage;
using Output = WatchOutput;

namespace {

void write_cells(LunWatch& lun, const PlaneGroup& group) {
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

} // namespace

/// The command ends the operation that the cycles before it described.
bool ArrayWatch::closes_operation(const MonitorCommand& command, TimePs at) {
  const Stage needed = command.work == CellWork::program ? Stage::loaded : Stage::addressed;
  if (s_.inside_operation()) s_.select_operation();
  if (s_.operation.work == command.work && s_.operation.stage == needed) {
    if (!s_.operation_busy(at)) return true;
    s_.find(MonitorRule::busy, "expected a confirm to a ready LUN", at, s_.operation.place);
    s_.lun().queue.count = 0;
    s_.operation.stage = Stage::passed_over;
  }
  if (s_.operation.stage != Stage::passed_over) {
    s_.find(MonitorRule::sequence,
            command.work == CellWork::program ? "expected a confirm of 80h, a page address and data"
            : command.work == CellWork::read  ? "expected a confirm of 00h and a page address"
                                              : "expected a confirm of 60h and a row address",
            at, s_.operation.place);
  } else if (command.work == CellWork::read) {
    s_.output = Output::page;
    s_.lun().data_planes |= 1u << s_.lun().plane; // garbage, and the host knows
    s_.lun().copyback_planes &= ~(1u << s_.lun().plane);
  }
  s_.operation.stage = Stage::closed;
  return false;
}

void ArrayWatch::queue_plane(const MonitorCommand& command, const OnfiPhase& phase) {
  s_.group_open = true;
  if (!closes_operation(command, phase.start)) return;
  s_.operation.stage = Stage::closed;
  PlaneGroup& queue = s_.lun().queue;
  if (s_.operation.cancel) {
    queue.count = 0;
    s_.group_open = s_.slc = false; // the prefix was that group's
    s_.expect_busy(s_.lun(), phase.end, s_.config.array.tDBSY);
    return;
  }
  queue.work = command.work;
  PlaneGroup group = queue;
  group.add(s_.operation.place, s_.operation.sectors, s_.operation.copies);
  if (!may_stand_beside_reads(command, group, phase.end)) {
    queue.count = 0;
    forget_group(command.work);
    return;
  }
  if (join(queue, phase.start)) s_.expect_busy(s_.lun(), phase.end, s_.config.array.tDBSY);
}

/// The operation's plane becomes one of the group, unless the LUN has no more planes: then nothing is left of
/// it.
bool ArrayWatch::join(PlaneGroup& group, TimePs at) {
  s_.lun().read_continues = false;
  if (group.count < s_.config.geometry.planes_per_die &&
      group.add(s_.operation.place, s_.operation.sectors, s_.operation.copies)) {
    return true;
  }
  s_.find(MonitorRule::distinct_planes, "more planes than the die has", at, s_.operation.place);
  group.count = 0;
  forget_group(s_.operation.work);
  return false;
}

/// A group was refused as a whole: nothing can be continued, and of a read the registers hold garbage.
void ArrayWatch::forget_group(CellWork work) {
  s_.lun().last_read.count = 0;
  if (work != CellWork::read) return;
  s_.lun().data_planes = ~0u;
  s_.lun().copyback_planes = 0;
}

void ArrayWatch::start(const MonitorCommand& command, const OnfiPhase& phase) {
  const bool cached = command.registers == Register::cache_next;
  if (command.work == CellWork::read && (cached || command.registers == Register::cache_end) &&
      s_.operation.stage != Stage::addressed && s_.operation.stage != Stage::passed_over) {
    continue_cache_read(command, phase);
    return;
  }
  s_.group_open = false;
  const bool slc = s_.slc;
  s_.slc = false;
  if (!closes_operation(command, phase.start)) return;
  s_.operation.stage = Stage::closed;
  LunWatch& lun = s_.lun();
  if (s_.operation.cancel) {
    s_.find(MonitorRule::sequence, "expected D1h after a row address of all ones", phase.start,
            {s_.lun_number});
    lun.queue.count = 0;
    return;
  }
  if (cached && command.work == CellWork::read && lun.last_read.count == 0) {
    s_.find(MonitorRule::sequence, "expected 31h after a read", phase.start, s_.operation.place);
    return;
  }
  PlaneGroup group = lun.queue;
  lun.queue.count = 0;
  group.work = command.work;
  group.slc = slc;
  lun.last_read.count = 0; // what is refused cannot be continued
  s_.output = command.work == CellWork::read ? Output::page : Output::none;
  const bool of_pass = s_.config.one_pass && s_.timed && command.work == CellWork::program;
  if (of_pass && (!slc || lun.load_count != 0)) return start_pass(group, command, phase);
  if (!join(group, phase.start) || !may_stand_beside_reads(command, group, phase.end) ||
      !check_group(group, phase.end) || !array_is_free(command, phase.end)) {
    forget_group(command.work);
    return;
  }
  if (!allowed_while_suspended(group, cached, phase.end)) return;
  // The page before is not over when the supply fails: R/B# stays low until then, and no cell changes.
  if (group.work == CellWork::program && lun.array_until >= s_.power_cut_at) {
    s_.expect_busy(lun, phase.end, kNever);
    return;
  }
  check_planes(group, false, phase.end);
  if (group.count != 0) run(lun, group, command, phase.end);
}

/// 30h and 35h need the page register, which 31h leaves to the array until it is idle.
bool ArrayWatch::array_is_free(const MonitorCommand& command, TimePs confirm_end) {
  const bool cached = command.registers == Register::cache_next;
  if (command.work != CellWork::read || cached || !s_.timed) return true;
  const TimePs fall = confirm_end + s_.config.bus.tWB;
  if (!s_.lun().array_busy(fall) || s_.lun().planes_read(fall)) return true;
  s_.find(MonitorRule::busy, "expected 31h or 3Fh while a page is read ahead", confirm_end,
          s_.operation.place);
  return false;
}

/// While planes read, only 30h of a single plane.
bool ArrayWatch::may_stand_beside_reads(const MonitorCommand& command, const PlaneGroup& group,
                                        TimePs confirm_end) {
  if (!s_.timed || !s_.lun().planes_read(confirm_end + s_.config.bus.tWB)) return true;
  const bool single = command.role == Role::start && command.registers == Register::page && group.count == 1;
  if (single) return true;
  s_.find(MonitorRule::busy, "expected 30h of one plane while others read", confirm_end, s_.operation.place);
  return false;
}

/// 31h without an address reads the next page; 3Fh ends the stream.
void ArrayWatch::continue_cache_read(const MonitorCommand& command, const OnfiPhase& phase) {
  LunWatch& lun = s_.lun();
  const bool next = command.registers == Register::cache_next;
  const bool fits = next ? lun.last_read.count != 0 && lun.read_continues : lun.reading_ahead;
  if (!fits || s_.operation.stage == Stage::loaded || s_.group_open) {
    s_.find(MonitorRule::sequence, next ? "expected 31h after a read" : "expected 3Fh after 31h", phase.start,
            {s_.lun_number});
    return;
  }
  s_.operation.stage = Stage::closed;
  if (s_.busy(lun, phase.start)) {
    s_.find(MonitorRule::busy, "expected a ready LUN", phase.start, {s_.lun_number});
    return;
  }
  s_.output = Output::page;
  if (!next) {
    lun.reading_ahead = false;
    lun.last_read.count = 0;
    lun.data_waiting = true;
    s_.expect_busy(lun, phase.end, kNever);
    return;
  }
  PlaneGroup group = lun.last_read;
  for (std::uint32_t i = 0; i < group.count; ++i) ++group.places[i].page;
  if (!allowed_while_suspended(group, true, phase.end)) return;
  check_planes(group, false, phase.end);
  if (group.count != 0) run(lun, group, command, phase.end);
}

/// Facts A3.1: planes differ, page bits equal (PAC; an erase has none), block bits equal where the part
/// restricts them (BAC). The LUN was compared with each address.
bool ArrayWatch::check_group(const PlaneGroup& group, TimePs at) {
  const BusPlace& first = group.places[0];
  std::uint32_t planes = 0;
  for (std::uint32_t i = 0; i < group.count; ++i) {
    const BusPlace& p = group.places[i];
    const char* detail = nullptr;
    MonitorRule rule = MonitorRule::distinct_planes;
    if ((planes >> p.plane & 1u) != 0) {
      detail = "the planes of a group must differ";
    } else if (s_.config.pac && group.work != CellWork::erase && p.page != first.page) {
      rule = MonitorRule::pac;
      detail = "the pages of a group must be equal";
    } else if (s_.config.bac && p.block != first.block) {
      rule = MonitorRule::bac;
      detail = "the blocks of a group must be equal";
    }
    if (detail != nullptr) {
      s_.find(rule, detail, at, p);
      return false;
    }
    planes |= 1u << p.plane;
  }
  return true;
}

bool ArrayWatch::allowed_while_suspended(const PlaneGroup& group, bool cached, TimePs at) {
  const LunWatch& lun = s_.lun();
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
  s_.find(MonitorRule::suspend, detail, at, place);
  return false;
}

/// Each plane for itself; those that may not run are taken out. `pass`: it programs a wordline in each.
void ArrayWatch::check_planes(PlaneGroup& group, bool pass, TimePs at) {
  for (std::uint32_t i = 0; i < group.count;) {
    const BusPlace place = group.places[i];
    const CellBook::RuleResult result =
        pass ? pass_rules_.check_cells(s_.lun(), group, i) : check_cells(group, i);
    if (!result) {
      ++i;
      continue;
    }
    s_.find(result.rule, result.detail, at, place);
    if (group.work == CellWork::read) {
      s_.lun().data_planes |= 1u << place.plane; // garbage
      s_.lun().copyback_planes &= ~(1u << place.plane);
    }
    group.remove(i);
  }
}

CellBook::RuleResult ArrayWatch::check_cells(const PlaneGroup& group, std::uint32_t i) const {
  const CellBook& cells = s_.lun().cells;
  const BusPlace& place = group.places[i];
  const CellBook::RuleResult result = cells.check_place(place, group.slc, group.work == CellWork::erase);
  const bool looks = result.rule == MonitorRule::slc_mode && group.work == CellWork::read;
  if (result && !(looks && !cells.block_modes_known())) return result;
  if (group.work != CellWork::program) return {};
  if (const auto fault = cells.check_program(place, group.slc, group.sectors[i])) return fault;
  if (group.copies[i] <= s_.config.copybacks) return {};
  return {MonitorRule::sequence, "the page has had all its moves by copyback"};
}

void ArrayWatch::run(LunWatch& lun, const PlaneGroup& group, const MonitorCommand& command,
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
    s_.lun_selected = false;
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
  if (s_.config.independent_plane_reads && s_.timed && group.work == CellWork::read &&
      command.registers == Register::page) {
    expect_plane_read(lun, group, confirm_end);
    return;
  }
  // How long a cache operation takes depends on what the array still does.
  s_.expect_busy(lun, confirm_end, streaming ? kNever : array_time(lun, group));
  lun.running_until = lun.ready_at;
}

/// R/B# is low until the last plane is ready: beside other reads it rises later, or not at another time.
void ArrayWatch::expect_plane_read(LunWatch& lun, const PlaneGroup& group, TimePs confirm_end) {
  const TimePs fall = confirm_end + s_.config.bus.tWB;
  const TimePs end = fall + array_time(lun, group);
  if (!lun.busy(fall)) {
    s_.expect_busy(lun, confirm_end, end - fall);
  } else if (end > lun.ready_at) {
    const bool told = !s_.config.sees_dies || (!lun.reports.empty() && lun.reports.front().rise == end);
    if (!told) {
      s_.find(MonitorRule::ready_busy, "R/B# does not rise with the last plane", end, group.places[0]);
    }
    if (!lun.reports.empty()) lun.reports.erase(lun.reports.begin());
    lun.ready_at = end;
  }
  for (std::uint32_t i = 0; i < group.count; ++i) lun.plane_ready[group.places[i].plane] = end;
  lun.reading_until = lun.running_until = lun.ready_at;
}

/// A soft read is several senses of one page that are decoded together: one level after the other, and the
/// data of each have been moved out before the next one overwrites the register.
void ArrayWatch::note_senses(LunWatch& lun, const PlaneGroup& group, TimePs at) {
  for (std::uint32_t i = 0; i < group.count; ++i) {
    const BusPlace& place = group.places[i];
    Sense& last = lun.senses[place.plane];
    const bool same = last.known && last.block == place.block && last.page == place.page;
    if (lun.read_level > s_.config.first_soft_level && (!same || last.level + 1 != lun.read_level)) {
      s_.find(MonitorRule::soft_read, "expected the senses of a soft read one after the other", at, place);
    } else if (lun.read_level > s_.config.first_soft_level && !last.moved) {
      s_.find(MonitorRule::soft_read, "expected the data of the sense before to be moved out", at, place);
    }
    last = {true, false, lun.read_level, place.block, place.page};
  }
}

TimePs ArrayWatch::array_time(const LunWatch& lun, const PlaneGroup& group) const {
  const ArrayTiming& t = s_.config.array;
  if (group.work == CellWork::read && lun.read_level != 0) return t.tR_level[lun.read_level - 1];
  if (group.work == CellWork::erase) return group.slc ? t.slc_tBERS : t.tBERS;
  if (group.work == CellWork::program && s_.config.programs_read) return kNever;
  if (group.work == CellWork::program && !group.slc && s_.config.one_pass) return t.tPROG_wordline;
  TimePs longest = 0;
  for (std::uint32_t i = 0; i < group.count; ++i) {
    const PageType type = group.slc ? PageType{0} : s_.config.page_order->type(group.places[i].page);
    const TimePs read = group.slc ? t.slc_tR : t.tR[type];
    const TimePs program = group.slc ? t.slc_tPROG : t.tPROG[type];
    longest = std::max(longest, group.work == CellWork::read ? read : program);
  }
  return longest;
}

void ArrayWatch::load(const MonitorCommand& command, const OnfiPhase& phase) {
  s_.group_open = false;
  const bool slc = s_.slc;
  s_.slc = false;
  if (!closes_operation(command, phase.start)) return;
  s_.operation.stage = Stage::closed;
  s_.output = Output::none;
  LunWatch& lun = s_.lun();
  PlaneGroup group = lun.queue;
  lun.queue.count = 0;
  group.work = command.work;
  group.slc = slc;
  if (!goes_on(group, false, phase.end)) {
    lun.load_count = 0;
    return;
  }
  lun.loads[lun.load_count++] = group;
  s_.expect_busy(lun, phase.end, s_.config.array.tDCBSYW);
}

/// Adds the last plane. Whether the pass may go on with these planes.
bool ArrayWatch::goes_on(PlaneGroup& group, bool last, TimePs confirm_end) {
  LunWatch& lun = s_.lun();
  lun.last_read.count = 0;
  lun.cached_program = lun.reading_ahead = false;
  if (!join(group, confirm_end)) return false;
  if (lun.array_busy(confirm_end + s_.config.bus.tWB)) {
    s_.find(MonitorRule::busy, "expected an idle array", confirm_end, s_.operation.place);
    return false;
  }
  if (group.slc) {
    s_.find(MonitorRule::wordline, "no SLC prefix in a pass", confirm_end, s_.operation.place);
    return false;
  }
  if (!check_group(group, confirm_end)) return false;
  if (lun.load_count != 0 && lun.loads[lun.load_count - 1].count != group.count) {
    s_.find(MonitorRule::wordline, "each step of a pass has the same planes", confirm_end,
            s_.operation.place);
    return false;
  }
  for (std::uint32_t i = 0; i < group.count; ++i) {
    const CellBook::RuleResult result = pass_rules_.check_page(lun, group.places[i], last);
    if (!result) continue;
    s_.find(result.rule, result.detail, confirm_end, group.places[i]);
    return false;
  }
  return true;
}

/// 10h. What the pass has loaded is gone, whatever becomes of it.
void ArrayWatch::start_pass(PlaneGroup& group, const MonitorCommand& command, const OnfiPhase& phase) {
  LunWatch& lun = s_.lun();
  const bool cached = command.registers == Register::cache_next;
  if (cached) s_.find(MonitorRule::wordline, "no 15h in a pass", phase.end, s_.operation.place);
  const bool good = !cached && goes_on(group, true, phase.end);
  if (good && allowed_while_suspended(group, false, phase.end)) {
    check_planes(group, true, phase.end);
    for (std::uint32_t step = 0; step < lun.load_count; ++step) {
      PlaneGroup& part = lun.loads[step];
      for (std::uint32_t i = 0; i < part.count;) {
        group.find_plane(part.places[i].plane) == group.count ? part.remove(i) : static_cast<void>(++i);
      }
      write_cells(lun, part);
    }
    if (group.count != 0) run(lun, group, command, phase.end);
  }
  lun.load_count = 0;
}

void ArrayWatch::suspend(const MonitorCommand& command, const OnfiPhase& phase, const BusPlace& place) {
  LunWatch& lun = s_.lun();
  // The die looks when R/B# could fall: what ends before that is not suspended.
  const bool idle = !s_.timed || !lun.array_busy(phase.end + s_.config.bus.tWB);
  if (!idle && (lun.running.work != command.work || !lun.running.holds_block(place) ||
                lun.suspended.work != CellWork::none || lun.cached_program)) {
    s_.find(MonitorRule::suspend, "expected the suspend of the operation that runs", phase.start, place);
    return;
  }
  if (!idle && lun.reports.empty()) return; // it ends before it is suspended
  s_.expect_busy(lun, phase.end, kNever);
  if (idle) return;
  lun.suspended = lun.running;
  lun.running_until = lun.ready_at;
  lun.array_until = lun.array_reported = 0; // R/B# tells
}

void ArrayWatch::resume(CellWork work, const OnfiPhase& phase) {
  LunWatch& lun = s_.lun();
  if (lun.suspended.work != work) {
    s_.find(MonitorRule::suspend, "nothing is suspended", phase.start, {s_.lun_number});
    return;
  }
  if (s_.busy(lun, phase.start)) {
    s_.find(MonitorRule::busy, "expected a ready LUN to resume on", phase.start, {s_.lun_number});
    return;
  }
  lun.running = lun.suspended;
  lun.suspended.work = CellWork::none;
  lun.last_read.count = 0;
  s_.expect_busy(lun, phase.end, kNever);
  lun.running_until = lun.ready_at;
}

/// What is suspended is cut off with what runs, and its kind decides how long R/B# is low.
void ArrayWatch::reset(LunWatch& lun, const OnfiPhase& phase) {
  const TimePs fall = phase.end + s_.config.bus.tWB;
  const bool runs = s_.timed && lun.array_works(fall);
  const bool held = lun.suspended.work != CellWork::none;
  const CellWork work = held ? lun.suspended.work : runs ? lun.running.work : CellWork::none;
  const ArrayTiming& t = s_.config.array;
  const TimePs low = work == CellWork::read      ? t.tRST_read
                     : work == CellWork::program ? t.tRST_program
                     : work == CellWork::erase   ? t.tRST_erase
                                                 : t.tRST_idle;
  if (runs) lun.cut_off(lun.running);
  lun.cut_off(lun.suspended);
  lun.forget_operations();
  s_.operation.stage = Stage::closed;
  s_.output = Output::none;
  s_.group_open = s_.slc = false;
  s_.expect_busy(lun, phase.end, low);
}

} // namespace twinplane::hw
