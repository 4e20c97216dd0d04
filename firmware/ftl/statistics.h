// Counters of the FTL; the platform reads them for summary.json. Plain numbers, no formatting.
#pragma once

#include <cstdint>

#include "hw/spec/geometry.h"

namespace twinplane::fw {

/// Why a page was programmed.
enum class ProgramCause : std::uint8_t { host, gc, wear, partial_rmw, migration };
constexpr std::uint32_t kProgramCauses = 5;

struct FtlStatistics {
  std::uint64_t host_pages_written = 0; // page-sized write sub-requests accepted from the host
  std::uint64_t host_pages_read = 0;
  std::uint64_t pages_programmed[kProgramCauses] = {};
  std::uint64_t programs_by_type[kMaxPageTypes] = {};
  std::uint64_t type_wanted[kMaxPageTypes] = {};  // host pages whose classifier asked for this type ...
  std::uint64_t type_granted[kMaxPageTypes] = {}; // ... and that were given it
  std::uint64_t rmw_reads = 0;                    // reads made to complete partial page writes
  std::uint64_t unmapped_reads = 0;               // sub-requests answered without flash
  std::uint64_t buffer_read_hits = 0;
  std::uint64_t buffer_write_hits = 0;
  std::uint64_t pages_trimmed = 0;

  std::uint64_t gc_invocations = 0;
  std::uint64_t gc_pages_moved = 0;
  std::uint64_t gc_blocks_erased = 0;
  std::uint64_t gc_victim_valid_pages = 0; // summed over victims at selection

  // commands and pages of each kind, and those that left as multi-plane commands (2 or more planes)
  std::uint64_t read_pages = 0, read_multi_commands = 0, read_multi_pages = 0;
  std::uint64_t program_pages = 0, program_multi_commands = 0, program_multi_pages = 0;
  std::uint64_t erase_blocks = 0, erase_multi_commands = 0, erase_multi_blocks = 0;
  // the collector's part of the reads and programs above
  std::uint64_t gc_read_pages = 0, gc_read_multi_pages = 0;
  std::uint64_t gc_program_pages = 0, gc_program_multi_pages = 0;

  std::uint64_t blocked_on_space = 0; // times a host write found no free page and had to wait
  std::uint64_t flash_failures = 0;   // completions with flash_result::fail

  std::uint64_t dominated_by[kMaxPageTypes] = {}; // writes by the slowest page type among their parts

  bool read_only = false; // worn out: writes are refused until the next boot

  // gauges, kept up to date
  std::uint64_t free_pages_by_type[kMaxPageTypes] = {};
  std::uint64_t free_blocks = 0;
  std::uint64_t valid_pages = 0;
  std::uint64_t spare_blocks_at_boot = 0; // good ones, but for exported pages and the collector's reserves
  std::uint64_t retired_blocks = 0;       // since boot
  std::uint64_t erases = 0;               // of all blocks since boot
};

} // namespace twinplane::fw
