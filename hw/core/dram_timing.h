// What a DRAM is asked that takes its own time for every transfer: by address, direction and master.
//
// The bytes themselves go by pointer (hw/core/dram_block.h); what is asked here is time alone. So the answer
// is given at once, from within the call, and may be any time from `at` on: a model with banks, a simulator
// of DRAM behind a TLM socket whose transport is not waiting. The calls come in the order in which the drive
// comes to know of transfers, and `at` goes back and forth: what the link announces for later leaves the time
// before it to others (hw/core/calendar.h is a way to keep such books). Never before the kernel's time.
#pragma once

#include <cstdint>

#include "hw/spec/sim_time.h"

namespace twinplane::hw {

enum class DramMaster : std::uint8_t {
  host_dma, // data of commands, between host and buffers
  flash,    // page data, between buffers and flash controllers
  core,     // lines that the core's cache misses or writes back (cpu.cache_size)
};

struct DramAccess {
  /// Of the first byte. In data.mode = "tag" a buffer holds 16 bytes of each sector: then it is where the
  /// page data would lie if all their bytes were there (nominal_address()), possibly beyond the memory's end.
  std::uint64_t address = 0;
  std::uint64_t bytes = 0; // nominally, whatever the data mode
  TimePs at = 0;           // the first of them not before this
  DramMaster master = DramMaster::host_dma;
  bool write = false; // to the memory
};

class DramTiming {
 public:
  virtual ~DramTiming() = default;
  /// When the last byte has passed. Must not wait. kNever and a time before `at` are errors with the DRAM's
  /// name, and so is a time before which it would have ended nothing for longer than the drive's patience
  /// (run.timeout).
  virtual TimePs access(const DramAccess& access) = 0;
  /// Time in which it could not have done more: what its utilisation is made of.
  [[nodiscard]] virtual TimePs busy() const = 0;
};

} // namespace twinplane::hw
