// Which page a write or move goes to in a drive with an SLC-mode cache.
#pragma once

#include "firmware/ftl/features/slc_cache/cache_space.h"
#include "firmware/ftl/features/slc_cache/cache_wear.h"
#include "firmware/ftl/map/units.h"

namespace twinplane::fw {

class CachePlacement final : public CachePart, public UnitPolicy {
 public:
  void boot(const CacheContext& c, const UnitIo& io, CacheSpace& space, const CacheWear& wear);

  [[nodiscard]] std::uint32_t units_to_write(std::uint32_t lpn, std::uint32_t units) const override {
    return units | (config_.union_update ? map_->mapped(lpn) : 0);
  }
  [[nodiscard]] bool follows_old_version() const override { return true; }
  [[nodiscard]] bool fits_in_place(const Transaction& t, Ppn& ppn) const override;
  /// The level.
  [[nodiscard]] PageHint hint_for(std::uint32_t lpn, const UnitWork& w, PageHint) const override;
  [[nodiscard]] bool fills_pages() const override { return scheme_->fills_pages(); }
  /// What is evicted goes to native pages, and what the host writes to the cache.
  [[nodiscard]] bool joins_moves() const override { return false; }
  [[nodiscard]] std::uint32_t level_of_move(Ppn page) const override {
    return scheme_->level_of_move(level_of(page), map_->page(page).updated != 0);
  }
  [[nodiscard]] bool moves_for_wear(std::uint32_t plane) const override { return wear_->levelling(plane); }

  void host_writes(const UnitWork& w, std::uint32_t lpn, Ppn ppn) override;
  bool host_reads(Ppn ppn) override {
    CacheCounters& c = statistics_->cache;
    ++(blocks_->slc_mode(ppn) ? c.read_hits_cache : c.read_hits_native);
    return config_.any_access;
  }
  void evicts(std::uint32_t units) override {
    ++statistics_->cache.evicted_pages;
    statistics_->cache.evicted_subpages += units;
  }
  void programs_again(Ppn ppn) override;
  void spoilt(Ppn ppn) override { space_->stop_appending(ppn); }
  void found(PageRecord& page) const override {
    page.updated = scheme_->rewrites_in_place() && page.programs > 1 ? 1 : 0;
  }

 private:
  std::uint32_t level_of(Ppn page) const {
    return map_->sums(blocks_->plane_of(page), blocks_->block_of(page)).level;
  }
  Ppn page_of_old(std::uint32_t lpn, std::uint32_t units) const;

  const UnitIo* io_ = nullptr;
  CacheSpace* space_ = nullptr;
  const CacheWear* wear_ = nullptr;
};

} // namespace twinplane::fw
