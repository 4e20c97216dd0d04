// One ONFI command in the making: the descriptors of a multi-plane group (or a single one) and how far
// the controller has got with it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "hw/spec/flash_descriptor.h"
#include "hw/spec/geometry.h"
#include "hw/spec/sim_time.h"

namespace twinplane::hw {

class OpSequence;
struct ReadRetry;

struct FlashGroup {
  std::array<FlashDescriptor, kMaxPlanesPerDie> planes;
  std::uint32_t count = 0;
  std::uint32_t tag = 0;           // observers know its tenures by it: cookie of its first page
  std::uint32_t die = 0;           // on the channel: chip * dies_per_chip + lun
  OpSequence* sequence = nullptr;  // that begins when it is the group's turn
  FlashGroup* next = nullptr;      // FIFO of the die, free list, or retries that are to come
  TimePs accepted = 0;             // doorbell time
  TimePs suspending = 0;           // what the die had waited until then for suspends to take effect
  TimePs bus = 0;                  // own tenures so far
  TimePs begun = 0;                // its first tenure, where there is one
  std::uint32_t next_out = 0;      // read: next plane whose data leaves the die
  std::uint16_t suspends = 0;      // how often it was suspended
  bool in_cache_registers = false; // cache read: 31h or 3Fh has put its pages there
  bool cached = false;             // cache program: sent with 15h
  bool promised = false;           // 31h or 15h of the group in front says that it is next
  bool fence_open = false;         // program: it is not known yet when its host data arrive
  TimePs data_at = 0;              // program: DRAM, asked for its data, gives them from then on; 0: not asked
  FlashGroup* loads = nullptr;     // one-pass program: its other pages, linked through `next`
  FlashGroup* next_load = nullptr; // ... of which this one and those behind it are still to be sent
  ReadRetry* retry = nullptr;      // read: pages that could not be corrected; nearly always null

  /// The descriptors have come.
  void accept(TimePs at) {
    accepted = at;
    bus = 0;
    next_out = 0;
    suspends = 0;
    in_cache_registers = cached = promised = fence_open = false;
    data_at = 0;
  }
  /// Programs and erases: the array works long, and can be suspended.
  bool changes_cells() const { return op() == FlashOp::program || op() == FlashOp::erase; }
  FlashOp op() const { return static_cast<FlashOp>(planes[0].op); }

  /// What its completions have in common, at `end`. Bus tenures and the array's own time are known; what is left of
  /// the time since the doorbell was waiting. Polls that ran during the array time count as bus time.
  FlashCompletion completion(TimePs on_bus, TimePs array, TimePs end) const {
    const TimePs total = end - accepted;
    FlashCompletion completion;
    completion.bus_ps = on_bus;
    completion.array_ps = std::min(array, total - on_bus);
    completion.bus_wait_ps = total - on_bus - completion.array_ps;
    return completion;
  }
};

} // namespace twinplane::hw
