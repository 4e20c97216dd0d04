// Drives of two regions for the bare FTL, and operations that move their border at random.
#pragma once

#include "firmware/ftl/features/partitions/two_regions.h"
#include "tests/support/ftl_random.h"

namespace twinplane::test {

/// 2 channels x 2 dies x 2 planes x 24 blocks x 16 pages of MLC, four sectors each; requests of a page are
/// hot.
inline FtlBenchConfig two_region_drive(const char* regions) {
  FtlBenchConfig c = small_drive();
  c.ftl.geometry.cell = CellType::mlc;
  c.ftl.geometry.blocks_per_plane = 24;
  c.ftl.over_provisioning = 0.45;
  c.ftl.program_order = ProgramOrder::ascending;
  c.ftl.classifier = "hot_size";
  c.ftl.regions = regions;
  c.ftl.region.hot_share = 0.4;
  c.ftl.region.hot_bytes = 4096;
  c.ftl.region.window = 256;
  c.ftl.region.flash.pages_per_block = 16;
  return c;
}

/// Of all planes.
inline std::uint32_t region_blocks(FtlBench& b, fw::Region r) {
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  std::uint32_t sum = 0;
  for (std::uint32_t p = 0; p < blocks.geometry().planes(); ++p)
    sum += blocks.domain(blocks.domain_of(p, r)).blocks;
  return sum;
}

/// What a resizer may do at any time: an erased block of a region that keeps what it needs changes sides. No
/// block becomes hot for which the exported capacity has no room.
inline bool resize_at_random(FtlBench& b, fw::Random& random) {
  fw::BlockTable& blocks = b.ftl().state.blocks;
  const fw::FtlConfig& config = b.ftl().state.config;
  const std::uint32_t plane = random.below(config.geometry.planes());
  const fw::Region from = random.below(2) == 0 ? fw::kHot : fw::kCold;
  const fw::PlaneInfo& d = blocks.domain(blocks.domain_of(plane, from));
  if (d.free_blocks < config.gc_threshold_blocks || d.blocks <= fw::fewest_region_blocks(config))
    return false;
  if (d.valid >= (d.blocks - 3) * blocks.region_pages(from)) return false;
  const fw::PlaneInfo& hot = blocks.domain(blocks.domain_of(plane, fw::kHot));
  const std::uint32_t most_hot = config.geometry.blocks_per_plane / 2;
  if (from == fw::kCold && hot.blocks >= most_hot) return false;
  blocks.change_region(plane, blocks.find_free(blocks.domain_of(plane, from)),
                       from == fw::kHot ? fw::kCold : fw::kHot);
  return true;
}

} // namespace twinplane::test
