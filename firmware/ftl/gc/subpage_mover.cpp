#include "firmware/ftl/gc/subpage_mover.h"

namespace twinplane::fw {

constexpr OpTraits SubpageMover::kGather =
    OpTraits{"read of a move of subpages", ends_in<SubpageMover, &SubpageMover::gathered>, FlashOp::read,
             Lane::gc_read, WorkFor::collection}
        .with(&OpTraits::by_unit);
constexpr OpTraits SubpageMover::kMove =
    OpTraits{"move of subpages", ends_in<SubpageMover, &SubpageMover::move_done>, FlashOp::program,
             Lane::gc_write, WorkFor::collection}
        .with(&OpTraits::maps_page, &OpTraits::by_unit);

void SubpageMover::boot(BootMemory& memory, FtlState& state, GcJobs& jobs, Journal& journal,
                        const bool& resting) {
  state_ = &state;
  jobs_ = &jobs;
  journal_ = &journal;
  resting_ = &resting;
  if (state.units == nullptr) return;
  fold_ = state.pass_pages;
  const std::uint32_t claims = state.blocks.sites() * kMovesInFlight;
  claims_ = memory.array<std::uint32_t>(claims);
  for (std::uint32_t i = 0; claims_ != nullptr && i < claims; ++i) claims_[i] = kNoLpn;
}

/// The first slot from the cursor on whose logical page is not being moved yet; packed: the first one. False:
/// there is none.
bool SubpageMover::next_subpage(std::uint32_t site, Ppn& page, std::uint32_t& slot) {
  GcJob& job = jobs_->of_site(site);
  const BlockTable& blocks = state_->blocks;
  const Units& units = *state_->units;
  for (;;) {
    const std::uint32_t number = blocks.next_valid(site, job.victim, job.cursor[0]);
    if (number == blocks.pages_per_block()) return false;
    if (number != job.cursor[0]) job.slot = 0;
    page = blocks.ppn(site, job.victim, number);
    for (std::uint32_t left = units.map.page(page).valid & ~low_mask(job.slot); left != 0; left &= left - 1) {
      slot = lowest_bit(left);
      if (units.map.packs() || !being_moved(site, units.map.owner_lpn(page, slot))) return true;
    }
    job.cursor[0] = static_cast<std::uint16_t>(number + 1);
    job.slot = 0;
  }
}

/// The subpages that the map and the scheme keep together, or as many of the block as a page holds.
void SubpageMover::begin_move(Transaction& t, Ppn page, std::uint32_t slot) {
  Units& units = *state_->units;
  const std::uint32_t site = state_->blocks.plane_of(page);
  if (!units.map.packs()) {
    units.placement.begin_move(t, page, slot);
    claim(site, kNoLpn) = t.lpn;
    return;
  }
  const UnitPlacement::SlotOfBlock next = units.placement.begin_pack(t, page, slot);
  jobs_->of_site(site).cursor[0] = static_cast<std::uint16_t>(next.page);
  jobs_->of_site(site).slot = static_cast<std::uint8_t>(next.slot);
}

bool SubpageMover::being_moved(std::uint32_t site, std::uint32_t lpn) const {
  for (std::uint32_t i = 0; i < kMovesInFlight; ++i) {
    if (claims_[site * kMovesInFlight + i] == lpn) return true;
  }
  return false;
}

std::uint32_t& SubpageMover::claim(std::uint32_t site, std::uint32_t lpn) {
  std::uint32_t i = site * kMovesInFlight;
  while (claims_[i] != lpn) ++i;
  return claims_[i];
}

/// False when the pool is empty and the job has to try again.
bool SubpageMover::move(std::uint32_t site) {
  GcJob& job = jobs_->of_site(site);
  while (job.moving < kMovesInFlight) {
    Ppn page = kNoPpn;
    std::uint32_t slot = 0;
    if (!next_subpage(site, page, slot)) {
      if (job.holds != 0) release_wordline(site);
      if (job.moving != 0) return true; // it may have passed pages of theirs
      job.all_read = state_->blocks.block(site, job.victim).valid == 0;
      if (job.all_read) return true;
      job.cursor[0] = 0;
      job.slot = 0;
      continue;
    }
    Transaction* t = state_->pool.take(PoolUser::firmware);
    if (t == nullptr) {
      job.pads = job.holds != 0 && job.holds == job.moving;
      if (job.holds != 0) release_wordline(site);
      return false;
    }
    t->sequence = ++state_->sequence;
    t->home = t->source = page;
    begin_move(*t, page, slot);
    ++job.moving;
    read_on(*t);
  }
  return true;
}

/// Reads what the move has not got yet, or queues its program.
void SubpageMover::read_on(Transaction& t) {
  Units& units = *state_->units;
  const BlockTable& blocks = state_->blocks;
  UnitWork& w = units.io.work(t);
  w.todo = static_cast<std::uint8_t>(units.io.still_there(t));
  const std::uint32_t missing = w.todo & ~units.io.cover(w.have);
  if (missing != 0) {
    const UnitIo::Run run = units.io.run_of(t, missing);
    units.io.aim(t, run, units.io.sectors_of(run.units));
    t.become(kGather, *this);
    state_->aim(t, run.ppn);
    RegionCounters* const regions = state_->statistics.regions;
    ++regions[blocks.block(t.plane, blocks.block_of(run.ppn)).region].read_pages;
    return jobs_->enqueue(t);
  }
  t.become(kMove, *this);
  t.plane = blocks.plane_of(t.home);
  t.die = static_cast<std::uint16_t>(blocks.die_of(t.home));
  to_program(t);
}

void SubpageMover::gathered(Transaction& t, const FlashCompletion& c) {
  const Ppn page = t.ppn;
  const BlockInfo& block = state_->blocks.drop_reader(page);
  const std::uint32_t failed = state_->map.take_read_units(t, c);
  if (failed != 0) gathered_in_part(t, failed);
  if (block.state == BlockState::victim)
    jobs_->consider(state_->blocks.plane_of(page)); // perhaps another job's
  read_on(t);
}

/// What can be read is moved, and what is lost as lost (see read_failed()). What was moved meanwhile is read
/// where it is now.
void SubpageMover::gathered_in_part(Transaction& t, std::uint32_t failed) {
  Units& units = *state_->units;
  UnitWork& w = units.io.work(t);
  const std::uint32_t there = units.io.reading_there(t);
  for (std::uint32_t left = units.io.cover(failed); left != 0; left &= left - 1) {
    const std::uint32_t subpage = lowest_bit(left);
    const std::uint32_t sectors = units.io.unit_sectors(subpage);
    const LogicalUnit l = units.io.logical(t, subpage);
    if ((there >> subpage & 1) == 0) {
      w.have &= ~sectors;
      continue;
    }
    w.have |= sectors;
    const std::uint32_t first = subpage * units.io.sectors_per_unit();
    const std::uint32_t shift = l.unit * units.io.sectors_per_unit();
    state_->map.lose_sectors(l.lpn, (failed & sectors) >> first << shift);
    journal_->lost(l.lpn);
  }
}

void SubpageMover::lose_subpage(const LogicalUnit& l) {
  TouchedPlanes touched;
  state_->map.lose(l.lpn, 1u << l.unit, touched);
  journal_->lost(l.lpn);
  jobs_->consider(touched);
}

/// Whether the move can be programmed as it is. If not, it has been taken care of.
bool SubpageMover::ready(Transaction& t) {
  Units& units = *state_->units;
  UnitWork& w = units.io.work(t);
  const std::uint32_t current = units.io.current(t);
  if (!units.io.any_at_home(t, current)) {
    if (t.failures != 0) state_->map.inherit(t);
    end(t);
    return false;
  }
  const std::uint32_t native = w.native ? units.map.in_native(t.lpn) : 0;
  w.todo = static_cast<std::uint8_t>(current);
  w.have &= units.io.sectors_of(current);
  if ((native & ~current) == 0) return true;
  w.todo = static_cast<std::uint8_t>(current | native);
  read_on(t);
  return false;
}

/// The cache has no page for it: a native one, with all that native blocks have of the logical page.
void SubpageMover::send_to_native(Transaction& t) {
  state_->units->placement.take_native(t);
  t.hint = 0;
  read_on(t);
}

/// No page at all, as failed programs have used up the reserve: the data stay where they are. Of a move whose own
/// program has failed the map names what that should have brought.
void SubpageMover::give_up(Transaction& t) {
  if (t.failures != 0) leave_failed(t);
  GcJob& job = jobs_->of_page(t.home);
  const std::uint32_t page = state_->blocks.page_of(t.home);
  if (page < job.cursor[0]) job.cursor[0] = static_cast<std::uint16_t>(page);
  job.slot = 0;
  job.all_read = false;
  jobs_->stall(state_->blocks.plane_of(t.home));
  end(t);
}

void SubpageMover::leave_failed(const Transaction& t) {
  const Units& units = *state_->units;
  TouchedPlanes touched;
  std::uint32_t gone = state_->map.go_back(t, units.placement.failed_at(t), touched);
  jobs_->consider(touched);
  for (; gone != 0; gone &= gone - 1) lose_subpage(units.io.logical(t, lowest_bit(gone)));
}

/// See holds_old_versions(). Moves replace pages of other blocks, too: what they take along.
bool SubpageMover::holds_old_versions(std::uint32_t site, bool under_way) const {
  const BlockTable& blocks = state_->blocks;
  const Units& units = *state_->units;
  const std::uint32_t victim = jobs_->of_site(site).victim;
  bool held = false;
  state_->pool.for_each([&](const Transaction& t) {
    if (!t.traits->by_unit || (t.failures != 0 && !under_way)) return;
    for (std::uint32_t left = units.io.in_hand(t); left != 0; left &= left - 1) {
      const Ppn page = units.io.replaced(t, lowest_bit(left));
      held |= is_page(page) && blocks.plane_of(page) == site && blocks.block_of(page) == victim;
    }
  });
  return held;
}

void SubpageMover::end(Transaction& t) {
  const std::uint32_t site = state_->blocks.plane_of(t.home);
  if (!state_->units->map.packs()) claim(site, t.lpn) = kNoLpn;
  --jobs_->of_site(site).moving;
  state_->pool.release(t);
  jobs_->consider(site);
}

void SubpageMover::move_done(Transaction& t, const FlashCompletion& c) {
  Units& units = *state_->units;
  if (units.placement.has_failed(t, c)) {
    journal_->units_failed(t);
    state_->map.inherit(t);
    const std::uint32_t failed = units.placement.failed_at(t);
    if (failed != 0 && ++t.failures < kProgramTries) { // the data are still in the buffer
      units.placement.repeat_move(t, failed);
      return to_program(t);
    }
    for (std::uint32_t left = failed; left != 0; left &= left - 1)
      lose_subpage(units.io.logical(t, lowest_bit(left)));
  }
  end(t);
}

} // namespace twinplane::fw
