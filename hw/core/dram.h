// Device DRAM: one flat TLM-2.0 memory that everybody inside the device may point into (DMI).
//
// b_transport adds no delay of its own: transfers of page data are booked by the engines that move
// them (hw/core/reservation.h). Addresses are byte offsets from 0; an access beyond the end answers
// TLM_ADDRESS_ERROR_RESPONSE.
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <cstdint>
#include <cstring>
#include <systemc>
#include <tlm>

namespace twinplane::hw {

class Dram : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<Dram> port{"port"};

  Dram(const sc_core::sc_module_name& name, std::uint32_t bytes)
      : sc_module(name), size_(bytes), memory_(static_cast<std::uint8_t*>(std::calloc(bytes, 1))) {
    if (memory_ == nullptr) throw std::bad_alloc();
    port.register_b_transport(this, &Dram::b_transport);
    port.register_transport_dbg(this, &Dram::transport_dbg);
    port.register_get_direct_mem_ptr(this, &Dram::get_direct_mem_ptr);
  }
  ~Dram() override { std::free(memory_); }
  Dram(const Dram&) = delete;
  Dram& operator=(const Dram&) = delete;

  std::uint8_t* data() { return memory_; }
  std::uint32_t size() const { return size_; }

 private:
  void b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    const bool ok = access(payload);
    payload.set_dmi_allowed(true);
    payload.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }

  unsigned transport_dbg(int, tlm::tlm_generic_payload& payload) {
    return access(payload) ? payload.get_data_length() : 0;
  }

  bool get_direct_mem_ptr(int, tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
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

  std::uint32_t size_;
  std::uint8_t* memory_; // calloc: untouched pages cost nothing
};

} // namespace twinplane::hw
