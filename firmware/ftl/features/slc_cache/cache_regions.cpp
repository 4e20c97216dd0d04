// The cache and native blocks as regions: a block of the cache is collected when native blocks have room for
// what may leave it; else they are collected first.
//
// Where the border between them moves (features/slc_cache/cache_extent.h), a cache that is short of pages takes a
// block before it collects one of its own: an erased one that native blocks can spare, or one whose
// collection moves no more pages than its own would. It gives erased blocks back as soon as the data need
// them, and collects for that when it has none.
//
// With slc_cache.when_full = direct nothing waits for a cache that is full: it is collected for the blocks that it has to
// give back, in idle time, and where native blocks have no room for the host. To let it grow native blocks keep one more
// erased.
#include "firmware/ftl/features/slc_cache/slc_cache.h"
#include "firmware/ftl/regions/regions.h"

namespace twinplane::fw {

namespace {

class CachedRegions final : public Regions {
 public:
  explicit CachedRegions(const CachedRegionsContext& c)
      : blocks_(c.blocks),
        cache_(c.cache),
        victim_(c.victim),
        threshold_(c.config.gc_threshold_blocks),
        recovered_(c.config.used_cells) {}

  Region of_hint(PageHint hint) const override { return hint == 0 ? kNative : kCache; }
  Region for_host(std::uint32_t /*plane*/, PageHint hint) const override { return of_hint(hint); }
  PageHint for_moved(std::uint32_t /*plane*/, Region /*from*/, std::uint32_t /*lpn*/) override { return 0; }

  bool short_of_space(std::uint32_t plane, Region region) const override {
    if (region == kNative) return native(plane).space < kept_erased(plane) || cache_.space.can_shrink(plane);
    if (!cache_.space.short_of_pages(plane)) return false;
    if (cache_.space.goes_past(plane, kNoBlock)) return cache_.space.extent().may_grow(plane);
    return !(cache_.space.extent().too_large(plane) &&
             erased(plane)); // what it has erased goes to native blocks
  }
  bool can_drain(std::uint32_t plane, Region region) const override {
    return region == kCache && cache_.space.can_evict(plane);
  }
  bool can_rebalance(std::uint32_t plane, Region region) const override {
    if (region == kNative) return cache_.space.native_collectable(plane) || cache_.space.can_shrink(plane);
    return cache_.space.can_evict(plane) || cache_.space.extent().may_grow(plane);
  }

  Step plan_reclaim(Shortage& s) override {
    cache_.wear.exchange_worn(s.plane);
    if (s.region == kCache && cache_.space.extent().may_grow(s.plane)) return Step::borrow_free_block;
    if (s.region == kNative)
      s.victim = takes_fewest(s.plane) ? fewest_data(s.plane) : gaining(s.plane, s.victim);
    if (s.region == kNative && cache_.space.can_shrink(s.plane)) return take_back(s);
    const std::uint32_t lagging = lagging_block(s.plane, s.region);
    cache_.wear.collected_for_wear(s.plane, lagging != kNoBlock);
    if (lagging != kNoBlock) s.victim = lagging;
    if (s.region == kNative) return s.victim == kNoBlock ? Step::none : Step::collect;
    if (lagging == kNoBlock) s.victim = cache_.select(s.plane);
    if (s.victim == kNoBlock) return Step::none;
    if (lagging == kNoBlock && empty_native(s)) return Step::make;
    if (cache_.space.native_spare(s.plane, kNoBlock) >= cache_.space.most_evicted(s.plane, s.victim))
      return Step::collect;
    if (!cache_.space.native_collectable(s.plane)) return Step::none;
    s.made_of = takes_fewest(s.plane) ? fewest_data(s.plane) : gaining(s.plane, selected(s.plane));
    return Step::make;
  }

  void begun(std::uint32_t plane, Region region, std::uint32_t victim, bool /*across*/) override {
    if (region == kCache) cache_.space.collecting(plane, victim);
  }
  void opened(std::uint32_t /*plane*/, std::uint32_t /*block*/, bool /*by_collector*/) override {}
  void host_page(PageHint /*hint*/, std::uint32_t /*lpn*/) override {}

  Region for_metadata() const override { return kCache; }
  bool lends_blocks() const override { return true; }
  std::uint32_t blocks_to_lend() const override { return cache_.space.spare_blocks(); }
  bool can_lend_block(std::uint32_t plane) const override { return cache_.space.can_give_block(plane); }
  void keep_to_lend(std::uint32_t blocks) override { cache_.space.keep_to_give(blocks); }

