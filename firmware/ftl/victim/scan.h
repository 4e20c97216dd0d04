// A base for victim policies that look at the block table only when they are asked.
#pragma once

#include "firmware/ftl/block_table.h"
#include "firmware/ftl/victim/victim.h"

namespace twinplane::fw {

class ScanningVictim : public VictimSelection {
 public:
  explicit ScanningVictim(const BlockTable& blocks) : blocks_(blocks) {}
  void closed(std::uint32_t /*domain*/, std::uint32_t /*block*/) override {}
  void invalidated(std::uint32_t /*domain*/, std::uint32_t /*block*/, std::uint32_t /*valid*/) override {}
  bool wants_updates() const override { return false; }
  void left(std::uint32_t /*domain*/, std::uint32_t /*block*/) override {}

  void serialise(StateVisitor& /*state*/) override {}

 protected:
  ~ScanningVictim() = default;

  bool closed_block(std::uint32_t domain, std::uint32_t block) const {
    return blocks_.member(domain, block).state == BlockState::closed && blocks_.is_member(domain, block);
  }
  bool reclaimable(std::uint32_t domain, std::uint32_t block) const {
    return closed_block(domain, block) && blocks_.invalid_data(domain, block) != 0;
  }
  /// First reclaimable block at or after `start`, wrapping around; there must be one.
  std::uint32_t next_reclaimable(std::uint32_t domain, std::uint32_t start) const {
    std::uint32_t block = start;
    while (!reclaimable(domain, block)) block = block + 1 == blocks_.blocks_per_plane() ? 0 : block + 1;
    return block;
  }

  const BlockTable& blocks_;
};

} // namespace twinplane::fw
