#include "firmware/ftl/collector.h"

#include "firmware/ftl/features/lower_pages/lower_pages.h"
#include "firmware/ftl/regions/regions.h"
#include "firmware/ftl/victim/lagging.h"
#include "firmware/ftl/victim/least_space.h"

namespace twinplane::fw {

constexpr OpTraits Collector::kRead = OpTraits{"read of a move", ends_in<Collector, &Collector::read_done>,
                                               FlashOp::read, Lane::gc_read, WorkFor::collection}
                                          .with(&OpTraits::counts_as_move);
constexpr OpTraits Collector::kMove = OpTraits{"move", ends_in<Collector, &Collector::write_done>,
                                               FlashOp::program, Lane::gc_write, WorkFor::collection}
                                          .with(&OpTraits::maps_page, &OpTraits::counts_as_move);
constexpr OpTraits Collector::kErase = OpTraits{"erase", ends_in<Collector, &Collector::erase_done>,
                                                FlashOp::erase, Lane::erase, WorkFor::collection}
                                           .with(&OpTraits::page_as_it_is);
constexpr OpTraits Collector::kGather =
    OpTraits{"read of a move of subpages", ends_in<Collector, &Collector::gathered>, FlashOp::read,
             Lane::gc_read, WorkFor::collection}
        .with(&OpTraits::by_subpage);
constexpr OpTraits Collector::kMoveSubpages =
    OpTraits{"move of subpages", ends_in<Collector, &Collector::cache_move_done>, FlashOp::program,
             Lane::gc_write, WorkFor::collection}
        .with(&OpTraits::maps_page, &OpTraits::by_subpage);

void Collector::boot(BootMemory& memory, FtlState& state, Board& board, Journal& journal,
                     LowerPages& lower_pages) {
  state_ = &state;
  board_ = &board;
  journal_ = &journal;
  lower_pages_ = &lower_pages;
  padding_ = unit_padding(padding_pages(state.config, state.blocks.order()), state.blocks.twins());
  const std::uint32_t sites = state.blocks.sites();
  jobs_ = memory.array<Job>(sites);
  listed_ = memory.zeroed<std::uint32_t>(std::size_t{sites} * 2); // run() may list a site again
  threshold_ = state.blocks.space_of_blocks(state.config.gc_threshold_blocks);
  most_moves_ = kMovesInFlight * state.blocks.twins();
  regions_ = state.blocks.regions();
  purges_or_regions_ = regions_ != 1;
  if (regions_ != 1) turn_ = memory.zeroed<std::uint8_t>(sites);
  if (state.policy.cache != nullptr) fold_ = state.policy.cache->fold();
  if (state.policy.cache != nullptr) claims_ = memory.array<std::uint32_t>(sites * kMovesInFlight);
  for (std::uint32_t i = 0; claims_ != nullptr && i < sites * kMovesInFlight; ++i) claims_[i] = kNoLpn;
  stamps_ = state.config.age_limit_ps != 0;
  old_versions_count_ = state.config.hold_up_pages == 0;
  sharp_ = state.blocks.twins() != 1 && state.config.tbm_gc == TbmGc::sharp;
}

void Collector::keep_more(bool more) {
  const std::uint32_t threshold =
      more ? ~0u : state_->blocks.space_of_blocks(state_->config.gc_threshold_blocks);
  if (threshold == threshold_) return;
  threshold_ = threshold;
  for (std::uint32_t site = 0; more && site < state_->blocks.sites(); ++site)
    consider(state_->blocks.first_plane_of(site));
}

void Collector::purge(bool begins) {
  purges_ = begins;
  purges_or_regions_ = begins || regions_ != 1;
  for (std::uint32_t site = 0; begins && site < state_->blocks.sites(); ++site)
    consider(state_->blocks.first_plane_of(site));
}

bool Collector::purging() const {
  for (std::uint32_t site = 0; site < state_->blocks.sites(); ++site) {
    if (jobs_[site].victim != kNoBlock || invalid_domain(site) != kNoDomain) return true;
  }
  return false;
}

/// One of the site's that has closed blocks with invalid pages.
std::uint32_t Collector::invalid_domain(std::uint32_t site) const {
  const BlockTable& blocks = state_->blocks;
  for (std::uint32_t r = 0; r < regions_; ++r) {
    if (blocks.domain(blocks.domain_of(site, r)).reclaimable != 0) return blocks.domain_of(site, r);
  }
  return kNoDomain;
}

void Collector::rest() {
  if (resting_) return;
  resting_ = true;
  for (std::uint32_t site = 0; fold_ != 1 && site < state_->blocks.sites(); ++site)
    release_fold(site); // no page that would complete a wordline comes any more
}

void Collector::resume() {
  if (!resting_) return;
  resting_ = false;
  for (std::uint32_t site = 0; site < state_->blocks.sites(); ++site) {
    if (jobs_[site].victim != kNoBlock) consider(state_->blocks.first_plane_of(site));
  }
  if (claims_ == nullptr) name_stranded();
}

/// Collection of a drive that has been kept goes on when a host is there.
void Collector::loaded() {
  resting_ = true;
  active_ = 0;
  for (std::uint32_t site = 0; site < state_->blocks.sites(); ++site)
    active_ += jobs_[site].victim != kNoBlock && !jobs_[site].stalled ? 1 : 0;
}

void Collector::advance_listed() {
  const WorkMark mark(WorkFor::collection);
  fresh_ = erase_waits_ = false;
  std::uint32_t kept = 0;
  const std::uint32_t count = listed_count_;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t site = listed_[i];
    if (advance(site)) {
      jobs_[site].listed = false;
    } else {
      listed_[kept++] = site;
    }
  }
  for (std::uint32_t i = count; i < listed_count_; ++i) listed_[kept++] = listed_[i]; // nudged meanwhile
  listed_count_ = kept;
}

