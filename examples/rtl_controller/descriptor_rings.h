// The registers of a flash controller (reg::flash) and its two rings in device DRAM, for a controller with
// events of its own: it hands out descriptors with the time of their doorbell and takes completions with the
// time from which the core may see them.
//
// Firmware that misuses the rings gets a bit in the ERROR register, an interrupt and a warning
// "twinplane.rtl_controller", and no further descriptor is taken (hw/spec/registers.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/spec/flash_descriptor.h"
#include "hw/spec/sim_time.h"

namespace twinplane::example {

class DescriptorRings {
 public:
  class Owner {
   public:
    /// The descriptors of a doorbell at `at`, in order.
    virtual void on_descriptor(const FlashDescriptor& descriptor, TimePs at) = 0;
    /// An interrupt message to the core with this time.
    virtual void interrupt(std::uint32_t source, TimePs at) = 0;

   protected:
    ~Owner() = default;
  };

  /// `name` is that of the controller, for warnings.
  DescriptorRings(std::string name, Owner& owner) : name_(std::move(name)), owner_(owner) {}

  /// The memory in which the rings lie.
  void use(std::uint8_t* dram, std::uint64_t bytes) {
    dram_ = dram;
    dram_size_ = bytes;
  }

  std::uint32_t read(std::uint32_t offset, TimePs at);
  /// False for a register that does not exist or cannot be written.
  bool write(std::uint32_t offset, std::uint32_t value, TimePs at);

  /// Appends a completion that is visible from `visible_at` on, or when the one before is.
  TimePs post(const FlashCompletion& completion, TimePs visible_at);

  std::uint64_t completions() const { return completions_; }
  std::uint64_t errors() const { return errors_; }

 private:
  std::uint32_t visible_tail(TimePs at);
  bool set(std::uint32_t& setting, std::uint32_t value, TimePs at);
  void enable(bool on, TimePs at);
  void ring_doorbell(std::uint32_t tail, TimePs at);
  void fail(std::uint32_t error, const char* text, TimePs at);
  bool fits(std::uint32_t base, std::uint32_t entries, std::size_t entry_bytes) const;

  std::string name_;
  Owner& owner_;
  std::uint8_t* dram_ = nullptr;
  std::uint64_t dram_size_ = 0;
  std::uint32_t control_ = 0;
  std::uint32_t error_ = 0;
  // free-running indices
  std::uint32_t submission_base_ = 0, submission_size_ = 0, submission_head_ = 0;
  std::uint32_t completion_base_ = 0, completion_size_ = 0, completion_tail_ = 0;
  std::uint32_t completion_visible_ = 0;
  std::vector<TimePs> visible_at_; // by completion slot
  TimePs last_visible_ = 0;
  std::uint64_t completions_ = 0;
  std::uint64_t errors_ = 0;
};

} // namespace twinplane::example
