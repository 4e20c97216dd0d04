#include "firmware/ftl/gc/mover.h"

namespace twinplane::fw {

void Mover::boot(FtlState& state, GcJobs& jobs, UnrelocatablePages& unrelocatable, const bool& resting) {
  state_ = &state;
  jobs_ = &jobs;
  unrelocatable_ = &unrelocatable;
  resting_ = &resting;
  pass_ = state.config.pass_pages;
  most_moves_ = kMovesInFlight * state.blocks.twins();
  together_ = pass_ * (state.config.gc_moves == GcMoves::multi ? state.blocks.twins() : 1);
}

void Mover::leave_home(Transaction& t) {
  leave(t);
  look_again(*state_, *jobs_, t.home);
}

/// A site that collects nothing and has an erased unit can do without one page: what it may have to move from a victim of
/// its own, of which a page at least is invalid, finds room all the same. Where there is no such site, one that has nothing
/// to collect can do without the rest of the unit that it goes on in. One move at a time.
std::uint32_t Mover::site_that_spares_a_page() const {
  const BlockTable& blocks = state_->blocks;
  if (elsewhere_ != nullptr || blocks.regions() != 1 || pass_ != 1 || state_->config.copybacks != 0)
    return kNoSite;
  std::uint32_t last_resort = kNoSite;
  for (std::uint32_t site = 0; site < blocks.sites(); ++site) {
    if (jobs_->of_site(site).victim != kNoBlock) continue;
    if (blocks.domain(site).free_blocks != 0) return site;
    if (last_resort == kNoSite && blocks.domain(site).reclaimable == 0 && goes_on(site)) last_resort = site;
  }
  return last_resort;
}

bool Mover::goes_on(std::uint32_t site) const {
  const BlockAllocation& allocation = *state_->policy.allocation;
  Placement where{state_->blocks.first_plane_of(site), Stream::relocation, kAnyPage};
  if (state_->blocks.twins() != 1) where.plane += allocation.next_plane(site, Stream::relocation, kAnyPage);
  PageSlot slot;
  return allocation.goes_on(where, slot);
}

bool Mover::goes_to_other_site(Transaction& t) {
  const BlockTable& blocks = state_->blocks;
  if (blocks.site_of(t.plane) != blocks.site_of(blocks.plane_of(t.home))) return false; // it has been there
  const std::uint32_t site = site_that_spares_a_page();
  if (site == kNoSite) return false;
  elsewhere_ = &t;
  t.plane = blocks.first_plane_of(site);
  t.die = static_cast<std::uint16_t>(blocks.die_of_site(site));
  jobs_->enqueue(t);
  return true;
}

void Mover::give_up(Transaction& t) {
  if (goes_to_other_site(t)) return;
  leave_home(t);
  GcJob& job = jobs_->of_page(t.home);
  if (names_unrelocatable() && !job.stalled) unrelocatable_->add(job);
  jobs_->stall(state_->blocks.plane_of(t.home));
  end(t);
}

void Mover::end(Transaction& t) {
  const std::uint32_t plane = state_->blocks.plane_of(t.home);
  forget(t);
  if (elsewhere_ == &t) elsewhere_ = nullptr;
  --jobs_->of_plane(plane).moving;
  state_->pool.release(t);
  jobs_->schedule_gc_check(plane);
}

} // namespace twinplane::fw
