// Firmware's Hal over the modelled core: register accesses become TLM-2.0 transactions of the core,
// cycles become its local time, and all memory is the DRAM behind the core's socket: first what hardware
// looks at, then the firmware's tables.
#pragma once

#include <cstdint>

#include "firmware/hal/hal.h"
#include "hw/controller/controller_block.h"
#include "hw/cpu/core_block.h"
#include "platform/fw_host/kept_pages.h"

namespace twinplane::platform {

class TlmHal final : public fw::Hal {
 public:
  /// Of the DRAM, tables take what lies behind `for_hardware`.
  TlmHal(hw::CoreBlock& core, std::uint64_t for_hardware);
  ~TlmHal();
  TlmHal(const TlmHal&) = delete;
  TlmHal& operator=(const TlmHal&) = delete;

  /// After elaboration: asks the memory behind the core's socket `dram` for a pointer.
  void connect();
  /// All of that memory; connect() finds it.
  const std::uint8_t* memory() const { return dram_; }
  std::uint64_t memory_bytes() const { return memory_bytes_; }

  std::uint32_t mmio_read(std::uint32_t address) override { return core_.mmio_read(address); }
  void mmio_write(std::uint32_t address, std::uint32_t value) override { core_.mmio_write(address, value); }
  std::uint8_t* dram() override { return dram_; }
  std::uint32_t dram_size() const override;
  void* boot_alloc(std::size_t bytes) override;
  void touch(const void* table, std::uint32_t bytes, bool write) override {
    core_.touch(static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(table) - dram_), bytes, write);
  }
  void charge(std::uint32_t cycles) override { core_.charge(cycles); }
  std::uint64_t now_ps() const override { return core_.local_time(); }
  void wait_for_interrupt() override { core_.wait_for_interrupt(); }
  FlashCompletion flash_functional(std::uint32_t channel, const FlashDescriptor& descriptor,
                                   std::uint8_t* payload) override;
  void keep_page(std::uint32_t ppn, std::uint64_t word, const std::uint8_t* bytes,
                 std::uint32_t count) override {
    kept_.keep(ppn, word, bytes, count);
  }
  bool kept_page(std::uint32_t ppn, std::uint64_t word, std::uint8_t* bytes, std::uint32_t count) override {
    return kept_.fetch(ppn, word, bytes, count);
  }
  void drop_pages(std::uint32_t first_ppn, std::uint32_t count) override { kept_.drop(first_ppn, count); }
  void trace_event(fw::TraceEvent event, std::uint32_t a, std::uint32_t b) override {
    if (listener_ != nullptr && !silent_) listener_->on_trace_event(event, a, b, now_ps());
  }
  [[noreturn]] void panic(const char* what) override;

  /// Before it boots.
  void listen(fw::TraceListener& listener) { listener_ = &listener; }
  /// What happens from now on is told to no listener (or again): it belongs to no run.
  void silence(bool silent) { silent_ = silent; }
  bool traced() const { return listener_ != nullptr; }

  /// What has to last as the cells do.
  void serialise(StateVisitor& state) { kept_.serialise(state); }

 private:
  hw::CoreBlock& core_;
  std::uint64_t for_hardware_;
  std::uint64_t next_table_; // where it begins
  std::uint8_t* dram_ = nullptr;
  std::uint64_t memory_bytes_ = 0;
  fw::TraceListener* listener_ = nullptr;
  bool silent_ = false;
  KeptPages kept_;
  hw::FunctionalFlash functional_;
  tlm::tlm_generic_payload functional_payload_;
};

} // namespace twinplane::platform
