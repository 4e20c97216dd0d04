// What transactions of a drive whose map's unit is smaller than a page do with units.
#pragma once

#include <cstdint>

#include "firmware/ftl/map/unit_map.h"
#include "firmware/ftl/transaction.h"

namespace twinplane::fw {

/// A unit as the host sees it.
struct LogicalUnit {
  std::uint32_t lpn = kNoLpn;
  std::uint32_t unit = 0;
};

/// What a transaction does with units, as bits in the order of its logical page unless told. A packed move
/// has units of any logical pages: its bits are places in its buffer.
struct UnitWork {
  Pun from[kMaxUnits] = {};     // moves: where each unit was read
  Pun at[kMaxUnits] = {};       // of what was written: where
  Pun replaced[kMaxUnits] = {}; // ... and where the version before is, or none
  std::uint32_t have = 0;       // sectors read into the buffer
  std::uint32_t cells = 0;      // sectors of the physical page that the flash operation moves
  std::uint32_t lost = 0;       // of these, programs: those that are lost
  std::uint32_t todo = 0;       // to be written
  std::uint32_t written = 0;    // by the program under way
  std::uint32_t again = 0;      // their program has failed: in the buffer until they have another place
  std::uint32_t superseded = 0; // by newer writes, when the program had failed: not repeated
  std::uint32_t reading = 0;    // by the read under way
  Transaction* rider = nullptr; // the next write that is programmed in the same page
  bool native = false;          // it takes all that native blocks have of the page
  bool first = true;            // none of it has been written yet
  bool packed = false;
};

} // namespace twinplane::fw
