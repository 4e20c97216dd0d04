// One ONFI command in the making: the descriptors of a multi-plane group (or a single one) and how far
// the controller has got with it.
#pragma once

#include <array>
#include <cstdint>

#include "hw/spec/flash_descriptor.h"
#include "hw/spec/geometry.h"
#include "hw/spec/sim_time.h"

namespace twinplane::hw {

struct FlashGroup {
  std::array<FlashDescriptor, kMaxPlanesPerDie> planes;
  std::uint32_t count = 0;
  std::uint32_t die = 0;           // on the channel: chip * dies_per_chip + lun
  TimePs accepted = 0;             // doorbell time
  TimePs bus = 0;                  // own tenures so far
  std::uint32_t next_out = 0;      // read: next plane whose data leaves the die
  std::uint16_t suspends = 0;      // how often it was suspended
  bool in_cache_registers = false; // cache read: 31h or 3Fh has put its pages there
  bool cached = false;             // cache program: sent with 15h; set only where those are configured
  bool fence_open = false;         // nobody knows yet when its host data arrives
  FlashGroup* next = nullptr;      // FIFO of the die, or free list

  /// Programs and erases: the array works long, and can be suspended.
  bool changes_cells() const { return op() == FlashOp::program || op() == FlashOp::erase; }
  FlashOp op() const { return static_cast<FlashOp>(planes[0].op); }
};

} // namespace twinplane::hw
