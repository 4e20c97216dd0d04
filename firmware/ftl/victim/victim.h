// Victim selection: which closed block of a plane to reclaim next, or which twin blocks of a die.
#pragma once

#include <cstdint>

#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/config.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

class BlockTable;
class SuperblockTable;

/// A domain is a plane (device-wide index) whose blocks are to be chosen from, or those of a region in a
/// plane (BlockTable::is_member), or under twin block management a die whose twin blocks are: then `block` is
/// a block number common to all planes, and what is said of a block holds for its twins together
/// (BlockTable::member).
class VictimSelection {
 public:
  /// A closed block with at least one invalid page; never called when the domain has none
  /// (BlockTable::reclaimable). The block stays closed until the caller changes its state.
  virtual std::uint32_t select(std::uint32_t domain) = 0;

  /// The block became closed.
  virtual void closed(std::uint32_t domain, std::uint32_t block) = 0;

  /// A page of a closed block became invalid; it has `valid` left. Called only if wants_updates().
  virtual void invalidated(std::uint32_t domain, std::uint32_t block, std::uint32_t valid) = 0;
  virtual bool wants_updates() const = 0;

  /// It wants the block with the fewest valid data: where pages are valid in parts, or programmed together, that is
  /// counted in units, or in what is gained.
  [[nodiscard]] virtual bool by_valid_data() const { return false; }

  /// The block is closed no longer (it was selected).
  virtual void left(std::uint32_t domain, std::uint32_t block) = 0;

  /// All that lasts, for saving and restoring; a policy without state has nothing to do.
  virtual void serialise(StateVisitor& state) = 0;

 protected:
  ~VictimSelection() = default;
};

struct VictimContext {
  BootMemory& memory;
  const BlockTable& blocks;
  const FtlConfig& config;
  const SuperblockTable* superblocks = nullptr; // from which is chosen where there are any (UnitView)
};

VictimSelection* make_greedy_victim(const VictimContext& c);
VictimSelection* make_rga_victim(const VictimContext& c);
VictimSelection* make_random_victim(const VictimContext& c);
VictimSelection* make_fifo_victim(const VictimContext& c);
VictimSelection* make_cost_benefit_victim(const VictimContext& c);

} // namespace twinplane::fw
