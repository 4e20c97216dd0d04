// The bandwidth of the DRAM, which page data cross as the host's data do. Where all users of the DRAM together
// cannot ask for more than it has, nothing of this happens.
//
// Programs. DRAM is asked for the data of all planes when the arbiter would give the bus to the command. The
// tenure begins so late that its last byte is there when the bus wants it; until then the bus serves others.
// The data cross the bus at its own rate, and a tenure is never longer than the bus makes it.
//
// Reads. What leaves the bus is decoded, and goes to DRAM as it is decoded. There are two page buffers on the
// way: one takes in what comes over the bus while the other one empties into DRAM. A data out waits for one
// that is empty.
#pragma once

#include <array>
#include <cstdint>

#include "hw/controller/flash_controller_config.h"
#include "hw/controller/tenure_builder.h"

namespace twinplane::hw {

class DramPacing {
 public:
  DramPacing(const FlashControllerConfig& config, const TenureBuilder& builder)
      : config_(config),
        builder_(builder),
        port_(config.dram_port != nullptr ? *config.dram_port : own_port_),
        paced_(!port_.ample()) {}

  /// It may keep page data waiting.
  bool paced() const { return paced_; }
  /// Asks for the data of the program that `tenure` is composed for, once. True when they come too late for a tenure
  /// at `at`.
  bool keeps_waiting(FlashGroup& group, OnfiTenure& tenure, TimePs at) {
    return paced_ && group.data_at == 0 && fetch(group, tenure, at);
  }
  /// When there is a page buffer for the next data out; 0: there is.
  TimePs buffer_free() const { return paced_ ? drained_[buffer_] : 0; }
  /// When the data of a plane, which come out of the decoder from `decoded_from` to `decoded` and go to `address`,
  /// are in DRAM.
  TimePs drain(const OnfiPlane& plane, TimePs decoded_from, TimePs decoded, std::uint32_t address);
  /// The same of bytes that are no page.
  TimePs store(std::uint32_t address, std::uint32_t bytes, TimePs from);

 private:
  bool fetch(FlashGroup& group, OnfiTenure& tenure, TimePs at);
  TimePs ask(const OnfiPlane& plane, std::uint32_t buffer, bool write, TimePs at);

  const FlashControllerConfig& config_;
  const TenureBuilder& builder_;
  BandwidthPort own_port_; // where none is shared: infinitely fast
  BandwidthPort& port_;
  const bool paced_;
  std::array<TimePs, 2> drained_{}; // by page buffer: when DRAM has taken what is in it
  std::uint32_t buffer_ = 0;        // of the next data out
};

} // namespace twinplane::hw
