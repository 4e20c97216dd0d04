#include "firmware/ftl/features/superblocks/superblocks.h"

#include "firmware/ftl/victim/least_space.h"
#include "firmware/ftl/victim/unit_view.h"

namespace twinplane::fw {

void Superblocks::boot(BootMemory& memory, const Pipeline& pipeline) {
  if (several_dies_) victims_.boot(memory, pipeline.state, pipeline.collector.jobs);
}

void SuperblockVictims::boot(BootMemory& memory, FtlState& state, GcJobs& jobs) {
  state_ = &state;
  jobs_ = &jobs;
  table_ = state.policy.superblocks;
  due_.boot(memory, state.blocks.sites(), state.blocks.blocks_per_plane());
  due_count_ = memory.zeroed<std::uint32_t>(state.blocks.sites());
  policy_ = state.policy.victim;
  state.policy.victim = this;
  state.blocks.attach(*this);
}

std::uint32_t SuperblockVictims::select(std::uint32_t site) {
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t waits = due(site);
  if (waits != kNoBlock && blocks.invalid_data(site, waits) != 0) return waits;
  const std::uint32_t set = table_->set_of(site);
  const std::uint32_t chosen = any_reclaimable(set) ? table_->unit(site, policy_->select(set)) : kNoBlock;
  const bool gains = chosen != kNoBlock && blocks.invalid_data(site, chosen) != 0;
  return gains ? chosen : least_space_block(blocks, site);
}

bool SuperblockVictims::any_reclaimable(std::uint32_t set) const {
  const UnitView view(state_->blocks, table_);
  for (std::uint32_t superblock = 0; superblock < view.blocks(); ++superblock) {
    if (view.reclaimable(set, superblock)) return true;
  }
  return false;
}

bool SuperblockVictims::is_closed(std::uint32_t site, std::uint32_t block) const {
  return state_->blocks.unit(site, block).state == BlockState::closed;
}

/// The unit is collected. It was brought in, or brings in the others.
void SuperblockVictims::left(std::uint32_t site, std::uint32_t block) {
  const std::uint32_t superblock = table_->of(site, block);
  table_->left(site, block);
  if (due_.test(site, block)) {
    due_.clear(site, block);
    --due_count_[site];
    return;
  }
  if (superblock == SuperblockTable::kNone) return;
  const std::uint32_t first = table_->set_of(site) * table_->span();
  for (std::uint32_t s = first; s < first + table_->span(); ++s) {
    const std::uint32_t unit = table_->unit(s, superblock);
    if (unit != kNoBlock && is_closed(s, unit) && !due_.test(s, unit)) set_due(s, unit);
  }
}

void SuperblockVictims::set_due(std::uint32_t site, std::uint32_t block) {
  due_.set(site, block);
  ++due_count_[site];
  jobs_->schedule_gc_check(state_->blocks.first_plane_of(site));
}

void SuperblockVictims::serialise(StateVisitor& state) {
  policy_->serialise(state);
  table_->serialise(state);
  due_.serialise(state);
  bool holds = due_.hold();
  const std::uint32_t end = state_->blocks.blocks_per_plane();
  for (std::uint32_t site = 0; state.loading() && site < state_->blocks.sites(); ++site) {
    due_count_[site] = 0;
    for (std::uint32_t b = due_.next(site, 0); b != end; b = due_.next(site, b + 1)) {
      ++due_count_[site];
      holds = holds && is_closed(site, b);
    }
  }
  state.require(!state.loading() || holds, "it is damaged (a superblock that is collected)");
}

} // namespace twinplane::fw
