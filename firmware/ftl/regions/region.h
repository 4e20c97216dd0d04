// What a region is: blocks of every plane that serve the same kind of data in the same way. The decision
// about them is in regions.h, their accounts are in block_table.h, their frontiers in block allocation.
#pragma once

#include <cstdint>

#include "hw/spec/geometry.h"

namespace twinplane::fw {

using Region = std::uint8_t;
constexpr std::uint32_t kMaxRegions = 4;

/// The pages of a block that are used until its next erase, in the order of their numbers.
enum class PageMode : std::uint8_t {
  all,
  fast, // the first type of each wordline: half of the pages of an MLC block, a third of a TLC block, and the faster ones
  slc,  // programmed, read and erased in SLC mode: one page per wordline, numbered from 0 on
};

/// The regions of a drive, as many as a block's record allows; one that uses all pages, unless told.
struct RegionModes {
  std::uint32_t count = 1;
  PageMode mode[kMaxRegions] = {};
  bool cache = false; // the first one holds copies for a while: it adds nothing to the drive's capacity
};

/// Pages of a block in use.
inline std::uint32_t pages_in_use(PageMode mode, const Geometry& g) {
  return mode == PageMode::all ? g.pages_per_block : g.pages_per_block / static_cast<std::uint32_t>(g.cell);
}

} // namespace twinplane::fw
