// The two rings of a flash controller in device DRAM with their registers, and what firmware can do wrong with
// them. An error stops the controller instead of reading or writing where it was not told to.
//
// Indices run freely; slot = index & (size - 1). Completions carry the time from which on they are visible.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "hw/controller/controller_block.h"
#include "hw/core/granted_dram.h"
#include "hw/core/register_port.h"
#include "hw/spec/registers.h"

namespace twinplane::hw {

class Rings {
 public:
  using InterruptSocket = decltype(ControllerBlock::irq);

  /// `owner` stands in warnings.
  Rings(std::string owner, std::uint32_t channel, FlashControllerStatistics& statistics)
      : owner_(std::move(owner)), channel_(channel), statistics_(statistics) {}
  /// Once the sockets are bound. `by_time`: completions that come early overtake, because decodings or DRAM take
  /// times that differ.
  void connect(InterruptSocket& irq, const GrantedDram& dram, bool by_time);

  /// The register at `offset`; 0 where none of the rings is. The tail is the one that firmware read last.
  std::uint32_t read(std::uint32_t offset);
  /// Firmware reads the tail at `at`.
  std::uint32_t visible_tail(TimePs at) {
    while (completion_visible_ != completion_tail_ &&
           visible_at_[completion_visible_ & (completion_size_ - 1)] <= at) {
      ++completion_visible_;
    }
    return completion_visible_;
  }
  /// False: there is no such register.
  bool write(std::uint32_t offset, std::uint32_t value, TimePs at);

  /// Whether descriptors up to `tail` can be fetched; an error if not. Each descriptor ends in one completion, so
  /// room for those of a doorbell is room for all: what was posted and not read (see reg::flash::completion_tail)
  /// and what is under way.
  bool announced(std::uint32_t tail, TimePs at) {
    const bool there = (control_ & 1u) != 0 && tail - submission_head_ <= submission_size_;
    if (there && tail - completion_visible_ <= completion_size_) return true;
    fail(there ? reg::flash_error::completion_overflow : reg::flash_error::bad_doorbell, at);
    return false;
  }
  std::uint32_t head() const { return submission_head_; }
  void fetch(FlashDescriptor& descriptor) {
    const std::uint32_t slot = submission_head_++ & (submission_size_ - 1);
    std::memcpy(&descriptor, dram_.memory + submission_base_ + slot * sizeof descriptor, sizeof descriptor);
  }

  void post(const FlashCompletion& completion, TimePs visible_at);
  /// Tells the CPU about what has been posted since the last call.
  void interrupt();
  /// Stops the controller. An error has an interrupt of its own, so firmware does not have to read the ERROR
  /// register all the time.
  void fail(std::uint32_t error, TimePs at);

 private:
  std::uint32_t* setting(std::uint32_t offset);
  void enable(bool on, TimePs at);
  void post_in_time_order(const FlashCompletion& completion, TimePs visible_at);

  const std::string owner_;
  const std::uint32_t channel_;
  FlashControllerStatistics& statistics_;
  GrantedDram dram_;
  bool by_time_ = false;
  std::uint32_t control_ = 0;
  std::uint32_t error_ = 0;
  std::uint32_t submission_base_ = 0, submission_size_ = 0, submission_head_ = 0;
  std::uint32_t completion_base_ = 0, completion_size_ = 0, completion_tail_ = 0;
  std::uint32_t completion_visible_ = 0; // tail that firmware has seen
  std::vector<TimePs> visible_at_;       // by completion slot
  TimePs last_visible_ = 0;
  InterruptSocket* irq_ = nullptr;
  RegisterPort irq_port_; // behind the socket
  RegisterAccess irq_access_;
};

} // namespace twinplane::hw
