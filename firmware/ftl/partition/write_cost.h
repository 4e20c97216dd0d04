// What does a page write cost on a drive whose blocks are split in two: a hot partition, whose blocks use their
// fast pages only, and a cold one, whose blocks use all? A page programmed costs its program and
// its share of the collection that made room for it; a partition that grows collects emptier blocks, and the
// other one fuller ones. The unit says what each partition's writes cost now, what they would cost after
// blocks have changed sides, and which division costs least.
//
// Source: BROMS ("How Many MLCs Should Impersonate SLCs to Optimize SSD Performance?"); (1) to (13) are its
// equations. (9) and the numerator of (11) are printed there with mu_h where only mu_c makes sense: cold data
// do not depend on how full the hot partition is, and (12) follows from (11) with mu_c alone. The paper is about
// MLC, whose hot blocks hold half; in its equations 2 is the number of bits per cell, and 1/2 its inverse.
//
// Shares are 0 to 1. What lies outside is moved to the nearest end, and what is no number (a division of
// nothing by nothing) counts as 1: a partition without capacity is full. Costs are times, in any one unit,
// and finite: what is not possible, a write to a full partition, costs kImpossible, and nothing where nothing
// is written.
//
// Everything is double: a cost near the ends is a ratio of small differences, and times, pages and shares
// multiply to more than 64 bits. It is computed once per collection, never per page, and calls no library,
// whose last digits differ from one to the next.
//
// Not in here: the one-time cost of moving a victim's pages. The paper has none; who adds one spreads it over
// at least the pages of a plane. Spread over the pages of a block it outweighs every lasting gain.
#pragma once

#include <cstdint>

namespace twinplane::fw {

inline constexpr double kImpossible = 1e30;

enum class Partition : std::uint8_t { hot, cold };

/// Pages of a victim: real numbers, smooth, for comparing divisions; or whole ones, as the paper rounds them.
enum class PageCount : std::uint8_t { real, whole };

struct FlashCosts {
  std::uint32_t pages_per_block; // N_p, fast and slow
  double read;                   // C_r
  double program_fast;           // C_pf
  double program_mean;           // C_pa, of fast and slow pages
  double erase;                  // C_e
  double bits = 2.0;             // per cell: a hot block has one page of so many
};

/// A drive's state, (1). Capacity is what blocks hold in the mode that they are in.
struct Division {
  double hot_writes;       // theta: share of the *pages* written (not of requests) that are hot
  double misplaced;        // lambda: share of those whose data are cold after all and must be moved
  double hot_capacity;     // beta: hot / (hot + cold capacity)
  double hot_utilisation;  // mu_h: hot data / hot capacity
  double cold_utilisation; // mu_c
};

/// Valid share of the blocks that are collected.
struct Victims {
  double hot, cold;
};

struct WriteCosts {
  Victims victims;
  double hot_page_write;  // (4)
  double cold_page_write; // (5)
  double migration;       // (7), of a page from the hot partition to the cold one
  double overall;         // (13), per page that the host writes
};

/// beta where a share of the *blocks* is hot, and back.
double capacity_of_blocks(double hot_blocks, double bits = 2.0);
double blocks_of_capacity(double hot_capacity, double bits = 2.0);

/// (6): valid share of the victims where `utilisation` is that of all blocks; off by 1e-14 at most.
double victim_utilisation(double utilisation);
/// (6) as it is printed: the utilisation of all blocks where that is the valid share of the victims.
double utilisation_of_victim(double victim);
Victims predicted_victims(const Division& d);

/// (2), (3): reads and programs the valid pages of a victim, and erases it.
double collection_cost(const FlashCosts& flash, Partition partition, double victim, PageCount count);

/// (4), (5): a program, and its share of the collection.
double page_write_cost(const FlashCosts& flash, Partition partition, double victim, PageCount count);

/// (2) to (7) and (13). Victims are predicted_victims(), or what was measured.
WriteCosts write_costs(const FlashCosts& flash, const Division& d, const Victims& victims, PageCount count);

/// (8), (9): the hot partition has grown by `growth` (shrunk if negative), as a share of the capacity before.
/// The cold one gives `bits` times that, for a block that becomes hot keeps one page of so many: the whole capacity
/// changes, the number of blocks does not. Growth ends where a partition has no block left.
Division resized(const Division& d, double growth, double bits = 2.0);

/// (10): the growth after which hot data fill `hot_utilisation` of their partition. With resized() it is
/// (11).
double growth_to(const Division& d, double hot_utilisation, double bits = 2.0);

/// (12): below it, cold data have no room; at it, they fill their partition.
double lowest_hot_utilisation(const Division& d, double bits = 2.0);

/// The division of the same blocks and data that costs least, with real pages: whole ones have a local
/// minimum wherever a page more becomes free. Cost over growth is convex, which the search relies on.
Division cheapest(const FlashCosts& flash, const Division& d);

/// 1 - e^-y for y >= 0, exact to some 1e-15 of itself also near 0.
double one_minus_exp(double y);

} // namespace twinplane::fw
