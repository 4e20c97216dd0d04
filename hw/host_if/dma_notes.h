// What is unusual about descriptors whose data have been moved and whose time has not been booked yet.
#pragma once

#include <cstdint>
#include <deque>

#include "hw/host_if/slots.h"

namespace twinplane::hw {

struct DmaNote {
  enum class Kind : std::uint8_t {
    list,         // a list page of `bytes` had to be read first
    chained_list, // ... and its address was in the list page before
    failed,       // nothing moved: takes no time
    skipped,      // not looked at: the command is gone, or the descriptor makes no sense
  };
  std::uint32_t index = 0; // of the descriptor
  Kind kind = Kind::list;
  std::uint32_t bytes = 0;
  Slot* slot = nullptr; // whose list it is
};

/// In the order of the ring; of one descriptor, lists in the order of their reading and before its outcome.
using DmaNotes = std::deque<DmaNote>;

} // namespace twinplane::hw
