#include "descriptor_rings.h"

#include <algorithm>
#include <cstring>
#include <systemc>

#include "hw/spec/registers.h"

namespace twinplane::example {

namespace flash = reg::flash;

std::uint32_t DescriptorRings::read(std::uint32_t offset, TimePs at) {
  switch (offset) {
    case flash::id:
      return flash::id_value;
    case flash::control:
      return control_;
    case flash::submission_base:
      return submission_base_;
    case flash::submission_size:
      return submission_size_;
    case flash::completion_base:
      return completion_base_;
    case flash::completion_size:
      return completion_size_;
    case flash::submission_head:
      return submission_head_;
    case flash::completion_tail:
      return visible_tail(at);
    case flash::error:
      return error_;
    default:
      return 0;
  }
}

bool DescriptorRings::write(std::uint32_t offset, std::uint32_t value, TimePs at) {
  switch (offset) {
    case flash::doorbell:
      ring_doorbell(value, at);
      return true;
    case flash::control:
      enable((value & 1u) != 0, at);
      return true;
    case flash::error:
      error_ &= ~value;
      return true;
    case flash::submission_base:
      return set(submission_base_, value, at);
    case flash::submission_size:
      return set(submission_size_, value, at);
    case flash::completion_base:
      return set(completion_base_, value, at);
    case flash::completion_size:
      return set(completion_size_, value, at);
    default:
      return false;
  }
}

bool DescriptorRings::set(std::uint32_t& setting, std::uint32_t value, TimePs at) {
  if ((control_ & 1u) != 0) {
    fail(reg::flash_error::bad_ring, "a ring was set while enabled", at);
  } else {
    setting = value;
  }
  return true;
}

bool DescriptorRings::fits(std::uint32_t base, std::uint32_t entries, std::size_t entry_bytes) const {
  const bool power_of_two = entries != 0 && (entries & (entries - 1)) == 0;
  return power_of_two && base + std::uint64_t{entries} * entry_bytes <= dram_size_;
}

void DescriptorRings::enable(bool on, TimePs at) {
  if (!on || (control_ & 1u) != 0) {
    control_ = on ? 1 : 0;
  } else if (!fits(submission_base_, submission_size_, sizeof(FlashDescriptor)) ||
             !fits(completion_base_, completion_size_, sizeof(FlashCompletion))) {
    fail(reg::flash_error::bad_ring, "a ring's size is no power of two, or it lies outside device DRAM", at);
  } else {
    visible_at_.resize(completion_size_);
    control_ = 1;
  }
}

/// Each descriptor ends in one completion, so room for those of a doorbell is room for all.
void DescriptorRings::ring_doorbell(std::uint32_t tail, TimePs at) {
  if ((control_ & 1u) == 0 || tail - submission_head_ > submission_size_) {
    return fail(reg::flash_error::bad_doorbell,
                "the doorbell announces more descriptors than the ring holds, or rings while not enabled",
                at);
  }
  if (tail - completion_visible_ > completion_size_) {
    return fail(reg::flash_error::completion_overflow,
                "the completion ring has no room for all that the doorbell announces", at);
  }
  for (; submission_head_ != tail; ++submission_head_) {
    FlashDescriptor d;
    const std::uint32_t slot = submission_head_ & (submission_size_ - 1);
    std::memcpy(&d, dram_ + submission_base_ + slot * sizeof d, sizeof d);
    owner_.on_descriptor(d, at);
  }
}

void DescriptorRings::fail(std::uint32_t error, const char* text, TimePs at) {
  control_ = 0;
  const bool known = (error_ & error) != 0;
  error_ |= error;
  if (known) return;
  ++errors_;
  SC_REPORT_WARNING("twinplane.rtl_controller", (name_ + ": " + text).c_str());
  owner_.interrupt(reg::irq::flash_error, at);
}

std::uint32_t DescriptorRings::visible_tail(TimePs at) {
  while (completion_visible_ != completion_tail_ &&
         visible_at_[completion_visible_ & (completion_size_ - 1)] <= at) {
    ++completion_visible_;
  }
  return completion_visible_;
}

TimePs DescriptorRings::post(const FlashCompletion& completion, TimePs visible_at) {
  const std::uint32_t slot = completion_tail_++ & (completion_size_ - 1);
  std::memcpy(dram_ + completion_base_ + slot * sizeof completion, &completion, sizeof completion);
  last_visible_ = std::max(last_visible_, visible_at);
  visible_at_[slot] = last_visible_;
  ++completions_;
  return last_visible_;
}

} // namespace twinplane::example
