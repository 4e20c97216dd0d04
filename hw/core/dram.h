// Device DRAM: one flat TLM-2.0 memory that everybody inside the device may point into (DMI). All of it is
// zero at first, and takes memory of the host where it has been touched.
//
// b_transport adds no delay of its own: transfers of page data are booked by the engines that move
// them (hw/core/reservation.h), at `rate`. Addresses are byte offsets from 0; an access beyond the end
// answers TLM_ADDRESS_ERROR_RESPONSE.
#pragma once

#include <sys/mman.h>
#include <cstdint>
#include <cstring>
#include <new>
#include <systemc>
#include <tlm>

#include "hw/core/dram_block.h"
#include "hw/core/target_socket.h"

namespace twinplane::hw {

class Dram final : public DramBlock, private BlockingTarget<> {
 public:
  Dram(const sc_core::sc_module_name& name, std::uint64_t bytes, Rate rate = Rate(), bool ample = false)
      : DramBlock(name, BandwidthPort(rate, ample)), size_(bytes) {
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kFlags, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<std::uint8_t*>(memory);
    port.bind(*this);
  }
  ~Dram() override { munmap(memory_, size_); }
  Dram(const Dram&) = delete;
  Dram& operator=(const Dram&) = delete;

  bool has_external_events() const override { return false; }
  std::uint8_t* data() { return memory_; }
  std::uint64_t size() const { return size_; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) override {
    const bool ok = access(payload);
    payload.set_dmi_allowed(true);
    payload.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }

  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
    return access(payload) ? payload.get_data_length() : 0;
  }

  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) override {
    dmi.set_dmi_ptr(memory_);
    dmi.set_start_address(0);
    dmi.set_end_address(size_ - 1);
    dmi.allow_read_write();
    return true;
  }

  bool access(tlm::tlm_generic_payload& payload) {
    const std::uint64_t address = payload.get_address();
    const std::uint64_t length = payload.get_data_length();
    if (address > size_ || length > size_ - address) return false;
    if (payload.is_write()) {
      std::memcpy(memory_ + address, payload.get_data_ptr(), length);
    } else if (payload.is_read()) {
      std::memcpy(payload.get_data_ptr(), memory_ + address, length);
    }
    return true;
  }

  std::uint64_t size_;
  std::uint8_t* memory_ = nullptr;
};

} // namespace twinplane::hw
