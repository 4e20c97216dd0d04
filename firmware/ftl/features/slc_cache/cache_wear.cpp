#include "firmware/ftl/features/slc_cache/cache_wear.h"

#include "firmware/ftl/victim/lagging.h"

namespace twinplane::fw {

void CacheWear::boot(BootMemory& memory, const CacheContext& c) {
  begin(c);
  levelling_ = memory.zeroed<std::uint8_t>(blocks_->geometry().planes());
}

double CacheWear::wear(std::uint32_t plane, std::uint32_t block) const {
  const std::uint32_t erases = blocks_->block(plane, block).erases;
  const std::uint32_t slc = blocks_->slc_erases(plane, block);
  return erases - slc + slc / config_.endurance;
}

std::uint32_t CacheWear::lagging(std::uint32_t plane, Region region) const {
  if (config_.wear_gap == 0) return kNoBlock;
  return lagging_block(*blocks_, blocks_->domain_of(plane, region), double{1} * config_.wear_gap,
                       [&](std::uint32_t block) { return wear(plane, block); });
}

/// The least or most worn erased block of the region.
std::uint32_t CacheWear::erased_block(std::uint32_t plane, Region region, bool most) const {
  const std::uint32_t domain = blocks_->domain_of(plane, region);
  std::uint32_t found = kNoBlock;
  for (std::uint32_t b = 0; b < blocks_->blocks_per_plane(); ++b) {
    if (!blocks_->is_member(domain, b) || blocks_->block(plane, b).state != BlockState::free) continue;
    const bool better = found == kNoBlock ||
                        (most ? wear(plane, b) > wear(plane, found) : wear(plane, b) < wear(plane, found));
    if (better) found = b;
  }
  return found;
}

void CacheWear::exchange_worn(std::uint32_t plane) {
  if (config_.wear_gap == 0) return;
  const std::uint32_t fresh = erased_block(plane, kCache, false);
  const std::uint32_t worn = erased_block(plane, kNative, true);
  if (fresh == kNoBlock || worn == kNoBlock) return;
  if (wear(plane, fresh) + config_.wear_gap >= wear(plane, worn)) return;
  blocks_->change_region(plane, fresh, kNative);
  blocks_->change_region(plane, worn, kCache);
  ++statistics_->cache.exchanged_blocks;
}

void CacheWear::collected_for_wear(std::uint32_t plane, bool so) {
  levelling_[plane] = so ? 1 : 0;
  if (so) ++statistics_->cache.wear_collections;
}

CacheWear::Wear CacheWear::wear_of_all() const {
  Wear w;
  double sum = 0;
  std::uint64_t count = 0;
  for (std::uint32_t p = 0; p < blocks_->geometry().planes(); ++p) {
    for (std::uint32_t b = 0; b < blocks_->blocks_per_plane(); ++b) {
      if (blocks_->block(p, b).state == BlockState::bad) continue;
      const double of_block = wear(p, b);
      if (count == 0 || of_block < w.least) w.least = of_block;
      if (of_block > w.most) w.most = of_block;
      sum += of_block;
      ++count;
    }
  }
  w.mean = count == 0 ? 0 : sum / static_cast<double>(count);
  return w;
}

} // namespace twinplane::fw
