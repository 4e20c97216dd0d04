#include "firmware/ftl/features/lower_pages/key.h"
#include "firmware/ftl/policies.h"

namespace twinplane::fw {

Feature* make_lower_pages(BootMemory&, const FtlConfig&);

namespace {

constexpr Rule kRules[] = {
    {"ftl.lower_pages: must be \"none\" with ftl.block_allocation = pa, pa-twin, or give the drive "
     "power.hold_up: "
     "the papers program fast pages first, so most wordlines of a drive may be incomplete at a time; there "
     "are no "
     "blocks for so many copies, and completed at once they would have no fast pages to choose",
     [](const FtlConfig& c) { return !needs_relaxed_order(c); }},
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
