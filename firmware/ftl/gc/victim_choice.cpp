#include "firmware/ftl/gc/victim_choice.h"

#include "firmware/ftl/victim/lagging.h"
#include "firmware/ftl/victim/least_space.h"

namespace twinplane::fw {

void VictimChoice::boot(BootMemory& memory, FtlState& state, SpaceNeed& need) {
  state_ = &state;
  need_ = &need;
  least_erases_ = memory.zeroed<std::uint32_t>(state.blocks.domains());
}

std::uint32_t VictimChoice::choose(std::uint32_t site) const {
  const BlockTable& blocks = state_->blocks;
  if (state_->config.used_cells && blocks.domain(site).space < blocks.space_of_blocks(1))
    return least_space_block(blocks, site);
  const std::uint32_t victim = state_->policy.victim->select(site);
  return yields_space(blocks, site, victim) ? victim : least_space_block(blocks, site);
}

/// Erases only grow, so none lags while the most worn one of the drive is not beyond the gap to the least worn one that
/// the domain had at the last look. Blocks of several regions come and go.
std::uint32_t VictimChoice::lagging_for_wear(std::uint32_t domain) {
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t gap = state_->config.wear_gap;
  if (gap == 0 || blocks.most_erases() - least_erases_[domain] <= gap || !need_->has_room_in(domain))
    return kNoBlock;
  std::uint32_t least = 0;
  const std::uint32_t lagging = lagging_block(
      blocks, domain, gap, [&](std::uint32_t block) { return blocks.member(domain, block).erases; }, &least);
  if (need_->regions() == 1) least_erases_[domain] = least;
  return lagging != kNoBlock && need_->has_room_for(blocks.site_of_domain(domain), lagging) ? lagging
                                                                                            : kNoBlock;
}

bool VictimChoice::near_threshold(std::uint32_t site) const {
  const BlockTable& blocks = state_->blocks;
  const std::uint64_t threshold = std::uint64_t{state_->config.gc_threshold_blocks} * blocks.unit_pages();
  return std::uint64_t{blocks.domain(site).free_pages} * 100 <= threshold * 105;
}

/// A block may change its region before there is a victim: one, or two regions that are both short of space would
/// take it from each other for ever.
Reclaim VictimChoice::choose_in_region(std::uint32_t site, std::uint32_t& borrowed) {
  for (std::uint32_t tries = 0; tries < need_->regions(); ++tries) {
    const std::uint32_t found = need_->short_region(site);
    if (found == SpaceNeed::kNoRegion) return {};
    need_->turn_over(site, found);
    state_->charge(1, state_->config.cost.gc_select);
    const std::uint32_t lagging = lagging_for_wear(state_->blocks.domain_of(site, found));
    if (lagging != kNoBlock) return Reclaim{site, lagging, false, true};
    Shortage shortage{site, static_cast<Region>(found), kNoBlock, kNoBlock};
    Step step = plan(shortage, state_->blocks.domain_of(site, found));
    if (step == Step::borrow_free_block && borrowed != 0)
      step = shortage.victim == kNoBlock ? Step::none : Step::collect;
    if (step == Step::none) return {};
    if (step != Step::borrow_free_block) {
      const std::uint32_t victim = step == Step::make ? made_of(shortage) : shortage.victim;
      if (step == Step::across) ++state_->statistics.regions[found].across;
      return Reclaim{site, victim, step == Step::across, false};
    }
    borrow_free_block(site, shortage.region);
    ++borrowed;
  }
  return {};
}

Step VictimChoice::plan(Shortage& shortage, std::uint32_t domain) {
  const BlockTable& blocks = state_->blocks;
  const bool any = any_yields_space(blocks, domain);
  if (any) shortage.victim = state_->policy.victim->select(domain);
  if (any && (short_of_torn_pages(domain) || !yields_space(blocks, domain, shortage.victim)))
    shortage.victim = least_space_block(blocks, domain);
  if (any && short_of_torn_pages(domain)) return Step::collect;
  const Step step = state_->policy.regions->plan_reclaim(shortage);
  const std::uint32_t other = need_->regions() - 1 - shortage.region;
  if (step != Step::make || blocks.padding(other) == 0) return step;
  shortage.made_of = least_space_block(blocks, blocks.domain_of(shortage.plane, other));
  if (any_yields_space(blocks, blocks.domain_of(shortage.plane, other))) return step;
  return shortage.victim == kNoBlock ? Step::none : Step::collect;
}

/// A victim of the other region that makes a block for this one.
std::uint32_t VictimChoice::made_of(const Shortage& shortage) {
  const std::uint32_t giver = need_->regions() - 1 - shortage.region; // two regions
  ++state_->statistics.regions[giver].made;
  if (shortage.made_of != kNoBlock) return shortage.made_of;
  return state_->policy.victim->select(state_->blocks.domain_of(shortage.plane, giver));
}

/// As in choose(): the region may not have the pages for any other victim.
bool VictimChoice::short_of_torn_pages(std::uint32_t domain) const {
  const PlaneInfo& d = state_->blocks.domain(domain);
  return state_->config.used_cells && d.free_blocks == 0 && d.reclaimable != 0 && state_->units == nullptr;
}

/// An erased block of the other region of the plane; the first one on its list.
void VictimChoice::borrow_free_block(std::uint32_t site, Region region) {
  BlockTable& blocks = state_->blocks;
  const std::uint32_t giver = need_->regions() - 1u - region; // two regions
  blocks.change_region(site, blocks.find_free(blocks.domain_of(site, giver)), region);
  ++state_->statistics.regions[region].grabs;
}

} // namespace twinplane::fw
