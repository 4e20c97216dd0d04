#include "firmware/ftl/features/twin_blocks/key.h"
#include "firmware/ftl/features/twin_blocks/twin_blocks.h"

namespace twinplane::fw {

namespace {

constexpr Rule kRules[] = {
    {"ftl.plane_allocation: must not name P with ftl.block_allocation = twin, pa-twin, which deal pages to "
     "the planes in turn",
     [](const FtlConfig& c) { return !names_plane(c); }},
};

constexpr RuleSet kSets[] = {make_rule_set(
    "ftl.block_allocation = twin, pa-twin",
    [](const FtlConfig& c) { return c.erase_unit == EraseUnit::block && blocks_per_unit(c) != 1; }, kRules)};

constexpr AllocationRow kAllocations[] = {
    {"twin", "twin blocks: equal block and page in all planes of a die (TBM)",
     [](const PolicyParts& p) {
       return make_striped_allocation(p.memory, p.blocks, p.config, p.superblocks);
     },
     [](const Geometry& g) { return striped_reserve_pages(g, 1); }, false, true, true, make_twin_moves, true},
};

} // namespace

const FeatureRow& twin_blocks_feature() {
  static constexpr FeatureRow kRow{twin_blocks_key(), nullptr, kSets, {{}, kAllocations}};
  return kRow;
}

} // namespace twinplane::fw
