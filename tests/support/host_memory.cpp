#include "tests/support/host_memory.h"

namespace twinplane::test {

namespace {
constexpr std::uint64_t kPart = 65536;
constexpr tlm::tlm_response_status kErrors[] = {tlm::TLM_ADDRESS_ERROR_RESPONSE,
                                                tlm::TLM_GENERIC_ERROR_RESPONSE, tlm::TLM_INCOMPLETE_RESPONSE,
                                                tlm::TLM_BURST_ERROR_RESPONSE};
} // namespace

HostMemory::HostMemory(const sc_core::sc_module_name& name, std::uint64_t pages)
    : sc_module(name), bytes_(pages * kPage), refused_(pages) {
  socket.register_b_transport(this, &HostMemory::on_access);
  socket.register_get_direct_mem_ptr(this, &HostMemory::on_direct);
}

bool HostMemory::refused(std::uint64_t address, std::uint64_t length) const {
  if (address >= bytes_.size() || length > bytes_.size() - address) return true;
  for (std::uint64_t page = address / kPage; page <= (address + length - 1) / kPage; ++page) {
    if (refused_[page]) return true;
  }
  return false;
}

void HostMemory::refuse(std::uint64_t page, bool refused) {
  if (refused && direct_ != Direct::never)
    socket->invalidate_direct_mem_ptr(page * kPage, page * kPage + kPage - 1);
  refused_[page] = refused;
}

void HostMemory::set_direct(Direct direct) {
  direct_ = direct;
  socket->invalidate_direct_mem_ptr(0, bytes_.size() - 1);
}

void HostMemory::on_access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  const std::uint32_t length = payload.get_data_length();
  if (latency_waits) {
    sc_core::wait(delay + latency);
    delay = sc_core::SC_ZERO_TIME;
  } else {
    delay += latency;
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (address >= kMessages && address < kMessages + kMessageBytes) {
    on_send(payload);
    return;
  }
  if (refused(address, length)) {
    payload.set_response_status(kErrors[refusals_++ % std::size(kErrors)]);
    return;
  }
  if (payload.is_write()) {
    if (on_write) on_write(address, length);
    std::memcpy(at(address), payload.get_data_ptr(), length);
    if (on_written) on_written(address, length);
  } else if (payload.is_read()) {
    std::memcpy(payload.get_data_ptr(), at(address), length);
  }
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  payload.set_dmi_allowed(span(address, start, end));
}

void HostMemory::on_send(const tlm::tlm_generic_payload& payload) {
  std::uint32_t data = 0;
  if (payload.get_data_length() == sizeof data) std::memcpy(&data, payload.get_data_ptr(), sizeof data);
  if (on_message) on_message(static_cast<std::uint32_t>(payload.get_address() - kMessages), data);
}

// A grant never holds a page that is refused.
bool HostMemory::span(std::uint64_t address, std::uint64_t& start, std::uint64_t& end) const {
  if (direct_ == Direct::never || address >= bytes_.size()) return false;
  const std::uint64_t part = direct_ == Direct::whole ? bytes_.size() : kPart;
  start = address / part * part;
  end = start + part - 1;
  return !refused(start, part);
}

bool HostMemory::on_direct(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  dmi.init();
  if (!span(payload.get_address(), start, end)) {
    dmi.set_start_address(payload.get_address());
    dmi.set_end_address(payload.get_address());
    return false;
  }
  dmi.set_start_address(start);
  dmi.set_end_address(end);
  dmi.set_dmi_ptr(at(start));
  dmi.allow_read_write();
  return true;
}

} // namespace twinplane::test
