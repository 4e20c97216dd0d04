// Block allocation of an SLC-mode cache and native blocks: the hint is the level. Host and moves share the
// frontiers of the cache, one per level and plane; native blocks have theirs as in conventional.cpp. Space:
// features/slc_cache/cache_space.h.
//
// A host page waits for the cache while that can be collected; else, or with slc_cache.when_full = direct while these have
// room, it goes to native blocks. While the cache is to give blocks back for the data that there are, none may come on top.
#include "firmware/ftl/block_allocation/block_allocation.h"
#include "firmware/ftl/features/slc_cache/slc_cache.h"

namespace twinplane::fw {

namespace {

class CachedAllocation final : public BlockAllocation {
 public:
  CachedAllocation(const BlockTable& blocks, SlcCache& cache) : blocks_(blocks), cache_(cache) {}

  bool peek(const Placement& where, std::uint32_t reclaiming, PageSlot& slot) override {
    const std::uint32_t plane = where.plane;
    if (where.stream == Stream::host && cache_.space.can_shrink(plane)) return false;
    if (where.hint != 0 && cache_.space.next_page(plane, where.hint, slot)) return true;
    if (where.stream == Stream::relocation) return cache_.space.next_native(plane, where.stream, slot);
    if (where.hint != 0 && !cache_.space.goes_past(plane, reclaiming) && will_have_pages(plane, reclaiming))
      return false;
    return cache_.space.native_for_host(plane, reclaiming) &&
           cache_.space.next_native(plane, where.stream, slot);
  }

  bool resume(std::uint32_t plane, std::uint32_t block, const std::uint32_t* written) override {
    return cache_.space.resume(plane, block, pages_written(written));
  }

  [[nodiscard]] std::uint32_t left_of_pass(std::uint32_t plane) const override {
    return cache_.space.left_of_pass(plane);
  }

  [[nodiscard]] bool can_close_open() const override { return false; }

  void end_collection() override { cache_.space.end_collection(); }

  void serialise(StateVisitor& /*state*/) override {}

 private:
  void taken(const Placement& where, const PageSlot& slot) override { cache_.space.handed_out(where, slot); }

  bool will_have_pages(std::uint32_t plane, std::uint32_t reclaiming) const {
    if (blocks_.plane(plane).stalled || !cache_.space.collects()) return false;
    if (reclaiming != kNoBlock && blocks_.block(plane, reclaiming).region == kCache) return true;
    return cache_.space.can_evict(plane) || cache_.space.extent().may_grow(plane);
  }

  const BlockTable& blocks_;
  SlcCache& cache_;
};

} // namespace

BlockAllocation* make_cached_allocation(BootMemory& memory, const BlockTable& blocks, SlcCache& cache) {
  return memory.make<CachedAllocation>(blocks, cache);
}

} // namespace twinplane::fw
