// Telemetry (NVMe 1.4 sections 5.14.1.7, 5.14.1.8): a snapshot of the model's own counters, taken when the
// host asks.
//
// Blocks of 512 bytes: a header; data area 1 is block 1, the counters of log page C0h; area 2 goes on to
// block 2, the health page; area 3 to block 3, the newest eight errors. The controller initiates none.
#pragma once

#include <cstdint>

#include "firmware/nvme/logs.h"

namespace twinplane::fw {

class Telemetry {
 public:
  static constexpr std::uint32_t kBlock = 512;
  static constexpr std::uint32_t kDataBlocks = 3;
  static constexpr std::uint32_t kPageBytes = (1 + kDataBlocks) * kBlock;

  void capture(const HealthSources& sources, const ErrorLog& errors);
  /// Page 07h, kPageBytes; blocks that have not been asked for yet are zeros.
  void write_host_page(std::uint8_t* page) const;
  /// Page 08h, kBlock: there are no data.
  static void write_controller_page(std::uint8_t* page);

 private:
  std::uint8_t data_[kDataBlocks * kBlock] = {};
  bool captured_ = false;
};

} // namespace twinplane::fw
