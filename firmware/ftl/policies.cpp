#include "firmware/ftl/policies.h"

#include <cstring>

#include "firmware/ftl/features/partitions/two_regions.h"

namespace twinplane::fw {

namespace {

/// What the constructors may need.
struct Parts {
  BootMemory& memory;
  BlockTable& blocks;
  const FtlConfig& config;
  std::uint32_t exported_pages;
  FtlStatistics& statistics;
};

template <class Interface>
struct Row {
  const char* name;
  Interface* (*make)(const Parts&);
};

constexpr Row<Classifier> kClassifiers[] = {
    {"none", [](const Parts& p) { return make_no_classifier(p.memory, p.config); }},
    {"papa", [](const Parts& p) { return make_papa_classifier(p.memory, p.config); }},
    {"size", [](const Parts& p) { return make_size_classifier(p.memory, p.config); }},
    {"hot_size", [](const Parts& p) { return make_hot_size_classifier(p.memory, p.config); }},
};

/// The rows above, then PA-SSD's schemes: any pair of these works as well.
constexpr const char* kClassifierNames[] = {"none", "papa",   "size",    "hot_size", "US",
                                            "HGS",  "LFS",    "SBS",     "QDS",      "WBS",
                                            "UBS",  "SBS+US", "SBS+UBS", "QDS+US",   "QDS+UBS"};

struct AllocationRow {
  const char* name;
  BlockAllocation* (*make)(const Parts&);
  std::uint32_t (*reserve_pages)(const Geometry&);
  bool relaxed_order; // of pages in a block
  bool deals_planes;  // next_plane() says where a die's next page goes
  bool twins;         // opens and reclaims the blocks of equal number in all planes of a die together
};

constexpr AllocationRow kBlockAllocations[] = {
    {"conventional",
     [](const Parts& p) { return make_conventional_allocation(p.memory, p.blocks, p.config, nullptr); },
     conventional_reserve_pages, false, false, false},
    {"pa", [](const Parts& p) { return make_page_type_allocation(p.memory, p.blocks, p.config); },
     page_type_reserve_pages, true, false, false},
    {"pa-twin", [](const Parts& p) { return make_page_type_twin_allocation(p.memory, p.blocks, p.config); },
     page_type_reserve_pages, true, true, false},
    {"twin", [](const Parts& p) { return make_twin_allocation(p.memory, p.blocks, p.config); },
     twin_reserve_pages, false, true, true},
};

constexpr Row<Mapping> kMappings[] = {
    {"page",
     [](const Parts& p) { return make_page_mapping(p.memory, p.exported_pages, p.config.cached_tables); }},
};

constexpr Row<VictimSelection> kVictims[] = {
    {"greedy",
     [](const Parts& p) {
       return make_greedy_victim({p.memory, p.blocks, p.config});
     }},
    {"rga",
     [](const Parts& p) {
       return make_rga_victim({p.memory, p.blocks, p.config});
     }},
    {"fifo",
     [](const Parts& p) {
       return make_fifo_victim({p.memory, p.blocks, p.config});
     }},
    {"random",
     [](const Parts& p) {
       return make_random_victim({p.memory, p.blocks, p.config});
     }},
    {"cost_benefit",
     [](const Parts& p) {
       return make_cost_benefit_victim({p.memory, p.blocks, p.config});
     }},
};

struct RegionsRow {
  const char* name;
  Regions* (*make)(const Parts&);
  RegionModes modes;
};

constexpr RegionModes kHotAndCold{2, {PageMode::fast, PageMode::all}, false};

Regions* make_no_regions(const Parts& /*parts*/) {
  return nullptr;
}

constexpr RegionModes kCacheAndNative{2, {PageMode::slc, PageMode::all}, true};

constexpr RegionsRow kRegions[] = {
    {"one", make_no_regions, {}},
    {"combo",
     [](const Parts& p) {
       return make_combo_regions({p.memory, p.blocks, p.config, p.statistics, p.exported_pages});
     },
     kHotAndCold},
    {"combo_logs",
     [](const Parts& p) {
       return make_combo_logs({p.memory, p.blocks, p.config, p.statistics, p.exported_pages});
     },
     kHotAndCold},
    {"broms",
     [](const Parts& p) {
       return make_broms_regions({p.memory, p.blocks, p.config, p.statistics, p.exported_pages});
     },
     kHotAndCold},
    {"slc_cache", make_no_regions, kCacheAndNative}, // see make_cache()
    {"mga", make_no_regions, kCacheAndNative},
    {"ipu", make_no_regions, kCacheAndNative},
};

/// The decisions that look at units smaller than a page: those of partial programming.
void make_cache(const Parts& parts, Policies& p) {
  const Geometry& g = parts.config.geometry;
  p.units = parts.memory.make<Units>();
  p.cache = parts.memory.make<SlcCache>();
  if (p.cache == nullptr) return;
  p.units->boot(parts.memory, parts.blocks,
                {parts.exported_pages, g.subpages_per_page, g.sectors_per_page(),
                 parts.config.slc_cache.packed_eviction},
                parts.statistics);
  p.cache->boot(parts.memory, parts.blocks, parts.config, *p.units, parts.statistics);
  p.regions = make_cached_regions(parts.memory, parts.blocks, parts.config, *p.cache);
  p.allocation = make_cached_allocation(parts.memory, parts.blocks, *p.cache);
}

constexpr Row<Relocation> kRelocations[] = {
    {"same", [](const Parts& p) { return make_same_plane_relocation(p.memory, p.blocks); }},
    {"ubs", [](const Parts& p) { return make_ubs_relocation(p.memory, p.blocks, p.config); }},
    {"slow", [](const Parts& p) { return make_slow_relocation(p.memory, p.blocks, p.config); }},
};

constexpr Row<Scheduling> kSchedulings[] = {
    {"fifo", [](const Parts& p) { return make_fifo_scheduling(p.memory, p.config); }},
    {"read_first", [](const Parts& p) { return make_read_first_scheduling(p.memory, p.config); }},
    {"paq", [](const Parts& p) { return make_paq_scheduling(p.memory, p.config); }},
};

/// Dynamic schemes and the permutations of all four levels; any other subset of CWDP works as well.
constexpr const char* kPlaneAllocations[] = {
    "F",    "D",    "F2",   "CWDP", "CWPD", "CDWP", "CDPW", "CPWD", "CPDW",
    "WCDP", "WCPD", "WDCP", "WDPC", "WPCD", "WPDC", "DCWP", "DCPW", "DWCP",
    "DWPC", "DPCW", "DPWC", "PCWD", "PCDW", "PWCD", "PWDC", "PDCW", "PDWC",
};

template <class Row, std::uint32_t N>
const Row* find(const Row (&table)[N], const char* name) {
  for (const Row& row : table) {
    if (same_name(row.name, name)) return &row;
  }
  return nullptr;
}

/// The names of a table as an array of pointers, built from the table itself.
template <std::uint32_t N>
struct NameList {
  const char* names[N];
  template <class Row>
  constexpr explicit NameList(const Row (&table)[N]) : names{} {
    for (std::uint32_t i = 0; i < N; ++i) names[i] = table[i].name;
  }
};

constexpr NameList kBlockAllocationNames{kBlockAllocations};
constexpr NameList kMappingNames{kMappings};
constexpr NameList kVictimNames{kVictims};
constexpr NameList kRelocationNames{kRelocations};
constexpr NameList kRegionNames{kRegions};
constexpr NameList kSchedulingNames{kSchedulings};

template <std::uint32_t N>
constexpr PolicyNames list(const char* decision, const char* const (&names)[N], const char* note = nullptr) {
  return PolicyNames{decision, names, N, note};
}

constexpr PolicyNames kNames[kDecisions] = {
    list("classifier", kClassifierNames,
         "any pair X+Y of HGS, SBS, QDS, WBS with another page-type scheme: Y for what X leaves open"),
    list("plane_allocation", kPlaneAllocations,
         "any subset of the letters CWDP, optionally followed by 2 (plane first)"),
    list("block_allocation", kBlockAllocationNames.names),
    list("mapping", kMappingNames.names),
    list("victim", kVictimNames.names),
    list("relocation", kRelocationNames.names),
    list("scheduling", kSchedulingNames.names),
    list("regions", kRegionNames.names),
};

} // namespace

bool same_name(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}

PolicyNames policy_names(std::uint32_t decision) {
  return kNames[decision];
}

const char* check_policy_names(const FtlConfig& c) {
  if (find(kClassifiers, c.classifier) == nullptr && !is_page_type_scheme(c.classifier)) {
    return "ftl.classifier: unknown name; known: none, papa, size, hot_size, US, HGS, LFS, SBS, QDS, WBS, "
           "UBS, or two of the schemes as X+Y";
  }
  if (!is_levels_name(c.plane_allocation)) {
    return "ftl.plane_allocation: unknown name; expected F, D, F2 or static levels as distinct letters of "
           "CWDP";
  }
  if (find(kBlockAllocations, c.block_allocation) == nullptr) {
    return "ftl.block_allocation: unknown name; known: conventional, pa, pa-twin, twin";
  }
  if (find(kMappings, c.mapping) == nullptr) return "ftl.mapping: unknown name; known: page";
  if (find(kVictims, c.victim) == nullptr) {
    return "ftl.victim: unknown name; known: greedy, rga, fifo, random, cost_benefit";
  }
  if (find(kRelocations, c.relocation) == nullptr) {
    return "ftl.relocation: unknown name; known: same, ubs, slow";
  }
  if (find(kSchedulings, c.scheduling) == nullptr) {
    return "ftl.scheduling: unknown name; known: fifo, read_first, paq";
  }
  if (find(kRegions, c.regions) == nullptr)
    return "ftl.regions: unknown name; known: one, combo, combo_logs, broms, slc_cache, mga, ipu";
  return nullptr;
}

bool needs_relaxed_order(const FtlConfig& config) {
  return find(kBlockAllocations, config.block_allocation)->relaxed_order;
}

bool deals_planes(const FtlConfig& config) {
  return find(kBlockAllocations, config.block_allocation)->deals_planes;
}

std::uint32_t blocks_per_unit(const FtlConfig& config) {
  const bool twins = find(kBlockAllocations, config.block_allocation)->twins;
  return twins ? config.geometry.planes_per_die : 1;
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
  if (!completes_wordlines(config)) return 0;
  std::uint32_t most = 0;
  for (std::uint32_t page = 0; page < order.pages(); ++page) {
    const std::uint32_t last = order.page(order.wordline(page), static_cast<PageType>(order.types() - 1));
    if (last - page > most) most = last - page;
  }
  return most;
}

/// Of an SLC-mode cache that is written page by page, and whose native blocks a wordline at a time, nothing is.
bool endangers_pages(const FtlConfig& config) {
  if (config.hold_up_pages != 0) return false;
  if (region_modes(config).cache)
    return std::strcmp(config.regions, "slc_cache") != 0 || config.slc_cache.fold == 1;
  return config.lower_pages == LowerPageProtection::none && config.geometry.cell != CellType::slc &&
         !config.slc_mode && config.page_table != PageTable::wordline;
}

RegionModes region_modes(const FtlConfig& config) {
  return find(kRegions, config.regions)->modes;
}

std::uint32_t reserve_pages_per_plane(const FtlConfig& config) {
  return find(kBlockAllocations, config.block_allocation)->reserve_pages(config.geometry);
}

Policies make_policies(BootMemory& memory, BlockTable& blocks, const FtlConfig& config,
                       std::uint32_t exported_pages, FtlStatistics& statistics) {
  const Parts parts{memory, blocks, config, exported_pages, statistics};
  Policies p;
  const Row<Classifier>* classifier = find(kClassifiers, config.classifier);
  p.classifier = classifier != nullptr ? classifier->make(parts)
                                       : make_page_type_schemes(memory, config, config.classifier);
  p.allocation = find(kBlockAllocations, config.block_allocation)->make(parts);
  p.mapping = find(kMappings, config.mapping)->make(parts);
  p.victim = find(kVictims, config.victim)->make(parts);
  p.relocation = find(kRelocations, config.relocation)->make(parts);
  p.scheduling = find(kSchedulings, config.scheduling)->make(parts);
  p.regions = find(kRegions, config.regions)->make(parts);
  if (region_modes(config).cache) make_cache(parts, p);
  if (p.cache != nullptr) return p;
  if (p.regions == nullptr) return p;
  p.allocation = make_conventional_allocation(memory, blocks, config, p.regions);
  p.relocation = make_regional_relocation(memory, blocks, *p.regions);
  return p;
}

} // namespace twinplane::fw
