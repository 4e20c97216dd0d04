#include "firmware/ftl/gc/space_need.h"

#include "firmware/ftl/regions/regions.h"

namespace twinplane::fw {

void SpaceNeed::boot(BootMemory& memory, FtlState& state) {
  state_ = &state;
  threshold_ = state.blocks.space_of_blocks(state.config.gc_threshold_blocks);
  regions_ = state.blocks.regions();
  purges_or_regions_ = regions_ != 1;
  if (regions_ != 1) turn_ = memory.zeroed<std::uint8_t>(state.blocks.sites());
}

bool SpaceNeed::want_all(bool all) {
  if (ended_) return false;
  const std::uint32_t threshold =
      all ? ~0u : state_->blocks.space_of_blocks(state_->config.gc_threshold_blocks);
  const bool changes = threshold != threshold_;
  threshold_ = threshold;
  return changes;
}

std::uint32_t SpaceNeed::invalid_domain(std::uint32_t site) const {
  const BlockTable& blocks = state_->blocks;
  for (std::uint32_t r = 0; r < regions_; ++r) {
    if (blocks.domain(blocks.domain_of(site, r)).reclaimable != 0) return blocks.domain_of(site, r);
  }
  return kNoDomain;
}

std::uint32_t SpaceNeed::short_region(std::uint32_t site) const {
  const BlockTable& blocks = state_->blocks;
  for (std::uint32_t i = 0; i < regions_ && !ended_; ++i) {
    const std::uint32_t region = (turn_[site] + i) % regions_;
    const PlaneInfo& d = blocks.domain(blocks.domain_of(site, region));
    if (!state_->policy.regions->short_of_space(site, static_cast<Region>(region))) continue;
    // an invalid page is not enough where blocks are programmed by wordlines
    const bool reclaimable = d.reclaimable != 0 && blocks.pass_pages(region) == 1;
    if (reclaimable || state_->policy.regions->can_rebalance(site, static_cast<Region>(region)))
      return region;
  }
  return kNoRegion;
}

} // namespace twinplane::fw
