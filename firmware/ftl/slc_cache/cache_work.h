// What transactions of a drive with an SLC-mode cache do with subpages.
#pragma once

#include <cstdint>

#include "firmware/ftl/regions/region.h"
#include "firmware/ftl/slc_cache/subpage_map.h"
#include "firmware/ftl/transaction.h"

namespace twinplane::fw {

constexpr Region kCache = 0;
constexpr Region kNative = 1;

/// A subpage as the host sees it.
struct LogicalSubpage {
  std::uint32_t lpn = kNoLpn;
  std::uint32_t subpage = 0;
};

/// What a transaction does with subpages, as bits in the order of its logical page unless told. A packed move
/// has subpages of any logical pages: its bits are places in its buffer.
struct CacheWork {
  Psn from[kMaxSubpages] = {};     // moves: where each subpage was read
  Psn at[kMaxSubpages] = {};       // of what was written: where
  Ppn replaced[kMaxSubpages] = {}; // ... and the page of the version before, or none
  std::uint32_t have = 0;          // sectors read into the buffer
  std::uint32_t cells = 0;         // sectors of the physical page that the flash operation moves
  std::uint32_t lost = 0;          // of these, programs: those that are lost
  std::uint8_t todo = 0;           // to be written
  std::uint8_t written = 0;        // by the program under way
  std::uint8_t again = 0;          // their program has failed: in the buffer until they have another place
  std::uint8_t overtaken = 0;      // by newer writes, when the program had failed: not repeated
  std::uint8_t reading = 0;        // by the read under way
  bool native = false;             // it takes all that native blocks have of the page
  bool first = true;               // none of it has been written yet
  bool packed = false;
};

} // namespace twinplane::fw
