// One ONFI command in the making: the descriptors of a multi-plane group (or a single one) and how far
// the controller has got with it.
#pragma once

#include <array>
#include <cstdint>

#include "hw/spec/flash_descriptor.h"
#include "hw/spec/geometry.h"
#include "hw/spec/sim_time.h"

namespace twinplane::hw {

struct ReadRetry;

struct FlashGroup {
  std::array<FlashDescriptor, kMaxPlanesPerDie> planes;
  std::uint32_t count = 0;
  std::uint32_t tag = 0;           // observers know its tenures by it: cookie of its first page
  std::uint32_t die = 0;           // on the channel: chip * dies_per_chip + lun
  TimePs accepted = 0;             // doorbell time
  TimePs suspending = 0;           // what the die had waited until then for suspends to take effect
  TimePs bus = 0;                  // own tenures so far
  TimePs begun = 0;                // its first tenure, where there is one
  std::uint32_t next_out = 0;      // read: next plane whose data leaves the die
  std::uint16_t suspends = 0;      // how often it was suspended
  bool in_cache_registers = false; // cache read: 31h or 3Fh has put its pages there
  bool cached = false;             // cache program: sent with 15h; set only where those are configured
  bool apart = false; // nobody knows yet when its host data arrives, pages of its wordline are to be loaded
                      // first, or it is a copyback or of a target: see start_apart()
  TimePs data_at = 0; // program: DRAM, asked for its data, gives them from then on; 0: not asked
  FlashGroup* loads = nullptr; // one-pass program: its other pages, linked through `next` (wordline_pass.cpp)
  FlashGroup* next_load = nullptr; // ... of which this one and those behind it are still to be sent
  TimePs load_busy = 0;            // ... and how long the die was busy with those that are
  std::uint64_t load_bytes = 0;    // ... and what they brought: counted with 10h, as the die does
  FlashGroup* next = nullptr;      // FIFO of the die, free list, or retries that are to come
  ReadRetry* retry = nullptr;      // read: pages that could not be corrected; nearly always null

  /// Programs and erases: the array works long, and can be suspended.
  bool changes_cells() const { return op() == FlashOp::program || op() == FlashOp::erase; }
  FlashOp op() const { return static_cast<FlashOp>(planes[0].op); }
};

/// What a group that is read again keeps of its pages.
struct ReadRetry {
  /// A page that could not be corrected so far.
  struct Page {
    FlashCompletion completion; // of its first read
    TimePs known = 0;           // ... when its decoding had failed
    std::uint32_t plane = 0;    // its place in FlashGroup::planes
    std::uint32_t failed = 0;   // sectors
    std::uint8_t kind = 0;      // RawErrors::kind
    bool counted = false;       // by a model of bit errors
  };
  std::array<Page, kMaxPlanesPerDie> pages;
  std::uint32_t failing = 0; // pages that the sense under way leaves behind
  std::uint32_t level = 0;   // read level of that sense; 0: nothing is left to be read
  TimePs due = 0;            // the decodings of that sense, or of the first reads, have ended
  ReadRetry* next = nullptr; // not in use
};

} // namespace twinplane::hw
