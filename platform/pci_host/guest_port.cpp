#include "platform/pci_host/guest_port.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "hw/core/kernel_time.h"

namespace twinplane::platform {

using hw::kernel_now;

namespace {
/// A guest that polls a register lets time pass, also where the link takes none: what the drive has settled
/// for a later moment, such as CSTS.RDY, has no event of its own.
constexpr TimePs kLook = us(1);
} // namespace

GuestPort::GuestPort(const sc_core::sc_module_name& name, hw::PciFunction& function,
                     const hw::PciFunctionConfig& config, TimePs latency, NvmeWatch& watch)
    : sc_module(name), function_(function), config_(config), latency_(latency), watch_(watch) {
  dma.register_b_transport(this, &GuestPort::on_dma);
}

void GuestPort::power_on(InterruptSink& sink) {
  sink_ = &sink;
  function_.reset(kernel_now());
  settle();
}

// --- what the guest does ---

std::uint32_t GuestPort::read_config(std::uint32_t offset, std::uint32_t bytes) {
  const std::uint32_t value = function_.read(offset, bytes);
  run_until(kernel_now() + 2 * latency_);
  return value;
}

void GuestPort::write_config(std::uint32_t offset, std::uint32_t bytes, std::uint32_t value) {
  const std::uint64_t resets = function_.resets();
  function_.write(offset, bytes, value, kernel_now() + latency_);
  if (function_.resets() != resets) watch_.reset(kernel_now());
  settle();
  run_until(kernel_now() + 2 * latency_);
}

bool GuestPort::access(tlm::tlm_command command, std::uint32_t offset, void* data, std::uint32_t bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(offset);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  bar->b_transport(payload, delay);
  settle();
  const TimePs least = command == tlm::TLM_READ_COMMAND ? kernel_now() + kLook : kernel_now();
  run_until(std::max(hw::time_at(delay), latency_ == 0 ? least : 0));
  return payload.is_response_ok();
}

/// Registers have 32 bits: of a smaller read the word is read, and its part is given.
std::uint64_t GuestPort::read_bar(std::uint32_t offset, std::uint32_t bytes) {
  std::uint64_t value = 0;
  const std::uint32_t inside = offset % 4;
  const bool part = bytes < 4 && inside + bytes <= 4;
  const bool ok = part ? access(tlm::TLM_READ_COMMAND, offset - inside, &value, 4)
                       : access(tlm::TLM_READ_COMMAND, offset, &value, bytes);
  if (!ok) {
    ++refused_;
    return ~std::uint64_t{0} >> (64 - 8 * bytes);
  }
  return part ? value >> (8 * inside) & ((std::uint64_t{1} << (8 * bytes)) - 1) : value;
}

void GuestPort::write_bar(std::uint32_t offset, std::uint32_t bytes, std::uint64_t value) {
  const TimePs now = kernel_now();
  for (std::uint32_t done = 0; offset % 4 == 0 && done + 4 <= bytes; done += 4)
    watch_.register_write(offset + done, static_cast<std::uint32_t>(value >> (8 * done)), now);
  if (!access(tlm::TLM_WRITE_COMMAND, offset, &value, bytes)) ++refused_;
}

void GuestPort::reset() {
  function_.reset(kernel_now());
  arrivals_ = {};
  watch_.reset(kernel_now());
  settle();
}

// --- what the device does ---

void GuestPort::on_dma(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  const std::uint32_t length = payload.get_data_length();
  bool ok = true;
  if (address >= kMessageWindow && address < kMessageWindowEnd) {
    ok = payload.is_write() && length == 4;
    if (ok) put_off(payload, hw::time_at(delay), true);
  } else if (payload.is_read()) {
    deliver(); // a read does not overtake what was written before
    // Nor does this processor's load overtake its store: the guest may be at the same words, on another one.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    ok = reached_->read(address, payload.get_data_ptr(), length);
    if (ok) watch_.memory_read(address, payload.get_data_ptr(), length, kernel_now());
  } else if (length <= kEntry) {
    ok = reached_->writable(address, length);
    if (ok) put_off(payload, hw::time_at(delay), false);
  } else {
    ok = reached_->write(address, payload.get_data_ptr(), length);
  }
  payload.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

void GuestPort::put_off(const tlm::tlm_generic_payload& payload, TimePs at, bool message) {
  Arrival arrival;
  arrival.at = at;
  arrival.number = ++numbered_;
  arrival.address = payload.get_address();
  arrival.length = payload.get_data_length();
  arrival.message = message;
  std::memcpy(arrival.bytes, payload.get_data_ptr(), arrival.length);
  arrivals_.push(arrival);
}

/// What has arrived by now. Memory that the guest has taken away meanwhile is written no more.
void GuestPort::deliver() {
  const TimePs now = kernel_now();
  while (!arrivals_.empty() && arrivals_.top().at <= now) {
    const Arrival arrival = arrivals_.top();
    arrivals_.pop();
    if (arrival.message) {
      std::uint32_t data = 0;
      std::memcpy(&data, arrival.bytes, sizeof data);
      sink_->message(arrival.address, data);
    } else {
      watch_.memory_written(arrival.address, arrival.bytes, arrival.length, arrival.at);
      reached_->write(arrival.address, arrival.bytes, arrival.length);
    }
  }
  if (pin_ == intx.read()) return;
  pin_ = intx.read();
  sink_->pin(pin_);
}

// --- time ---

/// Everything that happens at this time.
void GuestPort::settle() {
  while (sc_core::sc_pending_activity_at_current_time()) sc_core::sc_start(sc_core::SC_ZERO_TIME);
  deliver();
}

TimePs GuestPort::next() const {
  TimePs at = arrivals_.empty() ? kNever : arrivals_.top().at;
  if (sc_core::sc_pending_activity()) {
    at = std::min(at, kernel_now() + hw::to_ps(sc_core::sc_time_to_pending_activity()));
  }
  const TimePs core = at == kNever && core_time_ ? core_time_() : 0;
  return core > kernel_now() ? core : at;
}

bool GuestPort::step(TimePs limit) {
  const TimePs now = kernel_now();
  const TimePs at = next();
  const TimePs until = std::max(std::min(at, limit), now);
  if (until == kNever) return false;
  if (until > now) sc_core::sc_start(hw::to_sc_time(until - now));
  settle();
  return at <= limit;
}

void GuestPort::run_until(TimePs time) {
  while (kernel_now() < time) step(time);
}

} // namespace twinplane::platform
