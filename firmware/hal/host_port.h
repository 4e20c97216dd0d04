// Driver for the front end's DMA ring: how firmware moves host data and completes commands.
// Every call appends one DmaDescriptor (see hw/spec/host_descriptor.h) and returns its index (the last one
// that it stands for), counted from 1, usable as FlashDescriptor::fence. Nothing is started before kick().
#pragma once

#include <cstdint>

#include "firmware/hal/hal.h"
#include "hw/spec/host_descriptor.h"
#include "hw/spec/registers.h"

namespace twinplane::fw {

class HostPort {
 public:
  /// The ring must be large enough for everything in flight: `entries` a power of two, at
  /// `dram_offset`. The caller guarantees at most `entries` descriptors between two done indices.
  void boot(Hal& hal, std::uint32_t dram_offset, std::uint32_t entries) {
    hal_ = &hal;
    ring_ = reinterpret_cast<DmaDescriptor*>(hal.dram() + dram_offset);
    mask_ = entries - 1;
    hal.mmio_write(reg::kHostBase + reg::host::dma_base, dram_offset);
    hal.mmio_write(reg::kHostBase + reg::host::dma_size, entries);
  }

  std::uint32_t post(const DmaDescriptor& descriptor) {
    ring_[tail_ & mask_] = descriptor;
    tail_ += 1u + descriptor.repeat;
    return tail_;
  }

  std::uint32_t complete(std::uint16_t slot, std::uint16_t status, std::uint32_t result = 0) {
    DmaDescriptor d;
    d.op = static_cast<std::uint8_t>(DmaOp::complete);
    d.slot = slot;
    d.status = status;
    d.result = result;
    return post(d);
  }

  /// Rings the doorbell when anything was posted since the last kick.
  void kick() {
    if (kicked_ == tail_) return;
    kicked_ = tail_;
    hal_->mmio_write(reg::kHostBase + reg::host::dma_tail, tail_);
  }

  /// Index of the last descriptor posted, 0 before the first.
  std::uint32_t posted() const { return tail_; }

  std::uint32_t done() const { return hal_->mmio_read(reg::kHostBase + reg::host::dma_done); }

  /// True when descriptor `index` has been executed, given a recent done().
  static bool reached(std::uint32_t done, std::uint32_t index) {
    return static_cast<std::int32_t>(done - index) >= 0;
  }

 private:
  Hal* hal_ = nullptr;
  DmaDescriptor* ring_ = nullptr;
  std::uint32_t mask_ = 0;
  std::uint32_t tail_ = 0;
  std::uint32_t kicked_ = 0;
};

} // namespace twinplane::fw
