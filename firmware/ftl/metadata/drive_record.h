// What the front end counts and the flash keeps beside the block table.
#pragma once

#include <cstdint>

namespace twinplane::fw {

/// Of the SMART / health page (NVMe 1.4, figure 194).
struct DriveRecord {
  std::uint64_t sectors_read = 0;
  std::uint64_t sectors_written = 0;
  std::uint64_t read_commands = 0;
  std::uint64_t write_commands = 0;
  std::uint64_t media_errors = 0;
  std::uint64_t busy_ps = 0; // I/O commands outstanding
  std::uint64_t power_cycles = 1;
  std::uint64_t unsafe_shutdowns = 0;
};

/// As it lies in the flash.
struct KeptRecord {
  DriveRecord record;
  std::uint32_t shut_down = 0; // by the host, and not enabled again since
  std::uint32_t reserved = 0;
};

} // namespace twinplane::fw
