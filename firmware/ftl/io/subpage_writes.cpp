#include "firmware/ftl/io/write_path.h"

namespace twinplane::fw {

void SubpageWrites::boot(HostIo& io, WritePath& path) {
  io_ = &io;
  state_ = io.state;
  units_ = state_->units;
  path_ = &path;
}

void SubpageWrites::start(Transaction& t) {
  units_->placement.begin_write(t);
  t.mask == 0 ? complete_for_native(t) : complete(t); // of no sector of its own: see PageRewriter
}

/// Reads what its subpages have and the host does not bring, page by page; then it waits for its place.
void SubpageWrites::complete(Transaction& t) {
  Units& units = *units_;
  UnitWork& w = units.io.work(t);
  const std::uint32_t missing = units.io.sectors_of(w.todo) & ~t.mask & ~w.have;
  const std::uint32_t lost = missing & state_->lost.of(t.lpn);
  const std::uint32_t there = missing & ~lost & units.io.sectors_of(units.map.mapped(t.lpn));
  if (there == 0) {
    io_->fill_zero(t.buffer, missing);
    w.have |= missing;
    t.lost |= lost;
    t.ppn = kNoPpn;
    t.traits = &WritePath::writer_of(t).subpage_row();
    return path_->queue(t);
  }
  const UnitIo::Run run = units.io.run_of(t.lpn, units.io.cover(there));
  t.traits = &WritePath::kCompletePage;
  state_->aim(t, run.ppn);
  units.io.aim(t, run, there);
  ++state_->statistics.rmw_reads;
  io_->board->enqueue(t);
}

void SubpageWrites::old_sectors_read(Transaction& t, const FlashCompletion& c) {
  io_->add_times(t, c);
  io_->drop_reader(t);
  Units& units = *units_;
  const std::uint32_t failed = state_->map.take_read_units(t, c);
  if (failed != 0) {
    // what was moved meanwhile is read where it is now
    const std::uint32_t here = failed & units.io.sectors_of(units.io.reading_there(t));
    io_->fill_zero(t.buffer, here);
    units.io.work(t).have |= here;
    t.lost |= here;
  }
  t.queued_ps = state_->now_ps();
  complete(t);
}

bool SubpageWrites::joins_page(Transaction& t) {
  Ppn ppn = kNoPpn;
  if (units_ == nullptr) return false;
  if (!units_->policy->fits_in_place(t, ppn)) {
    t.hint = static_cast<PageHint>(units_->policy->level_for(t.lpn, units_->io.work(t)));
    return false;
  }
  t.plane = state_->blocks.plane_of(ppn);
  t.die = static_cast<std::uint16_t>(state_->blocks.die_of(ppn));
  io_->board->enqueue(t);
  return true;
}

void SubpageWrites::complete_for_native(Transaction& t) {
  Units& units = *units_;
  UnitWork& w = units.io.work(t);
  w.native = true;
  w.todo = static_cast<std::uint8_t>(w.todo | units.map.in_native(t.lpn));
  t.queued_ps = state_->now_ps();
  complete(t);
}

void SubpageWrites::programmed(Transaction& t, const FlashCompletion& c) {
  io_->add_times(t, c);
  Units& units = *units_;
  UnitWork& w = units.io.work(t);
  bool lost = false;
  if (units.placement.has_failed(t, c)) {
    io_->journal->subpages_failed(t);
    state_->map.inherit_units(t);
    lose_earlier_slots(t);
    if (program_again(t)) return;
    const std::uint32_t failed = units.placement.failed_at(t);
    if (failed == 0 && w.todo == 0 && t.request != nullptr) return WritePath::writer_of(t).superseded(t);
    lost = failed != 0;
    lose(t.lpn, failed);
  }
  units.io.ended(t);
  if (w.todo == 0) return WritePath::writer_of(t).subpages_written(t, lost);
  t.queued_ps = state_->now_ps(); // it has not fitted into one page; the LPN is still ours
  path_->enqueue_for_placement(t);
}

/// A program has failed and the data are still in the buffer: another page, unless newer data have been
/// written.
bool SubpageWrites::program_again(Transaction& t) {
  Units& units = *units_;
  const std::uint32_t failed = units.placement.failed_at(t);
  if (failed == 0 || ++t.failures >= kProgramTries) return false;
  UnitWork& w = units.io.work(t);
  t.queued_ps = state_->now_ps();
  if (w.todo != 0) { // the LPN is still ours
    units.placement.write_again(t);
    path_->enqueue_for_placement(t);
  } else if (state_->locks.acquire(t)) {
    path_->repeat(t);
  }
  return true;
}

/// What is newer than t has written, of one of its subpages, is being programmed.
bool SubpageWrites::newer_under_way(const Transaction& t) const {
  const Units& units = *units_;
  for (std::uint32_t left = units.io.written(t) | units.io.overtaken(t); left != 0; left &= left - 1) {
    const std::uint32_t subpage = lowest_bit(left);
    const Pun now = units.map.at(t.lpn, subpage);
    if (now == kNoPun) continue;
    if (state_->map.writer_of(units.map.page_of(now), LogicalUnit{t.lpn, subpage}) != nullptr) return true;
  }
  return false;
}

void SubpageWrites::leave_failed(const Transaction& t) {
  TouchedPlanes touched;
  const std::uint32_t gone = state_->map.go_back(t, units_->placement.failed_at(t), touched);
  io_->jobs->consider(touched);
  lose(t.lpn, gone);
}

/// What earlier programs had written to that page cannot be read any more either.
void SubpageWrites::lose_earlier_slots(const Transaction& t) {
  const Units& units = *units_;
  if (!state_->blocks.slc_mode(t.ppn)) return;
  for (std::uint32_t slot = 0; slot < units.map.page(t.ppn).used; ++slot) {
    if (units.io.programs_slot(t, slot)) continue;
    const LogicalUnit l{units.map.owner_lpn(t.ppn, slot), units.map.owner_unit(t.ppn, slot)};
    const Pun now = units.map.at(l.lpn, l.unit);
    const bool named = now == units.map.pun(t.ppn, slot);
    if (named && state_->map.writer_of(t.ppn, l) == nullptr) lose(l.lpn, 1u << l.unit);
    if (now == kNoPun)
      io_->journal->lost(l.lpn); // that it is trimmed: its newest version is an older one now
  }
}

void SubpageWrites::lose(std::uint32_t lpn, std::uint32_t subpages) {
  if (subpages == 0) return;
  TouchedPlanes touched;
  state_->map.lose(lpn, subpages, touched);
  io_->journal->lost(lpn);
  io_->jobs->consider(touched);
}

} // namespace twinplane::fw
