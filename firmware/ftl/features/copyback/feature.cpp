// Moves inside the plane, one page at a time, of blocks that are all of one kind.
#include "firmware/ftl/features/copyback/key.h"
#include "firmware/ftl/policies.h"

namespace twinplane::fw {

Feature* make_copyback(BootMemory&, const FtlConfig&);

namespace {

constexpr Rule kRules[] = {
    {"ftl.gc_moves: must be \"single\" with ftl.copyback: pages are copied one by one",
     [](const FtlConfig& c) { return c.gc_moves == GcMoves::single; }},
    {"ftl.relocation: must be \"same\" with ftl.copyback: a page stays in its plane, in a block like its own",
     [](const FtlConfig& c) { return same_name(c.relocation, "same"); }},
    {"ftl.block_allocation: must not be \"twin\" or \"pa-twin\" with ftl.copyback: they deal moved pages to "
     "the "
     "planes",
     [](const FtlConfig& c) { return blocks_per_unit(c) == 1; }},
    {"ftl.regions: must be \"one\" with ftl.copyback: a page keeps its region and its word",
     [](const FtlConfig& c) { return region_modes(c).count == 1; }},
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
