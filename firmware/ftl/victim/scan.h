// A base for victim policies that look at the block table only when they are asked.
#pragma once

#include "firmware/ftl/victim/unit_view.h"
#include "firmware/ftl/victim/victim.h"

namespace twinplane::fw {

class ScanningVictim : public VictimSelection {
 public:
  explicit ScanningVictim(const VictimContext& c) : units_(c.blocks, c.superblocks) {}
  void closed(std::uint32_t /*domain*/, std::uint32_t /*block*/) override {}
  void invalidated(std::uint32_t /*domain*/, std::uint32_t /*block*/, std::uint32_t /*valid*/) override {}
  bool wants_updates() const override { return false; }
  void left(std::uint32_t /*domain*/, std::uint32_t /*block*/) override {}

  void serialise(StateVisitor& /*state*/) override {}

 protected:
  ~ScanningVictim() = default;

  /// First reclaimable block at or after `start`, wrapping around; there must be one.
  std::uint32_t next_reclaimable(std::uint32_t domain, std::uint32_t start) const {
    std::uint32_t block = start;
    while (!units_.reclaimable(domain, block)) block = block + 1 == units_.blocks() ? 0 : block + 1;
    return block;
  }

  const UnitView units_;
};

} // namespace twinplane::fw
