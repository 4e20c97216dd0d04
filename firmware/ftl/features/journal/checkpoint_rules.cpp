#include "firmware/ftl/policies.h"
#include "firmware/ftl/rules/rules.h"

namespace twinplane::fw {

namespace {

constexpr Rule kRules[] = {
    {"ftl.checkpoint_interval: must be 0 with ftl.copyback: a page that was copied keeps its word, and looks "
     "older than the checkpoint",
     [](const FtlConfig& c) { return c.copybacks == 0; }},
    {"ftl.checkpoint_interval: must be 0 with ftl.regions = slc_cache, mga, ipu: slices of the map are of "
     "pages, not of subpages, and "
     "pages of a cache are programmed once more behind their block's last word",
     [](const FtlConfig& c) { return !region_modes(c).cache; }},
};

} // namespace

const RuleSet kCheckpointRules = make_rule_set(
    "ftl.checkpoint_interval", [](const FtlConfig& c) { return c.checkpoint_interval != 0; }, kRules);

} // namespace twinplane::fw
