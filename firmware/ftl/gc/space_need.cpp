#include "firmware/ftl/gc/space_need.h"

#include "firmware/ftl/regions/regions.h"

namespace twinplane::fw {

void SpaceNeed::boot(BootMemory& memory, FtlState& state) {
  state_ = &state;
  threshold_ = kept_ = state.blocks.space_of_blocks(state.config.gc_threshold_blocks);
  regions_ = state.blocks.regions();
  features_ask_ = state.hooks.wants(Hook::victim);
  asks_more_ = regions_ != 1 || features_ask_;
  if (regions_ != 1) turn_ = memory.zeroed<std::uint8_t>(state.blocks.sites());
}

bool SpaceNeed::want_all(bool all) {
  if (ended_ || all == all_) return false;
  all_ = all;
  set_threshold();
  return true;
}

void SpaceNeed::collect_ahead(const AheadOfNeed& wish) {
  if (ended_) return;
  ahead_ = wish;
  set_threshold();
}

void SpaceNeed::set_threshold() {
  const std::uint32_t ahead = ahead_.on ? state_->blocks.space_of_blocks(ahead_.free_blocks) : 0;
  threshold_ = all_ ? ~0u : ahead > kept_ ? ahead : kept_;
}

bool SpaceNeed::is_worth_it(std::uint32_t site, std::uint32_t victim) const {
  const BlockTable& blocks = state_->blocks;
  if (all_ || !ahead_.on || blocks.domain(site).space < kept_) return true;
  const std::uint64_t data = std::uint64_t{blocks.domain_pages(site)} * blocks.data_per_page();
  return std::uint64_t{blocks.invalid_data(site, victim)} * 100 >= data * ahead_.least_gain;
}

bool SpaceNeed::wanted_for_any_reason(std::uint32_t site) const {
  if (purges_) return invalid_domain(site) != kNoDomain;
  if (due(site) != kNoBlock) return true;
  return regions_ != 1 ? short_region(site) != kNoRegion : short_of_space(site);
}

std::uint32_t SpaceNeed::due(std::uint32_t site) const {
  if (!features_ask_ || ended_) return kNoBlock;
  const std::uint32_t block = state_->hooks.victim(site);
  if (block == kNoBlock) return kNoBlock;
  const BlockTable& blocks = state_->blocks;
  return has_room(blocks.domain_of(site, blocks.unit(site, block).region)) ? block : kNoBlock;
}

bool SpaceNeed::has_room(std::uint32_t domain) const {
  const BlockTable& blocks = state_->blocks;
  const bool pads = blocks.padding(blocks.region_of_domain(domain)) != 0;
  return blocks.domain(domain).space >= blocks.space_of_blocks(pads ? 3 : 2);
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
    const Regions& regions = *state_->policy.regions;
    if (!regions.short_of_space(site, static_cast<Region>(region)) &&
        !(ahead_.on && regions.can_drain(site, static_cast<Region>(region))))
      continue;
    // an invalid page is not enough where blocks are programmed by wordlines
    const bool reclaimable = d.reclaimable != 0 && blocks.pass_pages(region) == 1;
    if (reclaimable || state_->policy.regions->can_rebalance(site, static_cast<Region>(region)))
      return region;
  }
  return kNoRegion;
}

} // namespace twinplane::fw
