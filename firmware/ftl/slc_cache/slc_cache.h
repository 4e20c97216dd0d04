// An SLC-mode cache before native blocks: what the stages of the pipeline ask about subpages.
//
// Two regions (regions/regions.h): the cache, whose blocks are used in SLC mode and programmed subpage by
// subpage, and native blocks, whose pages are programmed as a whole. All writes go to the cache first, as
// long as it has pages; what is evicted goes to native blocks. A scheme (scheme.h) says the rest.
//
//   map        where each subpage is, and which a page holds
//   io         what transactions do with subpages, and their buffers
//   placement  where writes and moves go, and how they enter a page
//   space      frontiers, space and victims
//   wear       wear levelling
//   recovery   the tables once more, from the cells
//
// The pointer is null in drives without a cache, and nothing here is asked.
#pragma once

#include "firmware/ftl/slc_cache/cache_placement.h"
#include "firmware/ftl/slc_cache/cache_recovery.h"
#include "firmware/ftl/slc_cache/cache_space.h"
#include "firmware/ftl/slc_cache/cache_wear.h"
#include "firmware/ftl/slc_cache/subpage_io.h"

namespace twinplane::fw {

class SlcCache {
 public:
  void boot(BootMemory& memory, BlockTable& blocks, const FtlConfig& config, std::uint32_t exported_pages,
            FtlStatistics& statistics);

  const CacheScheme& scheme() const { return *context_.scheme; }
  const SlcCacheConfig& config() const { return context_.config; }
  CacheFootprint footprint() const;
  void refresh_gauges(CacheGauges& g) const;
  /// A block of the cache is collected.
  void collecting(std::uint32_t plane, std::uint32_t block) {
    wear.erased_in_slc_mode(plane, block);
    space.collecting(plane, block);
  }
  /// The closed block of the cache that is collected next, kNoBlock when there is none.
  std::uint32_t select(std::uint32_t plane) { return space.select(plane, placement.clock()); }

  void serialise(StateVisitor& state);

  SubpageMap map;
  SubpageIo io;
  CachePlacement placement;
  CacheSpace space;
  CacheWear wear;
  CacheRecovery recovery;

 private:
  CacheContext context_;
};

} // namespace twinplane::fw
