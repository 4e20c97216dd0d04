// Compare (NVMe 1.4 section 6.6): the stored sectors and the host's are brought into device DRAM and
// compared by the CPU at the payload the data mode carries. One command at a time; others queue.
#pragma once

#include <cstdint>

#include "firmware/nvme/services.h"

namespace twinplane::fw {

class CompareUnit {
 public:
  /// `dram_offset`: buffer_bytes() of device DRAM.
  void boot(Services& services, std::uint32_t dram_offset);
  static std::uint32_t buffer_bytes(const NvmeConfig& config);

  /// Takes a checked command (lba and sectors are set).
  void start(Command& command);
  /// One of the two sides has arrived in DRAM.
  void on_side(Command& command);

  Command* remove_waiting(std::uint16_t sqid, std::uint16_t cid) { return waiting_.remove(sqid, cid); }
  void end_waiting(std::uint16_t status);
  void forget_data();

 private:
  void begin(Command& command);
  std::uint32_t stored_buffer() const { return dram_offset_; }
  std::uint32_t host_buffer() const { return dram_offset_ + buffer_bytes(services_->config) / 2; }

  Services* services_ = nullptr;
  std::uint32_t dram_offset_ = 0;
  std::uint32_t stride_ = 0;
  bool busy_ = false;
  CommandList waiting_;
};

} // namespace twinplane::fw
