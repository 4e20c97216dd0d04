// CPU cost of each firmware step in clock cycles (configuration keys cpu.cost.<step>). The defaults are what
// the image for a Cortex-R5 takes (A32, -O2, a cycle per instruction): docs/results/firmware-cost has where
// each is from, and how far one number per step carries; admin is from tests/nvme/admin_cost_test.cpp.
#pragma once

#include <cstdint>

namespace twinplane::fw {

struct CostTable {
  std::uint32_t interrupt = 258;      // a turn: entry, cause read, what is new
  std::uint32_t command_decode = 693; // one host command, with its completion
  std::uint32_t map_lookup = 489;     // one page of a command, with its L2P access
  std::uint32_t allocate = 0;         // PLAlloc + BLAlloc of one page: in flash_submit, as for reads
  std::uint32_t flash_submit = 765;   // one page of a flash descriptor, with the search for it
  std::uint32_t flash_complete = 302; // one flash completion
  std::uint32_t dma_submit = 13;      // one DMA descriptor: most of it is in map_lookup
  std::uint32_t gc_select = 555;      // one victim selection: greedy; IPU 103,000, BROMS 566,000
  std::uint32_t admin = 9200;         // one admin command: 7,100 for Get Features, 14,400 for the error log
};

} // namespace twinplane::fw