/// False when the pool is empty and the job has to try again.
bool Collector::advance(std::uint32_t site) {
  Job& job = jobs_[site];
  if (((state_->read_only() && !purges_) || resting_) && !job.erasing) return true;
  if (job.victim == kNoBlock) {
    const bool nudged = job.nudged && state_->blocks.domain(site).reclaimable != 0;
    job.nudged = false;
    if (!nudged && !wanted(site)) return true;
    if (purges_) {
      start_purge(site);
    } else if (regions_ == 1) {
      if (!start(site)) return true;
    } else if (!start_in_region(site)) {
      return true;
    }
  }
  if (job.stalled) {
    if (job.moving != 0 || state_->blocks.unit(site, job.victim).valid != 0) return true;
    job.stalled = job.stranded = false;
    state_->blocks.set_stalled(state_->blocks.first_plane_of(site), false);
    ++active_;
  }
  if (job.erasing) return job.to_erase == 0 || erase(site);
  if (!move_pages(site)) return false;
  if (job.moving != 0 || !job.all_read || state_->blocks.pending_reads(site, job.victim) != 0) return true;
  return erase(site);
}

/// False: no victim would gain anything.
bool Collector::start(std::uint32_t site) {
  state_->charge(1, state_->config.cost.gc_select);
  const std::uint32_t lagging = lagging_for_wear(site);
  const std::uint32_t victim = lagging != kNoBlock ? lagging : choose_victim(site);
  if (lagging == kNoBlock && !gains(site, victim)) return false;
  begin(site, victim);
  jobs_[site].for_wear = lagging != kNoBlock;
  if (lagging != kNoBlock) {
    ++state_->statistics.wear_collections;
    state_->hal->trace_event(TraceEvent::wear_levelling, site, lagging);
  }
  if (state_->blocks.twins() == 1) return true;
  jobs_[site].turn =
      static_cast<std::uint8_t>(state_->policy.allocation->next_plane(site, Stream::relocation, kAnyPage));
  nudge_chip(site);
  return true;
}

void Collector::start_purge(std::uint32_t site) {
  state_->charge(1, state_->config.cost.gc_select);
  const std::uint32_t domain = invalid_domain(site);
  const std::uint32_t victim = least_space_block(state_->blocks, domain);
  begin(site, victim);
  if (regions_ != 1)
    state_->policy.regions->begun(site, state_->blocks.member(domain, victim).region, victim, false);
}

std::uint32_t Collector::choose_victim(std::uint32_t site) const {
  const BlockTable& blocks = state_->blocks;
  if (state_->config.used_cells && blocks.domain(site).space < blocks.space_of_blocks(1))
    return least_space_block(blocks, site);
  const std::uint32_t victim = state_->policy.victim->select(site);
  return gains(site, victim) ? victim : least_space_block(blocks, site);
}

/// Only while there is room for a block full of valid pages beside the one that the host writes.
std::uint32_t Collector::lagging_for_wear(std::uint32_t site) const {
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t gap = state_->config.wear_gap;
  const std::uint32_t room = blocks.space_of_blocks(padding_ == 0 ? 2 : 3);
  if (gap == 0 || blocks.domain(site).space < room) return kNoBlock;
  return lagging_block(blocks, site, gap,
                       [&](std::uint32_t block) { return blocks.member(site, block).erases; });
}

void Collector::begin(std::uint32_t site, std::uint32_t victim) {
  Job& job = jobs_[site];
  const bool listed = job.listed;
  job = Job();
  job.listed = listed;
  job.victim = victim;
  state_->blocks.transition_unit(site, job.victim, BlockState::victim);
  if (journal_->has_told(site, victim)) state_->blocks.returns_no_more(site, victim);
  if (state_->blocks.twins() == 1) state_->policy.allocation->given_up(site, job.victim);
  if (old_versions_count_ && state_->blocks.twins() == 1)
    state_->policy.allocation->revoke(site); // torn_reserve_pages counts now
  ++active_;
  state_->hal->trace_event(TraceEvent::collection_begin, site, victim);
  (void)journal_->holds(site, victim); // what it will wait for is written while pages are moved
  ++state_->statistics.gc_invocations;
  state_->statistics.gc_victim_valid_pages += state_->blocks.unit(site, job.victim).valid;
  board_->unblock_writes(state_->blocks.die_of_site(site)); // the need is smaller now
}

