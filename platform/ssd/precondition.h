// Puts the drive into a used state before the run: in zero simulated time, deterministic, through the
// firmware's own allocation and garbage collection and the dies' own decoders (debug transport).
//
//   fill  writes LPNs 0 .. fill x exported pages - 1 once in ascending order, then overwrites
//         `overwrite` x exported pages, uniformly at random among the filled ones: whole pages, or where the map's
//         unit is smaller as many units of any pages at a time
//   aged  SSDSim's state: `fill` of every plane programmed and invalid, no live data
//   trace writes in ascending order the pages of which the trace reads sectors before it has written them
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/config/config.h"
#include "platform/fw_host/firmware_window.h"
#include "platform/trace/io_record.h"

namespace twinplane::platform {

struct PreconditionResult {
  std::uint64_t pages_filled = 0;
  std::uint64_t pages_overwritten = 0;
  std::uint64_t free_blocks = 0;  // afterwards
  std::uint64_t valid_pages = 0;  // afterwards
  double write_amplification = 0; // of the overwriting; 0 when there was none
  /// Sectors 0 .. filled_sectors - 1 hold tags {LBA, Shadow::kInitialSequence}.
  std::uint64_t filled_sectors = 0;
  /// So do those of the logical pages that are true here.
  std::vector<bool> filled_pages;

  /// One line for people.
  std::string text() const;
};

/// The firmware must have booted and be idle. `trace` is what will be replayed, null for a synthetic
/// workload; it is rewound if it was read. Throws InputError when the drive cannot take it, or there is no
/// trace and mode wants one.
PreconditionResult precondition(const Config& config, FirmwareWindow& firmware, IoSource* trace);

} // namespace twinplane::platform
