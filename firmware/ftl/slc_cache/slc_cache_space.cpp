// SlcCache: frontiers, space, victims.
//
// Why a plane cannot deadlock. What leaves a block of the cache finds a page whatever happens: a block is
// collected only when native blocks have as many pages to spare as could be evicted from it, beyond the block
// that their own collection must find (conventional.cpp); while it is collected neither host nor anybody else
// gets those. Moves inside the cache take pages of it while it has some, and native ones else. So the cache
// itself needs no reserve. Native blocks obey the rule of conventional allocation; they hold one page per
// logical page at most, and capacity is theirs alone.
#include <algorithm>

#include "firmware/ftl/slc_cache/slc_cache.h"

namespace twinplane::fw {

bool SlcCache::open_block(std::uint32_t plane, std::uint32_t level, OpenBlock& open) {
  const std::uint32_t block = blocks_->find_free(blocks_->domain_of(plane, level == 0 ? kNative : kCache));
  if (block == kNoBlock) return false;
  blocks_->open_in_region(plane, block);
  map.open(plane, block, level);
  open = OpenBlock{block, 0, 0};
  return true;
}

bool SlcCache::next_page(std::uint32_t plane, std::uint32_t level, PageSlot& slot) {
  if (level != 0 && append_[plane] != kNoPpn) {
    slot = PageSlot{blocks_->block_of(append_[plane]), blocks_->page_of(append_[plane]), true};
    return true;
  }
  const std::uint32_t pages = blocks_->region_pages(kCache);
  for (; level != 0; --level) {
    OpenBlock& o = open(plane, level);
    if (o.next == pages && !open_block(plane, level, o)) continue;
    slot = PageSlot{o.block, o.next, true};
    return true;
  }
  return false;
}

bool SlcCache::next_native(std::uint32_t plane, Stream stream, PageSlot& slot) {
  OpenBlock& o = (stream == Stream::host ? native_host_ : native_collector_)[plane];
  if (o.next == blocks_->pages_per_block() && !open_block(plane, 0, o)) return false;
  slot = PageSlot{o.block, o.next};
  return true;
}

void SlcCache::handed_out(const Placement& where, const PageSlot& slot) {
  const std::uint32_t plane = where.plane;
  const std::uint32_t level = map.sums(plane, slot.block).level;
  if (level == 0) {
    ++(where.stream == Stream::host ? native_host_ : native_collector_)[plane].next;
    return;
  }
  OpenBlock& o = open(plane, level);
  const std::uint32_t pages = blocks_->region_pages(kCache);
  const bool fresh = o.next != pages && o.block == slot.block && o.next == slot.page;
  if (fresh && ++o.next == pages) blocks_->transition(plane, slot.block, BlockState::closed);
  if (!scheme_->packs()) return;
  const Ppn ppn = blocks_->ppn(plane, slot.block, slot.page);
  const PageRecord& p = map.page(ppn);
  append_[plane] = p.used < map.subpages() && p.programs < config_.partial_programs ? ppn : kNoPpn;
}

bool SlcCache::short_of_pages(std::uint32_t plane) const {
  const PlaneInfo& d = blocks_->domain(blocks_->domain_of(plane, kCache));
  if (d.free_blocks == 0) return true;
  const std::uint32_t pages = blocks_->region_pages(kCache);
  std::uint32_t available = d.free_blocks * pages;
  for (std::uint32_t l = 0; l < kCacheLevels; ++l) available += pages - open_[plane * kCacheLevels + l].next;
  return available < config_.gc_threshold * d.serving() * pages;
}

std::uint32_t SlcCache::spare_blocks() const {
  std::uint32_t sum = 0;
  for (std::uint32_t p = 0; p < blocks_->geometry().planes(); ++p) {
    const PlaneInfo& d = blocks_->domain(blocks_->domain_of(p, kCache));
    const std::uint32_t sure = std::min(d.blocks, extent_.least(p));
    if (sure > kFewestCacheBlocks + 1) sum += sure - kFewestCacheBlocks - 1;
  }
  return sum;
}

bool SlcCache::can_give_block(std::uint32_t plane) const {
  const PlaneInfo& d = blocks_->domain(blocks_->domain_of(plane, kCache));
  return d.free_blocks != 0 && d.serving() > kFewestCacheBlocks + 1;
}

std::uint32_t SlcCache::native_reach(std::uint32_t plane) const {
  const std::uint32_t pages = blocks_->pages_per_block();
  const std::uint32_t free = blocks_->domain(blocks_->domain_of(plane, kNative)).free_blocks;
  return free * pages + (pages - native_collector_[plane].next);
}

std::uint32_t SlcCache::native_spare(std::uint32_t plane, std::uint32_t reclaiming) const {
  const bool native = reclaiming != kNoBlock && blocks_->block(plane, reclaiming).region == kNative;
  std::uint32_t need = native ? most_moved(plane, reclaiming) : blocks_->pages_per_block();
  if (reclaiming != kNoBlock && !native) need += most_evicted(plane, reclaiming);
  if (reclaiming != kNoBlock) need += torn_ * config_.fold;
  const std::uint32_t reach = native_reach(plane);
  return reach > need ? reach - need : 0;
}

bool SlcCache::native_for_host(std::uint32_t plane, std::uint32_t reclaiming) const {
  const std::uint32_t pages = blocks_->pages_per_block();
  if (native_collector_ == native_host_) return native_spare(plane, reclaiming) >= config_.fold;
  return native_host_[plane].next != pages || native_spare(plane, reclaiming) >= pages;
}

std::uint32_t SlcCache::open_blocks(std::uint32_t plane) const {
  std::uint32_t count = 0;
  for (std::uint32_t l = 0; l < kCacheLevels; ++l)
    count += open_[plane * kCacheLevels + l].next != blocks_->region_pages(kCache) ? 1 : 0;
  return count;
}

/// Whenever this is so, a victim is found and something can be done for it (CachedRegions::relieve).
bool SlcCache::can_evict(std::uint32_t plane) const {
  if (blocks_->plane(plane).stalled) return false;
  const PlaneInfo& cache = blocks_->domain(blocks_->domain_of(plane, kCache));
  if (cache.serving() <= cache.free_blocks + open_blocks(plane)) return false;
  if (native_collectable(plane)) return true;
  const std::uint32_t most = blocks_->region_pages(kCache) * (scheme_->packs() ? map.subpages() : 1);
  return native_spare(plane, kNoBlock) >= room_for_evicted(most);
}

/// Whenever this is so, CachedRegions::relieve finds something to do for native blocks.
bool SlcCache::can_shrink(std::uint32_t plane) const {
  if (!extent_.too_large(plane) || blocks_->plane(plane).stalled) return false;
  return blocks_->domain(blocks_->domain_of(plane, kCache)).free_blocks != 0 || can_evict(plane);
}

std::uint32_t SlcCache::most_evicted(std::uint32_t plane, std::uint32_t block) const {
  return room_for_evicted(scheme_->packs() ? map.sums(plane, block).valid
                                           : blocks_->block(plane, block).valid);
}

/// Among equals the one that has been closed longest.
std::uint32_t SlcCache::select(std::uint32_t plane) {
  const std::uint32_t domain = blocks_->domain_of(plane, kCache);
  std::uint32_t best = kNoBlock;
  double most = 0;
  for (std::uint32_t b = 0; b < blocks_->blocks_per_plane(); ++b) {
    if (!blocks_->is_member(domain, b) || blocks_->block(plane, b).state != BlockState::closed) continue;
    ++statistics_->cache.search_blocks;
    const double worth = scheme_->worth(plane, b, clock_);
    const bool older = best != kNoBlock && closed_before(plane, b, best);
    if (best != kNoBlock && !(worth > most || (worth == most && older))) continue;
    best = b;
    most = worth;
  }
  return best;
}

bool SlcCache::closed_before(std::uint32_t plane, std::uint32_t a, std::uint32_t b) const {
  const std::uint32_t now = blocks_->clock();
  return now - blocks_->block(plane, a).closed_at > now - blocks_->block(plane, b).closed_at;
}

void SlcCache::collecting(std::uint32_t plane, std::uint32_t block) {
  CacheCounters& c = statistics_->cache;
  ++slc_erases_[plane * blocks_->blocks_per_plane() + block];
  ++c.collections;
  c.collected_used += map.sums(plane, block).used;
  c.collected_subpages += std::uint64_t{blocks_->region_pages(kCache)} * map.subpages();
  const Ppn page = append_[plane];
  if (page != kNoPpn && blocks_->block_of(page) == block) append_[plane] = kNoPpn;
}

CacheFootprint SlcCache::footprint() const {
  CacheSize size;
  size.logical_pages = exported_pages_;
  for (std::uint32_t p = 0; p < blocks_->geometry().planes(); ++p) size.cache_blocks += extent_.most(p);
  size.pages_per_cache_block = blocks_->region_pages(kCache);
  size.subpages = map.subpages();
  size.native_by_subpage = config_.packed_eviction;
  return scheme_->footprint(size);
}

void SlcCache::refresh_gauges(CacheGauges& g) const {
  g = CacheGauges();
  for (std::uint32_t p = 0; p < blocks_->geometry().planes(); ++p) {
    g.size += blocks_->domain(blocks_->domain_of(p, kCache)).blocks;
    for (std::uint32_t b = 0; b < blocks_->blocks_per_plane(); ++b) {
      const BlockInfo& info = blocks_->block(p, b);
      if (info.region != kCache || info.state == BlockState::free || info.state == BlockState::bad ||
          info.state == BlockState::metadata)
        continue;
      const BlockSums& s = map.sums(p, b);
      ++g.blocks[s.level];
      g.valid += s.valid;
    }
  }
  const Wear w = wear_of_all();
  g.wear_least = w.least;
  g.wear_mean = w.mean;
  g.wear_most = w.most;
  const CacheFootprint f = footprint();
  g.mapping_bytes = f.mapping;
  g.label_bytes = f.labels;
  g.isr_bytes = f.isr;
}

} // namespace twinplane::fw
