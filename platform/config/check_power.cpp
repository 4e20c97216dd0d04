// Checks of what the drive has when its supply fails.
#include <string_view>

#include "firmware/ftl/die_load.h"
#include "firmware/ftl/policies.h"
#include "platform/config/checks.h"
#include "platform/config/convert.h"

namespace twinplane::platform {

namespace {

const char* name_of(fw::LowerPageProtection protection) {
  return protection == fw::LowerPageProtection::backup ? "\"backup\"" : "\"wordline\"";
}

/// What cannot be protected, and the protection that can.
void check_lower_pages(const fw::FtlConfig& ftl, std::vector<Finding>& findings) {
  if (!fw::protects_lower_pages(ftl)) return;
  constexpr const char* kElse = ": give the drive power.hold_up, or say \"none\" and lower pages are lost";
  const bool copies = fw::copies_lower_pages(ftl);
  const auto refuse = [&](const std::string& why) {
    findings.push_back({true, "ftl.lower_pages", why + kElse});
  };
  if (fw::needs_relaxed_order(ftl))
    refuse(
        std::string(name_of(ftl.lower_pages)) +
        " needs wordlines that are soon complete, which those of ftl.block_allocation = pa, pa-twin are not");
  if (copies && ftl.copybacks != 0)
    refuse("\"backup\" needs a page's data in the buffer, where ftl.copyback does not bring them");
  if (copies) return;
  if (fw::region_modes(ftl).count != 1)
    refuse("\"wordline\" needs ftl.regions = \"one\": \"backup\" protects several");
  if (ftl.gc_threshold_blocks < fw::kThresholdOfPadding)
    findings.push_back({true, "ftl.gc_threshold",
                        "ftl.lower_pages = \"wordline\" needs " + std::to_string(fw::kThresholdOfPadding) +
                            " blocks at least, for moves may take padding"});
}

} // namespace

std::vector<Finding> check_power(const Config& config) {
  std::vector<Finding> findings;
  const auto needs = [&](bool met, const char* what) {
    if (config.ftl.checkpoint_interval != 0 && !met)
      findings.push_back({true, "ftl.checkpoint_interval", std::string("needs ") + what});
  };
  needs(!fw::region_modes(to_ftl_config(config)).cache,
        "a drive without SLC-mode cache: slices of the map are of pages, not of subpages, and pages of a "
        "cache are programmed once more behind their block's last word");
  needs(
      config.ftl.copyback == CopybackPolicy::never,
      "ftl.copyback = \"never\": a page that was copied keeps its word, and looks older than the checkpoint");
  const std::uint32_t pages = config.power.hold_up;
  const fw::FtlConfig ftl = to_ftl_config(config);
  const bool unprotected = pages == 0 && ftl.lower_pages != fw::LowerPageProtection::none;
  const bool once =
      std::string_view(ftl.regions) == "slc_cache" && config.nand.one_pass; // no page endangers another
  if (unprotected && fw::region_modes(ftl).cache && !once)
    findings.push_back(
        {true, "ftl.lower_pages",
         std::string(name_of(ftl.lower_pages)) +
             " has no protection for an SLC-mode cache, in which the program of a page "
             "endangers others, or what the page holds: give the drive power.hold_up, or say "
             "\"none\" and that is lost; ftl.policy = slc_cache with nand.one_pass needs none"});
  check_lower_pages(ftl, findings);
  if (pages == 0) return findings;
  const std::uint64_t under_way = std::uint64_t{config.geometry.dies()} * fw::DieLoad(ftl).most;
  if (pages >= under_way) return findings;
  findings.push_back({true, "power.hold_up",
                      "must be at least " + std::to_string(under_way) +
                          ", the pages that can be under way, or 0 for no capacitor"});
  return findings;
}

} // namespace twinplane::platform
