#include "firmware/ftl/block_allocation/relaxed_order.h"
#include "firmware/ftl/core.h"
#include "firmware/ftl/regions/two_regions.h"

namespace twinplane::fw {

namespace {

const char* check_geometry(const Geometry& g) {
  if (g.channels == 0 || g.channels > kMaxChannels) return "geometry.channels: must be 1 to 64";
  if (g.chips_per_channel == 0 || g.dies_per_chip == 0) {
    return "geometry.chips_per_channel, geometry.dies_per_chip: must be at least 1";
  }
  if (g.dies_per_channel() > 64) return "geometry: at most 64 dies per channel";
  if (g.planes_per_die == 0 || g.planes_per_die > kMaxPlanesPerDie)
    return "geometry.planes_per_die: must be 1 to 8";
  if (g.blocks_per_plane < 4 || g.blocks_per_plane > 0xFFFE) {
    return "geometry.blocks_per_plane: must be 4 to 65534";
  }
  if (g.sector_size == 0 || g.page_size % g.sector_size != 0 || !is_power_of_two(g.sectors_per_page()) ||
      g.sectors_per_page() > kMaxSectorsPerPage) {
    return "geometry.page_size: must be 1, 2, 4, 8, 16 or 32 times geometry.sector_size";
  }
  const RowLayout layout(g);
  if (layout.lun_shift() + address_bits(g.dies()) >= 32)
    return "geometry: page addresses need more than 31 bits";
  return nullptr;
}

const char* check_page_order(const FtlConfig& c) {
  const Geometry& g = c.geometry;
  if (g.pages_per_block == 0 || g.pages_per_block > kMaxPagesPerBlock) {
    return "geometry.pages_per_block: must be 1 to 4096";
  }
  if (g.pages_per_block % static_cast<std::uint32_t>(g.cell) != 0) {
    return "geometry.pages_per_block: must be a multiple of the bits per cell";
  }
  if (c.page_table == PageTable::even_odd &&
      (g.cell != CellType::mlc || g.pages_per_block % 4 != 0 || g.pages_per_block < 8)) {
    return "nand.page_table: even_odd needs MLC and a multiple of 4, at least 8, pages per block";
  }
  const bool by_number =
      c.program_order == ProgramOrder::strict || c.program_order == ProgramOrder::ascending;
  if (by_number && needs_relaxed_order(c)) {
    return "nand.program_order: ftl.block_allocation = pa, pa-twin need relaxed";
  }
  if (needs_relaxed_order(c) && c.page_table != PageTable::diagonal) {
    return "nand.page_table: ftl.block_allocation = pa, pa-twin need diagonal";
  }
  if (needs_relaxed_order(c) &&
      g.pages_per_block / static_cast<std::uint32_t>(g.cell) > kMaxRelaxedWordlines) {
    return "geometry.pages_per_block: ftl.block_allocation = pa, pa-twin keep counts of at most 255 "
           "wordlines";
  }
  if (c.slc_mode && needs_relaxed_order(c)) {
    return "ftl.slc_mode: pages have one type then, ftl.block_allocation = pa, pa-twin have nothing to "
           "choose";
  }
  if (c.program_order == ProgramOrder::slc && g.cell != CellType::slc) {
    return "nand.program_order: conventional block allocation uses every page, not only the fast ones";
  }
  return nullptr;
}

const char* check_cache_sizes(const FtlConfig& c) {
  const SlcCacheConfig& s = c.slc_cache;
  if (!(s.share > 0.0 && s.share < 1.0)) return "slc_cache.share: must be above 0 and below 1";
  if (!(s.gc_threshold >= 0.0 && s.gc_threshold < 1.0))
    return "slc_cache.gc_threshold: must be at least 0 and below 1";
  if (!(s.endurance > 0.0)) return "slc_cache.endurance: must be above 0";
  if (!(s.least_share >= 0.0 && s.least_share <= s.share))
    return "slc_cache.least_share: must be at least 0 and at most slc_cache.share";
  if (!(s.most_share == 0.0 || (s.most_share >= s.share && s.most_share < 1.0)))
    return "slc_cache.most_share: must be 0, or at least slc_cache.share and below 1";
  const std::uint32_t cache = most_cache_blocks(s, c.geometry.blocks_per_plane);
  if (c.geometry.blocks_per_plane < cache + c.gc_threshold_blocks + 2)
    return "slc_cache.share, slc_cache.most_share: leave fewer native blocks per plane than ftl.gc_threshold "
           "+ 2";
  return nullptr;
}

/// An SLC-mode cache before native blocks.
const char* check_cache(const FtlConfig& c) {
  const Geometry& g = c.geometry;
  if (g.cell == CellType::slc)
    return "ftl.regions: slc_cache, mga, ipu need cells of several bits: nand.cell";
  if (c.slc_mode) return "ftl.slc_mode: slc_cache, mga, ipu have native blocks as well";
  if (g.subpages_per_page < 2 || g.subpages_per_page > kMaxSubpages ||
      !is_power_of_two(g.subpages_per_page) || g.sectors_per_page() % g.subpages_per_page != 0)
    return "geometry.subpages_per_page: slc_cache, mga, ipu need 2, 4 or 8";
  const RowLayout layout(g);
  if (layout.lun_shift() + address_bits(g.dies()) + address_bits(g.subpages_per_page) >= 32)
    return "geometry: subpage addresses need more than 31 bits";
  if (!same_name(c.regions, "slc_cache") && c.slc_cache.partial_programs < 2)
    return "nand.partial_programs: mga, ipu program a page several times";
  if (!same_name(c.block_allocation, "conventional"))
    return "ftl.block_allocation: slc_cache, mga, ipu need conventional, which native blocks obey";
  if (!same_name(c.relocation, "same"))
    return "ftl.relocation: slc_cache, mga, ipu say where moved pages go and need same";
  if (!same_name(c.classifier, "none"))
    return "ftl.classifier: slc_cache, mga, ipu say what is hot by themselves and need none";
  if (c.gc_moves != GcMoves::single) return "ftl.gc_moves: slc_cache, mga, ipu move subpages and need single";
  if (c.slc_cache.packed_eviction && !same_name(c.regions, "mga"))
    return "slc_cache.eviction: packed needs a map of subpages, which slc_cache and ipu do without";
  if (c.slc_cache.fold != 1 && !same_name(c.victim, "greedy"))
    return "ftl.victim: native blocks that are programmed by wordlines are collected by the fewest valid "
           "pages, "
           "which is greedy";
  if (c.slc_cache.fold != 1 && c.slc_cache.full_to_native)
    return "slc_cache.full_pages: native would give each page of a wordline to another request: cache";
  if (c.slc_cache.packed_eviction && !same_name(c.victim, "greedy"))
    return "ftl.victim: slc_cache.eviction = packed takes the block with the fewest valid subpages, which is "
           "greedy";
  return check_cache_sizes(c);
}

/// What works inside of regions, and what does not.
const char* check_regions(const FtlConfig& c) {
  const bool by_wordline = c.page_table == PageTable::wordline;
  if (by_wordline != (c.slc_cache.fold != 1) || (by_wordline && !region_modes(c).cache))
    return "nand.one_pass: only what leaves an SLC-mode cache is programmed by wordlines: ftl.regions";
  if (region_modes(c).count == 1) return nullptr;
  if (region_modes(c).cache) return check_cache(c);
  if (c.geometry.cell != CellType::mlc) return "ftl.regions: combo, broms need nand.cell = mlc";
  if (c.slc_mode) return "ftl.regions: combo, broms leave ftl.slc_mode no slow pages to use";
  if (!same_name(c.block_allocation, "conventional"))
    return "ftl.regions: combo, broms need ftl.block_allocation = conventional, which they do in each region";
  if (!same_name(c.relocation, "same"))
    return "ftl.regions: combo, broms say where moved pages go and need ftl.relocation = same";
  if (c.program_order != ProgramOrder::ascending && c.program_order != ProgramOrder::relaxed)
    return "ftl.regions: combo, broms leave pages out, which nand.program_order = ascending or relaxed "
           "allows";
  if (c.geometry.blocks_per_plane < 2 * fewest_region_blocks(c))
    return "ftl.regions: combo, broms need ftl.gc_threshold + 2 blocks per plane for each of two regions";
  const RegionConfig& r = c.region;
  if (same_name(c.regions, "combo_logs")) {
    if (c.frontier == Frontier::shared)
      return "ftl.regions: combo_logs needs ftl.frontier = separate, which makes the two logs";
    if (!(r.cold_log > 0.0 && r.cold_log < 1.0)) return "ftl.cold_log: must be above 0 and below 1";
    if (r.second_chances > 255) return "ftl.second_chances: must be at most 255";
  }
  if (!(r.hot_share > 0.0 && r.hot_share < 1.0)) return "ftl.hot_share: must be above 0 and below 1";
  if (r.window == 0) return "broms.window: must be at least 1 page";
  if (!(r.hysteresis >= 0.0 && r.hysteresis < 1.0)) return "broms.hysteresis: must be at least 0 and below 1";
  return nullptr;
}

/// Moves inside the plane, one page at a time, of blocks that are all of one kind.
const char* check_copybacks(const FtlConfig& c) {
  if (c.copybacks == 0) return nullptr;
  if (c.gc_moves != GcMoves::single)
    return "ftl.gc_moves: ftl.copyback moves one page at a time and needs single";
  if (!same_name(c.relocation, "same")) return "ftl.relocation: ftl.copyback needs same";
  if (blocks_per_unit(c) != 1)
    return "ftl.block_allocation: twin deals moved pages to the planes, ftl.copyback does not";
  if (region_modes(c).count != 1) return "ftl.regions: ftl.copyback needs one";
  if (c.slc_mode) return "ftl.slc_mode: ftl.copyback copies in native mode";
  return nullptr;
}

/// What makes the protection of lower pages insufficient.
const char* check_lower_pages(const FtlConfig& c) {
  const bool once = same_name(c.regions, "slc_cache") && c.slc_cache.fold != 1; // no page endangers another
  if (region_modes(c).cache && !once && c.hold_up_pages == 0 && c.lower_pages == LowerPageProtection::backup)
    return "ftl.lower_pages: has no copies for slc_cache, mga, ipu, whose programs endanger what has been "
           "written: slc_cache with nand.one_pass, power.hold_up, or none";
  if (!protects_lower_pages(c)) return nullptr;
  if (needs_relaxed_order(c))
    return "ftl.lower_pages: pa, pa-twin leave wordlines incomplete for long: power.hold_up, or none";
  if (completes_wordlines(c) && region_modes(c).count != 1)
    return "ftl.lower_pages: wordline needs one region of blocks: power.hold_up, backup, or none";
  if (completes_wordlines(c) && c.gc_threshold_blocks < kThresholdOfPadding)
    return "ftl.gc_threshold: must be at least 3 blocks per plane where moves may take padding";
  if (copies_lower_pages(c) && c.copybacks != 0)
    return "ftl.lower_pages: ftl.copyback leaves the data of a page in its die, where no copy can be made of "
           "them: power.hold_up, or none";
  return nullptr;
}

bool names_plane(const char* levels) {
  for (; *levels != '\0'; ++levels) {
    if (*levels == 'P') return true;
  }
  return false;
}

} // namespace

const char* check_config(const FtlConfig& c) {
  if (const char* error = check_policy_names(c)) return error;
  if (const char* error = check_geometry(c.geometry)) return error;
  if (const char* error = check_page_order(c)) return error;
  if (!(c.over_provisioning >= 0.0 && c.over_provisioning < 1.0)) {
    return "ftl.over_provisioning: must be at least 0 and below 1";
  }
  if (c.gc_threshold_blocks < 2) return "ftl.gc_threshold: must be at least 2 blocks per plane";
  if (c.gc_threshold_blocks >= c.geometry.blocks_per_plane) {
    return "ftl.gc_threshold: must be fewer blocks than a plane has";
  }
  if (const char* error = check_regions(c)) return error;
  if (const char* error = check_copybacks(c)) return error;
  if (const char* error = check_lower_pages(c)) return error;
  if (c.checkpoint_interval != 0 && (c.copybacks != 0 || region_modes(c).cache))
    return "ftl.checkpoint_interval: needs a drive without SLC-mode cache and no copyback, for words must "
           "tell when";
  if (blocks_per_unit(c) != 1 && names_plane(c.plane_allocation)) {
    return "ftl.block_allocation: twin deals pages to the planes in turn, so ftl.plane_allocation must not "
           "name P";
  }
  if (c.wear_gap != 0 && region_modes(c).count != 1)
    return "ftl.wear_gap: works on one region of blocks; an SLC-mode cache has slc_cache.wear_gap";
  if (c.victim_d == 0 || c.victim_d > 64) return "ftl.victim_d: must be 1 to 64";
  if (c.max_requests == 0) return "host.queues: needs at least one command slot";
  if (c.write_ack == WriteAck::buffered && c.write_buffer_pages == 0) {
    return "ftl.write_ack: buffered needs ftl.write_buffer pages";
  }
  if (c.write_ack == WriteAck::programmed && c.write_buffer_pages != 0) {
    return "ftl.write_buffer: pages are of no use unless ftl.write_ack is buffered";
  }
  if (c.write_buffer_pages > 0xFFFE) return "ftl.write_buffer: at most 65534 pages";
  return nullptr;
}

} // namespace twinplane::fw
