// Superblocks (ftl.erase_unit): blocks that are opened, filled, collected and erased together.
//
// die: the blocks of equal number in all planes of a die are a unit, so that its planes stay level and can be programmed by
// one command. Wordlines that are programmed in one pass, else pages, go to the planes in turn
// (block_allocation/striped.cpp); with them what the map calls a unit, or a page.
//
// chip, channel, drive: units of several dies, one of each, are a superblock (block_allocation/superblock_table.h). Each is
// filled as its die takes writes: which die takes one is still decided when it is idle. A victim is chosen by what all dies
// hold of it (victim/unit_view.h). The first die that begins to collect its unit brings in the others, each as soon as it
// has room for that; a unit's data stay in their die, and each unit is erased when it is empty. A die that has no unit of the
// victim, or none that gains anything, collects another superblock.
#pragma once

#include "firmware/ftl/bit_rows.h"
#include "firmware/ftl/block_allocation/superblock_table.h"
#include "firmware/ftl/feature_set.h"
#include "firmware/ftl/sched/move_groups.h"

namespace twinplane::fw {

/// Moves get the next place of the stripe, whatever plane they come from.
MoveGroups* make_stripe_moves(BootMemory& memory, const MoveContext& c);

/// Chooses superblocks by the policy that the configuration names, and brings in all dies.
class SuperblockVictims final : public VictimSelection {
 public:
  void boot(BootMemory& memory, FtlState& state, GcJobs& jobs);

  std::uint32_t select(std::uint32_t site) override;
  /// The site's unit of a superblock that another site collects; kNoBlock: there is none.
  [[nodiscard]] std::uint32_t due(std::uint32_t site) const {
    return due_count_[site] == 0 ? kNoBlock : due_.next(site, 0);
  }

  void closed(std::uint32_t site, std::uint32_t block) override { table_->closed(site, block); }
  void invalidated(std::uint32_t, std::uint32_t, std::uint32_t) override {}
  bool wants_updates() const override { return false; }
  bool by_valid_data() const override { return policy_->by_valid_data(); }
  void left(std::uint32_t site, std::uint32_t block) override;
  void serialise(StateVisitor& state) override;

 private:
  [[nodiscard]] bool any_reclaimable(std::uint32_t set) const;
  [[nodiscard]] bool is_closed(std::uint32_t site, std::uint32_t block) const;
  void set_due(std::uint32_t site, std::uint32_t block);

  FtlState* state_ = nullptr;
  GcJobs* jobs_ = nullptr;
  VictimSelection* policy_ = nullptr; // that looks at superblocks
  SuperblockTable* table_ = nullptr;
  BitRows due_; // by site: units
  std::uint32_t* due_count_ = nullptr;
};

class Superblocks final : public Feature {
 public:
  explicit Superblocks(const FtlConfig& config) : several_dies_(dies_per_superblock(config) != 1) {}
  [[nodiscard]] std::uint32_t hooks() const override {
    return several_dies_ ? hook_set(Hook::victim) : hook_set();
  }
  void boot(BootMemory& memory, const Pipeline& pipeline) override;
  [[nodiscard]] std::uint32_t victim(std::uint32_t site) const override { return victims_.due(site); }

 private:
  SuperblockVictims victims_;
  bool several_dies_;
};

} // namespace twinplane::fw
