#include "hw/cpu/core_block.h"

#include "hw/spec/registers.h"

namespace twinplane::hw {

bool CoreBlock::look_at(std::uint32_t address, std::uint32_t& value) {
  tlm::tlm_generic_payload payload;
  payload.set_read();
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(sizeof value);
  payload.set_streaming_width(sizeof value);
  if (address < reg::kIntcBase) {
    payload.set_address(address - reg::kHostBase);
    return host->transport_dbg(payload) == sizeof value;
  }
  if (address < reg::kFlashBase) return false; // the core's own
  const std::uint32_t channel = (address - reg::kFlashBase) / reg::kFlashStride;
  if (channel >= flash.size()) return false;
  payload.set_address((address - reg::kFlashBase) % reg::kFlashStride);
  return flash[channel]->transport_dbg(payload) == sizeof value;
}

} // namespace twinplane::hw
