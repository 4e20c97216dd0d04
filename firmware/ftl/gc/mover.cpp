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

void Mover::give_up(Transaction& t) {
  leave_home(t);
  GcJob& job = jobs_->of_page(t.home);
  if (names_unrelocatable() && !job.stalled) unrelocatable_->add(job);
  jobs_->stall(state_->blocks.plane_of(t.home));
  end(t);
}

void Mover::end(Transaction& t) {
  const std::uint32_t plane = state_->blocks.plane_of(t.home);
  forget(t);
  --jobs_->of_plane(plane).moving;
  state_->pool.release(t);
  jobs_->schedule_gc_check(plane);
}

} // namespace twinplane::fw
