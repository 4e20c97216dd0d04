#include "firmware/ftl/features/slc_cache/cache_extent.h"

#include "firmware/ftl/features/slc_cache/slc_cache.h"

namespace twinplane::fw {

namespace {

constexpr std::uint32_t kNativeReserve =
    4; // blocks: an open one of either stream, and one for each to move to

std::uint32_t share_of(double share, std::uint32_t good_blocks) {
  const auto wanted = static_cast<std::uint32_t>(share * good_blocks + 0.5);
  return wanted < kFewestCacheBlocks ? kFewestCacheBlocks : wanted;
}

} // namespace

std::uint32_t cache_blocks_at_boot(const FtlConfig& config, std::uint32_t good_blocks) {
  return share_of(config.slc_cache.share, good_blocks);
}

std::uint32_t least_cache_blocks(const SlcCacheConfig& c, std::uint32_t good_blocks) {
  return share_of(c.least_share == 0 ? c.share : c.least_share, good_blocks);
}

std::uint32_t most_cache_blocks(const SlcCacheConfig& c, std::uint32_t good_blocks) {
  return share_of(c.most_share == 0 ? c.share : c.most_share, good_blocks);
}

void CacheExtent::boot(const BlockTable& blocks, const UnitMap& map, const FtlConfig& config, bool packs) {
  blocks_ = &blocks;
  map_ = &map;
  config_ = config.slc_cache;
  threshold_ = config.gc_threshold_blocks;
  packs_ = packs;
  guaranteed_pages_per_block_ = guaranteed_pages_per_block(config, blocks.pages_per_block());
  const std::uint32_t good = blocks.blocks_per_plane();
  moves_ = least_cache_blocks(config_, good) != most_cache_blocks(config_, good);
}

const PlaneInfo& CacheExtent::cache(std::uint32_t plane) const {
  return blocks_->domain(blocks_->domain_of(plane, kCache));
}

const PlaneInfo& CacheExtent::native(std::uint32_t plane) const {
  return blocks_->domain(blocks_->domain_of(plane, kNative));
}

/// Native pages that the plane would have if all of its cache were evicted, at most; with those of the write
/// that comes next. Packed: if its native blocks were collected as well.
std::uint64_t CacheExtent::data(std::uint32_t plane) const {
  const std::uint64_t cached = packs_ ? map_->cached(plane) : cache(plane).valid;
  const std::uint64_t next = packs_ ? map_->units() : 1;
  if (!map_->packs()) return native(plane).valid + cached + next;
  return (std::uint64_t{map_->native(plane)} + map_->units() - 1) / map_->units() + cached + next;
}

std::uint32_t CacheExtent::wanted(std::uint32_t plane) const {
  const std::uint32_t least = this->least(plane);
  const std::uint32_t most = this->most(plane);
  const std::uint32_t blocks = good(plane);
  if (most <= least || blocks <= least + kNativeReserve) return least;
  const std::uint64_t room = std::uint64_t{blocks - least - kNativeReserve} * guaranteed_pages_per_block_;
  const std::uint64_t used = data(plane);
  return used >= room ? least : least + static_cast<std::uint32_t>((most - least) * (room - used) / room);
}

bool CacheExtent::may_grow(std::uint32_t plane) const {
  if (!too_small(plane) || blocks_->plane(plane).stalled) return false;
  return native(plane).free_blocks > threshold_ && native(plane).blocks > threshold_ + 2;
}

} // namespace twinplane::fw
