// Checks of what the drive has when its supply fails.
#include "firmware/ftl/die_load.h"
#include "firmware/ftl/policies.h"
#include "platform/config/checks.h"
#include "platform/config/convert.h"

namespace twinplane::platform {

std::vector<Finding> check_power(const Config& config) {
  std::vector<Finding> findings;
  const auto needs = [&](bool met, const char* what) {
    if (config.ftl.checkpoint_interval != 0 && !met)
      findings.push_back({true, "ftl.checkpoint_interval", std::string("needs ") + what});
  };
  needs(!fw::region_modes(to_ftl_config(config)).cache,
        "a drive without SLC-mode cache: its words are of subpages");
  needs(config.ftl.copyback == CopybackPolicy::never,
        "ftl.copyback = \"never\": a page that was copied keeps its word");
  const std::uint32_t pages = config.power.hold_up;
  const fw::FtlConfig ftl = to_ftl_config(config);
  if (fw::protects_lower_pages(ftl)) {
    constexpr const char* kElse = ": give the drive power.hold_up, or say \"none\" and lower pages are lost";
    if (fw::needs_relaxed_order(ftl))
      findings.push_back({true, "ftl.lower_pages",
                          "\"backup\" needs wordlines that are soon complete, which those of "
                          "ftl.block_allocation = pa, pa-twin are not" +
                              std::string(kElse)});
    if (ftl.copybacks != 0)
      findings.push_back(
          {true, "ftl.lower_pages",
           "\"backup\" needs a page's data in the buffer, where ftl.copyback does not bring them" +
               std::string(kElse)});
  }
  if (pages == 0) return findings;
  const std::uint64_t under_way = std::uint64_t{config.geometry.dies()} * fw::DieLoad(ftl).most;
  if (pages >= under_way) return findings;
  findings.push_back({true, "power.hold_up",
                      "must be at least " + std::to_string(under_way) +
                          ", the pages that can be under way, or 0 for no capacitor"});
  return findings;
}

} // namespace twinplane::platform
