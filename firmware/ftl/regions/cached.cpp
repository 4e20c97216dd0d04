// The cache and native blocks as regions: a block of the cache is collected when native blocks have room for
// what may leave it; else they are collected first.
#include "firmware/ftl/regions/regions.h"
#include "firmware/ftl/slc_cache/slc_cache.h"

namespace twinplane::fw {

namespace {

class CachedRegions final : public Regions {
 public:
  CachedRegions(const BlockTable& blocks, const FtlConfig& config, SlcCache& cache)
      : blocks_(blocks), cache_(cache), threshold_(config.gc_threshold_blocks) {}

  Region of_hint(PageHint hint) const override { return hint == 0 ? kNative : kCache; }
  Region for_host(std::uint32_t /*plane*/, PageHint hint) const override { return of_hint(hint); }
  PageHint for_moved(std::uint32_t /*plane*/, Region /*from*/, std::uint64_t /*oob*/) override { return 0; }

  bool short_of_space(std::uint32_t plane, Region region) const override {
    if (region == kCache) return cache_.short_of_pages(plane);
    return native(plane).space < threshold_;
  }
  bool may_help(std::uint32_t plane, Region region) const override {
    return region == kCache && cache_.can_evict(plane);
  }

  Step relieve(Shortage& s) override {
    cache_.exchange_worn(s.plane);
    const std::uint32_t lagging = cache_.lagging(s.plane, s.region);
    cache_.collected_for_wear(s.plane, lagging != kNoBlock);
    if (lagging != kNoBlock) s.victim = lagging;
    if (s.region == kNative) return s.victim == kNoBlock ? Step::none : Step::collect;
    if (lagging == kNoBlock) s.victim = cache_.select(s.plane);
    if (s.victim == kNoBlock) return Step::none;
    if (cache_.native_spare(s.plane, kNoBlock) >= cache_.most_evicted(s.plane, s.victim))
      return Step::collect;
    return native(s.plane).reclaimable != 0 ? Step::make : Step::none;
  }

  void begun(std::uint32_t plane, Region region, std::uint32_t victim, bool /*across*/) override {
    if (region == kCache) cache_.collecting(plane, victim);
  }
  void opened(std::uint32_t /*plane*/, std::uint32_t /*block*/, bool /*by_collector*/) override {}
  void host_page(PageHint /*hint*/, std::uint32_t /*sequence*/) override {}

 private:
  const PlaneInfo& native(std::uint32_t plane) const {
    return blocks_.domain(blocks_.domain_of(plane, kNative));
  }

  const BlockTable& blocks_;
  SlcCache& cache_;
  std::uint32_t threshold_;
};

} // namespace

Regions* make_cached_regions(BootMemory& memory, const BlockTable& blocks, const FtlConfig& config,
                             SlcCache& cache) {
  return memory.make<CachedRegions>(blocks, config, cache);
}

} // namespace twinplane::fw
