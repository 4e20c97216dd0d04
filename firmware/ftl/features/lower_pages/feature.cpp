#include "firmware/ftl/features/lower_pages/key.h"
#include "firmware/ftl/policies.h"

namespace twinplane::fw {

Feature* make_lower_pages(BootMemory&, const FtlConfig&);

namespace {

constexpr Rule kRules[] = {
    {"ftl.lower_pages: must be \"none\" with ftl.block_allocation = pa, pa-twin, whose wordlines stay "
     "incomplete "
     "for long, or give the "
     "drive power.hold_up",
     [](const FtlConfig& c) { return !needs_relaxed_order(c); }},
    {"ftl.lower_pages: must not be \"wordline\" with several ftl.regions: backup protects them, or give the "
     "drive power.hold_up",
     [](const FtlConfig& c) { return !completes_wordlines(c) || region_modes(c).count == 1; }},
    {"ftl.gc_threshold: must be at least 3 blocks with ftl.lower_pages = wordline, for moves may take "
     "padding",
     [](const FtlConfig& c) {
       return !completes_wordlines(c) || c.gc_threshold_blocks >= kThresholdOfPadding;
     }},
};

constexpr RuleSet kSets[] = {
    make_rule_set("ftl.lower_pages = backup, wordline without power.hold_up", protects_lower_pages, kRules)};

} // namespace

const FeatureRow& lower_pages_feature() {
  static constexpr FeatureRow kRow{lower_pages_key(), make_lower_pages, kSets};
  return kRow;
}

} // namespace twinplane::fw
