// Checks of what the drive has when its supply fails.
#include "firmware/ftl/die_load.h"
#include "platform/config/checks.h"
#include "platform/config/convert.h"

namespace twinplane::platform {

std::vector<Finding> check_power(const Config& config) {
  std::vector<Finding> findings;
  const std::uint32_t pages = config.power.hold_up;
  const fw::FtlConfig ftl = to_ftl_config(config);
  if (pages == 0) return findings;
  const std::uint64_t under_way = std::uint64_t{config.geometry.dies()} * fw::DieLoad(ftl).most_pages;
  if (pages >= under_way) return findings;
  findings.push_back({true, "power.hold_up",
                      "must be at least " + std::to_string(under_way) +
                          ", the pages that can be under way, or 0 for no capacitor"});
  return findings;
}

} // namespace twinplane::platform
