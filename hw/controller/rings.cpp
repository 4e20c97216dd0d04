#include "hw/controller/rings.h"

#include <algorithm>

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

void Rings::connect(InterruptSocket& irq, const GrantedDram& dram, bool by_time) {
  irq_ = &irq;
  irq_port_ = RegisterPort(irq.operator->());
  dram_ = dram;
  by_time_ = by_time;
}

// --- registers ---

/// Of a ring; null: the register is another one.
std::uint32_t* Rings::setting(std::uint32_t offset) {
  switch (offset) {
    case reg::flash::submission_base:
      return &submission_base_;
    case reg::flash::submission_size:
      return &submission_size_;
    case reg::flash::completion_base:
      return &completion_base_;
    case reg::flash::completion_size:
      return &completion_size_;
    default:
      return nullptr;
  }
}

std::uint32_t Rings::read(std::uint32_t offset) {
  if (offset == reg::flash::completion_tail) return completion_visible_;
  if (offset == reg::flash::submission_head) return submission_head_;
  if (offset == reg::flash::control) return control_;
  if (offset == reg::flash::error) return error_;
  const std::uint32_t* const found = setting(offset);
  return found == nullptr ? 0 : *found;
}

bool Rings::write(std::uint32_t offset, std::uint32_t value, TimePs at) {
  std::uint32_t* const found = setting(offset);
  if (offset == reg::flash::control) {
    enable((value & 1u) != 0, at);
  } else if (offset == reg::flash::error) {
    error_ &= ~value;
  } else if (found == nullptr) {
    return false;
  } else if ((control_ & 1u) != 0 ||
             completion_visible_ != submission_head_) { // each descriptor completes once
    fail(flash_error::bad_ring, at);
  } else {
    *found = value;
  }
  return true;
}

void Rings::enable(bool on, TimePs at) {
  if (!on || (control_ & 1u) != 0) {
    control_ = on ? 1 : 0;
    return;
  }
  if (!ring_fits(submission_base_, submission_size_, sizeof(FlashDescriptor), dram_.bytes) ||
      !ring_fits(completion_base_, completion_size_, sizeof(FlashCompletion), dram_.bytes)) {
    fail(flash_error::bad_ring, at);
    return;
  }
  visible_at_.resize(completion_size_);
  control_ = 1;
}

void Rings::fail(std::uint32_t error, TimePs at) {
  control_ = 0;
  const bool known = (error_ & error) != 0;
  error_ |= error;
  if (known) return;
  ++statistics_.errors;
  SC_REPORT_WARNING("twinplane.flash_controller", (owner_ + ": " + text_of(error)).c_str());
  irq_port_.write(irq_access_, reg::intc::trigger, reg::irq::flash_error, at);
}

// --- descriptors and completions ---

/// Moves those that come later, and that the CPU has not been told of, behind this one.
void Rings::post_in_time_order(const FlashCompletion& completion, TimePs visible_at) {
  std::uint32_t index = completion_tail_++;
  const std::uint32_t mask = completion_size_ - 1;
  std::uint8_t* const ring = dram_.memory + completion_base_;
  for (; index != completion_visible_ && visible_at_[(index - 1) & mask] > visible_at; --index) {
    std::memcpy(ring + (index & mask) * sizeof completion, ring + ((index - 1) & mask) * sizeof completion,
                sizeof completion);
    visible_at_[index & mask] = visible_at_[(index - 1) & mask];
  }
  std::memcpy(ring + (index & mask) * sizeof completion, &completion, sizeof completion);
  visible_at_[index & mask] = last_visible_ = visible_at;
  ++statistics_.completions;
}

void Rings::post(const FlashCompletion& completion, TimePs visible_at) {
  if (by_time_) return post_in_time_order(completion, visible_at);
  const std::uint32_t slot = completion_tail_ & (completion_size_ - 1);
  std::memcpy(dram_.memory + completion_base_ + slot * sizeof completion, &completion, sizeof completion);
  last_visible_ = std::max(last_visible_, visible_at);
  visible_at_[slot] = last_visible_;
  ++completion_tail_;
  ++statistics_.completions;
}

void Rings::interrupt() {
  TimePs at = last_visible_;
  if (!irq_port_.write(irq_access_, reg::intc::trigger, reg::irq::flash0 + channel_, at))
    irq_access_.report(irq_->get_base_port(), last_visible_);
}

} // namespace twinplane::hw
