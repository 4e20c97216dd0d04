// How many blocks of a plane are the SLC-mode cache's: fixed, or as native data leave room.
//
// The cache may have all from `slc_cache.least_share` to `slc_cache.most_share` of a plane's good blocks.
// Which number it should have falls linearly with the data of the plane, from the most of an empty drive to
// the least of a full one: the cache gives back what the data need, and not earlier. What is counted as data
// are native pages plus what would become native pages if all of the cache were evicted.
//
// The line leaves native blocks room for these and four blocks beyond, at either end and so everywhere
// between: whatever the cache holds can be evicted, and each eviction ends with an erased block that changes
// kind. So a cache that is too large for the data is never stuck, if it is made smaller before the data grow
// on: host pages wait for that (features/slc_cache/cache_allocation.cpp).
//
// Packed eviction (cache_placement.h) leaves pages valid for the sake of one subpage, so native data count
// by subpage there, and blocks one page short, P - 1 of their P pages. While a closed native block has a page
// to gain it can be collected. When none has, all of the k closed ones hold more than k (P - 1) pages of
// data: of the n native blocks, which by the line have room for the data and four blocks, n - k > 4 + cached
// / (P - 1) are open or erased, more than 2 + cached / (P - 1) erased. Beyond the P pages that collection
// must find these have a page for each subpage of the cache, which is all that an eviction may ask for.
#pragma once

#include <cstdint>

#include "firmware/ftl/block_table.h"
#include "firmware/ftl/features/slc_cache/key.h"

namespace twinplane::fw {

class UnitMap;

/// Of a plane: one is filled while another one is collected.
constexpr std::uint32_t kFewestCacheBlocks = 2;

/// Blocks of a plane with so many good ones that are the cache's at boot, at least, and at most.
std::uint32_t cache_blocks_at_boot(const FtlConfig& config, std::uint32_t good_blocks);
std::uint32_t least_cache_blocks(const SlcCacheConfig& config, std::uint32_t good_blocks);
std::uint32_t most_cache_blocks(const SlcCacheConfig& config, std::uint32_t good_blocks);

/// Blocks of the cache become native ones and the other way round.
inline bool exchanges_blocks(const SlcCacheConfig& c) {
  return c.wear_gap != 0 || (c.least_share != 0 && c.least_share != c.share) ||
         (c.most_share != 0 && c.most_share != c.share);
}

/// Of a native block's pages, as many as hold data whatever happens: packed, collection gains the last one;
/// programmed by wordlines, the last wordline.
inline std::uint32_t guaranteed_pages_per_block(const FtlConfig& config, std::uint32_t pages) {
  if (config.pass_pages != 1) return pages - config.pass_pages;
  return pages - (evicts_packed(config) ? 1 : 0);
}

class CacheExtent {
 public:
  /// `packs`: a page of the cache holds subpages of several logical pages.
  void boot(const BlockTable& blocks, const UnitMap& map, const FtlConfig& config, bool packs);

  /// Blocks that the plane's cache should have.
  std::uint32_t wanted(std::uint32_t plane) const;
  std::uint32_t least(std::uint32_t plane) const { return least_cache_blocks(config_, good(plane)); }
  std::uint32_t most(std::uint32_t plane) const { return most_cache_blocks(config_, good(plane)); }
  bool too_large(std::uint32_t plane) const { return moves_ && cache(plane).blocks > wanted(plane); }
  bool too_small(std::uint32_t plane) const { return moves_ && cache(plane).blocks < wanted(plane); }
  /// It should have a block more, and native blocks have an erased one beyond those that they keep.
  bool may_grow(std::uint32_t plane) const;

 private:
  const PlaneInfo& cache(std::uint32_t plane) const;
  const PlaneInfo& native(std::uint32_t plane) const;
  std::uint32_t good(std::uint32_t plane) const { return cache(plane).blocks + native(plane).blocks; }
  std::uint64_t data(std::uint32_t plane) const;

  const BlockTable* blocks_ = nullptr;
  const UnitMap* map_ = nullptr;
  SlcCacheConfig config_;
  std::uint32_t threshold_ = 0;                  // erased native blocks that are kept
  std::uint32_t guaranteed_pages_per_block_ = 0; // of a native block
  bool packs_ = false;
  bool moves_ = false;
};

} // namespace twinplane::fw
