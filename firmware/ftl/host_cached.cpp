// HostPath in a drive with an SLC-mode cache: a piece of a request may lie in several pages, and a write
// covers subpages instead of a page.
#include "firmware/ftl/host_path.h"

namespace twinplane::fw {

namespace {

/// At most as many pages as a logical page has subpages.
struct ReadPlan {
  SlcCache::Run run[kMaxSubpages];
  std::uint32_t count = 0;
};

ReadPlan plan_reads(const SlcCache& cache, std::uint32_t lpn, std::uint32_t sectors) {
  ReadPlan plan;
  for (std::uint32_t left = cache.cover(sectors); left != 0;) {
    plan.run[plan.count] = cache.run_of(lpn, left);
    left &= ~plan.run[plan.count++].subpages;
  }
  return plan;
}

} // namespace

/// False when it has to wait: then nothing has been posted, as the whole piece is tried again.
bool HostPath::cache_read(Request& r, const Piece& p) {
  if (state_->buffer != nullptr && buffer_read_waits(r, p.lpn)) return false;
  SlcCache& cache = *state_->policy.cache;
  const Sources from = sources_of(p.lpn, p.mask);
  const ReadPlan plan = plan_reads(cache, p.lpn, from.flash);
  Transaction* t[kMaxSubpages] = {};
  for (std::uint32_t i = 0; i < plan.count; ++i) {
    t[i] = take(r, p, kReadSubpages);
    if (t[i] != nullptr) continue;
    while (i-- != 0) state_->pool.release(*t[i]);
    return false;
  }
  ++state_->statistics.host_pages_read;
  if (from.flash != p.mask) deliver(r, p, from);
  if (plan.count == 0) {
    (from.buffered == p.mask ? state_->statistics.buffer_read_hits : state_->statistics.unmapped_reads) += 1;
    part_done(r, nullptr);
    return true;
  }
  r.open_parts += plan.count - 1;
  for (std::uint32_t i = 0; i < plan.count; ++i) {
    state_->aim(*t[i], plan.run[i].ppn);
    cache.begin_read(*t[i]);
    cache.aim(*t[i], plan.run[i], from.flash);
    t[i]->mask = 0; // what is left to be read afterwards
    cache.host_read(plan.run[i]);
    board_->enqueue(*t[i]);
  }
  return true;
}

void HostPath::cache_read_done(Transaction& t, const FlashCompletion& c) {
  add_times(t, c);
  const BlockInfo& block = state_->blocks.drop_reader(t.ppn);
  if (block.state == BlockState::victim) collector_->consider(state_->blocks.plane_of(t.ppn));
  SlcCache& cache = *state_->policy.cache;
  Request& r = *t.request;
  std::uint32_t failed = cache.failed_sectors(t, c);
  cache.arrived(t, t.flash_mask & ~failed);
  if (c.result != 0) {
    ++state_->statistics.flash_failures;
    cache.spoilt(t.ppn);
    failed &= ~state_->take_from_cache_writer(t);
  }
  const std::uint32_t here = failed & cache.sectors_of(cache.reading_there(t));
  if (here != 0 && r.status == nvme::status::success) r.status = nvme::status::unrecovered_read;
  const std::uint32_t good = t.flash_mask & ~failed;
  if (r.device_buffer != kHostData) {
    copy_to_device(r, t.host_offset, good, state_->hal->dram() + t.buffer);
  } else if (good != 0) {
    t.fence = post(r, DmaOp::to_host, t.host_offset, good, t.buffer);
  }
  t.flash_mask = t.mask | (failed & ~here);
  t.flash_mask == 0 ? end_cache_read(t) : cache_read_again(t);
}

/// The page read was abandoned meanwhile, as its own program failed: its data are read where they are now,
/// page by page.
void HostPath::cache_read_again(Transaction& t) {
  Request& r = *t.request;
  SlcCache& cache = *state_->policy.cache;
  const Sources from = sources_of(t.lpn, t.flash_mask);
  if (from.buffered != 0 && buffer_read_waits(r, t.lpn)) {
    late_.push(t);
    return;
  }
  deliver(r, Piece{t.lpn, t.flash_mask, 0, t.host_offset}, from);
  if (from.flash == 0) return end_cache_read(t);
  const SlcCache::Run run = cache.run_of(t.lpn, cache.cover(from.flash));
  t.mask = from.flash & ~cache.sectors_of(run.subpages);
  t.queued_ps = state_->now_ps();
  state_->aim(t, run.ppn);
  cache.aim(t, run, from.flash);
  board_->enqueue(t);
}

void HostPath::end_cache_read(Transaction& t) {
  part_done(*t.request, &t);
  if (t.fence != 0) {
    state_->pool.release_after(t, t.fence);
  } else {
    state_->pool.release(t);
  }
}

// --- writes ---

/// The LPN is ours.
void HostPath::start_cache_write(Transaction& t) {
  state_->policy.cache->begin_write(t);
  t.mask == 0 ? complete_for_native(t) : complete_cache_write(t); // of no sector of its own: see rewrite()
}

/// Reads what its subpages have and the host does not bring, page by page; then it waits for its place.
void HostPath::complete_cache_write(Transaction& t) {
  SlcCache& cache = *state_->policy.cache;
  CacheWork& w = cache.work(t);
  const std::uint32_t missing = cache.sectors_of(w.todo) & ~t.mask & ~w.have;
  const std::uint32_t lost = missing & state_->lost.of(t.lpn);
  const std::uint32_t there = missing & ~lost & cache.sectors_of(cache.map.mapped(t.lpn));
  if (there == 0) {
    fill_zero(t.buffer, missing);
    w.have |= missing;
    t.lost |= lost;
    t.ppn = kNoPpn;
    t.traits = &kWriteSubpages;
    return queue_write(t);
  }
  const SlcCache::Run run = cache.run_of(t.lpn, cache.cover(there));
  t.traits = &kCompletePage;
  state_->aim(t, run.ppn);
  cache.aim(t, run, there);
  ++state_->statistics.rmw_reads;
  board_->enqueue(t);
}

void HostPath::cache_rmw_done(Transaction& t, const FlashCompletion& c) {
  add_times(t, c);
  const BlockInfo& block = state_->blocks.drop_reader(t.ppn);
  if (block.state == BlockState::victim) collector_->consider(state_->blocks.plane_of(t.ppn));
  SlcCache& cache = *state_->policy.cache;
  std::uint32_t failed = cache.failed_sectors(t, c);
  cache.arrived(t, t.flash_mask & ~failed);
  if (c.result != 0) {
    ++state_->statistics.flash_failures;
    cache.spoilt(t.ppn);
    failed &= ~state_->take_from_cache_writer(t);
    // what was moved meanwhile is read where it is now
    const std::uint32_t here = failed & cache.sectors_of(cache.reading_there(t));
    fill_zero(t.buffer, here);
    cache.work(t).have |= here;
    t.lost |= here;
  }
  t.queued_ps = state_->now_ps();
  complete_cache_write(t);
}

/// The write waits with the die of the page that it belongs into. False: there is none, it waits as all do.
bool HostPath::joins_page(Transaction& t) {
  SlcCache* const cache = state_->policy.cache;
  Ppn ppn = kNoPpn;
  if (cache == nullptr) return false;
  if (!cache->fits_in_place(t, ppn)) {
    t.hint = static_cast<PageHint>(cache->level_for(t));
    return false;
  }
  t.plane = state_->blocks.plane_of(ppn);
  t.die = static_cast<std::uint16_t>(state_->blocks.die_of(ppn));
  board_->enqueue(t);
  return true;
}

void HostPath::complete_for_native(Transaction& t) {
  SlcCache& cache = *state_->policy.cache;
  CacheWork& w = cache.work(t);
  w.native = true;
  w.todo = static_cast<std::uint8_t>(w.todo | cache.map.in_native(t.lpn));
  t.queued_ps = state_->now_ps();
  complete_cache_write(t);
}

void HostPath::cache_write_done(Transaction& t, const FlashCompletion& c) {
  add_times(t, c);
  SlcCache& cache = *state_->policy.cache;
  CacheWork& w = cache.work(t);
  bool lost = false;
  if (cache.has_failed(t, c)) {
    journal_->subpages_failed(t);
    state_->inherit_subpages(t);
    lose_earlier_slots(t);
    if (write_cache_again(t)) return;
    const std::uint32_t failed = cache.failed_at(t);
    if (failed == 0 && w.todo == 0 && t.request != nullptr) return overtaken(t);
    lost = failed != 0;
    lose_subpages(t.lpn, failed);
  }
  cache.ended(t);
  if (w.todo != 0) { // it has not fitted into one page; the LPN is still ours
    t.queued_ps = state_->now_ps();
    hand_over(t);
    return;
  }
  if (t.request == nullptr && t.cache_slot == kNoSlot) return end_rewrite(t);
  if (t.request == nullptr)
    return end_write_back(t, lost); // the slot keeps the sectors that the host has written
  Request& r = *t.request;
  if (lost && r.status == nvme::status::success) r.status = nvme::status::write_fault;
  if (w.overtaken != 0) return overtaken(t);
  part_done(r, &t);
  state_->pool.release(t);
}

/// A program has failed and the data are still in the buffer: another page, unless newer data have been
/// written.
bool HostPath::write_cache_again(Transaction& t) {
  SlcCache& cache = *state_->policy.cache;
  const std::uint32_t failed = cache.failed_at(t);
  if (failed == 0 || ++t.failures >= kProgramTries) return false;
  CacheWork& w = cache.work(t);
  t.queued_ps = state_->now_ps();
  if (w.todo != 0) { // the LPN is still ours
    cache.write_again(t);
    hand_over(t);
  } else if (state_->locks.acquire(t)) {
    repeat(t);
  }
  return true;
}

bool HostPath::unmap_subpages(std::uint32_t lpn) {
  SlcCache& cache = *state_->policy.cache;
  const bool losses = state_->lost.of(lpn) != 0;
  const std::uint32_t mapped = cache.map.mapped(lpn);
  if (losses) state_->lost.set(lpn, 0);
  if (losses) journal_->trimmed(lpn, kNoPpn);
  for (std::uint32_t left = mapped; left != 0; left &= left - 1)
    journal_->trimmed(lpn, cache.map.page_of(cache.map.at(lpn, lowest_bit(left))));
  TouchedPlanes touched;
  (void)cache.unmap(lpn, mapped, touched);
  collector_->consider(touched);
  return mapped != 0;
}

/// What is newer than t has written, of one of its subpages, is being programmed.
bool HostPath::newer_subpages_under_way(const Transaction& t) const {
  const SlcCache& cache = *state_->policy.cache;
  for (std::uint32_t left = cache.written(t) | cache.overtaken(t); left != 0; left &= left - 1) {
    const std::uint32_t subpage = lowest_bit(left);
    const Psn now = cache.map.at(t.lpn, subpage);
    if (now == kNoPsn) continue;
    if (state_->writer_of(cache.map.page_of(now), LogicalSubpage{t.lpn, subpage}) != nullptr) return true;
  }
  return false;
}

/// What earlier programs had written to that page cannot be read any more either.
void HostPath::lose_earlier_slots(const Transaction& t) {
  const SlcCache& cache = *state_->policy.cache;
  if (!state_->blocks.slc_mode(t.ppn)) return;
  for (std::uint32_t slot = 0; slot < cache.map.page(t.ppn).used; ++slot) {
    if (cache.programs_slot(t, slot)) continue;
    const LogicalSubpage l{cache.map.owner_lpn(t.ppn, slot), cache.map.owner_subpage(t.ppn, slot)};
    const Psn now = cache.map.at(l.lpn, l.subpage);
    const bool named = now == cache.map.psn(t.ppn, slot);
    if (named && state_->writer_of(t.ppn, l) == nullptr) lose_subpages(l.lpn, 1u << l.subpage);
    if (now == kNoPsn) journal_->lost(l.lpn); // that it is trimmed: its newest version is an older one now
  }
}

void HostPath::lose_subpages(std::uint32_t lpn, std::uint32_t subpages) {
  if (subpages == 0) return;
  TouchedPlanes touched;
  state_->lose_subpages(lpn, subpages, touched);
  journal_->lost(lpn);
  collector_->consider(touched);
}

} // namespace twinplane::fw
