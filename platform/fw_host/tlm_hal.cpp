#include "platform/fw_host/tlm_hal.h"

#include <algorithm>
#include <string>

#include "hw/core/granted_dram.h"
#include "hw/spec/registers.h"
#include "platform/config/dram_needs.h"
#include "platform/fw_host/firmware_process.h"

namespace twinplane::platform {

namespace {

constexpr std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + DramNeeds::kAlignment - 1) / DramNeeds::kAlignment * DramNeeds::kAlignment;
}

} // namespace

TlmHal::TlmHal(hw::CoreBlock& core, std::uint64_t for_hardware)
    : core_(core), for_hardware_(for_hardware), next_table_(aligned(for_hardware)) {
  functional_payload_.set_command(tlm::TLM_IGNORE_COMMAND);
  functional_payload_.set_address(reg::flash::functional);
  functional_payload_.set_extension(&functional_);
}

TlmHal::~TlmHal() {
  functional_payload_.clear_extension(&functional_);
}

void TlmHal::connect() {
  const hw::GrantedDram granted = hw::granted_dram(core_.dram);
  dram_ = granted.memory;
  memory_bytes_ = granted.bytes;
}

void* TlmHal::boot_alloc(std::size_t bytes) {
  const std::uint64_t begin = next_table_;
  if (begin + bytes > memory_bytes_) return nullptr;
  next_table_ += aligned(bytes);
  return dram_ + begin;
}

std::uint32_t TlmHal::dram_size() const {
  return static_cast<std::uint32_t>(std::min(for_hardware_, memory_bytes_));
}

FlashCompletion TlmHal::flash_functional(std::uint32_t channel, const FlashDescriptor& descriptor,
                                         std::uint8_t* payload) {
  functional_.descriptor = descriptor;
  functional_.payload = payload;
  const bool words = (descriptor.flags & flash_flag::oob_words) != 0;
  functional_.words = words ? reinterpret_cast<std::uint64_t*>(dram_ + descriptor.oob) : nullptr;
  core_.flash[channel]->transport_dbg(functional_payload_);
  return functional_.completion;
}

void TlmHal::panic(const char* what) {
  throw FirmwarePanic("firmware panic at " + hw::to_sc_time(now_ps()).to_string() + ": " + what);
}

} // namespace twinplane::platform
