#include "platform/model/tlm_hal.h"

#include <string>

#include "hw/spec/registers.h"
#include "platform/model/firmware_process.h"

namespace twinplane::platform {

TlmHal::TlmHal(hw::Cpu& cpu, hw::Dram& dram) : cpu_(cpu), dram_(dram) {
  functional_payload_.set_command(tlm::TLM_IGNORE_COMMAND);
  functional_payload_.set_address(reg::flash::functional);
  functional_payload_.set_extension(&functional_);
}

TlmHal::~TlmHal() {
  functional_payload_.clear_extension(&functional_);
}

void* TlmHal::boot_alloc(std::size_t bytes) {
  void* table = std::calloc(bytes == 0 ? 1 : bytes, 1);
  if (table != nullptr) {
    tables_.emplace_back(table);
  }
  return table;
}

FlashCompletion TlmHal::flash_functional(std::uint32_t channel, const FlashDescriptor& descriptor,
                                         std::uint8_t* payload) {
  functional_.descriptor = descriptor;
  functional_.payload = payload;
  cpu_.flash[channel]->transport_dbg(functional_payload_);
  return functional_.completion;
}

void TlmHal::panic(const char* what) {
  throw FirmwarePanic("firmware panic at " + hw::to_sc_time(now_ps()).to_string() + ": " + what);
}

} // namespace twinplane::platform
