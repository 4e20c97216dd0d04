#include "firmware/ftl/gc/collector.h"

#include "firmware/ftl/victim/least_space.h"

namespace twinplane::fw {

constexpr OpTraits Collector::kErase = OpTraits{"erase", ends_in<Collector, &Collector::erase_done>,
                                                FlashOp::erase, Lane::erase, WorkFor::collection}
                                           .with(&OpTraits::page_as_it_is);

void Collector::boot(BootMemory& memory, FtlState& state, DieQueues& board) {
  state_ = &state;
  board_ = &board;
  jobs.boot(memory, state, board, need_);
  need_.boot(memory, state);
  victims_.boot(memory, state, need_);
  unrelocatable.boot(state, jobs);
  pages.boot(state, jobs, unrelocatable, quiesced_);
  mover_ = &pages;
  if (state.units != nullptr) {
    mover_ = &units_;
    units_.Mover::boot(state, jobs, unrelocatable, quiesced_);
    units_.boot(memory);
  }
  old_versions_count_ = state.config.hold_up_pages == 0;
  chips_collect_ = state.blocks.twins() != 1 && collects_as_tbm(state.config);
}

void Collector::collect_all(bool all) {
  if (need_.want_all(all) && all) jobs.consider_all();
}

void Collector::collect_ahead(const AheadOfNeed& wish) {
  need_.collect_ahead(wish);
  if (wish.on) jobs.consider_all();
}

void Collector::purge(bool begins) {
  need_.purge(begins);
  if (begins) jobs.consider_all();
}

void Collector::end() {
  need_.end();
  state_->policy.allocation->end_collection();
  board_->unblock_all_writes();
}

bool Collector::purging() const {
  for (std::uint32_t site = 0; site < state_->blocks.sites(); ++site) {
    if (jobs.of_site(site).victim != kNoBlock) return true;
    if (need_.invalid_domain(site) != SpaceNeed::kNoDomain) return true;
  }
  return false;
}

void Collector::quiesce() {
  if (quiesced_) return;
  quiesced_ = true;
  mover_->stop_waiting(); // no page that would complete a wordline comes any more
}

void Collector::resume() {
  if (!quiesced_) return;
  quiesced_ = false;
  for (std::uint32_t site = 0; site < state_->blocks.sites(); ++site) {
    if (jobs.of_site(site).victim != kNoBlock) jobs.schedule_gc_check(state_->blocks.first_plane_of(site));
  }
  if (mover_->names_unrelocatable()) unrelocatable.name_all();
}

bool Collector::retry_stalled() {
  if (mover_->site_that_spares_a_page() == Mover::kNoSite) return false;
  for (std::uint32_t site = 0; site < state_->blocks.sites(); ++site) {
    const GcJob& job = jobs.of_site(site);
    if (!job.stalled || job.moving != 0) continue;
    jobs.go_on(site);
    jobs.look_again(site);
    jobs.schedule_gc_check(state_->blocks.first_plane_of(site));
    return true;
  }
  return false;
}

/// Collection of a drive that has been kept goes on when a host is there.
void Collector::loaded() {
  quiesced_ = true;
  jobs.loaded();
  for (std::uint32_t site = 0; site < state_->blocks.sites(); ++site)
    state_->policy.allocation->collects(site, jobs.of_site(site).victim);
}

void Collector::serialise(StateVisitor& visitor) {
  jobs.serialise(visitor);
  mover_->serialise(visitor);
  need_.serialise(visitor);
  jobs.serialise_news(visitor);
}

void Collector::advance_listed() {
  const WorkMark mark(WorkFor::collection);
  erase_waits_ = false;
  erases_held_ = 0;
  jobs.advance_listed([this](std::uint32_t site) { return advance(site); });
}

/// False when the pool is empty and the job has to try again.
bool Collector::advance(std::uint32_t site) {
  GcJob& job = jobs.of_site(site);
  if (((state_->read_only() && !need_.purges()) || quiesced_) && !job.erasing) return true;
  if (job.victim == kNoBlock && !find_job(site)) return true;
  if (job.stalled) {
    if (job.moving != 0 || state_->blocks.unit(site, job.victim).valid != 0) return true;
    jobs.go_on(site);
  }
  if (job.erasing) return job.to_erase == 0 || erase(site);
  if (!mover_->move(site)) return false;
  if (job.moving != 0 || !job.all_read || state_->blocks.pending_reads(site, job.victim) != 0) return true;
  return erase(site);
}

/// False when there is nothing to be done after all.
bool Collector::find_job(std::uint32_t site) {
  GcJob& job = jobs.of_site(site);
  const bool nudged = job.nudged && state_->blocks.domain(site).reclaimable != 0;
  job.nudged = false;
  if (!nudged && !need_.wanted(site)) return false;
  if (need_.purges()) {
    start_purge(site);
    return true;
  }
  return need_.by_region() ? start_in_region(site) : start(site);
}

/// False: no victim would gain anything.
bool Collector::start(std::uint32_t site) {
  state_->charge(1, state_->config.cost.gc_select);
  const std::uint32_t due = need_.due(site);
  const std::uint32_t lagging = due == kNoBlock ? victims_.lagging_for_wear(site) : kNoBlock;
  const std::uint32_t asked = due != kNoBlock ? due : lagging;
  const std::uint32_t victim = asked != kNoBlock ? asked : victims_.choose(site);
  if (asked == kNoBlock && !(yields_space(state_->blocks, site, victim) && need_.is_worth_it(site, victim)))
    return false;
  begin(site, victim);
  if (lagging != kNoBlock) note_wear(site, lagging);
  if (!chips_collect_) return true;
  jobs.of_site(site).turn =
      static_cast<std::uint8_t>(state_->policy.allocation->next_plane(site, Stream::relocation, kAnyPage));
  trigger_sibling_dies(site);
  return true;
}

/// The victim lags behind in wear.
void Collector::note_wear(std::uint32_t site, std::uint32_t victim) {
  jobs.of_site(site).cause = ProgramCause::wear;
  ++state_->statistics.wear_collections;
  state_->hal->trace_event(TraceEvent::wear_levelling, site, victim);
}

bool Collector::start_in_region(std::uint32_t site) {
  const std::uint32_t due = need_.due(site);
  if (due != kNoBlock) {
    state_->charge(1, state_->config.cost.gc_select);
    begin_in_region(Reclaim{site, due});
    return true;
  }
  std::uint32_t borrowed = 0;
  const Reclaim reclaim = victims_.choose_in_region(site, borrowed);
  if (borrowed != 0) board_->unblock_writes(state_->blocks.die_of_site(site));
  if (reclaim.victim == kNoBlock) return false;
  begin_in_region(reclaim);
  return true;
}

void Collector::begin_in_region(const Reclaim& reclaim) {
  const BlockInfo& block = state_->blocks.block(reclaim.site, reclaim.victim);
  const Region region = block.region;
  RegionCounters& counters = state_->statistics.regions[region];
  ++counters.collections;
  counters.victim_valid_pages += block.valid;
  begin(reclaim.site, reclaim.victim);
  state_->policy.regions->begun(reclaim.site, region, reclaim.victim, reclaim.across);
  if (reclaim.for_wear) note_wear(reclaim.site, reclaim.victim);
}

void Collector::start_purge(std::uint32_t site) {
  state_->charge(1, state_->config.cost.gc_select);
  const std::uint32_t domain = need_.invalid_domain(site);
  const std::uint32_t victim = least_space_block(state_->blocks, domain);
  begin(site, victim);
  if (need_.by_region())
    state_->policy.regions->begun(site, state_->blocks.member(domain, victim).region, victim, false);
}

void Collector::begin(std::uint32_t site, std::uint32_t victim) {
  GcJob& job = jobs.of_site(site);
  const bool listed = job.listed;
  job = GcJob();
  job.listed = listed;
  job.victim = victim;
  job.pace = pace_of(site, victim);
  const bool asked = need_.due(site) == victim;
  if (asked) job.cause = state_->hooks.cause_of_victim(site);
  state_->blocks.set_asked(state_->blocks.first_plane_of(site), asked ? victim : kNoBlock);
  state_->policy.allocation->collects(site, victim);
  state_->blocks.transition_unit(site, job.victim, BlockState::victim);
  if (state_->durability->has_told(site, victim)) state_->blocks.returns_no_more(site, victim);
  if (state_->blocks.twins() == 1) state_->policy.allocation->given_up(site, job.victim);
  if (old_versions_count_ && state_->blocks.twins() == 1)
    state_->policy.allocation->revoke(site); // torn_reserve_pages counts now
  jobs.begins();
  state_->hal->trace_event(TraceEvent::collection_begin, site, victim);
  (void)state_->durability->holds(site, victim); // what it will wait for is written while pages are moved
  ++state_->statistics.gc_invocations;
  state_->statistics.gc_victim_valid_pages += state_->blocks.unit(site, job.victim).valid;
  board_->unblock_writes(state_->blocks.die_of_site(site)); // the need is smaller now
}

/// Of a victim that gains nothing, for it lags behind in wear, a little: the host goes on.
std::uint16_t Collector::pace_of(std::uint32_t site, std::uint32_t victim) const {
  constexpr std::uint64_t kLeast = kPage / 16;
  constexpr std::uint64_t kMost = 0x7FFF;
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t domain = blocks.domain_of(site, blocks.unit(site, victim).region);
  const std::uint64_t all = blocks.domain_pages(domain);
  const std::uint64_t data = blocks.data(domain, victim);
  const std::uint64_t moves = data / blocks.data_per_page() + 1;
  const std::uint64_t pace = moves < all ? (all - moves) * kPage / moves : 0;
  return static_cast<std::uint16_t>(pace < kLeast ? kLeast : pace > kMost ? kMost : pace);
}

/// "To better exploit parallelism, GC can also be performed for other dies of the chip."
void Collector::trigger_sibling_dies(std::uint32_t die) {
  const std::uint32_t dies = state_->config.geometry.dies_per_chip;
  const std::uint32_t first = die / dies * dies;
  const bool all = state_->config.tbm_gc == TbmGc::simulator;
  for (std::uint32_t d = first; d < first + dies; ++d) {
    GcJob& job = jobs.of_site(d);
    if (job.victim != kNoBlock || job.nudged || state_->blocks.domain(d).reclaimable == 0) continue;
    if (!all && !victims_.near_threshold(d)) continue;
    job.nudged = true;
    if (!job.listed) jobs.list(d);
  }
}

bool Collector::may_erase(std::uint32_t site) {
  if (old_versions_count() && holds_old_versions(site)) {
    erase_waits_ = true;
    return false;
  }
  if (state_->hooks.may_erase(site, jobs.of_site(site).victim)) return true;
  ++erases_held_;
  return false;
}

bool Collector::erase(std::uint32_t site) {
  GcJob& job = jobs.of_site(site);
  const BlockTable& blocks = state_->blocks;
  if (!job.erasing) {
    if (job.programmed != 0) return true; // the last of them says so
    if (!may_erase(site)) return false;
    forget_old_versions(site);
    state_->blocks.transition_unit(site, job.victim, BlockState::erasing);
    job.erasing = true;
    job.to_erase = static_cast<std::uint8_t>(low_mask(blocks.twins()));
  }
  while (job.to_erase != 0) {
    Transaction* t = state_->pool.take(PoolUser::firmware);
    if (t == nullptr) return false;
    t->become(kErase, *this);
    t->plane = blocks.first_plane_of(site) + lowest_bit(std::uint32_t{job.to_erase});
    t->die = static_cast<std::uint16_t>(blocks.die_of_site(site));
    t->ppn = blocks.ppn(t->plane, job.victim, 0);
    t->sequence = ++state_->sequence;
    job.to_erase = static_cast<std::uint8_t>(job.to_erase & (job.to_erase - 1));
    ++job.erases;
    jobs.enqueue(*t);
  }
  return true;
}

/// Where a program under way does not survive a power cut. And from the first failure on: when a drive wears out there
/// may be no page left for what has failed, nor for what tells that it is lost.
bool Collector::old_versions_count() const {
  return old_versions_count_ || unrelocatable.any_rewritten() || state_->has_failed_cells();
}

/// A write that has not been answered may be lost with the supply, and any may fail; then what it replaces must be
/// there. So must what moves of units replace in other blocks. A write whose program has failed may wait for the space of
/// this very block: HostPath::begin_failed_anew() sees to that. A move in its place counts as long as anything is under
/// way that may make space.
bool Collector::holds_old_versions(std::uint32_t site) const {
  const bool under_way = board_->anything_under_way();
  const std::uint32_t victim = jobs.of_site(site).victim;
  const auto holds = [&](const Transaction& t) {
    const bool counts = t.failures == 0 || t.traits->stream == Stream::host || under_way || t.programmed;
    return counts && state_->map.replaces_in(t, site, victim);
  };
  return state_->pool.find(holds) != nullptr;
}

/// The victim is erased: writes that have replaced a page there cannot go back to it any more, should their
/// programs fail.
void Collector::forget_old_versions(std::uint32_t site) {
  state_->map.forget_replaced(site, jobs.of_site(site).victim);
}

void Collector::waits_for_wordline(const Transaction& t) {
  GcJob& job = jobs.of_page(t.home);
  --job.moving;
  ++job.programmed;
  jobs.schedule_gc_check(state_->blocks.plane_of(t.home));
}

void Collector::wordline_complete(const Transaction& t) {
  GcJob& job = jobs.of_page(t.home);
  ++job.moving;
  --job.programmed;
}

/// The unit is free again, or lost as a whole, when all its blocks have answered.
void Collector::erase_done(Transaction& t, const FlashCompletion& c) {
  const std::uint32_t plane = t.plane;
  const std::uint32_t site = state_->blocks.site_of(plane);
  GcJob& job = jobs.of_site(site);
  if (c.result != 0) {
    state_->note_failure(t);
  }
  ++state_->statistics.gc_blocks_erased;
  state_->hooks.block_erased(t.ppn);
  if (need_.by_region()) ++state_->statistics.regions[state_->blocks.block(plane, job.victim).region].erases;
  const std::uint32_t die = t.die;
  state_->pool.release(t);
  if (--job.erases != 0 || job.to_erase != 0) return;
  const BlockState to = state_->hooks.unit_erased(site, job.victim);
  // pages are granted where a unit is one block: it does not matter which of several answers last
  if (to == BlockState::bad) state_->policy.allocation->revoke(plane);
  state_->hal->trace_event(TraceEvent::collection_end, site, job.victim);
  job.victim = kNoBlock;
  job.erasing = false;
  state_->policy.allocation->collects(site, kNoBlock);
  state_->blocks.set_asked(plane, kNoBlock);
  jobs.ends();
  unrelocatable.block_erased();
  board_->unblock_writes(die);
  jobs.schedule_gc_check(plane);
}

} // namespace twinplane::fw
