#include "firmware/ftl/features/slc_cache/slc_cache.h"

namespace twinplane::fw {

void SlcCache::boot(BootMemory& memory, BlockTable& blocks, const FtlConfig& config, Units& of_drive,
                    FtlStatistics& statistics) {
  units = &of_drive;
  CacheScheme* const scheme = make_cache_scheme(SchemeContext{memory, blocks, units->map}, config.regions);
  context_ = CacheContext{&units->map, &blocks, config.slc_cache, scheme, &statistics, units->map.pages()};
  space.boot(memory, context_, config);
  wear.boot(memory, context_);
  placement.boot(context_, units->io, space, wear);
  units->attach(placement);
}

void SlcCache::serialise(StateVisitor& state) {
  space.serialise_frontiers(state);
  wear.serialise(state);
  for (std::uint32_t p = 0; state.loading() && p < context_.blocks->geometry().planes(); ++p)
    state.require(space.frontiers_hold(p), kNoFrontier);
}

CacheFootprint SlcCache::footprint() const {
  CacheSize size;
  size.logical_pages = context_.exported_pages;
  for (std::uint32_t p = 0; p < context_.blocks->geometry().planes(); ++p)
    size.cache_blocks += space.extent().most(p);
  size.pages_per_cache_block = context_.blocks->region_pages(kCache);
  size.subpages = units->map.units();
  size.native_by_subpage = units->map.packs();
  return context_.scheme->footprint(size);
}

void SlcCache::refresh_gauges(CacheGauges& g) const {
  const BlockTable& blocks = *context_.blocks;
  g = CacheGauges();
  for (std::uint32_t p = 0; p < blocks.geometry().planes(); ++p) {
    g.size += blocks.domain(blocks.domain_of(p, kCache)).blocks;
    for (std::uint32_t b = 0; b < blocks.blocks_per_plane(); ++b) {
      const BlockInfo& info = blocks.block(p, b);
      if (info.region != kCache || info.state == BlockState::free || info.state == BlockState::bad ||
          info.state == BlockState::metadata)
        continue;
      const BlockSums& s = units->map.sums(p, b);
      ++g.blocks[s.level];
      g.valid += s.valid;
    }
  }
  const CacheWear::Wear w = wear.wear_of_all();
  g.wear_least = w.least;
  g.wear_mean = w.mean;
  g.wear_most = w.most;
  const CacheFootprint f = footprint();
  g.mapping_bytes = f.mapping;
  g.label_bytes = f.labels;
  g.isr_bytes = f.isr;
}

} // namespace twinplane::fw
