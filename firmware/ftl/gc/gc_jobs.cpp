#include "firmware/ftl/gc/gc_jobs.h"

namespace twinplane::fw {

void GcJobs::boot(BootMemory& memory, FtlState& state, DieQueues& board, const SpaceNeed& need) {
  state_ = &state;
  board_ = &board;
  need_ = &need;
  jobs_ = memory.array<GcJob>(state.blocks.sites());
  listed_ =
      memory.zeroed<std::uint32_t>(std::size_t{state.blocks.sites()} * 2); // a pass may list a site again
  stamps_ = state.config.age_limit_ps != 0;
}

void GcJobs::consider_all() {
  for (std::uint32_t site = 0; site < state_->blocks.sites(); ++site)
    schedule_gc_check(state_->blocks.first_plane_of(site));
}

void GcJobs::lose(std::uint32_t lpn, std::uint32_t units) {
  if (units == 0) return;
  TouchedPlanes touched;
  state_->map.lose(lpn, units, touched);
  state_->hooks.unreadable(lpn);
  schedule_gc_check(touched);
}

void GcJobs::look_again(std::uint32_t site) {
  GcJob& job = jobs_[site];
  for (std::uint16_t& cursor : job.cursor) cursor = 0;
  for (std::uint32_t p = 0; state_->units != nullptr && p < kMaxPlanesPerDie; ++p) job.slot(p) = 0;
  job.all_read = false;
}

void GcJobs::stall(std::uint32_t plane) {
  GcJob& job = of_plane(plane);
  if (!job.stalled) --active_;
  job.stalled = true;
  state_->blocks.set_stalled(plane, true);
}

void GcJobs::go_on(std::uint32_t site) {
  jobs_[site].stalled = jobs_[site].unrelocatable = false;
  state_->blocks.set_stalled(state_->blocks.first_plane_of(site), false);
  ++active_;
}

void GcJobs::loaded() {
  active_ = 0;
  for (std::uint32_t site = 0; site < state_->blocks.sites(); ++site)
    active_ += jobs_[site].victim != kNoBlock && !jobs_[site].stalled ? 1 : 0;
}

void GcJobs::serialise(StateVisitor& state) {
  const std::uint32_t sites = state_->blocks.sites();
  for (std::uint32_t i = 0; i < sites; ++i) {
    GcJob& job = jobs_[i];
    if (!job.held.empty()) state.refuse("garbage collection holds pages");
    state.value(job.victim);
    state.value(job.pace);
    state.value(job.listed);
    state.value(job.nudged);
    state.value(job.all_read);
    state.value(job.stalled);
    state.value(job.unrelocatable);
    state.value(job.stays);
    state.value(job.cause);
    state.value(job.pads);
    state.value(job.to_erase);
    state.value(job.turn);
    state.table(job.cursor, kMaxPlanesPerDie);
    state.table(job.unread, kMaxPlanesPerDie);
    state.require(!state.loading() || can_be(i, job), "it is damaged (garbage collection of a block)");
  }
  state.table(listed_, std::size_t{sites} * 2);
  state.value(listed_count_);
}

void GcJobs::serialise_news(StateVisitor& state) {
  state.value(fresh_);
  state.require(!state.loading() || list_holds(), "it is damaged (the list of what is to be collected)");
}

bool GcJobs::can_be(std::uint32_t site, const GcJob& job) const {
  const BlockTable& blocks = state_->blocks;
  if (static_cast<std::uint32_t>(job.cause) >= kProgramCauses) return false;
  if (job.victim != kNoBlock) {
    if (job.victim >= blocks.blocks_per_plane()) return false;
    const BlockState is = blocks.unit(site, job.victim).state;
    if (is != BlockState::victim && is != BlockState::erasing) return false;
  }
  for (std::uint32_t p = 0; p < blocks.twins(); ++p) {
    if (job.cursor[p] > blocks.pages_per_block()) return false;
    if (job.unread[p] > state_->config.geometry.subpages_per_page) return false;
  }
  return job.to_erase >> blocks.twins() == 0 && job.turn <= blocks.twins();
}

/// Each site is on it that says so, once, and no other one.
bool GcJobs::list_holds() const {
  const std::uint32_t sites = state_->blocks.sites();
  std::uint32_t say_so = 0;
  for (std::uint32_t i = 0; i < sites; ++i) say_so += jobs_[i].listed ? 1 : 0;
  if (listed_count_ != say_so) return false;
  for (std::uint32_t i = 0; i < listed_count_; ++i) {
    if (listed_[i] >= sites || !jobs_[listed_[i]].listed) return false;
    for (std::uint32_t before = 0; before < i; ++before) {
      if (listed_[before] == listed_[i]) return false;
    }
  }
  return true;
}

} // namespace twinplane::fw
