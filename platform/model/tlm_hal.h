// Firmware's Hal over the modelled core: register accesses become TLM-2.0 transactions of hw::Cpu,
// cycles become its local time.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "firmware/hal/hal.h"
#include "hw/controller/flash_controller.h"
#include "hw/core/dram.h"
#include "hw/cpu/cpu.h"

namespace twinplane::platform {

class TlmHal final : public fw::Hal {
 public:
  TlmHal(hw::Cpu& cpu, hw::Dram& dram);
  ~TlmHal();
  TlmHal(const TlmHal&) = delete;
  TlmHal& operator=(const TlmHal&) = delete;

  std::uint32_t mmio_read(std::uint32_t address) override { return cpu_.mmio_read(address); }
  void mmio_write(std::uint32_t address, std::uint32_t value) override { cpu_.mmio_write(address, value); }
  std::uint8_t* dram() override { return dram_.data(); }
  std::uint32_t dram_size() const override { return dram_.size(); }
  void* boot_alloc(std::size_t bytes) override;
  void charge(std::uint32_t cycles) override { cpu_.charge(cycles); }
  std::uint64_t now_ps() const override { return cpu_.local_time(); }
  FlashCompletion flash_functional(std::uint32_t channel, const FlashDescriptor& descriptor,
                                   std::uint8_t* payload) override;
  [[noreturn]] void panic(const char* what) override;

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };

  hw::Cpu& cpu_;
  hw::Dram& dram_;
  std::vector<std::unique_ptr<void, Free>> tables_; // calloc: tables cost memory where they are touched
  hw::FunctionalFlash functional_;
  tlm::tlm_generic_payload functional_payload_;
};

} // namespace twinplane::platform
