#include "firmware/ftl/features/slc_cache/cache_space.h"

#include <algorithm>

namespace twinplane::fw {

void CacheSpace::boot(BootMemory& memory, const CacheContext& c, const FtlConfig& config) {
  begin(c);
  extent_.boot(*blocks_, *map_, config, scheme_ != nullptr && scheme_->packs());
  for (WriteStream& level : levels_) level.boot(memory, *blocks_);
  native_.boot(memory, *blocks_, config);
  pass_ = blocks_->pass_pages(kNative);
  append_ = memory.array<Ppn>(config.geometry.planes());
  for (std::uint32_t p = 0; append_ != nullptr && p < config.geometry.planes(); ++p) append_[p] = kNoPpn;
}

void CacheSpace::serialise_frontiers(StateVisitor& state) {
  for (WriteStream& level : levels_) level.serialise(state);
  native_.serialise(state);
  state.table(append_, blocks_->geometry().planes(), "it is damaged (a page that there is not goes on)",
              [this](Ppn page) { return page == kNoPpn || blocks_->has(page); });
}

void CacheSpace::stop_appending(Ppn ppn) {
  Ppn& open_page = append_[blocks_->plane_of(ppn)];
  if (open_page == ppn) open_page = kNoPpn;
}

/// The next page of the stream, in a block of that level that is opened if need be.
bool CacheSpace::next_of(WriteStream& stream, std::uint32_t plane, std::uint32_t level, PageSlot& slot) {
  const std::uint32_t domain = level == 0 ? native_domain(plane) : cache_domain(plane);
  if (!stream.is_open(domain)) {
    if (level != 0 && erased_to_fill(plane) == 0) return false;
    if (!stream.open_next(domain)) return false;
    map_->open(plane, stream.at(domain).block, level);
  }
  slot = stream.next_page(domain);
  return true;
}

bool CacheSpace::next_page(std::uint32_t plane, std::uint32_t level, PageSlot& slot) {
  if (level != 0 && append_[plane] != kNoPpn) {
    slot = PageSlot{blocks_->block_of(append_[plane]), blocks_->page_of(append_[plane]), true};
    return true;
  }
  for (; level != 0; --level) {
    if (next_of(levels_[level - 1], plane, level, slot)) return true;
  }
  return false;
}

bool CacheSpace::next_native(std::uint32_t plane, Stream stream, PageSlot& slot) {
  return next_of(native_.of(stream), plane, 0, slot);
}

void CacheSpace::handed_out(const Placement& where, const PageSlot& slot) {
  const std::uint32_t plane = where.plane;
  const std::uint32_t level = map_->sums(plane, slot.block).level;
  if (level == 0) {
    native_.of(where.stream).take(native_domain(plane));
    return;
  }
  WriteStream& stream = levels_[level - 1];
  const OpenUnit& open = stream.at(cache_domain(plane));
  if (stream.is_open(cache_domain(plane)) && open.block == slot.block && open.next == slot.page)
    stream.take(cache_domain(plane)); // else it goes on in a page
  if (!scheme_->appends()) return;
  const Ppn ppn = blocks_->ppn(plane, slot.block, slot.page);
  const PageRecord& p = map_->page(ppn);
  append_[plane] = p.used < map_->units() && p.programs < config_.partial_programs ? ppn : kNoPpn;
}

bool CacheSpace::short_of_pages(std::uint32_t plane) const {
  const PlaneInfo& d = blocks_->domain(blocks_->domain_of(plane, kCache));
  const std::uint32_t erased = erased_to_fill(plane);
  if (erased == 0) return true;
  const std::uint32_t pages = blocks_->region_pages(kCache);
  std::uint32_t available = erased * pages;
  for (const WriteStream& level : levels_) available += level.left(cache_domain(plane));
  return available < config_.gc_threshold * d.serving() * pages;
}

std::uint32_t CacheSpace::spare_blocks_of(std::uint32_t plane) const {
  const PlaneInfo& d = blocks_->domain(blocks_->domain_of(plane, kCache));
  const std::uint32_t sure = std::min(d.blocks, extent_.least(plane));
  return sure > kFewestCacheBlocks + 1 ? sure - kFewestCacheBlocks - 1 : 0;
}

std::uint32_t CacheSpace::spare_blocks() const {
  std::uint32_t sum = 0;
  for (std::uint32_t p = 0; p < blocks_->geometry().planes(); ++p) sum += spare_blocks_of(p);
  return sum;
}

void CacheSpace::keep_to_give(std::uint32_t blocks) {
  std::uint32_t sum = 0;
  for (kept_to_give_ = 0; sum < blocks && kept_to_give_ != blocks_->blocks_per_plane();) {
    ++kept_to_give_;
    sum = 0;
    for (std::uint32_t p = 0; p < blocks_->geometry().planes(); ++p)
      sum += std::min(kept_to_give_, spare_blocks_of(p));
  }
}

/// Those that are given away have been erased ones that were kept.
std::uint32_t CacheSpace::erased_to_fill(std::uint32_t plane) const {
  const PlaneInfo& d = blocks_->domain(blocks_->domain_of(plane, kCache));
  if (kept_to_give_ <= d.own) return d.free_blocks;
  const std::uint32_t kept = std::min(kept_to_give_, spare_blocks_of(plane));
  const std::uint32_t still = kept > d.own ? kept - d.own : 0; // to be kept
  return d.free_blocks > still ? d.free_blocks - still : 0;
}

bool CacheSpace::can_give_block(std::uint32_t plane) const {
  const PlaneInfo& d = blocks_->domain(blocks_->domain_of(plane, kCache));
  return d.free_blocks != 0 && d.serving() > kFewestCacheBlocks + 1;
}

std::uint32_t CacheSpace::native_spare(std::uint32_t plane, std::uint32_t reclaiming) const {
  if (!collects()) return native_.reach(native_domain(plane));
  const bool native = reclaiming != kNoBlock && blocks_->block(plane, reclaiming).region == kNative;
  std::uint32_t need = native ? most_moved(plane, reclaiming) : blocks_->pages_per_block();
  if (reclaiming != kNoBlock && !native) need += most_evicted(plane, reclaiming);
  if (reclaiming != kNoBlock) need += native_.torn(kNative) * pass_;
  const std::uint32_t reach = native_.reach(native_domain(plane));
  return reach > need ? reach - need : 0;
}

bool CacheSpace::native_for_host(std::uint32_t plane, std::uint32_t reclaiming) const {
  const std::uint32_t least = native_.shared() ? pass_ : blocks_->pages_per_block();
  return native_.host_has_own(native_domain(plane)) || native_spare(plane, reclaiming) >= least;
}

std::uint32_t CacheSpace::open_blocks(std::uint32_t plane) const {
  std::uint32_t count = 0;
  for (const WriteStream& level : levels_) count += level.is_open(cache_domain(plane)) ? 1 : 0;
  return count;
}

/// Whenever this is so, a victim is found and something can be done for it (CachedRegions::plan_reclaim).
bool CacheSpace::can_evict(std::uint32_t plane) const {
  if (blocks_->plane(plane).stalled) return false;
  const PlaneInfo& cache = blocks_->domain(blocks_->domain_of(plane, kCache));
  if (cache.serving() <= cache.free_blocks + open_blocks(plane)) return false;
  if (native_collectable(plane)) return true;
  const std::uint32_t most = blocks_->region_pages(kCache) * (scheme_->packs() ? map_->units() : 1);
  return native_spare(plane, kNoBlock) >= room_for_evicted(most);
}

/// Whenever this is so, CachedRegions::plan_reclaim finds something to do for native blocks.
bool CacheSpace::can_shrink(std::uint32_t plane) const {
  if (!collects() || !extent_.too_large(plane) || blocks_->plane(plane).stalled) return false;
  return blocks_->domain(blocks_->domain_of(plane, kCache)).free_blocks != 0 || can_evict(plane);
}

/// A page of the cache that is not packed leaves it as one, or where eviction is packed each move under way has one valid
/// unit at least, and all of them take no more pages than the block has.
std::uint32_t CacheSpace::most_evicted(std::uint32_t plane, std::uint32_t block) const {
  const std::uint32_t units = map_->sums(plane, block).valid;
  if (scheme_->packs()) return room_for_evicted(units);
  if (!map_->packs()) return room_for_evicted(blocks_->block(plane, block).valid);
  return room_for_evicted(std::min(units, blocks_->region_pages(kCache)));
}

/// Among equals the one that has been closed longest.
std::uint32_t CacheSpace::select(std::uint32_t plane, std::uint32_t clock) {
  const std::uint32_t domain = blocks_->domain_of(plane, kCache);
  std::uint32_t best = kNoBlock;
  double most = 0;
  for (std::uint32_t b = 0; b < blocks_->blocks_per_plane(); ++b) {
    if (!blocks_->is_member(domain, b) || blocks_->block(plane, b).state != BlockState::closed) continue;
    ++statistics_->cache.search_blocks;
    const double score = scheme_->victim_score(plane, b, clock);
    const bool older = best != kNoBlock && closed_before(plane, b, best);
    if (best != kNoBlock && !(score > most || (score == most && older))) continue;
    best = b;
    most = score;
  }
  return best;
}

bool CacheSpace::closed_before(std::uint32_t plane, std::uint32_t a, std::uint32_t b) const {
  const std::uint32_t now = blocks_->clock();
  return now - blocks_->block(plane, a).closed_at > now - blocks_->block(plane, b).closed_at;
}

void CacheSpace::collecting(std::uint32_t plane, std::uint32_t block) {
  CacheCounters& c = statistics_->cache;
  ++c.collections;
  c.collected_used += map_->sums(plane, block).used;
  c.collected_subpages += std::uint64_t{blocks_->region_pages(kCache)} * map_->units();
  const Ppn page = append_[plane];
  if (page != kNoPpn && blocks_->block_of(page) == block) append_[plane] = kNoPpn;
}

/// Native pages that so many evicted ones may take. Of a logical page whose subpages lie in several pages of
/// the block one is moved at a time, when the scheme moves them to different places; each round may end with
/// a wordline that is not full.
std::uint32_t CacheSpace::room_for_evicted(std::uint32_t pages) const {
  if (pass_ == 1 || pages == 0) return pages;
  const std::uint32_t rounds = scheme_->packs() || map_->packs() ? 1 : map_->units();
  return whole_wordlines(pages) + (rounds - 1) * pass_;
}

bool CacheSpace::native_collectable(std::uint32_t plane) const {
  const bool any = blocks_->domain(blocks_->domain_of(plane, kNative)).reclaimable != 0;
  if (any && pass_ == 1) return true;
  return picks_native() && native_victim(plane) != kNoBlock;
}

std::uint32_t CacheSpace::native_victim(std::uint32_t plane) const {
  const std::uint32_t domain = blocks_->domain_of(plane, kNative);
  std::uint32_t best = kNoBlock;
  for (std::uint32_t b = 0; b < blocks_->blocks_per_plane(); ++b) {
    if (!blocks_->is_member(domain, b) || blocks_->block(plane, b).state != BlockState::closed) continue;
    const bool fewer = best == kNoBlock ? gains_by(plane, b) : valid_data(plane, b) < valid_data(plane, best);
    if (fewer) best = b;
  }
  return best;
}

/// Native pages that collecting a native block may still take. Packed: each move under way has one valid
/// subpage at least, and all of them take less pages than the block had.
std::uint32_t CacheSpace::most_moved(std::uint32_t plane, std::uint32_t block) const {
  if (!map_->packs()) return whole_wordlines(blocks_->block(plane, block).valid);
  const std::uint32_t valid = map_->sums(plane, block).valid;
  return whole_wordlines(valid < blocks_->pages_per_block() ? valid : blocks_->pages_per_block());
}

bool CacheSpace::frontiers_hold(std::uint32_t plane) const {
  const auto holds = [&](const WriteStream& stream, std::uint32_t level) {
    const std::uint32_t domain = level == 0 ? native_domain(plane) : cache_domain(plane);
    return !stream.is_open(domain) || map_->sums(plane, stream.at(domain).block).level == level;
  };
  for (std::uint32_t level = 1; level <= kCacheLevels; ++level) {
    if (!holds(levels_[level - 1], level)) return false;
  }
  if (append_[plane] != kNoPpn && blocks_->plane_of(append_[plane]) != plane) return false;
  return holds(native_.host, 0) && holds(native_.of(Stream::relocation), 0);
}

bool CacheSpace::resume(std::uint32_t plane, std::uint32_t block, std::uint32_t pages) {
  const std::uint32_t level = map_->sums(plane, block).level;
  if (level == 0) return native_.resume(native_domain(plane), block, pages);
  WriteStream& stream = levels_[level - 1];
  if (stream.is_open(cache_domain(plane))) return false;
  stream.at(cache_domain(plane)) = OpenUnit{block, pages, 0};
  return true;
}

} // namespace twinplane::fw
