// Checks of drives with several regions of blocks.
#include "firmware/ftl/regions/two_regions.h"
#include "platform/config/checks.h"
#include "platform/config/convert.h"

namespace twinplane::platform {

std::vector<Finding> check_regions(const Config& config) {
  const FtlKeys& f = config.ftl;
  const std::string& regions = f.region.regions;
  std::vector<Finding> findings;
  if (!several_regions(config)) return findings;
  const auto error = [&](const char* key, const std::string& what) {
    findings.push_back({true, key, what + " with ftl.regions = \"" + regions + "\""});
  };
  if (config.geometry.cell != CellType::mlc) error("nand.cell", "must be \"mlc\"");
  if (f.slc_mode) error("ftl.slc_mode", "leaves no slow pages to use: must be false");
  if (f.block_allocation != "conventional") {
    error("ftl.block_allocation", "must be \"conventional\", which is what each region does,");
  }
  if (f.relocation != "same") error("ftl.relocation", "must be \"same\": regions say where pages go");
  if (regions == "combo_logs" && f.frontier == fw::Frontier::shared) {
    error("ftl.frontier", "must be \"separate\", which makes the two logs,");
  }
  const ProgramOrder order = config.nand.program_order;
  if (order != ProgramOrder::ascending && order != ProgramOrder::relaxed) {
    error("nand.program_order", "must let pages be left out (\"ascending\" or \"relaxed\")");
  }
  const std::uint32_t fewest = 2 * fw::fewest_region_blocks(to_ftl_config(config));
  if (config.geometry.blocks_per_plane < fewest) {
    error("geometry.blocks_per_plane",
          "must be at least " + std::to_string(fewest) + ", twice ftl.gc_threshold + 2,");
  }
  return findings;
}

} // namespace twinplane::platform
