// Collector: what is done for the regions of a plane that are short of space.
#include "firmware/ftl/collector.h"
#include "firmware/ftl/regions/regions.h"
#include "firmware/ftl/slc_cache/slc_cache.h"
#include "firmware/ftl/victim/least_space.h"

namespace twinplane::fw {

/// A region of the site that is short of space and can be helped, kNoRegion when there is none; the one whose
/// turn it is first.
std::uint32_t Collector::short_region(std::uint32_t site) const {
  const BlockTable& blocks = state_->blocks;
  for (std::uint32_t i = 0; i < regions_; ++i) {
    const std::uint32_t region = (turn_[site] + i) % regions_;
    const PlaneInfo& d = blocks.domain(blocks.domain_of(site, region));
    if (!state_->policy.regions->short_of_space(site, static_cast<Region>(region))) continue;
    // an invalid page is not enough where native blocks are programmed by wordlines
    const bool reclaimable = d.reclaimable != 0 && (fold_ == 1 || region != kNative);
    if (reclaimable || state_->policy.regions->may_help(site, static_cast<Region>(region))) return region;
  }
  return kNoRegion;
}

/// Starts the next job of a plane with several regions; false when none is needed after all. A block may
/// change its region before that: one, or two regions that are both short of space would take it from each other
/// for ever.
bool Collector::start_in_region(std::uint32_t site) {
  Regions& regions = *state_->policy.regions;
  const BlockTable& blocks = state_->blocks;
  bool grabbed = false;
  for (std::uint32_t tries = 0; tries < regions_; ++tries) {
    const std::uint32_t found = short_region(site);
    if (found == kNoRegion) return false;
    const auto region = static_cast<Region>(found);
    turn_[site] = static_cast<std::uint8_t>((found + 1) % regions_);
    const std::uint32_t domain = blocks.domain_of(site, region);
    state_->charge(1, state_->config.cost.gc_select);
    Shortage shortage{site, region, kNoBlock, kNoBlock};
    if (blocks.domain(domain).reclaimable != 0) shortage.victim = state_->policy.victim->select(domain);
    const bool torn = short_of_torn_pages(domain);
    if (torn) shortage.victim = least_space_block(blocks, domain);
    Step step = torn ? Step::collect : regions.relieve(shortage);
    if (step == Step::grab && grabbed) step = shortage.victim == kNoBlock ? Step::none : Step::collect;
    if (step == Step::none) return false;
    if (step == Step::grab) {
      grab(site, region);
      grabbed = true;
      continue;
    }
    RegionCounters* const counters = state_->statistics.regions;
    std::uint32_t victim = shortage.victim;
    if (step == Step::make) {
      const std::uint32_t giver = regions_ - 1 - region; // two regions
      victim = shortage.made_of != kNoBlock ? shortage.made_of
                                            : state_->policy.victim->select(blocks.domain_of(site, giver));
      ++counters[giver].made;
    }
    if (step == Step::across) ++counters[region].across;
    const Region of_victim = blocks.block(site, victim).region;
    ++counters[of_victim].collections;
    counters[of_victim].victim_valid_pages += blocks.block(site, victim).valid;
    begin(site, victim);
    regions.begun(site, of_victim, victim, step == Step::across);
    return true;
  }
  return false;
}

/// As in choose_victim(): the region may not have the pages for any other victim.
bool Collector::short_of_torn_pages(std::uint32_t domain) const {
  const PlaneInfo& d = state_->blocks.domain(domain);
  return state_->config.used_cells && d.free_blocks == 0 && d.reclaimable != 0 && claims_ == nullptr;
}

/// An erased block of the other region of the plane; the first one on its list.
void Collector::grab(std::uint32_t site, Region region) {
  BlockTable& blocks = state_->blocks;
  const std::uint32_t giver = regions_ - 1u - region; // two regions
  blocks.change_region(site, blocks.find_free(blocks.domain_of(site, giver)), region);
  ++state_->statistics.regions[region].grabs;
  board_->unblock_writes(blocks.die_of_site(site));
}

} // namespace twinplane::fw
