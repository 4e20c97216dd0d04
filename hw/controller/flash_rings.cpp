// FlashController: the rings in device DRAM, and what firmware can do wrong with them. An error stops the
// controller instead of reading or writing where it was not told to.
#include <algorithm>
#include <cstring>
#include <string>

#include "hw/controller/flash_controller.h"
#include "hw/spec/registers.h"

namespace twinplane::hw {

namespace {

namespace flash_error = reg::flash_error;

const char* text_of(std::uint32_t error) {
  switch (error) {
    case flash_error::bad_ring:
      return "a ring's size is no power of two, it lies outside device DRAM, or it was set while enabled or "
             "in use";
    case flash_error::bad_doorbell:
      return "the doorbell announces more descriptors than the ring holds, or rings while not enabled";
    case flash_error::too_many_commands:
      return "more commands than the controller can hold";
    default:
      return "the completion ring has no room for all that the doorbell announces";
  }
}

bool ring_fits(std::uint32_t base, std::uint32_t entries, std::size_t entry_bytes, std::uint64_t memory) {
  const bool power_of_two = entries != 0 && (entries & (entries - 1)) == 0;
  return power_of_two && base + std::uint64_t{entries} * entry_bytes <= memory;
}

} // namespace

bool FlashController::set_ring(std::uint32_t& setting, std::uint32_t value, TimePs at) {
  const bool in_use = completion_visible_ != submission_head_; // each descriptor ends in one completion
  if ((control_ & 1u) != 0 || in_use) {
    fail(flash_error::bad_ring, at);
  } else {
    setting = value;
  }
  return true;
}

void FlashController::enable(bool on, TimePs at) {
  if (!on || (control_ & 1u) != 0) {
    control_ = on ? 1 : 0;
    return;
  }
  if (!ring_fits(submission_base_, submission_size_, sizeof(FlashDescriptor), dram_size_) ||
      !ring_fits(completion_base_, completion_size_, sizeof(FlashCompletion), dram_size_)) {
    fail(flash_error::bad_ring, at);
    return;
  }
  visible_at_.resize(completion_size_);
  control_ = 1;
}

// An error has an interrupt of its own, so firmware does not have to read the ERROR register on every turn.
void FlashController::fail(std::uint32_t error, TimePs at) {
  control_ = 0;
  const bool known = (error_ & error) != 0;
  error_ |= error;
  if (known) return;
  ++statistics_.errors;
  SC_REPORT_WARNING("twinplane.flash_controller", (std::string(name()) + ": " + text_of(error)).c_str());
  sc_core::sc_time delay = to_sc_time(at - now_);
  irq_access_.write(irq_port_, reg::intc::trigger, reg::irq::flash_error, delay);
}

/// 0 or the error. Each descriptor ends in one completion, so room for those of a doorbell is room for all:
/// what was posted and not read (see reg::flash::completion_tail) and what is under way.
std::uint32_t FlashController::check_doorbell(std::uint32_t tail) const {
  if ((control_ & 1u) == 0 || tail - submission_head_ > submission_size_) return flash_error::bad_doorbell;
  return tail - completion_visible_ > completion_size_ ? flash_error::completion_overflow : 0;
}

void FlashController::fetch(std::uint32_t tail, TimePs at) {
  if (const std::uint32_t error = check_doorbell(tail); error != 0) return fail(error, at);
  if (deferred_ != nullptr || (!waiters_.empty() && waiters_.earliest() < at)) run_before(at);
  for (; submission_head_ != tail; ++submission_head_) {
    if (assembling_ == nullptr) {
      assembling_ = free_groups_;
      if (assembling_ == nullptr) {
        fail(flash_error::too_many_commands, at);
        break;
      }
      free_groups_ = assembling_->next;
      assembling_->count = 0;
    }
    const std::uint32_t slot = submission_head_ & (submission_size_ - 1);
    FlashDescriptor& d = assembling_->planes[assembling_->count++];
    std::memcpy(&d, dram_ + submission_base_ + slot * sizeof d, sizeof d);
    if ((d.flags & flash_flag::more) != 0 && assembling_->count < kMaxPlanesPerDie) continue;
    FlashGroup& group = *assembling_;
    assembling_ = nullptr;
    if ((d.flags & flash_flag::load) != 0) { // waits for the last page of its wordline
      group.next = nullptr;
      (first_load_ == nullptr ? first_load_ : last_load_->next) = &group;
      last_load_ = &group;
      continue;
    }
    group.loads = first_load_;
    group.tag = (first_load_ != nullptr ? first_load_ : &group)->planes[0].cookie;
    first_load_ = nullptr;
    enqueue(group, at);
  }
  run(at);
}

/// Moves those that come later, and that the CPU has not been told of, behind this one.
void FlashController::post_in_time_order(const FlashCompletion& completion, TimePs visible_at) {
  std::uint32_t index = completion_tail_++;
  const std::uint32_t mask = completion_size_ - 1;
  std::uint8_t* const ring = dram_ + completion_base_;
  for (; index != completion_visible_ && visible_at_[(index - 1) & mask] > visible_at; --index) {
    std::memcpy(ring + (index & mask) * sizeof completion, ring + ((index - 1) & mask) * sizeof completion,
                sizeof completion);
    visible_at_[index & mask] = visible_at_[(index - 1) & mask];
  }
  std::memcpy(ring + (index & mask) * sizeof completion, &completion, sizeof completion);
  visible_at_[index & mask] = last_visible_ = visible_at;
  ++statistics_.completions;
}

void FlashController::post(const FlashCompletion& completion, TimePs visible_at) {
  if (by_time_) return post_in_time_order(completion, visible_at);
  const std::uint32_t slot = completion_tail_ & (completion_size_ - 1);
  std::memcpy(dram_ + completion_base_ + slot * sizeof completion, &completion, sizeof completion);
  last_visible_ = std::max(last_visible_, visible_at);
  visible_at_[slot] = last_visible_;
  ++completion_tail_;
  ++statistics_.completions;
}

// Tells the CPU about what has been posted since the last call.
void FlashController::interrupt() {
  sc_core::sc_time delay = to_sc_time(last_visible_ - now_);
  irq_access_.write(irq_port_, reg::intc::trigger, reg::irq::flash0 + config_.channel, delay);
  if (!irq_access_.ok()) irq_access_.report(irq.get_base_port(), last_visible_);
}

} // namespace twinplane::hw
