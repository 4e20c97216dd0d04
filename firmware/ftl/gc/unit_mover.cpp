#include "firmware/ftl/gc/unit_mover.h"

namespace twinplane::fw {

constexpr OpTraits UnitMover::kGather =
    OpTraits{"read of a move of units", ends_in<UnitMover, &UnitMover::gathered>, FlashOp::read,
             Lane::gc_read, WorkFor::collection}
        .with(&OpTraits::by_unit, &OpTraits::counts_as_move);
constexpr OpTraits UnitMover::kMove =
    OpTraits{"move of units", ends_in<UnitMover, &UnitMover::move_done>, FlashOp::program, Lane::gc_write,
             WorkFor::collection}
        .with(&OpTraits::maps_page, &OpTraits::by_unit, &OpTraits::counts_as_move);

void UnitMover::boot(BootMemory& memory) {
  const std::uint32_t claims = state_->blocks.sites() * kMovesInFlight;
  lpns_being_moved_ = memory.array<std::uint32_t>(claims);
  for (std::uint32_t i = 0; lpns_being_moved_ != nullptr && i < claims; ++i) lpns_being_moved_[i] = kNoLpn;
}

/// Of the planes of the victim that has the turn, or of the next one that has anything. False: none has.
bool UnitMover::next_unit(std::uint32_t site, Ppn& page, std::uint32_t& slot) {
  GcJob& job = jobs_->of_site(site);
  const std::uint32_t planes = state_->blocks.twins();
  for (std::uint32_t tries = planes; tries != 0; --tries) {
    if (job.turn >= planes) job.turn = 0;
    if (next_of_plane(site, job.turn, page, slot)) return true;
    ++job.turn;
  }
  return false;
}

/// The first slot from the cursor on whose logical page is not being moved yet; packed: the first one. False:
/// there is none.
bool UnitMover::next_of_plane(std::uint32_t site, std::uint32_t p, Ppn& page, std::uint32_t& slot) {
  GcJob& job = jobs_->of_site(site);
  const BlockTable& blocks = state_->blocks;
  const Units& units = *state_->units;
  const std::uint32_t plane = blocks.first_plane_of(site) + p;
  for (;;) {
    const std::uint32_t number = blocks.next_valid(plane, job.victim, job.cursor[p]);
    if (number == blocks.pages_per_block()) return false;
    if (number != job.cursor[p]) job.slot(p) = 0;
    page = blocks.ppn(plane, job.victim, number);
    for (std::uint32_t left = units.map.page(page).valid & ~low_mask(job.slot(p)); left != 0;
         left &= left - 1) {
      slot = lowest_bit(left);
      if (units.map.packs() || !being_moved(site, units.map.owner_lpn(page, slot))) return true;
    }
    job.cursor[p] = static_cast<std::uint16_t>(number + 1);
    job.slot(p) = 0;
  }
}

bool UnitMover::any_left(std::uint32_t site) {
  Ppn page = kNoPpn;
  std::uint32_t slot = 0;
  return next_unit(site, page, slot);
}

/// The units that the map and the scheme keep together, or as many of the block as a native page holds. What goes to
/// another page of the cache is never packed.
void UnitMover::begin_move(Transaction& t, Ppn page, std::uint32_t slot) {
  Units& units = *state_->units;
  const std::uint32_t plane = state_->blocks.plane_of(page);
  const std::uint32_t site = state_->blocks.site_of(plane);
  UnitPlacement::SlotOfBlock next{state_->blocks.page_of(page) + 1, 0};
  if (!units.map.packs() || units.placement.level_of_move(page) != 0) {
    units.placement.begin_move(t, page, slot);
    if (!units.map.packs()) {
      claim(site, kNoLpn) = t.lpn;
      return;
    }
  } else {
    next = units.placement.begin_pack(t, page, slot);
  }
  GcJob& job = jobs_->of_site(site);
  const std::uint32_t p = plane - state_->blocks.first_plane_of(site);
  job.cursor[p] = static_cast<std::uint16_t>(next.page);
  job.slot(p) = static_cast<std::uint8_t>(next.slot);
  job.turn = static_cast<std::uint8_t>(p + 1);
}

bool UnitMover::being_moved(std::uint32_t site, std::uint32_t lpn) const {
  for (std::uint32_t i = 0; i < kMovesInFlight; ++i) {
    if (lpns_being_moved_[site * kMovesInFlight + i] == lpn) return true;
  }
  return false;
}

std::uint32_t& UnitMover::claim(std::uint32_t site, std::uint32_t lpn) {
  std::uint32_t i = site * kMovesInFlight;
  while (lpns_being_moved_[i] != lpn) ++i;
  return lpns_being_moved_[i];
}

/// False when the pool is empty and the job has to try again.
bool UnitMover::move(std::uint32_t site) {
  GcJob& job = jobs_->of_site(site);
  while (job.moving < most_moves_) {
    Ppn page = kNoPpn;
    std::uint32_t slot = 0;
    if (!next_unit(site, page, slot)) {
      release_pass(site);
      if (job.moving != 0) return true; // it may have passed pages of theirs
      const bool all_read = state_->blocks.unit(site, job.victim).valid == 0;
      jobs_->look_again(site);
      job.all_read = all_read;
      if (all_read) return true;
      continue;
    }
    Transaction* t = state_->pool.take(PoolUser::firmware);
    if (t == nullptr) {
      release_pass(site, true);
      return false;
    }
    t->sequence = ++state_->sequence;
    t->home = t->source = page;
    begin_move(*t, page, slot);
    ++job.moving;
    read_on(*t);
  }
  if (pass_ != 1) release_pass(site); // more may wait than the last one took
  return true;
}

/// Reads what the move has not got yet, or queues its program.
void UnitMover::read_on(Transaction& t) {
  Units& units = *state_->units;
  const BlockTable& blocks = state_->blocks;
  UnitWork& w = units.io.work(t);
  w.todo = units.io.still_there(t);
  const std::uint32_t missing = w.todo & ~units.io.cover(w.have);
  if (missing != 0) {
    const UnitIo::Run run = units.io.run_of(t, missing);
    units.io.set_read_target(t, run, units.io.sectors_of(run.units));
    t.become(kGather, *this);
    state_->set_read_target(t, run.ppn);
    if (blocks.regions() != 1)
      ++state_->statistics.regions[blocks.block(t.plane, blocks.block_of(run.ppn)).region].read_pages;
    return jobs_->enqueue(t);
  }
  t.become(kMove, *this);
  t.plane = blocks.plane_of(t.home);
  t.die = static_cast<std::uint16_t>(blocks.die_of(t.home));
  to_program(t);
}

void UnitMover::gathered(Transaction& t, const FlashCompletion& c) {
  const Ppn page = t.ppn;
  const BlockInfo& block = state_->blocks.drop_reader(page);
  const std::uint32_t failed = state_->map.take_read_units(t, c);
  if (failed != 0) gathered_in_part(t, failed);
  if (block.state == BlockState::victim)
    jobs_->schedule_gc_check(state_->blocks.plane_of(page)); // perhaps another job's
  read_on(t);
}

/// What can be read is moved, and what is lost as lost (see read_failed()). What was moved meanwhile is read
/// where it is now.
void UnitMover::gathered_in_part(Transaction& t, std::uint32_t failed) {
  Units& units = *state_->units;
  UnitWork& w = units.io.work(t);
  const std::uint32_t there = units.io.reading_there(t);
  for (std::uint32_t left = units.io.cover(failed); left != 0; left &= left - 1) {
    const std::uint32_t unit = lowest_bit(left);
    const std::uint32_t sectors = units.io.unit_sectors(unit);
    const LogicalUnit l = units.io.logical(t, unit);
    if ((there >> unit & 1) == 0) {
      w.have &= ~sectors;
      continue;
    }
    w.have |= sectors;
    const std::uint32_t first = unit * units.io.sectors_per_unit();
    const std::uint32_t shift = l.unit * units.io.sectors_per_unit();
    state_->map.lose_sectors(l.lpn, (failed & sectors) >> first << shift);
    state_->hooks.unreadable(l.lpn);
  }
}

bool UnitMover::is_ready(const Transaction& t) const {
  const UnitIo& io = state_->units->io;
  const std::uint32_t current = io.current(t);
  const std::uint32_t native = io.work(t).native ? state_->units->map.in_native(t.lpn) : 0;
  return io.any_at_home(t, current) && (native & ~current) == 0;
}

bool UnitMover::ready(Transaction& t) {
  Units& units = *state_->units;
  UnitWork& w = units.io.work(t);
  const std::uint32_t current = units.io.current(t);
  if (!units.io.any_at_home(t, current)) {
    if (t.failures != 0) state_->map.inherit(t);
    end(t);
    return false;
  }
  const std::uint32_t native = w.native ? units.map.in_native(t.lpn) : 0;
  w.todo = current;
  w.have &= units.io.sectors_of(current);
  if ((native & ~current) == 0) return true;
  w.todo = current | native;
  read_on(t);
  return false;
}

bool UnitMover::fits(Transaction& t, const PageSlot& slot) {
  Units& units = *state_->units;
  if (slot.pass == 1 && units.placement.complete_for(t, slot)) return true;
  if (!units.map.packs()) units.placement.take_native(t);
  t.hint = 0;
  read_on(t);
  return false;
}

/// Of a move whose own program has failed the map names what that should have brought. What was moved was in the
/// victim, or is lost.
void UnitMover::leave(Transaction& t) {
  if (t.failures == 0) return;
  TouchedPlanes touched;
  std::uint32_t gone = state_->map.go_back(t, state_->map.failed_at(t), touched);
  jobs_->schedule_gc_check(touched);
  for (; gone != 0; gone &= gone - 1) {
    const LogicalUnit l = state_->units->io.logical(t, lowest_bit(gone));
    jobs_->lose(l.lpn, 1u << l.unit);
  }
}

void UnitMover::forget(const Transaction& t) {
  if (!state_->units->map.packs()) claim(state_->blocks.plane_of(t.home), t.lpn) = kNoLpn;
}

void UnitMover::move_done(Transaction& t, const FlashCompletion& c) {
  Units& units = *state_->units;
  if (units.placement.has_failed(t, c)) {
    state_->hooks.units_failed(t);
    state_->map.inherit(t);
    const std::uint32_t failed = units.placement.failed_at(t);
    if (failed != 0 && ++t.failures < kProgramTries) { // the data are still in the buffer
      units.placement.repeat_move(t, failed);
      return to_program(t);
    }
    if (failed != 0) leave_home(t);
  }
  end(t);
}

} // namespace twinplane::fw
