// The scheme of an SLC-mode cache: how does it use partial programming, and which data stay?
//
// Levels: 0 native blocks, 1 Work, 2 Monitor, 3 Hot. A scheme without levels has Work blocks only.
#pragma once

#include <cstdint>

#include "firmware/ftl/map/unit_map.h"

namespace twinplane::fw {

constexpr std::uint32_t kWork = 1;
constexpr std::uint32_t kCacheLevels = kMostLevel;

constexpr double kMapEntry = 4; // bytes

/// What the tables of a scheme take in a real drive.
struct CacheFootprint {
  double mapping = 0; // bytes: where the data are
  double labels = 0;  // levels of blocks
  double isr = 0;     // for the choice of victims
};

/// The size of a drive as far as tables depend on it.
struct CacheSize {
  double logical_pages = 0;
  double cache_blocks = 0;
  double pages_per_cache_block = 0;
  double subpages = 0;            // per page
  bool native_by_subpage = false; // subpages of a logical page may lie in several native pages

  /// Of native blocks; of all, where it is by subpage.
  double map_bytes() const { return logical_pages * (native_by_subpage ? subpages : 1) * kMapEntry; }
};

class CacheScheme {
 public:
  /// Updates are programmed into the page of the old version while that has room.
  [[nodiscard]] virtual bool rewrites_in_place() const = 0;
  /// A page holds subpages of any logical pages.
  [[nodiscard]] virtual bool packs() const = 0;
  /// ... which are programmed one after the other until it is full.
  [[nodiscard]] virtual bool appends() const { return false; }
  /// ... which are programmed together.
  [[nodiscard]] virtual bool fills_pages() const { return false; }
  /// Level of a new page for data whose old version is in a page of level `old`; 0: native, or new data.
  [[nodiscard]] virtual std::uint32_t level_of_update(std::uint32_t old) const = 0;
  /// Level for valid data of a collected block of this level; `updated`: rewritten in that page.
  [[nodiscard]] virtual std::uint32_t level_of_move(std::uint32_t level, bool updated) const = 0;
  /// How much collecting this closed block is worth, `clock` accesses after the drive's first; the most wins.
  [[nodiscard]] virtual double victim_score(std::uint32_t plane, std::uint32_t block,
                                            std::uint32_t clock) const = 0;
  [[nodiscard]] virtual CacheFootprint footprint(const CacheSize& size) const = 0;

 protected:
  ~CacheScheme() = default;
};

struct SchemeContext {
  BootMemory& memory;
  const BlockTable& blocks;
  const UnitMap& map;
};

/// Page map, one page per write, no partial programming, greedy by invalid pages.
CacheScheme* make_baseline_scheme(const SchemeContext& c);
/// Two-level map, subpages of different logical pages packed, greedy by invalid subpages.
CacheScheme* make_mga_scheme(const SchemeContext& c);
/// As MGA's, but a page is programmed once, with as many subpages as wait: what drives for consumers do.
CacheScheme* make_pslc_scheme(const SchemeContext& c);
/// Updates in their own page, levels, invalid subpage ratio.
CacheScheme* make_ipu_scheme(const SchemeContext& c);

/// The decision for a drive with these regions; nullptr where they are no cache.
CacheScheme* make_cache_scheme(const SchemeContext& c, const char* regions);

/// Valid subpages of a page that was never updated, and how long ago it was accessed.
struct ColdSubpages {
  std::uint32_t count = 0;
  double interval = 0;
};

/// Weight of valid subpages that were never updated (equation 2): the more of them are likely to stay as they
/// are, the more. `mean`: of the access intervals of all subpages of the block.
double cold_weight(const ColdSubpages* pages, std::uint32_t count, double mean);
/// Equation 1.
constexpr double invalid_subpage_ratio(double invalid, double weight, double total) {
  return (invalid + weight) / total;
}

} // namespace twinplane::fw
