// Checks of drives whose collector moves pages by copyback.
#include "platform/config/checks.h"

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
    error("nand.copybacks", "must be 255: the moves are not counted");
  if (!checked && config.nand.errors.reading != ErrorReading::off)
    error("ftl.copyback",
          "must be \"checked\" or \"never\" where bits flip (nand.errors.reading): no ECC corrects data");
  return findings;
}

} // namespace twinplane::platform
