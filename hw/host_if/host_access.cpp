#include "hw/host_if/host_access.h"

#include "hw/core/register_access.h"

namespace twinplane::hw {

bool HostAccess::send(std::uint64_t address, std::uint32_t word, TimePs at) {
  return transport(tlm::TLM_WRITE_COMMAND, address, &word, sizeof word, at);
}

bool HostAccess::transport(tlm::tlm_command command, std::uint64_t address, void* data, std::uint32_t length,
                           TimePs at) {
  const TimePs now = kernel_now();
  sc_core::sc_time delay = to_sc_time(at > now ? at - now : 0);
  payload_.set_command(command);
  payload_.set_address(address);
  payload_.set_data_ptr(static_cast<unsigned char*>(data));
  payload_.set_data_length(length);
  payload_.set_streaming_width(length);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  socket_->b_transport(payload_, delay);
  if (payload_.is_dmi_allowed()) ask_for_grant(address);
  return payload_.is_response_ok();
}

void HostAccess::ask_for_grant(std::uint64_t address) {
  tlm::tlm_dmi dmi;
  payload_.set_address(address);
  if (!socket_->get_direct_mem_ptr(payload_, dmi) || !dmi.is_read_write_allowed()) return;
  std::uint32_t place = grants_;
  if (grants_ < grant_.size()) {
    ++grants_;
  } else {
    place = next_victim_++ % static_cast<std::uint32_t>(grant_.size());
  }
  grant_[place] = Grant{dmi.get_start_address(), dmi.get_end_address(), dmi.get_dmi_ptr()};
}

void HostAccess::invalidate(std::uint64_t start, std::uint64_t end) {
  ++grants_ended_;
  for (std::uint32_t i = 0; i < grants_;) {
    if (grant_[i].start <= end && start <= grant_[i].end) {
      grant_[i] = grant_[--grants_];
    } else {
      ++i;
    }
  }
}

} // namespace twinplane::hw