  void refresh_gauges(FtlStatistics& statistics) const override { cache_.refresh_gauges(statistics.cached); }

  void serialise(StateVisitor& state) override { cache_.serialise(state); }

 private:
  /// A native one may be full, and cuts may have left less room than a block.
  std::uint32_t lagging_block(std::uint32_t plane, Region region) const {
    const std::uint32_t block = cache_.wear.lagging(plane, region);
    if (block == kNoBlock || region == kCache || cache_.space.can_move_all(plane, block)) return block;
    return kNoBlock;
  }
  /// An erased block of the cache, or one that is collected for it; or native blocks make room for that
  /// first.
  Step take_back(Shortage& s) {
    if (erased(s.plane)) return Step::borrow_free_block;
    const std::uint32_t victim = cache_.select(s.plane);
    if (victim != kNoBlock &&
        cache_.space.native_spare(s.plane, kNoBlock) >= cache_.space.most_evicted(s.plane, victim)) {
      s.made_of = victim;
      cache_.wear.collected_for_wear(s.plane, false);
      return Step::make;
    }
    return s.victim == kNoBlock ? Step::none : Step::collect;
  }

  /// The cache should grow, and emptying a native block costs no more than collecting the cache's victim.
  bool empty_native(Shortage& s) const {
    if (!cache_.space.extent().too_small(s.plane)) return false;
    const std::uint32_t best = fewest_data(s.plane);
    if (best == kNoBlock) return false;
    if (cache_.space.moved_from(s.plane, best) > cache_.space.most_evicted(s.plane, s.victim)) return false;
    s.made_of = best;
    return true;
  }

  /// The victim policy does, or native blocks may not have the pages for any other victim, as in VictimChoice::choose().
  bool takes_fewest(std::uint32_t plane) const {
    if (recovered_ && native(plane).free_blocks == 0) return true;
    return cache_.space.picks_native() && victim_.by_valid_data();
  }
  /// That native block, or if collecting it gains nothing the one with the fewest valid data.
  std::uint32_t gaining(std::uint32_t plane, std::uint32_t named) const {
    if (!cache_.space.picks_native()) return named;
    return named != kNoBlock && cache_.space.gains_by(plane, named) ? named : fewest_data(plane);
  }
  std::uint32_t selected(std::uint32_t plane) {
    const std::uint32_t domain = blocks_.domain_of(plane, kNative);
    return blocks_.domain(domain).reclaimable != 0 ? victim_.select(domain) : kNoBlock;
  }

  /// The native block with the fewest valid pages, or units, if collecting it gains something.
  std::uint32_t fewest_data(std::uint32_t plane) const {
    if (cache_.space.picks_native()) return cache_.space.native_victim(plane);
    const std::uint32_t domain = blocks_.domain_of(plane, kNative);
    std::uint32_t best = kNoBlock;
    for (std::uint32_t b = 0; b < blocks_.blocks_per_plane(); ++b) {
      const BlockInfo& info = blocks_.block(plane, b);
      if (!blocks_.is_member(domain, b) || info.state != BlockState::closed || info.invalid() == 0) continue;
      if (best == kNoBlock || info.valid < blocks_.block(plane, best).valid) best = b;
    }
    return best;
  }

  /// With one more for a cache that should grow and makes none by itself.
  std::uint32_t kept_erased(std::uint32_t plane) const {
    const bool grows = cache_.config().direct_when_full && cache_.space.extent().too_small(plane);
    return threshold_ + (grows ? 1 : 0);
  }

  bool erased(std::uint32_t plane) const {
    return blocks_.domain(blocks_.domain_of(plane, kCache)).free_blocks != 0;
  }
  const PlaneInfo& native(std::uint32_t plane) const {
    return blocks_.domain(blocks_.domain_of(plane, kNative));
  }

  const BlockTable& blocks_;
  SlcCache& cache_;
  VictimSelection& victim_;
  std::uint32_t threshold_;
  bool recovered_; // in an earlier life a victim may have been left that has had some of its pages moved
};

} // namespace

Regions* make_cached_regions(const CachedRegionsContext& c) {
  return c.memory.make<CachedRegions>(c);
}

} // namespace twinplane::fw
