// What the front end counts and the flash keeps beside the block table.
#pragma once

#include <cstdint>

namespace twinplane::fw {

/// Of the SMART / health page (NVMe 1.4, figure 194), and of the sanitize status page (figure 236).
struct DriveRecord {
  std::uint64_t sectors_read = 0;
  std::uint64_t sectors_written = 0;
  std::uint64_t read_commands = 0;
  std::uint64_t write_commands = 0;
  std::uint64_t media_errors = 0;
  std::uint64_t busy_ps = 0; // I/O commands outstanding
  std::uint64_t power_cycles = 1;
  std::uint64_t unsafe_shutdowns = 0;
  std::uint64_t zero_commands = 0;  // Write Zeroes and Write Uncorrectable
  std::uint64_t sanitized_at = 0;   // changes() when the last sanitize operation ended
  std::uint32_t sanitize_state = 0; // SSTAT bits 2:0
  std::uint32_t sanitize_cdw10 = 0; // of the last Sanitize command that began an operation
  /// Grows with every command that changes the medium, but for deallocations.
  [[nodiscard]] std::uint64_t changes() const { return sectors_written + zero_commands; }
};

/// As it lies in the flash.
struct KeptRecord {
  DriveRecord record;
  std::uint32_t shut_down = 0; // by the host, and not enabled again since
  std::uint32_t read_only = 0; // the drive has reached the end of its life
};

} // namespace twinplane::fw
