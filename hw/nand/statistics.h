// Counters of one package. Only the bus face counts: functional accesses (debug transport) leave no
// trace here except in `violations` and in the blocks' erase counts (PageStore).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/nand/rules.h"
#include "hw/spec/geometry.h"
#include "hw/spec/reliability.h"
#include "hw/spec/sim_time.h"

namespace twinplane::hw {

/// Of one kind of operation (read, program, erase).
struct MultiplaneStatistics {
  std::uint64_t commands = 0; // commands that used two or more planes
  std::uint64_t units = 0;    // pages or blocks that these commands carried
  std::uint64_t planes = 0;   // that they used
};

struct DieStatistics {
  TimePs busy = 0;       // array time: tR, tPROG, tBERS
  TimePs plane_busy = 0; // the same, summed over planes: plane_busy / busy = mean of busy planes
};

struct NandStatistics {
  std::array<std::uint64_t, kMaxPageTypes> reads{}; // pages, by page type, native mode
  std::array<std::uint64_t, kMaxPageTypes> programs{};
  std::uint64_t passes = 0;    // one-pass programs of a plane's wordline; its pages are among the programs
  std::uint64_t slc_reads = 0; // pages of blocks in SLC mode
  std::uint64_t slc_programs = 0;
  std::uint64_t partial_programs = 0; // programs of less than a whole page (contained in the above)
  std::uint64_t sectors_left_out = 0; // by those
  std::uint64_t wordline_reads = 0;   // lower pages read to program a wordline that was not buffered
  std::uint64_t native_erases = 0;    // blocks
  std::uint64_t slc_erases = 0;
  std::uint64_t aborted = 0;           // operations ended by a reset or a power cut
  std::uint64_t independent_reads = 0; // reads that began while another plane of the die read
  std::uint64_t cache_reads = 0;       // 31h (commands)
  std::uint64_t cache_programs = 0;    // 15h
  std::uint64_t suspends = 0;          // operations that were suspended
  std::uint64_t resumes = 0;           // ... and went on
  std::uint64_t failed_programs = 0;   // pages that failed in the cells, not by a broken rule
  std::uint64_t failed_erases = 0;     // blocks
  std::uint64_t retry_reads = 0;       // pages that could not be read at the level in force
  std::uint64_t lost_reads = 0;        // pages read that were programmed without some of their sectors
  /// Pages read at read levels 1, 2, ...; by RawErrors::kind. They are among the reads.
  std::array<std::array<std::uint64_t, kReadLevels - 1>, kMaxPageTypes + 1> level_reads{};
  MultiplaneStatistics multiplane_read;
  MultiplaneStatistics multiplane_program;
  MultiplaneStatistics multiplane_erase;
  std::array<std::uint64_t, kRules> violations{}; // by Rule
  std::vector<DieStatistics> dies;                // by LUN

  std::uint64_t violation(Rule rule) const { return violations[static_cast<std::size_t>(rule)]; }
};

} // namespace twinplane::hw
