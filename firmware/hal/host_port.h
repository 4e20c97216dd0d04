// Driver for the front end's DMA ring: how firmware moves host data and completes commands.
// Every call appends one DmaDescriptor (see hw/spec/host_descriptor.h) and returns its index (the last one
// that it stands for), counted from 1, usable as FlashDescriptor::fence. Nothing is started before kick().
//
// Data can fail to come: bad PRPs, host memory that answers with an error, a controller reset. Code that acts
// on data of the host calls move_data() first and then asks whether they have come, which
// outcome_known() tells when it can be said.
#pragma once

#include <cstdint>

#include "firmware/hal/hal.h"
#include "hw/spec/host_descriptor.h"
#include "hw/spec/nvme.h"
#include "hw/spec/registers.h"

namespace twinplane::fw {

class HostPort {
 public:
  /// Device DRAM for a ring of that many entries.
  static constexpr std::uint64_t dram_bytes(std::uint64_t entries) {
    return entries * sizeof(DmaDescriptor) + sizeof(DmaStatus);
  }

  /// The ring must be large enough for everything in flight: `entries` a power of two, at
  /// `dram_offset` with dram_bytes(). The caller guarantees at most `entries` descriptors between two done
  /// indices.
  void boot(Hal& hal, std::uint32_t dram_offset, std::uint32_t entries) {
    hal_ = &hal;
    ring_ = reinterpret_cast<DmaDescriptor*>(hal.dram() + dram_offset);
    mask_ = entries - 1;
    const auto ring_bytes = static_cast<std::uint32_t>(entries * sizeof(DmaDescriptor));
    status_ = reinterpret_cast<const DmaStatus*>(hal.dram() + dram_offset + ring_bytes);
    hal.mmio_write(reg::kHostBase + reg::host::dma_base, dram_offset);
    hal.mmio_write(reg::kHostBase + reg::host::dma_size, entries);
    hal.mmio_write(reg::kHostBase + reg::host::dma_status, dram_offset + ring_bytes);
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

  /// Lets the front end move the data of all that has been posted. Their time counts from kick() all the
  /// same.
  void move_data() {
    if (status_->moved == tail_) return;
    hal_->mmio_write(reg::kHostBase + reg::host::dma_move, tail_);
  }
  /// Everything posted has been moved, and nothing has failed.
  bool all_moved() const { return status_->moved == tail_ && status_->failed == 0; }
  /// data_status() speaks for this descriptor.
  bool outcome_known(std::uint32_t index) const { return reached(status_->moved, index); }
  /// Why data of the command in `slot` have not been moved; success when none are known to have failed.
  std::uint16_t data_status(std::uint16_t slot) const {
    if (status_->failed == 0) return nvme::status::success;
    hal_->mmio_write(reg::kHostBase + reg::host::data_slot, slot);
    return static_cast<std::uint16_t>(hal_->mmio_read(reg::kHostBase + reg::host::data_status));
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
  const DmaStatus* status_ = nullptr;
  std::uint32_t mask_ = 0;
  std::uint32_t tail_ = 0;
  std::uint32_t kicked_ = 0;
};

} // namespace twinplane::fw
