#include "firmware/ftl/features/superblocks/key.h"
#include "firmware/ftl/features/superblocks/superblocks.h"

namespace twinplane::fw {

namespace {

constexpr Rule kRules[] = {
    {"ftl.block_allocation: must be \"conventional\" with ftl.erase_unit: twin and pa-twin have units of a "
     "die "
     "anyway, and pa chooses pages of each plane",
     [](const FtlConfig& c) { return same_name(c.block_allocation, "conventional"); }},
    {"ftl.regions: must be \"one\" with ftl.erase_unit: partitions and caches divide the blocks of a "
     "plane",
     [](const FtlConfig& c) { return region_modes(c).count == 1; }},
    {"ftl.plane_allocation: must not name P with ftl.erase_unit, for planes are filled in turn then",
     [](const FtlConfig& c) { return !names_plane(c); }},
};

constexpr RuleSet kSets[] = {make_rule_set(
    "ftl.erase_unit", [](const FtlConfig& c) { return c.erase_unit != EraseUnit::block; }, kRules)};

constexpr AllocationRow kAllocations[] = {
    {"conventional", "pages in the data sheet's order, dealt to the planes of a die in turn",
     [](const PolicyParts& p) {
       return make_striped_allocation(p.memory, p.blocks, p.config, p.superblocks);
     },
     [](const Geometry& g) { return striped_reserve_pages(g, static_cast<std::uint32_t>(g.cell)); }, false,
     true, true, make_stripe_moves},
};

Feature* make_superblocks(BootMemory& memory, const FtlConfig& config) {
  return memory.make<Superblocks>(config);
}

} // namespace

const FeatureRow& superblocks_feature() {
  static constexpr FeatureRow kRow{
      superblocks_key(), make_superblocks, kSets, {{}, {}, {}, {}, {}, nullptr, nullptr, kAllocations}};
  return kRow;
}

} // namespace twinplane::fw
