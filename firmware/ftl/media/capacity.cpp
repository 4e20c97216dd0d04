#include "firmware/ftl/media/capacity.h"

namespace twinplane::fw {

void divide_planes(FtlState& state) {
  BlockTable& blocks = state.blocks;
  if (blocks.regions() == 1) return;
  for (std::uint32_t p = 0; p < state.config.geometry.planes(); ++p) {
    std::uint32_t left = regions_of(state.config).blocks_at_boot(state.config, blocks.plane(p).free_blocks);
    for (std::uint32_t b = 0; left != 0; ++b) {
      if (blocks.block(p, b).state != BlockState::free) continue;
      blocks.change_region(p, b, 0);
      --left;
    }
  }
}

void retire_marked_blocks(BlockTable& blocks) {
  for (std::uint32_t site = 0; site < blocks.sites(); ++site) {
    for (std::uint32_t block = 0; block < blocks.blocks_per_plane(); ++block) {
      if (blocks.unit(site, block).state != BlockState::free) continue;
      if (const std::uint32_t bad = blocks.marked_planes(site, block)) blocks.retire_marked(site, block, bad);
    }
  }
}

/// Blocks of a first region that go to the others as the drive is filled. All blocks are free yet.
std::uint64_t Capacity::reclaimable_cache_blocks(std::uint32_t plane) const {
  const BlockTable& blocks = state_.blocks;
  const auto least_blocks = regions_of(state_.config).least_blocks;
  if (least_blocks == nullptr) return 0;
  const std::uint32_t first = blocks.domain(blocks.domain_of(plane, 0)).free_blocks;
  const std::uint32_t least = least_blocks(state_.config, blocks.plane(plane).free_blocks);
  return first > least ? first - least : 0;
}

/// Pages of each plane that the decisions of one region keep.
std::uint32_t Capacity::reserve_pages() const {
  return reserve_pages_per_plane(state_.config) +
         padded_reserve_pages(state_.config, state_.blocks.padding(0));
}

/// Of a plane, all of whose good blocks are free yet; units are good as a whole.
std::uint64_t Capacity::usable_pages_of(std::uint32_t plane) const {
  const BlockTable& blocks = state_.blocks;
  const auto beyond = [](std::uint64_t pages, std::uint64_t reserve) {
    return pages > reserve ? pages - reserve : 0;
  };
  if (blocks.regions() == 1) {
    const std::uint64_t good = blocks.domain(blocks.site_of(plane)).free_blocks;
    return beyond(good * blocks.guaranteed_pages_per_block(0), reserve_pages());
  }
  std::uint64_t sum = 0;
  const RegionsRow& kind = regions_of(state_.config);
  for (std::uint32_t r = kind.modes.cache ? 1 : 0; r < blocks.regions(); ++r) {
    const std::uint32_t pages = blocks.region_pages(r);
    const std::uint32_t held = kind.guaranteed_pages(state_.config, pages) - blocks.padding(r);
    const std::uint32_t padded = padded_reserve_pages(state_.config, blocks.padding(r));
    const std::uint64_t good = blocks.domain(blocks.domain_of(plane, r)).free_blocks;
    sum +=
        beyond((good + reclaimable_cache_blocks(plane)) * held, conventional_reserve_pages(pages) + padded);
  }
  return sum;
}

/// Pages that can hold exported data whatever happens: what the reserves of block allocation leave of the
/// good blocks, as many in every class of plane allocation as in the one that has fewest.
std::uint64_t Capacity::usable_pages(BootMemory& memory) const {
  const Geometry& g = state_.config.geometry;
  const PlaneAllocation& planes = *state_.policy.planes;
  auto* const in_class = memory.zeroed<std::uint64_t>(planes.classes());
  if (in_class == nullptr) return 0;
  for (std::uint32_t p = 0; p < g.planes(); ++p) in_class[planes.class_of_plane(p)] += usable_pages_of(p);
  std::uint64_t least = in_class[0];
  for (std::uint32_t c = 1; c < planes.classes(); ++c) {
    if (in_class[c] < least) least = in_class[c];
  }
  return least * planes.classes();
}

/// Exported capacity: what over-provisioning leaves, at most what can be used.
const char* Capacity::size(BootMemory& memory) {
  const Geometry& g = state_.config.geometry;
  const double raw = static_cast<double>(g.pages());
  const std::uint64_t usable = usable_pages(memory);
  if (memory.exhausted()) return "not enough firmware memory for the block tables";
  if (usable == 0)
    return "geometry.blocks_per_plane: too few good blocks for the reserves of garbage collection";
  auto pages = static_cast<std::uint64_t>(raw * (1.0 - state_.config.over_provisioning));
  if (pages > usable) pages = usable;
  pages -= pages % g.planes();
  if (pages == 0) return "ftl.over_provisioning: leaves no capacity";
  if (pages >= kMostLpns) return "geometry: more than 2^32 logical pages";
  state_.exported_pages = static_cast<std::uint32_t>(pages);
  state_.good_blocks_at_boot = state_.blocks.good_blocks();
  state_.statistics.spare_blocks_at_boot = spare_blocks();
  return nullptr;
}

/// Beyond what exported data and the reserves of block allocation take.
std::uint64_t Capacity::spare_blocks() const {
  const Geometry& g = state_.config.geometry;
  const std::uint32_t sure = state_.blocks.guaranteed_pages_per_block(state_.blocks.regions() - 1);
  std::uint64_t good = 0;
  std::uint64_t needed = state_.exported_pages;
  if (state_.blocks.regions() != 1 && !region_modes(state_.config).cache) {
    for (std::uint32_t p = 0; p < g.planes(); ++p) good += usable_pages_of(p);
  } else {
    needed += std::uint64_t{reserve_pages()} * g.planes();
    good = (state_.good_blocks_at_boot - set_aside_) * sure;
  }
  return good > needed ? (good - needed) / sure : 0;
}

} // namespace twinplane::fw
