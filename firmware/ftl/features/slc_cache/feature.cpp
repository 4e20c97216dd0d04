#include "firmware/ftl/features/slc_cache/key.h"
#include "firmware/ftl/features/slc_cache/slc_cache.h"

namespace twinplane::fw {

namespace {

/// Pages of the cache are programmed once.
bool programs_once(const FtlConfig& c) {
  return same_name(c.regions, "slc_cache") || same_name(c.regions, "pslc");
}

std::uint32_t fewest_blocks(const FtlConfig& c) {
  return most_cache_blocks(c.slc_cache, c.geometry.blocks_per_plane) + c.gc_threshold_blocks + 2;
}

constexpr Rule kCacheRows[] = {
    {"nand.cell: must not be \"slc\" with ftl.regions = slc_cache, mga, ipu, pslc: native blocks hold more "
     "than the cache's",
     [](const FtlConfig& c) { return c.geometry.cell != CellType::slc; }},
    {"ftl.slc_mode: must be false with ftl.regions = slc_cache, mga, ipu, pslc: native blocks are not in SLC "
     "mode",
     [](const FtlConfig& c) { return !c.slc_mode; }},
    {"geometry.subpages_per_page: must be 2, 4, 8 or 16 with ftl.regions = slc_cache, mga, ipu, pslc",
     [](const FtlConfig& c) {
       const Geometry& g = c.geometry;
       return g.subpages_per_page >= 2 && g.subpages_per_page <= kMaxUnits &&
              is_power_of_two(g.subpages_per_page) && g.sectors_per_page() % g.subpages_per_page == 0;
     }},
    {"geometry: subpage addresses need more than 31 bits, which ftl.regions = slc_cache, mga, ipu use",
     [](const FtlConfig& c) {
       const Geometry& g = c.geometry;
       return RowLayout(g).lun_shift() + address_bits(g.dies()) + address_bits(g.subpages_per_page) < 32;
     }},
    {"nand.partial_programs: must be at least 2 with ftl.regions = mga, ipu, which program a page several "
     "times",
     [](const FtlConfig& c) { return programs_once(c) || c.slc_cache.partial_programs >= 2; }},
    {"ftl.block_allocation: must be \"conventional\" with ftl.regions = slc_cache, mga, ipu, pslc, which is "
     "what native blocks obey",
     [](const FtlConfig& c) { return same_name(c.block_allocation, "conventional"); }},
    {"ftl.relocation: must be \"same\" with ftl.regions = slc_cache, mga, ipu, pslc, which say where moved "
     "pages go",
     [](const FtlConfig& c) { return same_name(c.relocation, "same"); }},
    {"ftl.classifier: must be \"none\" with ftl.regions = slc_cache, mga, ipu, pslc, which say by themselves "
     "what is hot",
     [](const FtlConfig& c) { return same_name(c.classifier, "none"); }},
    {"ftl.wear_gap: must be 0 with ftl.regions = slc_cache, mga, ipu, pslc, which have slc_cache.wear_gap",
     [](const FtlConfig& c) { return c.wear_gap == 0; }},
    {"slc_cache.share: must be above 0 and below 1",
     [](const FtlConfig& c) { return c.slc_cache.share > 0.0 && c.slc_cache.share < 1.0; }},
    {"slc_cache.gc_threshold: must be at least 0 and below 1",
     [](const FtlConfig& c) { return c.slc_cache.gc_threshold >= 0.0 && c.slc_cache.gc_threshold < 1.0; }},
    {"slc_cache.endurance: must be above 0", [](const FtlConfig& c) { return c.slc_cache.endurance > 0.0; }},
    {"slc_cache.least_share: must be at most slc_cache.share, and at least 0",
     [](const FtlConfig& c) {
       return c.slc_cache.least_share >= 0.0 && c.slc_cache.least_share <= c.slc_cache.share;
     }},
    {"slc_cache.most_share: must be 0 or at least slc_cache.share, and below 1",
     [](const FtlConfig& c) {
       const SlcCacheConfig& s = c.slc_cache;
       return s.most_share == 0.0 || (s.most_share >= s.share && s.most_share < 1.0);
     }},
    {"geometry.blocks_per_plane: must be at least the cache at its largest (slc_cache.share, "
     "slc_cache.most_share) and ftl.gc_threshold + 2 native blocks",
     [](const FtlConfig& c) { return c.geometry.blocks_per_plane >= fewest_blocks(c); }, fewest_blocks},
};

/// Slower programs endanger what has been written, and there are no copies of it.
constexpr Rule kUnprotected[] = {
    {"ftl.lower_pages: has no protection for an SLC-mode cache, in which the program of a page endangers "
     "others, or what the page holds: give the drive power.hold_up, or say none and that is lost; slc_cache "
     "and pslc with nand.one_pass need neither",
     [](const FtlConfig& c) {
       const bool once = programs_once(c) && c.pass_pages != 1; // no page endangers another
       return once || c.hold_up_pages != 0 || c.lower_pages == LowerPageProtection::none;
     }},
};

constexpr RuleSet kSets[] = {
    make_rule_set("ftl.regions = slc_cache, mga, ipu, pslc", has_slc_cache, kCacheRows),
    make_rule_set("ftl.regions = slc_cache, mga, ipu, pslc without power.hold_up", has_slc_cache,
                  kUnprotected),
};

/// The decisions that look at units smaller than a page: those of partial programming.
void make_cache(const PolicyParts& parts, Policies& p) {
  const Geometry& g = parts.config.geometry;
  p.units = parts.memory.make<Units>();
  p.cache = parts.memory.make<SlcCache>();
  if (p.cache == nullptr) return;
  p.units->boot(
      parts.memory, parts.blocks,
      {parts.exported_pages, g.subpages_per_page, g.sectors_per_page(), evicts_packed(parts.config)},
      parts.statistics);
  p.cache->boot(parts.memory, parts.blocks, parts.config, *p.units, parts.statistics);
  p.regions = make_cached_regions({parts.memory, parts.blocks, parts.config, *p.cache, *p.victim});
  p.allocation = make_cached_allocation(parts.memory, parts.blocks, *p.cache);
}

/// Of a cache that is written page by page, and whose native blocks a wordline at a time, no page is.
bool endangers_pages(const FtlConfig& c) {
  return !programs_once(c) || c.pass_pages == 1;
}

constexpr RegionsRow cached(const char* name, Meaning meaning) {
  RegionsRow row{name, meaning, {2, {PageMode::slc, PageMode::all}, true}, make_cache, cache_blocks_at_boot};
  row.least_blocks = [](const FtlConfig& c, std::uint32_t good) {
    return least_cache_blocks(c.slc_cache, good);
  };
  row.guaranteed_pages = guaranteed_pages_per_block;
  row.endangers_pages = endangers_pages;
  row.make_found_units = make_cache_units;
  row.levels_wear = true;
  return row;
}

constexpr RegionsRow kRegions[] = {
    cached("slc_cache", "a cache of blocks in SLC mode before native ones, a page per write"),
    cached("mga", "such a cache whose pages take subpages of any pages until they are full (MGA)"),
    cached("ipu", "such a cache whose pages take newer versions of their own data (IPU)"),
    cached("pslc", "such a cache whose pages are filled with subpages of any pages at once")};

} // namespace

const FeatureRow& slc_cache_feature() {
  static constexpr FeatureRow kRow{slc_cache_key(), nullptr, kSets, {{}, {}, {}, {}, kRegions}};
  return kRow;
}

} // namespace twinplane::fw
