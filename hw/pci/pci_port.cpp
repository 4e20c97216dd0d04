#include "hw/pci/pci_port.h"

#include <cstring>

#include "hw/core/register_access.h"

namespace twinplane::hw {

PciPort::PciPort(const sc_core::sc_module_name& name, const PciFunctionConfig& config_space,
                 PciClient& client, TimePs latency)
    : sc_module(name), function_(config_space, client), latency_(latency) {
  config.bind(config_calls_);
  memory.bind(memory_calls_);
}

void PciPort::end_of_elaboration() {
  if (config.get_base_port().size() != 0) function_.reset(0);
}

void PciPort::on_config(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint32_t bytes = payload.get_data_length();
  const std::uint64_t address = payload.get_address();
  if (address >= 4096) return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  if ((bytes != 1 && bytes != 2 && bytes != 4) || address % bytes != 0 || streams(payload))
    return payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
  if (payload.get_byte_enable_ptr() != nullptr)
    return payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  const auto offset = static_cast<std::uint32_t>(address);
  const TimePs at = time_at(delay) + latency_;
  std::uint32_t value = 0;
  if (payload.is_read()) {
    value = function_.read(offset, bytes);
    std::memcpy(payload.get_data_ptr(), &value, bytes);
  } else if (payload.is_write()) {
    std::memcpy(&value, payload.get_data_ptr(), bytes);
    function_.write(offset, bytes, value, at);
  }
  delay += to_sc_time(2 * latency_);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void PciPort::on_memory(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  if (const auto offset = function_.decode(address, payload.get_data_length())) {
    payload.set_address(*offset);
    bar->b_transport(payload, delay);
    payload.set_address(address);
    return;
  }
  if (payload.is_read()) std::memset(payload.get_data_ptr(), 0xFF, payload.get_data_length());
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

} // namespace twinplane::hw
