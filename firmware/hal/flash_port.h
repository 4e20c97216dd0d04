// Driver for the rings of one channel's flash controller (hw/spec/flash_descriptor.h).
//
// The rings hold one entry per page operation that can be in flight on the channel, so they never
// overflow; the caller guarantees that bound. Nothing starts before kick().
#pragma once

#include <cstdint>

#include "firmware/hal/dram_layout.h"
#include "firmware/hal/hal.h"
#include "hw/spec/registers.h"

namespace twinplane::fw {

class FlashPort {
 public:
  /// Allocates both rings for `in_flight` operations (rounded up to a power of two) and enables the
  /// controller. dram.exhausted() tells when the rings did not fit.
  void boot(Hal& hal, DramLayout& dram, std::uint32_t channel, std::uint32_t in_flight) {
    std::uint32_t entries = 2;
    while (entries < in_flight) entries *= 2;
    const std::uint32_t submission = dram.take(std::uint64_t{entries} * sizeof(FlashDescriptor));
    const std::uint32_t completion = dram.take(std::uint64_t{entries} * sizeof(FlashCompletion));
    if (dram.exhausted()) return;
    hal_ = &hal;
    bank_ = reg::kFlashBase + channel * reg::kFlashStride;
    mask_ = entries - 1;
    submission_ = reinterpret_cast<FlashDescriptor*>(hal.dram() + submission);
    completion_ = reinterpret_cast<const FlashCompletion*>(hal.dram() + completion);
    hal.mmio_write(bank_ + reg::flash::submission_base, submission);
    hal.mmio_write(bank_ + reg::flash::submission_size, entries);
    hal.mmio_write(bank_ + reg::flash::completion_base, completion);
    hal.mmio_write(bank_ + reg::flash::completion_size, entries);
    hal.mmio_write(bank_ + reg::flash::control, 1);
  }

  /// The next free descriptor slot, to be filled by the caller.
  FlashDescriptor& append() { return submission_[tail_++ & mask_]; }

  /// Rings the doorbell.
  void kick() { hal_->mmio_write(bank_ + reg::flash::doorbell, tail_); }

  /// Operations that the controller has been given and has not completed.
  std::uint32_t under_way() const { return tail_ - head_; }
  /// So many it has completed (free running).
  std::uint32_t completed() const { return head_; }

  /// Calls `take(descriptor)` for every descriptor behind the doorbell, in order, and takes them out of the
  /// ring. Only while the controller has nothing: then as many completions were read as descriptors were
  /// rung.
  template <class Take>
  void withdraw(Take&& take) {
    for (std::uint32_t i = head_; i != tail_; ++i) take(submission_[i & mask_]);
    tail_ = head_;
  }

  /// Calls `take(completion)` for every completion visible now. A controller that names more than it has been given
  /// is a panic.
  template <class Take>
  void poll(Take&& take) {
    const std::uint32_t tail = hal_->mmio_read(bank_ + reg::flash::completion_tail);
    if (tail - head_ > under_way())
      hal_->panic("a flash controller has completed more than it has been given");
    while (head_ != tail) take(completion_[head_++ & mask_]);
  }

 private:
  Hal* hal_ = nullptr;
  FlashDescriptor* submission_ = nullptr;
  const FlashCompletion* completion_ = nullptr;
  std::uint32_t bank_ = 0;
  std::uint32_t mask_ = 0;
  std::uint32_t tail_ = 0;
  std::uint32_t head_ = 0;
};

} // namespace twinplane::fw
