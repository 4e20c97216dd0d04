// The Hal of the image: volatile registers with barriers, DRAM by address, a bump allocator behind what
// hardware looks at.
#pragma once

#include <cstddef>
#include <cstdint>

#include "firmware/hal/hal.h"
#include "firmware/target/image.h"

namespace twinplane::fw::target {

/// A register of the debug window is told the address of a message.
void tell(std::uint32_t debug_register, const volatile void* message);

class TargetHal final : public Hal {
 public:
  explicit TargetHal(const BootBlock& boot);

  std::uint32_t mmio_read(std::uint32_t address) override;
  void mmio_write(std::uint32_t address, std::uint32_t value) override;
  std::uint8_t* dram() override { return reinterpret_cast<std::uint8_t*>(std::uintptr_t{kDram}); }
  std::uint32_t dram_size() const override { return boot_.dram_for_hardware; }
  void* boot_alloc(std::size_t bytes) override;
  void charge(std::uint32_t /*cycles*/) override {} // the instructions are what the work costs
  std::uint64_t now_ps() const override;
  void wait_for_interrupt() override;

  FlashCompletion flash_functional(std::uint32_t channel, const FlashDescriptor& descriptor,
                                   std::uint8_t* payload) override;
  void keep_page(std::uint32_t ppn, std::uint64_t word, const std::uint8_t* bytes,
                 std::uint32_t count) override;
  bool kept_page(std::uint32_t ppn, std::uint64_t word, std::uint8_t* bytes, std::uint32_t count) override;
  void drop_pages(std::uint32_t first_ppn, std::uint32_t count) override;
  void trace_event(TraceEvent event, std::uint32_t a, std::uint32_t b) override;
  [[noreturn]] void panic(const char* what) override;

 private:
  const BootBlock& boot_;
  std::uint64_t next_; // offset in DRAM of the next table
};

} // namespace twinplane::fw::target
