#include "firmware/ftl/features/partitions/key.h"
#include "firmware/ftl/features/partitions/two_regions.h"

namespace twinplane::fw {

namespace {

std::uint32_t fewest_blocks(const FtlConfig& c) {
  return 2 * fewest_region_blocks(c);
}

constexpr Rule kPartitions[] = {
    {"nand.cell: must not be \"slc\" with ftl.regions = combo, combo_logs, broms: it has no slow pages to "
     "leave out",
     [](const FtlConfig& c) { return c.geometry.cell != CellType::slc; }},
    {"ftl.slc_mode: must be false with ftl.regions = combo, combo_logs, broms: it leaves no slow pages to "
     "use",
     [](const FtlConfig& c) { return !c.slc_mode; }},
    {"ftl.block_allocation: must be \"conventional\" with ftl.regions = combo, combo_logs, broms, which is "
     "what "
     "each region does",
     [](const FtlConfig& c) { return same_name(c.block_allocation, "conventional"); }},
    {"ftl.relocation: must be \"same\" with ftl.regions = combo, combo_logs, broms, which say where moved "
     "pages "
     "go",
     [](const FtlConfig& c) { return same_name(c.relocation, "same"); }},
    {"nand.program_order: must be \"ascending\" or \"relaxed\" with ftl.regions = combo, combo_logs, broms, "
     "which "
     "leave pages out",
     [](const FtlConfig& c) {
       return c.program_order == ProgramOrder::ascending || c.program_order == ProgramOrder::relaxed;
     }},
    {"geometry.blocks_per_plane: must be at least twice ftl.gc_threshold + 2 with ftl.regions = combo, "
     "combo_logs, broms, which have two regions, and what padding takes of each with ftl.lower_pages = "
     "wordline",
     [](const FtlConfig& c) { return c.geometry.blocks_per_plane >= fewest_blocks(c); }, fewest_blocks},
    {"ftl.hot_share: must be above 0 and below 1",
     [](const FtlConfig& c) { return c.region.hot_share > 0.0 && c.region.hot_share < 1.0; }},
    {"broms.window: must be at least 1 page", [](const FtlConfig& c) { return c.region.window != 0; }},
    {"broms.hysteresis: must be at least 0 and below 1",
     [](const FtlConfig& c) { return c.region.hysteresis >= 0.0 && c.region.hysteresis < 1.0; }},
};

constexpr Rule kLogs[] = {
    {"ftl.frontier: must be \"separate\" with ftl.regions = combo_logs: it makes the two logs",
     [](const FtlConfig& c) { return c.frontier != Frontier::shared; }},
    {"ftl.wear_gap: must be 0 with ftl.regions = combo_logs, whose logs are recycled in the order in which "
     "they were filled",
     [](const FtlConfig& c) { return c.wear_gap == 0; }},
    {"ftl.cold_log: must be above 0 and below 1",
     [](const FtlConfig& c) { return c.region.cold_log > 0.0 && c.region.cold_log < 1.0; }},
    {"ftl.second_chances: must be at most 255",
     [](const FtlConfig& c) { return c.region.second_chances <= 255; }},
};

constexpr RuleSet kSets[] = {
    make_rule_set("ftl.regions = combo, combo_logs, broms", has_partitions, kPartitions),
    make_rule_set(
        "ftl.regions = combo_logs", [](const FtlConfig& c) { return same_name(c.regions, "combo_logs"); },
        kLogs),
};

/// Each region keeps the space rule of conventional allocation, and moved pages go where the decision says.
template <Regions* (*make)(const RegionContext&)>
void make_partitions(const PolicyParts& p, Policies& policies) {
  policies.regions = make({p.memory, p.blocks, p.config, p.statistics, p.exported_pages});
  if (policies.regions == nullptr) return;
  policies.allocation = make_conventional_allocation(p.memory, p.blocks, p.config, policies.regions);
  policies.relocation = make_regional_relocation(p.memory, p.blocks, *policies.regions);
}

constexpr RegionsRow partitions(const char* name, Meaning meaning,
                                void (*make)(const PolicyParts&, Policies&)) {
  RegionsRow row{name, meaning, {2, {PageMode::fast, PageMode::all}, false}, make, hot_blocks_at_boot};
  row.make_found_units = make_partition_units;
  return row;
}

constexpr RegionsRow logs() {
  RegionsRow row =
      partitions("combo_logs", "combo with ComboFTL's two circular logs, which pages leave by second chances",
                 make_partitions<make_combo_logs>);
  row.levels_wear = true; // in turn
  return row;
}

constexpr RegionsRow kRegions[] = {
    partitions("combo", "hot blocks with fast pages only and cold blocks, in fixed numbers (ComboFTL)",
               make_partitions<make_combo_regions>),
    logs(),
    partitions("broms", "combo's blocks in numbers that follow the predicted cost of a page write",
               make_partitions<make_broms_regions>),
};

} // namespace

const FeatureRow& partitions_feature() {
  static constexpr FeatureRow kRow{partitions_key(), nullptr, kSets, {{}, {}, {}, {}, kRegions}};
  return kRow;
}

} // namespace twinplane::fw
