// What follows from a configuration: sizes, capacities and upper bounds of throughput. Used by the
// cross-checks and by `twinplane check`; the models compute their own exact times.
#pragma once

#include <cstdint>

#include "platform/config/config.h"

namespace twinplane::platform {

struct Derived {
  std::uint64_t dies = 0;
  std::uint64_t planes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t pages = 0;
  std::uint64_t raw_bytes = 0;
  std::uint64_t exported_bytes =
      0; // raw x (1 - over-provisioning), of which the FTL may keep more: see DramNeeds
  std::uint64_t logical_pages = 0;
  std::uint32_t ppn_bits = 0; // die | block | plane | page
  std::uint32_t row_bits = 0; // LUN | block | plane | page

  std::uint32_t gc_threshold_blocks = 0;     // per plane
  std::uint32_t over_provisioned_blocks = 0; // per plane, rounded down
  std::uint32_t write_buffer_pages = 0;

  // Upper bounds in bytes per second, whole drive.
  double bus_bytes_per_s =
      0; // all channels, data cycles only (platform/measure/limits.h has what is reached)
  double link_bytes_per_s = 0; // each direction, after line coding and packet headers; 0 = ideal link
  double dram_bytes_per_s = 0; // of the host: each byte crosses the DRAM twice
  /// Flash buses and link together cannot ask for more than the DRAM has: it keeps none of them waiting.
  bool dram_is_ample = false;
};

/// `config` need not have passed the checks: nothing here divides by a value that may be zero.
Derived derive(const Config& config);

} // namespace twinplane::platform
