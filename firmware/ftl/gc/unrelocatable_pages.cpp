#include "firmware/ftl/gc/unrelocatable_pages.h"

namespace twinplane::fw {

void look_again(FtlState& state, GcJobs& jobs, Ppn page) {
  const BlockTable& blocks = state.blocks;
  const std::uint32_t plane = blocks.plane_of(page);
  GcJob& job = jobs.of_plane(plane);
  const std::uint32_t of_unit = plane - blocks.first_plane_of(blocks.site_of(plane));
  const std::uint32_t number = blocks.page_of(page);
  if (number < job.cursor[of_unit]) job.cursor[of_unit] = static_cast<std::uint16_t>(number);
  if (state.units != nullptr) job.slot(of_unit) = 0;
  job.all_read = false;
}

std::uint32_t UnrelocatablePages::next() {
  const BlockTable& blocks = state_->blocks;
  for (; site_ < blocks.sites(); ++site_, lpn_ = 0) {
    GcJob& job = jobs_->of_site(site_);
    if (!job.unrelocatable) continue;
    if (lpn_ == 0)
      state_->charge(state_->exported_pages / Mapping::kEntriesPerStep + 1, state_->config.cost.map_lookup);
    while (lpn_ < state_->exported_pages) {
      const std::uint32_t lpn = lpn_++;
      if (state_->map.lies_in(lpn, site_, job.victim)) {
        ++rewriting_;
        return lpn;
      }
    }
    job.unrelocatable = job.stays;
    job.stays = false;
  }
  site_ = 0;
  name_all();
  return kNoLpn;
}

void UnrelocatablePages::name_all() {
  put_off_ = any_ = false;
  for (std::uint32_t site = 0; site < state_->blocks.sites(); ++site)
    any_ = any_ || jobs_->of_site(site).unrelocatable;
}

bool UnrelocatablePages::can_take_back(const Transaction& t) const {
  const Ppn home = t.replaced();
  if (!is_page(home)) return false;
  const GcJob& job = jobs_->of_page(home);
  return job.victim == state_->blocks.block_of(home) && !job.erasing;
}

void UnrelocatablePages::take_back(const Transaction& t) {
  const Ppn home = t.replaced();
  GcJob& job = jobs_->of_page(home);
  state_->map.go_back(t.lpn, home);
  if (job.stalled) {
    job.stays = true;
    add(job);
  } else {
    look_again(*state_, *jobs_, home);
  }
}

void UnrelocatablePages::valid_again(std::uint32_t site) {
  GcJob& job = jobs_->of_site(site);
  if (job.victim == kNoBlock || job.erasing) return;
  if (!job.stalled) return jobs_->look_again(site);
  job.stays = true;
  add(job);
}

void UnrelocatablePages::defer() {
  for (std::uint32_t site = 0; site < state_->blocks.sites(); ++site) {
    GcJob& job = jobs_->of_site(site);
    job.unrelocatable = job.stalled && job.victim != kNoBlock;
  }
  any_ = false;
  put_off_ = true;
  site_ = lpn_ = 0;
}

} // namespace twinplane::fw
