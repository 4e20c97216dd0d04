// An SLC-mode cache before native blocks.
//
// Two regions (regions/regions.h): the cache, whose blocks are used in SLC mode and programmed subpage by
// subpage, and native blocks, whose pages are programmed as a whole. All writes go to the cache first, as
// long as it has pages; what is evicted goes to native blocks. A scheme (scheme.h) says the rest.
//
//   units      the map by subpages, and how these enter a page (map/units.h)
//   placement  where writes and moves go
//   space      frontiers, space and victims
//   wear       wear levelling
//
// The pointer is null in drives without a cache, and nothing here is asked.
#pragma once

#include "firmware/ftl/features/slc_cache/cache_placement.h"
#include "firmware/ftl/features/slc_cache/cache_space.h"
#include "firmware/ftl/features/slc_cache/cache_wear.h"

namespace twinplane::fw {

class SlcCache {
 public:
  /// `units` have booted.
  void boot(BootMemory& memory, BlockTable& blocks, const FtlConfig& config, Units& units,
            FtlStatistics& statistics);

  const CacheScheme& scheme() const { return *context_.scheme; }
  const SlcCacheConfig& config() const { return context_.config; }
  CacheFootprint footprint() const;
  void refresh_gauges(CacheGauges& g) const;
  /// The closed block of the cache that is collected next, kNoBlock when there is none.
  std::uint32_t select(std::uint32_t plane) { return space.select(plane, units->placement.clock()); }

  void serialise(StateVisitor& state);

  Units* units = nullptr;
  CachePlacement placement;
  CacheSpace space;
  CacheWear wear;

 private:
  CacheContext context_;
};

class FoundUnits;
class Regions;
class VictimSelection;
struct RecoveryPart;

struct CachedRegionsContext {
  BootMemory& memory;
  const BlockTable& blocks;
  const FtlConfig& config;
  SlcCache& cache;
  VictimSelection& victim; // of native blocks
};
Regions* make_cached_regions(const CachedRegionsContext& c);
/// Of the cache and native blocks.
BlockAllocation* make_cached_allocation(BootMemory& memory, const BlockTable& blocks, SlcCache& cache);
FoundUnits* make_cache_units(BootMemory& memory, const RecoveryPart& part);

} // namespace twinplane::fw
