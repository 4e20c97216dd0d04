// Wear levelling of an SLC-mode cache. An erase in SLC mode wears a block less than a native one: wear is counted in
// native erases, `slc_cache.endurance` of the others for one.
//
// Static (victim/lagging.h): a block of a region that lags behind the most worn one of it by more than
// `slc_cache.wear_gap` is collected next. And regions exchange erased blocks when that brings a block that
// is less worn by more than the gap to native use, where it wears most.
#pragma once

#include "firmware/ftl/features/slc_cache/cache_part.h"

namespace twinplane::fw {

class CacheWear : public CachePart {
 public:
  void boot(BootMemory& memory, const CacheContext& c);

  /// In native erases.
  double wear(std::uint32_t plane, std::uint32_t block) const;
  /// The least worn closed block of the region if it lags behind; kNoBlock when none does.
  std::uint32_t lagging(std::uint32_t plane, Region region) const;
  void exchange_worn(std::uint32_t plane);
  /// The collection that begins in that plane is for the sake of wear, or not.
  void collected_for_wear(std::uint32_t plane, bool so);
  bool levelling(std::uint32_t plane) const { return levelling_[plane] != 0; }
  struct Wear {
    double least = 0, mean = 0, most = 0;
  };
  /// Weighted, over all blocks that are not bad.
  Wear wear_of_all() const;
  void serialise(StateVisitor& state) { state.table(levelling_, blocks_->geometry().planes()); }

 private:
  std::uint32_t erased_block(std::uint32_t plane, Region region, bool most) const;

  std::uint8_t* levelling_ = nullptr; // by plane
};

} // namespace twinplane::fw
