#include "firmware/ftl/features/journal/key.h"
#include "firmware/ftl/policies.h"

namespace twinplane::fw {

Feature* make_journal(BootMemory&, const FtlConfig&);

namespace {

constexpr Rule kRules[] = {
    {"ftl.checkpoint_interval: must be 0 with ftl.regions = slc_cache, mga, ipu: slices of the map are of "
     "pages, not of subpages, and "
     "pages of a cache are programmed once more behind their block's last word",
     [](const FtlConfig& c) { return !region_modes(c).cache; }},
};

constexpr RuleSet kSets[] = {make_rule_set(
    "ftl.checkpoint_interval", [](const FtlConfig& c) { return c.checkpoint_interval != 0; }, kRules)};

} // namespace

const FeatureRow& journal_feature() {
  static constexpr FeatureRow kRow{journal_key(), make_journal, kSets};
  return kRow;
}

} // namespace twinplane::fw
