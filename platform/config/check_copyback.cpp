// Checks of drives whose collector moves pages by copyback.
#include "firmware/ftl/policies.h"
#include "platform/config/checks.h"
#include "platform/config/convert.h"

namespace twinplane::platform {

std::vector<Finding> check_copyback(const Config& config) {
  const FtlKeys& f = config.ftl;
  std::vector<Finding> findings;
  if (f.copyback == CopybackPolicy::never) return findings;
  const bool checked = f.copyback == CopybackPolicy::checked;
  const std::string with =
      std::string(" with ftl.copyback = \"") + (checked ? "checked" : "unchecked") + "\"";
  const auto error = [&](const char* key, const std::string& what) {
    findings.push_back({true, key, what + with});
  };
  if (config.nand.copybacks == 0) error("nand.copybacks", "must not be 0: the part has no copyback,");
  if (!checked && config.nand.copybacks != kAnyCopybacks)
    error("nand.copybacks", "must be 255: nobody counts the moves");
  if (!checked && config.nand.errors.reading != ErrorReading::off)
    error("ftl.copyback",
          "must be \"checked\" or \"never\" where bits flip (nand.errors.reading): no ECC corrects data");
  if (f.gc_moves != fw::GcMoves::single)
    error("ftl.gc_moves", "must be \"single\": pages are copied one by one");
  if (f.relocation != "same") error("ftl.relocation", "must be \"same\"");
  if (f.region.regions != "one") error("ftl.regions", "must be \"one\"");
  if (f.slc_mode) error("ftl.slc_mode", "must be false: pages are copied in native mode");
  if (fw::blocks_per_unit(to_ftl_config(config)) != 1)
    error("ftl.block_allocation", "must not be \"twin\", which deals moved pages to the planes");
  return findings;
}

} // namespace twinplane::platform
