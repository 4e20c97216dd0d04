#include "firmware/ftl/rules/rules.h"

#include "firmware/ftl/core.h"
#include "firmware/ftl/feature_set.h"
#include "firmware/ftl/map/unit_map.h"
#include "firmware/ftl/policies.h"

namespace twinplane::fw {

namespace {

bool always(const FtlConfig&) {
  return true;
}

constexpr Rule kGeometry[] = {
    {"geometry.channels: must be 1 to 64",
     [](const FtlConfig& c) { return c.geometry.channels != 0 && c.geometry.channels <= kMaxChannels; }},
    {"geometry.chips_per_channel, geometry.dies_per_chip: must be at least 1, and at most 64 dies on a "
     "channel",
     [](const FtlConfig& c) {
       return c.geometry.dies_per_channel() != 0 && c.geometry.dies_per_channel() <= 64;
     }},
    {"geometry.planes_per_die: must be 1 to 8",
     [](const FtlConfig& c) {
       return c.geometry.planes_per_die != 0 && c.geometry.planes_per_die <= kMaxPlanesPerDie;
     }},
    {"geometry.blocks_per_plane: must be 4 to 65534",
     [](const FtlConfig& c) {
       return c.geometry.blocks_per_plane >= 4 && c.geometry.blocks_per_plane <= 0xFFFE;
     }},
    {"geometry.page_size: must be 1, 2, 4, 8, 16 or 32 times geometry.sector_size",
     [](const FtlConfig& c) {
       const Geometry& g = c.geometry;
       return g.sector_size != 0 && g.page_size % g.sector_size == 0 &&
              is_power_of_two(g.sectors_per_page()) && g.sectors_per_page() <= kMaxSectorsPerPage;
     }},
    {"geometry.pages_per_block: must be 1 to 4096, and a multiple of the bits per cell",
     [](const FtlConfig& c) {
       const std::uint32_t pages = c.geometry.pages_per_block;
       return pages != 0 && pages <= kMaxPagesPerBlock &&
              pages % static_cast<std::uint32_t>(c.geometry.cell) == 0;
     }},
};

constexpr Rule kAddresses[] = {
    {"geometry: page addresses need more than 31 bits",
     [](const FtlConfig& c) {
       return RowLayout(c.geometry).lun_shift() + address_bits(c.geometry.dies()) < 32;
     }},
    {"nand.page_table: even_odd needs nand.cell = mlc and a multiple of 4, at least 8, pages per block",
     [](const FtlConfig& c) {
       const Geometry& g = c.geometry;
       return c.page_table != PageTable::even_odd ||
              (g.cell == CellType::mlc && g.pages_per_block % 4 == 0 && g.pages_per_block >= 8);
     }},
    {"nand.program_order: slc leaves the slow pages unused: must be \"strict\", \"ascending\" or \"relaxed\" "
     "unless "
     "nand.cell is slc",
     [](const FtlConfig& c) {
       return c.program_order != ProgramOrder::slc || c.geometry.cell == CellType::slc;
     }},
};

constexpr Rule kSpace[] = {
    {"ftl.over_provisioning: must be at least 0 and below 1",
     [](const FtlConfig& c) { return c.over_provisioning >= 0.0 && c.over_provisioning < 1.0; }},
    {"ftl.gc_threshold: must be at least 2 blocks per plane",
     [](const FtlConfig& c) { return c.gc_threshold_blocks >= 2; }},
    {"ftl.gc_threshold: must be fewer blocks than a plane has",
     [](const FtlConfig& c) { return c.gc_threshold_blocks < c.geometry.blocks_per_plane; }},
    {"ftl.victim_d: must be 1 to 64", [](const FtlConfig& c) { return c.victim_d != 0 && c.victim_d <= 64; }},
};

constexpr Rule kBuffers[] = {
    {"host.queues: needs at least one command slot", [](const FtlConfig& c) { return c.max_requests != 0; }},
    {"ftl.write_ack: buffered needs ftl.write_buffer of at least one page",
     [](const FtlConfig& c) { return c.write_ack != WriteAck::buffered || c.write_buffer_pages != 0; }},
    {"ftl.write_buffer: pages are of no use unless ftl.write_ack is buffered",
     [](const FtlConfig& c) { return c.write_ack != WriteAck::programmed || c.write_buffer_pages == 0; }},
    {"ftl.write_buffer: at most 65534 pages",
     [](const FtlConfig& c) { return c.write_buffer_pages <= 0xFFFE; }},
};

/// Parts that program the pages of a wordline in one pass.
constexpr Rule kOnePass[] = {
    {"nand.page_table: wordline is of parts with nand.one_pass",
     [](const FtlConfig& c) { return c.page_table == PageTable::wordline && c.pass_pages != 1; }},
    {"ftl.regions: must be \"one\", \"slc_cache\", \"mga\", \"ipu\" or \"pslc\" with nand.one_pass: the "
     "others leave pages of wordlines out",
     [](const FtlConfig& c) { return region_modes(c).count == 1 || region_modes(c).cache; }},
    {"ftl.block_allocation: must be \"conventional\" with nand.one_pass: a wordline is of one plane, and its "
     "pages are "
     "of all types",
     [](const FtlConfig& c) { return same_name(c.block_allocation, "conventional"); }},
    {"ftl.slc_mode: must be false with nand.one_pass: wordlines have one page then",
     [](const FtlConfig& c) { return !c.slc_mode; }},
    {"ftl.copyback: must be \"never\" with nand.one_pass: a page is copied alone",
     [](const FtlConfig& c) { return c.copybacks == 0; }},
    {"ftl.gc_threshold: must be at least 3 blocks with nand.one_pass and separate frontiers, for moves may "
     "take padding",
     [](const FtlConfig& c) {
       return region_modes(c).cache || c.frontier == Frontier::shared ||
              c.gc_threshold_blocks >= kThresholdOfPadding;
     }},
    {"geometry.pages_per_block: must be at least two wordlines with nand.one_pass: a block counts one "
     "wordline less "
     "towards the capacity",
     [](const FtlConfig& c) { return c.geometry.pages_per_block >= 2 * c.pass_pages; }},
};

/// Drives that map units of pages, any of which may lie in any page.
constexpr Rule kUnits[] = {
    {"ftl.map_unit: a page must have 2, 4, 8 or 16 units of whole sectors, and a word for each",
     [](const FtlConfig& c) {
       const Geometry& g = c.geometry;
       return is_power_of_two(c.map_units) && c.map_units <= kMaxUnits &&
              g.sectors_per_page() % c.map_units == 0 && g.subpages_per_page == c.map_units;
     }},
    {"ftl.map_unit: must be \"page\" with ftl.regions other than \"one\": the papers' partitions map pages, "
     "and an "
     "SLC-mode cache geometry.subpages_per_page",
     [](const FtlConfig& c) { return region_modes(c).count == 1; }},
    {"ftl.map_unit: must be \"page\" with ftl.block_allocation other than \"conventional\": the papers' "
     "schemes place "
     "pages",
     [](const FtlConfig& c) { return same_name(c.block_allocation, "conventional"); }},
    {"ftl.map_unit: must be \"page\" with ftl.relocation other than \"same\", which places pages",
     [](const FtlConfig& c) { return same_name(c.relocation, "same"); }},
    {"ftl.map_unit: must be \"page\" with ftl.copyback: a copyback takes along what else its page holds",
     [](const FtlConfig& c) { return c.copybacks == 0; }},
    {"ftl.lower_pages: must be \"wordline\" or \"none\" with ftl.map_unit, or give the drive power.hold_up: "
     "copies are "
     "of pages that are mapped as a whole",
     [](const FtlConfig& c) { return !copies_lower_pages(c); }},
    {"ftl.gc_threshold: must be at least 3 blocks with ftl.map_unit, for a block counts one page less",
     [](const FtlConfig& c) { return c.gc_threshold_blocks >= kThresholdOfPadding; }},
    {"ftl.map_unit: a block may have 65535 units at most",
     [](const FtlConfig& c) { return std::uint64_t{c.geometry.pages_per_block} * c.map_units <= 0xFFFF; }},
    {"geometry: addresses of units need more than 31 bits, which ftl.map_unit uses",
     [](const FtlConfig& c) {
       const Geometry& g = c.geometry;
       return RowLayout(g).lun_shift() + address_bits(g.dies()) + address_bits(c.map_units) < 32;
     }},
};

/// Drives that keep hot pages of the host apart.
constexpr Rule kStreams[] = {
    {"ftl.host_streams: must be 1 or 2", [](const FtlConfig& c) { return c.host_streams == 2; }},
    {"ftl.classifier: must not be \"none\" with ftl.host_streams = 2, for it says which pages are hot",
     [](const FtlConfig& c) { return !same_name(c.classifier, "none"); }},
    {"ftl.block_allocation: must be \"conventional\" with ftl.host_streams = 2: the papers' schemes say "
     "where "
     "pages of the host go",
     [](const FtlConfig& c) { return same_name(c.block_allocation, "conventional"); }},
    {"ftl.regions: must be \"one\" with ftl.host_streams = 2, for several have hot blocks of their own",
     [](const FtlConfig& c) { return region_modes(c).count == 1; }},
};

const RuleSet kGeometryRules = make_rule_set("every drive", always, kGeometry, true);
const RuleSet kAddressRules = make_rule_set("every drive", always, kAddresses, true);
const RuleSet kSpaceRules = make_rule_set("every drive", always, kSpace, true);
const RuleSet kOnePassRules = make_rule_set(
    "nand.one_pass",
    [](const FtlConfig& c) { return c.page_table == PageTable::wordline || c.pass_pages != 1; }, kOnePass);
const RuleSet kUnitRules = make_rule_set(
    "ftl.map_unit", [](const FtlConfig& c) { return c.map_units != 1; }, kUnits, true);
const RuleSet kStreamRules = make_rule_set(
    "ftl.host_streams", [](const FtlConfig& c) { return c.host_streams != 1; }, kStreams);
const RuleSet kBufferRules = make_rule_set("every drive", always, kBuffers);

const RuleSet* const kSets[] = {&kGeometryRules, &kAddressRules, &kSpaceRules, &kOnePassRules,
                                &kUnitRules,     &kStreamRules,  &kBufferRules};

} // namespace

const RuleSet* rule_set(std::uint32_t index) {
  for (const RuleSet* const set : kSets) {
    if (index-- == 0) return set;
  }
  const RuleSet* found = nullptr;
  for_each_feature([&](const FeatureRow& row) {
    for (const RuleSet& set : row.rules) {
      if (index-- == 0) found = &set;
    }
  });
  return found;
}

const char* check_config(const FtlConfig& config) {
  if (const char* error = check_features(config)) return error;
  if (const char* error = check_policy_names(config)) return error;
  const char* broken = nullptr;
  for_each_broken_rule(config, [&broken](const Rule& rule) {
    broken = rule.text;
    return false;
  });
  return broken;
}

} // namespace twinplane::fw
