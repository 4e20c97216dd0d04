#include "firmware/ftl/gc/space_need.h"

#include "firmware/ftl/media/write_stream.h"
#include "firmware/ftl/regions/regions.h"

namespace twinplane::fw {

void SpaceNeed::boot(BootMemory& memory, FtlState& state) {
  state_ = &state;
  threshold_ = kept_ = state.blocks.space_of_blocks(state.config.gc_threshold_blocks);
  regions_ = state.blocks.regions();
  features_ask_ = state.hooks.wants(Hook::victim);
  asks_more_ = regions_ != 1 || features_ask_;
  for (std::uint32_t r = 0; r < regions_; ++r) {
    for_moves_[r] = state.blocks.padding(r) != 0 ? 3 : 2;
    beside_host_[r] = units_beside_host(r);
  }
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
  return block != kNoBlock && has_room(beside_host_, site, block) ? block : kNoBlock;
}

bool SpaceNeed::has_room(const std::uint32_t* units, std::uint32_t site, std::uint32_t block) const {
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t own = blocks.unit(site, block).region;
  const std::uint32_t last = regions_ - 1;
  const std::uint32_t in_last = units[last] + emptied_to_last(site, block);
  return blocks.domain(blocks.domain_of(site, own)).space >= blocks.space_of_blocks(units[own]) &&
         blocks.domain(blocks.domain_of(site, last)).space >= blocks.space_of_blocks(in_last);
}

/// Blocks of the last region that are filled when a cache's block is emptied: where native pages are not packed each unit
/// of it may need a page.
std::uint32_t SpaceNeed::emptied_to_last(std::uint32_t site, std::uint32_t block) const {
  const BlockTable& blocks = state_->blocks;
  const Units* const units = state_->units;
  if (units == nullptr || blocks.unit(site, block).region == regions_ - 1) return 0;
  const std::uint32_t pages =
      units->map.packs() ? blocks.unit(site, block).valid : units->map.sums(site, block).valid;
  const std::uint32_t native = blocks.region_pages(regions_ - 1);
  return (pages + native - 1) / native;
}

/// The space rule (media/write_stream.h) keeps from the host what the victim may take and what cuts may tear meanwhile. And
/// as long as space is scarce collection comes before the host's writes.
std::uint32_t SpaceNeed::units_beside_host(std::uint32_t region) const {
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t unit = blocks.domain_pages(blocks.domain_of(0, region));
  const std::uint32_t padding = blocks.padding(region);
  const std::uint32_t stripe = blocks.pass_pages(region);
  const std::uint32_t kept = (torn_reserve_pages(state_->config, padding) + stripe) * blocks.twins();
  const std::uint32_t units = 1 + (kept + unit - 1) / unit;
  const std::uint32_t least = for_moves_[region] > urgent_blocks(state_->config)
                                  ? for_moves_[region]
                                  : urgent_blocks(state_->config) + 1;
  return units > least ? units : least;
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
