#include "hw/host_if/host_access.h"

#include <algorithm>

#include "hw/core/kernel_time.h"

namespace twinplane::hw {

namespace {

void aim(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t address, void* data,
         std::uint32_t length) {
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(length);
  payload.set_streaming_width(length);
  payload.set_byte_enable_ptr(nullptr);
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

} // namespace

void HostAccess::send(std::uint64_t address, std::uint32_t word, TimePs at) {
  if (!host_waits_) {
    TimePs when = std::max(at, kernel_now());
    if (messages_ != nullptr && enabled_ && messages_->write32(address, word, when)) return;
    HostCall call{at};
    aim(payload_, tlm::TLM_WRITE_COMMAND, address, &word, sizeof word);
    transport(payload_, address, call);
    return;
  }
  PostedWrite write;
  write.address = address;
  std::memcpy(write.data, &word, sizeof word);
  write.length = sizeof word;
  write.at = at;
  post(write);
}

// Without grants every access comes by transport().
void HostAccess::set_enabled(bool enabled) {
  if (!enabled) invalidate(0, ~std::uint64_t{0});
  enabled_ = enabled;
}

void HostAccess::forget_posted() {
  while (posted_.size() > (sending_ ? 1u : 0u)) posted_.pop_back();
}

void HostAccess::post(const PostedWrite& write) {
  posted_.push_back(write);
  notify(posted_event_, sc_core::SC_ZERO_TIME);
}

// Off the queue only when it has gone: an empty queue says that everything has.
PostedWrite HostAccess::send_posted() {
  PostedWrite write = posted_.front();
  HostCall call{write.at, true};
  sending_ = true;
  transport(tlm::TLM_WRITE_COMMAND, write.address, write.data, write.length, call);
  sending_ = false;
  write.at = std::max(write.at, call.answered);
  posted_.pop_front();
  return write;
}

std::uint8_t* HostAccess::direct_elsewhere(std::uint64_t address, std::uint64_t length) {
  for (std::uint32_t i = 1; i < grants_; ++i) {
    if (grant_[i].at(address, length) == nullptr) continue;
    std::swap(grant_[0], grant_[i]);
    return grant_[0].at(address, length);
  }
  return nullptr;
}

HostAnswer HostAccess::transport(tlm::tlm_command command, std::uint64_t address, void* data,
                                 std::uint32_t length, HostCall& call) {
  if (host_waits_) {
    return call.in_thread ? transport_alone(command, address, data, length, call) : HostAnswer::later;
  }
  aim(payload_, command, address, data, length);
  return transport(payload_, address, call);
}

// A call that may be made to wait has a payload of its own: others go on meanwhile. It belongs to this
// object, for a simulation may end while the host holds it.
HostAnswer HostAccess::transport_alone(tlm::tlm_command command, std::uint64_t address, void* data,
                                       std::uint32_t length, HostCall& call) {
  if (idle_payloads_.empty()) idle_payloads_.push_back(&payloads_.emplace_back());
  tlm::tlm_generic_payload& own = *idle_payloads_.back();
  idle_payloads_.pop_back();
  aim(own, command, address, data, length);
  const HostAnswer answer = transport(own, address, call);
  idle_payloads_.push_back(&own);
  return answer;
}

inline HostAnswer HostAccess::transport(tlm::tlm_generic_payload& payload, std::uint64_t address,
                                        HostCall& call) {
  if (!enabled_) return HostAnswer::error;
  const TimePs now = kernel_now();
  sc_core::sc_time delay = to_sc_time(call.at > now ? call.at - now : 0);
  kernel_changes();
  socket_->b_transport(payload, delay);
  call.answered = std::max<TimePs>(call.answered, time_at(delay));
  const bool ok = payload.is_response_ok();
  if (payload.is_dmi_allowed()) ask_for_grant(payload, address);
  return ok ? HostAnswer::ok : HostAnswer::error;
}

void HostAccess::ask_for_grant(tlm::tlm_generic_payload& payload, std::uint64_t address) {
  tlm::tlm_dmi dmi;
  payload.set_address(address);
  if (!socket_->get_direct_mem_ptr(payload, dmi) || !dmi.is_read_write_allowed()) return;
  std::uint32_t place = grants_;
  if (grants_ < grant_.size()) {
    ++grants_;
  } else {
    place = 1 + next_victim_++ % static_cast<std::uint32_t>(grant_.size() - 1);
  }
  grant_[place] = Grant{dmi.get_start_address(), dmi.get_end_address(), dmi.get_dmi_ptr()};
}

void HostAccess::invalidate(std::uint64_t start, std::uint64_t end) {
  for (std::uint32_t i = 0; i < grants_;) {
    if (grant_[i].start <= end && start <= grant_[i].end) {
      grant_[i] = grant_[--grants_];
      grant_[grants_] = Grant{};
    } else {
      ++i;
    }
  }
}

} // namespace twinplane::hw
