// Collector in a drive with an SLC-mode cache: what leaves a block are subpages of one logical page at a
// time, read page by page wherever they are and programmed together.
//
// No lock: the host writes what it likes meanwhile. Just before a move is programmed it is judged by the map:
// what is no longer where it was read stays out, and what native blocks have got meanwhile is read as well.
#include "firmware/ftl/collector.h"

namespace twinplane::fw {

/// The first slot from the cursor on whose logical page is not being moved yet; packed: the first one. False:
/// there is none.
bool Collector::next_subpage(std::uint32_t site, Ppn& page, std::uint32_t& slot) {
  Job& job = jobs_[site];
  const BlockTable& blocks = state_->blocks;
  const SlcCache& cache = *state_->policy.cache;
  for (;;) {
    const std::uint32_t number = blocks.next_valid(site, job.victim, job.cursor[0]);
    if (number == blocks.pages_per_block()) return false;
    if (number != job.cursor[0]) job.slot = 0;
    page = blocks.ppn(site, job.victim, number);
    for (std::uint32_t left = cache.map.page(page).valid & ~low_mask(job.slot); left != 0; left &= left - 1) {
      slot = lowest_bit(left);
      if (cache.packs_native() || !being_moved(site, cache.map.owner_lpn(page, slot))) return true;
    }
    job.cursor[0] = static_cast<std::uint16_t>(number + 1);
    job.slot = 0;
  }
}

/// The subpages that the map and the scheme keep together, or as many of the block as a page holds.
void Collector::begin_move(Transaction& t, Ppn page, std::uint32_t slot) {
  SlcCache& cache = *state_->policy.cache;
  const std::uint32_t site = state_->blocks.plane_of(page);
  if (!cache.packs_native()) {
    cache.begin_move(t, page, slot);
    claim(site, kNoLpn) = t.lpn;
    return;
  }
  const SlcCache::SlotOfBlock next = cache.begin_pack(t, page, slot);
  jobs_[site].cursor[0] = static_cast<std::uint16_t>(next.page);
  jobs_[site].slot = static_cast<std::uint8_t>(next.slot);
}

bool Collector::being_moved(std::uint32_t site, std::uint32_t lpn) const {
  for (std::uint32_t i = 0; i < kMovesInFlight; ++i) {
    if (claims_[site * kMovesInFlight + i] == lpn) return true;
  }
  return false;
}

std::uint32_t& Collector::claim(std::uint32_t site, std::uint32_t lpn) {
  std::uint32_t i = site * kMovesInFlight;
  while (claims_[i] != lpn) ++i;
  return claims_[i];
}

/// False when the pool is empty and the job has to try again.
bool Collector::move_subpages(std::uint32_t site) {
  Job& job = jobs_[site];
  while (job.moving < kMovesInFlight) {
    Ppn page = kNoPpn;
    std::uint32_t slot = 0;
    if (!next_subpage(site, page, slot)) {
      if (job.holds != 0) release_fold(site);
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
      if (job.holds != 0) release_fold(site);
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
void Collector::read_on(Transaction& t) {
  SlcCache& cache = *state_->policy.cache;
  const BlockTable& blocks = state_->blocks;
  CacheWork& w = cache.work(t);
  w.todo = static_cast<std::uint8_t>(cache.still_there(t));
  const std::uint32_t missing = w.todo & ~cache.cover(w.have);
  if (missing != 0) {
    const SlcCache::Run run = cache.run_of(t, missing);
    cache.aim(t, run, cache.sectors_of(run.subpages));
    t.become(kGather, *this);
    state_->aim(t, run.ppn);
    RegionCounters* const regions = state_->statistics.regions;
    ++regions[blocks.block(t.plane, blocks.block_of(run.ppn)).region].read_pages;
    return enqueue(t);
  }
  t.become(kMoveSubpages, *this);
  t.plane = blocks.plane_of(t.home);
  t.die = static_cast<std::uint16_t>(blocks.die_of(t.home));
  to_program(t);
}

void Collector::gathered(Transaction& t, const FlashCompletion& c) {
  SlcCache& cache = *state_->policy.cache;
  const Ppn page = t.ppn;
  const BlockInfo& block = state_->blocks.drop_reader(page);
  const std::uint32_t failed = cache.failed_sectors(t, c);
  cache.arrived(t, t.flash_mask & ~failed);
  if (c.result != 0) {
    ++state_->statistics.flash_failures;
    cache.spoilt(page);
    gathered_in_part(t, failed);
  }
  if (block.state == BlockState::victim) consider(state_->blocks.plane_of(page)); // perhaps another job's
  read_on(t);
}

/// What can be read is moved, and what is lost as lost (see read_failed()). What was moved meanwhile is read
/// where it is now.
void Collector::gathered_in_part(Transaction& t, std::uint32_t failed) {
  SlcCache& cache = *state_->policy.cache;
  CacheWork& w = cache.work(t);
  failed &= ~state_->take_from_cache_writer(t);
  const std::uint32_t there = cache.reading_there(t);
  for (std::uint32_t left = cache.cover(failed); left != 0; left &= left - 1) {
    const std::uint32_t subpage = lowest_bit(left);
    const std::uint32_t sectors = cache.subpage_sectors(subpage);
    const LogicalSubpage l = cache.logical(t, subpage);
    if ((there >> subpage & 1) == 0) {
      w.have &= ~sectors;
      continue;
    }
    w.have |= sectors;
    const std::uint32_t first = subpage * cache.sectors_per_subpage();
    const std::uint32_t shift = l.subpage * cache.sectors_per_subpage();
    state_->lose_sectors(l.lpn, (failed & sectors) >> first << shift);
    journal_->lost(l.lpn);
  }
}

void Collector::lose_subpage(const LogicalSubpage& l) {
  TouchedPlanes touched;
  state_->lose_subpages(l.lpn, 1u << l.subpage, touched);
  journal_->lost(l.lpn);
  consider(touched);
}

/// Whether the move can be programmed as it is. If not, it has been taken care of.
bool Collector::ready(Transaction& t) {
  SlcCache& cache = *state_->policy.cache;
  CacheWork& w = cache.work(t);
  const std::uint32_t current = cache.current(t);
  if (!cache.any_at_home(t, current)) {
    if (t.failures != 0) state_->inherit_subpages(t);
    end_subpages(t);
    return false;
  }
  const std::uint32_t native = w.native ? cache.map.in_native(t.lpn) : 0;
  w.todo = static_cast<std::uint8_t>(current);
  w.have &= cache.sectors_of(current);
  if ((native & ~current) == 0) return true;
  w.todo = static_cast<std::uint8_t>(current | native);
  read_on(t);
  return false;
}

/// The cache has no page for it: a native one, with all that native blocks have of the logical page.
void Collector::send_to_native(Transaction& t) {
  CacheWork& w = state_->policy.cache->work(t);
  w.native = true;
  w.todo = static_cast<std::uint8_t>(w.todo | state_->policy.cache->map.in_native(t.lpn));
  t.hint = 0;
  read_on(t);
}

/// No page at all, as failed programs have used up the reserve: the data stay where they are. Of a move whose own
/// program has failed the map names what that should have brought.
void Collector::give_up_subpages(Transaction& t) {
  if (t.failures != 0) leave_failed(t);
  Job& job = jobs_[state_->blocks.plane_of(t.home)];
  const std::uint32_t page = state_->blocks.page_of(t.home);
  if (page < job.cursor[0]) job.cursor[0] = static_cast<std::uint16_t>(page);
  job.slot = 0;
  job.all_read = false;
  if (!job.stalled) --active_;
  job.stalled = true;
  state_->blocks.set_stalled(state_->blocks.plane_of(t.home), true);
  end_subpages(t);
}

void Collector::leave_failed(const Transaction& t) {
  const SlcCache& cache = *state_->policy.cache;
  TouchedPlanes touched;
  std::uint32_t gone = state_->return_subpages(t, cache.failed_at(t), touched);
  consider(touched);
  for (; gone != 0; gone &= gone - 1) lose_subpage(cache.logical(t, lowest_bit(gone)));
}

/// See holds_old_versions(). Moves replace pages of other blocks, too: what they take along.
bool Collector::holds_old_subpages(std::uint32_t site) const {
  const BlockTable& blocks = state_->blocks;
  const SlcCache& cache = *state_->policy.cache;
  const std::uint32_t victim = jobs_[site].victim;
  const bool under_way = board_->anything_under_way();
  bool held = false;
  state_->pool.for_each([&](const Transaction& t) {
    if (!t.traits->by_subpage || (t.failures != 0 && !under_way)) return;
    for (std::uint32_t left = cache.in_hand(t); left != 0; left &= left - 1) {
      const Ppn page = cache.replaced(t, lowest_bit(left));
      held |= is_page(page) && blocks.plane_of(page) == site && blocks.block_of(page) == victim;
    }
  });
  return held;
}

void Collector::end_subpages(Transaction& t) {
  const std::uint32_t site = state_->blocks.plane_of(t.home);
  if (!state_->policy.cache->packs_native()) claim(site, t.lpn) = kNoLpn;
  --jobs_[site].moving;
  state_->pool.release(t);
  consider(site);
}

void Collector::cache_move_done(Transaction& t, const FlashCompletion& c) {
  SlcCache& cache = *state_->policy.cache;
  if (cache.has_failed(t, c)) {
    journal_->subpages_failed(t);
    state_->inherit_subpages(t);
    const std::uint32_t failed = cache.failed_at(t);
    if (failed != 0 && ++t.failures < kProgramTries) { // the data are still in the buffer
      cache.repeat_move(t, failed);
      return to_program(t);
    }
    for (std::uint32_t left = failed; left != 0; left &= left - 1)
      lose_subpage(cache.logical(t, lowest_bit(left)));
  }
  end_subpages(t);
}

} // namespace twinplane::fw
