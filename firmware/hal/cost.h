// CPU cost of each firmware step in clock cycles (configuration keys cpu.cost.<step>).
#pragma once

#include <cstdint>

namespace twinplane::fw {

struct CostTable {
  std::uint32_t interrupt = 60;       // entry, cause read
  std::uint32_t command_decode = 120; // one host command
  std::uint32_t map_lookup = 20;      // one L2P access
  std::uint32_t allocate = 40;        // PLAlloc + BLAlloc of one page
  std::uint32_t flash_submit = 40;    // one flash descriptor
  std::uint32_t flash_complete = 40;  // one flash completion
  std::uint32_t dma_submit = 20;      // one DMA descriptor
  std::uint32_t gc_select = 400;      // one victim selection
  std::uint32_t admin = 2000;         // one admin command
};

} // namespace twinplane::fw
