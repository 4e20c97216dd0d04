#include "firmware/ftl/policies.h"

#include "firmware/ftl/block_allocation/superblock_table.h"
#include "firmware/ftl/feature_set.h"
#include "firmware/ftl/map/units.h"

namespace twinplane::fw {

namespace {

constexpr PolicyRow<Classifier> kClassifiers[] = {
    {"none", "no request asks for a page type",
     [](const PolicyParts& p) { return make_no_classifier(p.memory, p.config); }},
    {"hot_size", "requests up to ftl.hot_request hot (LSB), larger ones cold (MSB)",
     [](const PolicyParts& p) { return make_hot_size_classifier(p.memory, p.config); }},
    {"hot_frequency", "data that are written twice as often as the mean hot (LSB), others cold (MSB)",
     [](const PolicyParts& p) {
       return make_hot_frequency_classifier(p.memory, p.config, p.exported_pages);
     }},
};

constexpr AllocationRow kBlockAllocations[] = {
    {"conventional", "pages in the data sheet's order, one write frontier per plane",
     [](const PolicyParts& p) { return make_conventional_allocation(p.memory, p.blocks, p.config, nullptr); },
     conventional_reserve_pages},
};

constexpr PolicyRow<Mapping> kMappings[] = {
    {"page", "each logical page anywhere; the whole map in device memory",
     [](const PolicyParts& p) {
       return make_page_mapping(p.memory, p.exported_pages, p.config.cached_tables);
     }},
};

template <VictimSelection* (*make)(const VictimContext&)>
VictimSelection* victim(const PolicyParts& p) {
  return make({p.memory, p.blocks, p.config, p.superblocks});
}

constexpr PolicyRow<VictimSelection> kVictims[] = {
    {"greedy", "the block with the most invalid pages; the oldest of equals", victim<make_greedy_victim>},
    {"rga", "the best of ftl.victim_d random blocks", victim<make_rga_victim>},
    {"fifo", "the block that was closed first", victim<make_fifo_victim>},
    {"random", "any block with an invalid page", victim<make_random_victim>},
    {"cost_benefit", "the largest age x (1 - u) / 2u, u the share of valid pages",
     victim<make_cost_benefit_victim>},
};

constexpr RegionsRow kRegions[] = {{"one", "all blocks serve all data and use all pages"}};

constexpr PolicyRow<Relocation> kRelocations[] = {
    {"same", "inside the plane, as host writes are placed",
     [](const PolicyParts& p) { return make_same_plane_relocation(p.memory, p.blocks); }},
};

constexpr PolicyRow<Scheduling> kSchedulings[] = {
    {"fifo", "in order of arrival; only neighbours join in multi-plane commands",
     [](const PolicyParts& p) { return make_fifo_scheduling(p.memory, p.config); }},
    {"read_first", "reads, urgent collection, writes, collection, erases",
     [](const PolicyParts& p) { return make_read_first_scheduling(p.memory, p.config); }},
    {"paced", "reads first; while a die is collected, writes as far as moves have earned them",
     [](const PolicyParts& p) { return make_paced_scheduling(p.memory, p.config); }},
    {"paq", "reads first; the whole queue is searched for multi-plane partners",
     [](const PolicyParts& p) { return make_paq_scheduling(p.memory, p.config); }},
};

/// Dynamic schemes, which are rows, and the permutations of all four levels; any other subset of CWDP works as well.
struct PlaneAllocationRow {
  const char* name;
  Meaning meaning;
};
constexpr PlaneAllocationRow kDynamic[] = {
    {"F", "fully dynamic: an idle die of the drive, the next die first"},
    {"D", "the die within its chip by address, channel and chip dynamic; its planes first"},
    {"F2", "fully dynamic, the planes of a die first, so that they pair"},
};
constexpr const char* kOrders[] = {
    "CWDP", "CWPD", "CDWP", "CDPW", "CPWD", "CPDW", "WCDP", "WCPD", "WDCP", "WDPC", "WPCD", "WPDC",
    "DCWP", "DCPW", "DWCP", "DWPC", "DPCW", "DPWC", "PCWD", "PCDW", "PWCD", "PWDC", "PDCW", "PDWC",
};
constexpr std::uint32_t kDynamics = sizeof kDynamic / sizeof *kDynamic;

// --- tables of the build: those above, then those of its features ---

constexpr PolicyTables kTables{kClassifiers, kBlockAllocations, kVictims, kRelocations, kRegions};

template <class Each>
void for_each_table(const Each& each) {
  each(kTables);
  for_each_feature([&](const FeatureRow& feature) { each(feature.policies); });
}

template <class Row, class Wanted>
const Row* find_if(Rows<Row> PolicyTables::*rows, const Wanted& wanted) {
  const Row* found = nullptr;
  for_each_table([&](const PolicyTables& tables) {
    for (const Row& row : tables.*rows) {
      if (wanted(row)) found = &row;
    }
  });
  return found;
}
template <class Row>
const Row* find(Rows<Row> PolicyTables::*rows, const char* name) {
  return find_if(rows, [name](const Row& row) { return same_name(row.name, name); });
}
template <class Row, std::uint32_t N>
const Row* find(const Row (&table)[N], const char* name) {
  for (const Row& row : table) {
    if (same_name(row.name, name)) return &row;
  }
  return nullptr;
}

template <auto rows>
const auto& row_in_tables(std::uint32_t index) {
  return *find_if(rows, [&index](const auto&) { return index-- == 0; });
}

template <auto rows>
PolicyNames names_of_tables(const char* decision, const char* note = nullptr) {
  PolicyNames names{decision, 0, [](std::uint32_t index) { return row_in_tables<rows>(index).name; },
                    [](std::uint32_t index) { return row_in_tables<rows>(index).meaning; }, note};
  for_each_table([&names](const PolicyTables& tables) { names.count += (tables.*rows).count; });
  return names;
}
template <auto& table>
PolicyNames names_of_table(const char* decision) {
  return {decision, sizeof table / sizeof *table, [](std::uint32_t index) { return table[index].name; },
          [](std::uint32_t index) { return table[index].meaning; }, nullptr};
}

PolicyNames names_of_plane_allocation() {
  return {"plane_allocation", kDynamics + sizeof kOrders / sizeof *kOrders,
          [](std::uint32_t index) {
            return index < kDynamics ? kDynamic[index].name : kOrders[index - kDynamics];
          },
          [](std::uint32_t index) { return index < kDynamics ? kDynamic[index].meaning : nullptr; },
          "any subset of the letters CWDP, optionally followed by 2 (plane first)"};
}

PolicyNames (*const kNames[kDecisions])() = {
    [] {
      return names_of_tables<&PolicyTables::classifiers>(
          "classifier",
          "any pair X+Y of HGS, SBS, QDS, WBS with another page-type scheme: Y for what X leaves open");
    },
    names_of_plane_allocation,
    [] { return names_of_tables<&PolicyTables::block_allocations>("block_allocation"); },
    [] { return names_of_table<kMappings>("mapping"); },
    [] { return names_of_tables<&PolicyTables::victims>("victim"); },
    [] { return names_of_tables<&PolicyTables::relocations>("relocation"); },
    [] { return names_of_table<kSchedulings>("scheduling"); },
    [] { return names_of_tables<&PolicyTables::regions>("regions"); },
};

/// Every block is a native one, and where units go is for block allocation alone to say.
class PlainUnits final : public UnitPolicy {};

Units* make_plain_units(const PolicyParts& parts) {
  auto* const units = parts.memory.make<Units>();
  auto* const policy = parts.memory.make<PlainUnits>();
  if (units == nullptr || policy == nullptr) return units;
  const Geometry& g = parts.config.geometry;
  units->boot(parts.memory, parts.blocks,
              {parts.exported_pages, parts.config.map_units, g.sectors_per_page(), true}, parts.statistics);
  units->attach(*policy);
  return units;
}

const AllocationRow& allocation_of(const FtlConfig& config) {
  if (config.erase_unit != EraseUnit::block) {
    if (const AllocationRow* const row = find(&PolicyTables::superblocks, config.block_allocation))
      return *row;
  }
  return *find(&PolicyTables::block_allocations, config.block_allocation);
}

/// Of names that no row has.
const PolicyTables* tables_of_classifier(const char* name) {
  const PolicyTables* found = nullptr;
  for_each_table([&](const PolicyTables& tables) {
    if (tables.is_made_of_others != nullptr && tables.is_made_of_others(name)) found = &tables;
  });
  return found;
}

} // namespace

bool same_name(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}

PolicyNames policy_names(std::uint32_t decision) {
  return kNames[decision]();
}

bool is_classifier_name(const char* name) {
  return find(&PolicyTables::classifiers, name) != nullptr || tables_of_classifier(name) != nullptr;
}

const char* check_policy_names(const FtlConfig& c) {
  if (!is_classifier_name(c.classifier)) return "ftl.classifier: unknown name";
  if (!is_levels_name(c.plane_allocation)) {
    return "ftl.plane_allocation: unknown name; expected F, D, F2 or static levels as distinct letters of "
           "CWDP";
  }
  if (find(&PolicyTables::block_allocations, c.block_allocation) == nullptr)
    return "ftl.block_allocation: unknown name";
  if (find(kMappings, c.mapping) == nullptr) return "ftl.mapping: unknown name";
  if (find(&PolicyTables::victims, c.victim) == nullptr) return "ftl.victim: unknown name";
  if (find(&PolicyTables::relocations, c.relocation) == nullptr) return "ftl.relocation: unknown name";
  if (find(kSchedulings, c.scheduling) == nullptr) return "ftl.scheduling: unknown name";
  if (find(&PolicyTables::regions, c.regions) == nullptr) return "ftl.regions: unknown name";
  return nullptr;
}

MoveGroups* make_move_groups(BootMemory& memory, const MoveContext& c, const FtlConfig& config) {
  return (blocks_per_unit(config) == 1 ? make_plain_moves : allocation_of(config).make_moves)(memory, c);
}

bool needs_relaxed_order(const FtlConfig& config) {
  return allocation_of(config).relaxed_order;
}

bool assigns_planes(const FtlConfig& config) {
  return allocation_of(config).assigns_planes;
}

std::uint32_t blocks_per_unit(const FtlConfig& config) {
  return allocation_of(config).twins ? config.geometry.planes_per_die : 1;
}

std::uint32_t dies_per_superblock(const FtlConfig& config) {
  const Geometry& g = config.geometry;
  switch (config.erase_unit) {
    case EraseUnit::block:
    case EraseUnit::die:
      break;
    case EraseUnit::chip:
      return g.dies_per_chip;
    case EraseUnit::channel:
      return g.dies_per_channel();
    case EraseUnit::drive:
      return g.dies();
  }
  return 1;
}

bool names_plane(const FtlConfig& config) {
  const char* level = config.plane_allocation;
  while (*level != '\0' && *level != 'P') ++level;
  return *level == 'P';
}

bool collects_as_tbm(const FtlConfig& config) {
  return allocation_of(config).collects_as_tbm;
}

bool protects_lower_pages(const FtlConfig& config) {
  return config.lower_pages != LowerPageProtection::none && config.hold_up_pages == 0 &&
         config.geometry.cell != CellType::slc && !config.slc_mode &&
         config.page_table != PageTable::wordline && !region_modes(config).cache;
}

bool copies_lower_pages(const FtlConfig& config) {
  return config.lower_pages == LowerPageProtection::backup && protects_lower_pages(config);
}

bool completes_wordlines(const FtlConfig& config) {
  return config.lower_pages == LowerPageProtection::wordline && protects_lower_pages(config);
}

std::uint32_t padding_pages(const FtlConfig& config, const PageOrderTable& order) {
  const std::uint32_t packing =
      config.map_units != 1 ? 1 : 0; // units that do not count, fewer than a page has
  if (config.pass_pages != 1 && !region_modes(config).cache) return config.pass_pages - 1 + packing;
  if (!completes_wordlines(config)) return packing;
  std::uint32_t most = 0;
  for (std::uint32_t page = 0; page < order.pages(); ++page) {
    const std::uint32_t last = order.page(order.wordline(page), static_cast<PageType>(order.types() - 1));
    if (last - page > most) most = last - page;
  }
  return most + packing;
}

std::uint32_t unit_padding(const FtlConfig& config, std::uint32_t of_block, std::uint32_t twins) {
  if (of_block == 0) return 0;
  if (completes_wordlines(config)) return (of_block + 1) * twins - 1;
  return of_block + (config.map_units != 1 ? twins - 1 : 0);
}

std::uint32_t longest_padding(const FtlConfig& config) {
  const std::uint32_t packing = config.map_units != 1 ? 1 : 0;
  if (!completes_wordlines(config)) return packing;
  const auto bits = static_cast<std::uint32_t>(config.geometry.cell);
  return (config.page_table == PageTable::even_odd ? 6 : bits * bits - 1) + packing;
}

bool maps_by_unit(const FtlConfig& config) {
  return config.map_units != 1 || region_modes(config).cache;
}

bool endangers_pages(const FtlConfig& config) {
  if (config.hold_up_pages != 0) return false;
  if (const auto by_regions = regions_of(config).endangers_pages) return by_regions(config);
  return config.lower_pages == LowerPageProtection::none && config.geometry.cell != CellType::slc &&
         !config.slc_mode && config.page_table != PageTable::wordline;
}

const RegionsRow& regions_of(const FtlConfig& config) {
  return *find(&PolicyTables::regions, config.regions);
}

RegionModes region_modes(const FtlConfig& config) {
  return regions_of(config).modes;
}

std::uint32_t reserve_pages_per_plane(const FtlConfig& config) {
  return allocation_of(config).reserve_pages(config.geometry) + host_streams_reserve_pages(config);
}

Policies make_policies(BootMemory& memory, BlockTable& blocks, const FtlConfig& config,
                       std::uint32_t exported_pages, FtlStatistics& statistics) {
  Policies p;
  if (const std::uint32_t dies = dies_per_superblock(config); dies != 1)
    p.superblocks = memory.make<SuperblockTable>(memory, blocks, dies);
  const PolicyParts parts{memory, blocks, config, exported_pages, statistics, p.superblocks};
  const auto* const classifier = find(&PolicyTables::classifiers, config.classifier);
  p.classifier = classifier != nullptr ? classifier->make(parts)
                                       : tables_of_classifier(config.classifier)->make_of_others(parts);
  p.allocation = allocation_of(config).make(parts);
  p.mapping = find(kMappings, config.mapping)->make(parts);
  p.victim = find(&PolicyTables::victims, config.victim)->make(parts);
  p.relocation = find(&PolicyTables::relocations, config.relocation)->make(parts);
  p.scheduling = find(kSchedulings, config.scheduling)->make(parts);
  if (config.map_units != 1) p.units = make_plain_units(parts);
  if (const auto make = regions_of(config).make) make(parts, p);
  return p;
}

} // namespace twinplane::fw