/// "To better exploit parallelism, GC can also be performed for other dies of the chip."
void Collector::nudge_chip(std::uint32_t die) {
  const std::uint32_t dies = state_->config.geometry.dies_per_chip;
  const std::uint32_t first = die / dies * dies;
  for (std::uint32_t d = first; d < first + dies; ++d) {
    Job& job = jobs_[d];
    if (job.victim != kNoBlock || job.nudged || state_->blocks.domain(d).reclaimable == 0) continue;
    if (!sharp_ && !near_threshold(d)) continue;
    job.nudged = true;
    if (!job.listed) list(d);
  }
}

/// At most 5 % more free pages than when collection starts: then the frontier unit has just been opened.
bool Collector::near_threshold(std::uint32_t site) const {
  const BlockTable& blocks = state_->blocks;
  const std::uint64_t threshold = std::uint64_t{state_->config.gc_threshold_blocks} * blocks.unit_pages();
  return std::uint64_t{blocks.domain(site).free_pages} * 100 <= threshold * 105;
}

bool Collector::erase(std::uint32_t site) {
  Job& job = jobs_[site];
  const BlockTable& blocks = state_->blocks;
  if (!job.erasing) {
    if (job.programmed != 0) return true; // the last of them says so
    if ((old_versions_count_ || rewriting_ != 0) && holds_old_versions(site)) {
      erase_waits_ = true;
      return false;
    }
    if (lower_pages_->keeps_blocks()) return false;
    if (journal_->holds(site, job.victim)) return false;
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
    enqueue(*t);
  }
  return true;
}

/// A write that has not been answered may be lost with the supply, and one of a stranded page may fail; then
/// what it replaces must be there. One whose program has failed may wait for the space of this very block: it
/// counts as long as anything is under way that may make some.
bool Collector::holds_old_versions(std::uint32_t site) const {
  const BlockTable& blocks = state_->blocks;
  if (claims_ != nullptr) return holds_old_subpages(site);
  const std::uint32_t victim = jobs_[site].victim;
  const bool under_way = board_->anything_under_way();
  return state_->pool.any_replaces([&](const Transaction& t) {
    return (t.failures == 0 || under_way || t.programmed) &&
           blocks.site_of(blocks.plane_of(t.replaced())) == site && blocks.block_of(t.replaced()) == victim;
  });
}

/// The victim is erased: writes that have replaced a page there cannot go back to it any more, should their
/// programs fail.
void Collector::forget_old_versions(std::uint32_t site) {
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t victim = jobs_[site].victim;
  const auto here = [&](Ppn page) {
    return is_page(page) && blocks.site_of(blocks.plane_of(page)) == site && blocks.block_of(page) == victim;
  };
  state_->pool.for_each([&](Transaction& t) {
    if (t.is_host_page() && here(t.replaced())) t.set_replaced(kErasedPpn);
    if (claims_ == nullptr || !t.traits->by_subpage) return;
    SlcCache& cache = *state_->policy.cache;
    for (std::uint32_t left = cache.in_hand(t); left != 0; left &= left - 1) {
      if (here(cache.replaced(t, lowest_bit(left)))) cache.set_replaced(t, lowest_bit(left), kErasedPpn);
    }
  });
}

void Collector::waits_for_wordline(const Transaction& t) {
  Job& job = jobs_[state_->blocks.site_of(state_->blocks.plane_of(t.source))];
  --job.moving;
  ++job.programmed;
  consider(state_->blocks.plane_of(t.source));
}

void Collector::wordline_complete(const Transaction& t) {
  Job& job = jobs_[state_->blocks.site_of(state_->blocks.plane_of(t.source))];
  ++job.moving;
  --job.programmed;
}

/// The unit is free again, or lost as a whole, when all its blocks have answered.
void Collector::erase_done(Transaction& t, const FlashCompletion& c) {
  const std::uint32_t plane = t.plane;
  const std::uint32_t site = state_->blocks.site_of(plane);
  Job& job = jobs_[site];
  if (c.result != 0) {
    ++state_->statistics.flash_failures;
    state_->blocks.mark_grown_bad(t.ppn);
  }
  ++state_->statistics.gc_blocks_erased;
  state_->copybacks.erased(t.ppn);
  if (regions_ != 1) ++state_->statistics.regions[state_->blocks.block(plane, job.victim).region].erases;
  const std::uint32_t die = t.die;
  state_->pool.release(t);
  if (--job.erases != 0 || job.to_erase != 0) return;
  const BlockState to = journal_->unit_erased(site, job.victim);
  // pages are granted where a unit is one block: it does not matter which of several answers last
  if (to == BlockState::bad) state_->policy.allocation->revoke(plane);
  state_->hal->trace_event(TraceEvent::collection_end, site, job.victim);
  job.victim = kNoBlock;
  job.erasing = false;
  --active_;
  if (put_off_) name_stranded();
  board_->unblock_writes(die);
  consider(plane);
}

} // namespace twinplane::fw
