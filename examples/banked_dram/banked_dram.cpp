#include "banked_dram.h"

#include <algorithm>

#include "hw/core/block_error.h"
#include "hw/core/kernel_time.h"

namespace examples {

using twinplane::TimePs;

BankedMemory::BankedMemory(const sc_core::sc_module_name& name, const BankTiming& timing, hw::Rate bus)
    : sc_module(name), banks_(timing, bus) {
  port.bind(*this);
}

void BankedMemory::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (!payload.is_read() && !payload.is_write()) {
    return payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
  }
  const TimePs now = hw::kernel_now();
  const TimePs done = banks_.access(now + hw::to_ps(delay), payload.get_address(), payload.get_data_length());
  delay = hw::to_sc_time(done - now);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

BankedDram::BankedDram(const sc_core::sc_module_name& name, const hw::DramConfig& config,
                       const BankTiming& timing)
    : DramBlock(name, hw::BandwidthPort(static_cast<hw::DramTiming&>(*this))),
      contents_("contents", config.bytes),
      memory_("memory", timing, config.rate) {
  port.bind(contents_.port);
  to_memory_.bind(memory_.port);
}

/// One transaction for one transfer. A simulator that takes bursts only gets one after the other here.
TimePs BankedDram::access(const hw::DramAccess& access) {
  bytes_[static_cast<std::size_t>(access.master)][access.write ? 1 : 0] += access.bytes;
  unused_.resize(std::max<std::size_t>(unused_.size(), access.bytes));
  payload_.set_command(access.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload_.set_address(access.address);
  payload_.set_data_ptr(unused_.data());
  payload_.set_data_length(static_cast<unsigned>(access.bytes));
  payload_.set_streaming_width(static_cast<unsigned>(access.bytes));
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  const TimePs now = hw::kernel_now();
  sc_core::sc_time delay = hw::to_sc_time(access.at - now);
  to_memory_->b_transport(payload_, delay);
  if (!payload_.is_response_ok()) {
    hw::report_answer(to_memory_.get_base_port(), payload_, "a transfer", access.at);
  }
  return now + hw::to_ps(delay);
}

} // namespace examples
