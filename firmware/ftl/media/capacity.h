// How much the drive exports: what over-provisioning leaves, at most what its good blocks hold whatever happens.
// Asked at boot, while all good blocks are free.
#pragma once

#include "firmware/ftl/state.h"

namespace twinplane::fw {

class Capacity {
 public:
  /// `set_aside`: blocks that hold no data of the host, by design.
  Capacity(FtlState& state, std::uint64_t set_aside) : state_(state), set_aside_(set_aside) {}

  /// Exported pages, and spare blocks. Returns an error text when nothing is left, else nullptr.
  const char* size(BootMemory& memory);

 private:
  std::uint64_t reclaimable_cache_blocks(std::uint32_t plane) const;
  std::uint64_t usable_pages_of(std::uint32_t plane) const;
  std::uint64_t usable_pages(BootMemory& memory) const;
  std::uint64_t spare_blocks() const;
  std::uint32_t reserve_pages() const;

  FtlState& state_;
  const std::uint64_t set_aside_;
};

/// The first region's blocks at first: the lowest numbers that are good, so that planes pair.
void divide_planes(FtlState& state);
/// Blocks that the maker has marked as bad. Those that have been set aside already are not free any more.
void retire_marked_blocks(BlockTable& blocks);

} // namespace twinplane::fw
