// The tables of replaceable decisions: name -> constructor. To add an implementation, write one .cpp in the decision's
// folder and add one row in policies.cpp; or in feature.cpp, if it belongs to a feature.
#pragma once

#include <cstdint>

#include "firmware/ftl/block_allocation/block_allocation.h"
#include "firmware/ftl/classifier/classifier.h"
#include "firmware/ftl/map/page_map.h"
#include "firmware/ftl/plane_allocation/plane_allocation.h"
#include "firmware/ftl/regions/regions.h"
#include "firmware/ftl/relocation/relocation.h"
#include "firmware/ftl/rows.h"
#include "firmware/ftl/scheduling/scheduling.h"
#include "firmware/ftl/victim/victim.h"

namespace twinplane::fw {

struct PolicyNames {
  const char* decision = nullptr; // configuration key inside [ftl]
  std::uint32_t count = 0;
  const char* (*name)(std::uint32_t index) = nullptr;
  const char* (*meaning)(std::uint32_t index) = nullptr;
  const char* note = nullptr; // nullptr, or what else is accepted
};

/// What the constructors may need.
struct PolicyParts {
  BootMemory& memory;
  BlockTable& blocks;
  const FtlConfig& config;
  std::uint32_t exported_pages;
  FtlStatistics& statistics;
  SuperblockTable* superblocks = nullptr; // null in drives that have none of several dies
};

/// What is said of a name in a line beside it, at most 80 characters; nullptr: it is made of letters or other names, which
/// say it.
using Meaning = const char*;

template <class Interface>
struct PolicyRow {
  const char* name;
  Meaning meaning;
  Interface* (*make)(const PolicyParts&);
};

class MoveGroups;
class SlcCache;
struct Units;
struct MoveContext;
/// Each to a place of its own plane (sched/move_groups.h).
MoveGroups* make_plain_moves(BootMemory& memory, const MoveContext& c);

struct AllocationRow {
  const char* name;
  Meaning meaning;
  BlockAllocation* (*make)(const PolicyParts&);
  std::uint32_t (*reserve_pages)(const Geometry&); // of every plane, that can never hold exported data
  bool relaxed_order = false;                      // of pages in a block
  bool assigns_planes = false;                     // next_plane() says where a die's next page goes
  bool twins = false; // opens and reclaims the blocks of equal number in all planes of a die together
  MoveGroups* (*make_moves)(BootMemory&, const MoveContext&) = make_plain_moves; // of units of several blocks
  bool collects_as_tbm = false; // TbmGc says how valid pages are assigned, and which dies collect together
};

struct Policies;
struct RecoveryPart;
class FoundUnits;
/// Of drives of one region (recovery/units.h).
FoundUnits* make_found_units(BootMemory& memory, const RecoveryPart& part);

struct RegionsRow {
  const char* name;
  Meaning meaning;
  RegionModes modes = {};
  /// The decision about regions, and those that follow from it.
  void (*make)(const PolicyParts&, Policies&) = nullptr;
  /// Blocks of the first region in a plane with so many good ones: at first, and at least.
  std::uint32_t (*blocks_at_boot)(const FtlConfig&, std::uint32_t good_blocks) = nullptr;
  std::uint32_t (*least_blocks)(const FtlConfig&, std::uint32_t good_blocks) = nullptr;
  /// Of the pages of a block, those that hold data whatever happens.
  std::uint32_t (*guaranteed_pages)(const FtlConfig&, std::uint32_t pages) =
      [](const FtlConfig&, std::uint32_t pages) { return pages; };
  /// A power cut may take what had been answered. nullptr: it depends on the pages alone.
  bool (*endangers_pages)(const FtlConfig&) = nullptr;
  FoundUnits* (*make_found_units)(BootMemory&, const RecoveryPart&) = fw::make_found_units;
  bool levels_wear = false; // by themselves: ftl.wear_gap is not theirs
};

/// What a build, or one of its features, knows.
struct PolicyTables {
  Rows<PolicyRow<Classifier>> classifiers = {};
  Rows<AllocationRow> block_allocations = {};
  Rows<PolicyRow<VictimSelection>> victims = {};
  Rows<PolicyRow<Relocation>> relocations = {};
  Rows<RegionsRow> regions = {};
  /// Classifiers whose names are made of others: whether it is one, and what makes it.
  bool (*is_made_of_others)(const char* name) = nullptr;
  Classifier* (*make_of_others)(const PolicyParts&) = nullptr;
  /// What stands for "conventional" where the unit of erases is larger than a block.
  Rows<AllocationRow> superblocks = {};
};

/// Every decision with the names it knows, in the order of the pipeline.
constexpr std::uint32_t kDecisions = 8;
PolicyNames policy_names(std::uint32_t decision);
bool is_classifier_name(const char* name);
bool same_name(const char* a, const char* b);

/// The text "unknown ftl.<decision> ..." for the first name that no table knows, else nullptr.
const char* check_policy_names(const FtlConfig& config);

/// How the collector's moves are grouped under config.block_allocation.
MoveGroups* make_move_groups(BootMemory& memory, const MoveContext& c, const FtlConfig& config);

/// True when config.block_allocation leaves the data sheet's program order.
bool needs_relaxed_order(const FtlConfig& config);

/// True when config.block_allocation says to which plane of a die the next page goes (next_plane()).
bool assigns_planes(const FtlConfig& config);

/// config.plane_allocation says which plane of a die a page goes to.
bool names_plane(const FtlConfig& config);

/// Blocks per unit of reclamation under config.block_allocation and erase_unit: 1, or all planes'.
std::uint32_t blocks_per_unit(const FtlConfig& config);

/// Dies that have a unit each in a superblock.
std::uint32_t dies_per_superblock(const FtlConfig& config);

/// Collection goes as twin block management has it, and config.tbm_gc counts.
bool collects_as_tbm(const FtlConfig& config);

/// The regions under config.regions.
const RegionsRow& regions_of(const FtlConfig& config);
RegionModes region_modes(const FtlConfig& config);

/// A power cut may ruin pages that have been programmed before, and the firmware sees to it that nothing is
/// lost (lower_pages/): it writes them twice, or answers no page before its wordline is complete.
bool protects_lower_pages(const FtlConfig& config);
bool copies_lower_pages(const FtlConfig& config);
bool completes_wordlines(const FtlConfig& config);
/// ... and nothing is done about it: a cut may take what had been answered.
bool endangers_pages(const FtlConfig& config);
/// Then the host leaves more than two blocks to collection, which has to begin before that.
constexpr std::uint32_t kThresholdOfPadding = 3;

/// Collection must not wait for the host where a plane has so many blocks or fewer, however early it begins.
constexpr std::uint32_t urgent_blocks(const FtlConfig& config) {
  return config.gc_threshold_blocks <= 3 ? 1 : 2;
}

/// The map's unit is smaller than a page.
bool maps_by_unit(const FtlConfig& config);

/// Pages of every plane that can never hold exported data under config.block_allocation.
std::uint32_t reserve_pages_per_plane(const FtlConfig& config);

struct Policies {
  Classifier* classifier = nullptr;
  PlaneAllocation* planes = nullptr;
  BlockAllocation* allocation = nullptr;
  Mapping* mapping = nullptr;
  VictimSelection* victim = nullptr;
  Relocation* relocation = nullptr;
  Scheduling* scheduling = nullptr;
  Regions* regions = nullptr;             // none where there is one region
  Units* units = nullptr;                 // the map of drives whose unit is smaller than a page
  SuperblockTable* superblocks = nullptr; // of several dies
  SlcCache* cache = nullptr;              // of a drive that has one, for looks at its tables from outside
};

/// Constructs one of each in boot memory, but for `planes`: capacity depends on its classes, and the others
/// on capacity. Here and above the names must have passed check_policy_names().
Policies make_policies(BootMemory& memory, BlockTable& blocks, const FtlConfig& config,
                       std::uint32_t exported_pages, FtlStatistics& statistics);

} // namespace twinplane::fw
