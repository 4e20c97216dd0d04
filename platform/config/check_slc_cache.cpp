// Checks of drives with an SLC-mode cache.
#include "firmware/ftl/slc_cache/slc_cache.h"
#include "platform/config/checks.h"
#include "platform/config/convert.h"

namespace twinplane::platform {

std::vector<Finding> check_slc_cache(const Config& config) {
  const FtlKeys& f = config.ftl;
  const Geometry& g = config.geometry;
  std::vector<Finding> findings;
  if (!has_slc_cache(config)) return findings;
  const auto error = [&](const char* key, const std::string& what) {
    findings.push_back({true, key, what + " with ftl.regions = \"" + f.region.regions + "\""});
  };
  if (g.cell == CellType::slc)
    error("nand.cell", "must not be \"slc\": native blocks hold more than the cache's,");
  if (f.slc_mode) error("ftl.slc_mode", "must be false: native blocks are not in SLC mode,");
  const std::uint32_t subpages = g.subpages_per_page;
  if (subpages != 2 && subpages != 4 && subpages != fw::kMaxSubpages)
    error("geometry.subpages_per_page", "must be 2, 4 or 8");
  if (f.region.regions != "slc_cache" && config.nand.partial_programs < 2)
    error("nand.partial_programs", "must be at least 2");
  if (f.block_allocation != "conventional")
    error("ftl.block_allocation", "must be \"conventional\", which is what native blocks obey,");
  if (f.relocation != "same") error("ftl.relocation", "must be \"same\": the scheme says where pages go");
  if (f.classifier != "none") error("ftl.classifier", "must be \"none\": the scheme says what is hot");
  if (f.gc_moves != fw::GcMoves::single) error("ftl.gc_moves", "must be \"single\": subpages are moved");
  const SlcCacheKeys& keys = f.slc_cache;
  if (keys.least_share > keys.share) error("slc_cache.least_share", "must be at most slc_cache.share");
  if (keys.most_share != 0 && keys.most_share < keys.share)
    error("slc_cache.most_share", "must be 0 or at least slc_cache.share");
  if (f.slc_cache.eviction == CacheEviction::packed) {
    if (f.region.regions != "mga")
      error("slc_cache.eviction", "must be \"page\": packed needs a map of subpages, which only mga has,");
    else if (f.victim != "greedy")
      error("ftl.victim", "must be \"greedy\" where slc_cache.eviction is \"packed\"");
  }
  const fw::FtlConfig firmware = to_ftl_config(config);
  const std::uint32_t fewest =
      fw::most_cache_blocks(firmware.slc_cache, g.blocks_per_plane) + firmware.gc_threshold_blocks + 2;
  if (g.blocks_per_plane < fewest) {
    error("geometry.blocks_per_plane",
          "must be at least " + std::to_string(fewest) + ", the cache and ftl.gc_threshold + 2,");
  }
  const RowLayout layout(g);
  if (layout.lun_shift() + address_bits(g.dies()) + address_bits(subpages) >= 32)
    error("geometry.blocks_per_plane", "subpages must have numbers of 31 bits");
  return findings;
}

} // namespace twinplane::platform
