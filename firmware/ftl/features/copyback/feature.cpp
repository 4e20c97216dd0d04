// Moves of whole pages inside the plane, one at a time, in native mode.
#include "firmware/ftl/features/copyback/key.h"
#include "firmware/ftl/policies.h"

namespace twinplane::fw {

Feature* make_copyback(BootMemory&, const FtlConfig&);

namespace {

constexpr Rule kRules[] = {
    {"ftl.gc_moves: must be \"single\" with ftl.copyback: pages are copied one by one",
     [](const FtlConfig& c) { return c.gc_moves == GcMoves::single; }},
    {"ftl.relocation: must be \"same\" with ftl.copyback: a page stays in its plane",
     [](const FtlConfig& c) { return same_name(c.relocation, "same"); }},
    {"ftl.regions: must not be \"slc_cache\", \"mga\", \"ipu\" or \"pslc\" with ftl.copyback: parts of pages "
     "are moved, and in and out of SLC mode",
     [](const FtlConfig& c) { return !region_modes(c).cache; }},
    {"ftl.slc_mode: must be false with ftl.copyback: pages are copied in native mode",
     [](const FtlConfig& c) { return !c.slc_mode; }},
};

constexpr RuleSet kSets[] = {make_rule_set(
    "ftl.copyback", [](const FtlConfig& c) { return c.copybacks != 0; }, kRules)};

} // namespace

const FeatureRow& copyback_feature() {
  static constexpr FeatureRow kRow{copyback_key(), make_copyback, kSets};
  return kRow;
}

} // namespace twinplane::fw
