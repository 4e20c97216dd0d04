#include "hw/cpu/cpu.h"

#include <algorithm>

#include "hw/spec/registers.h"

namespace twinplane::hw {

Cpu::Cpu(const sc_core::sc_module_name& name, const CpuConfig& config)
    : sc_module(name),
      flash("flash", config.channels),
      cycle_ps_(1'000'000'000'000u / std::max<std::uint64_t>(1, config.clock_hz)) {
  irq.register_b_transport(this, &Cpu::on_irq);
  SC_HAS_PROCESS(Cpu);
  SC_THREAD(run);
  sensitive << wake_;
}

void Cpu::run() {
  local_ = kernel_now();
  software_->boot();
  for (;;) {
    waiting_ = true;
    while (kernel_now() < next_turn()) {
      arm();
      sc_core::wait();
      wake_at_ = kNever;
    }
    waiting_ = false;
    local_ = kernel_now();
    ++statistics_.turns;
    more_ = software_->step();
  }
}

TimePs Cpu::next_turn() const {
  return more_ ? local_ : std::max(local_, interrupts_.earliest());
}

// A later notification is ignored by the kernel and an earlier one leaves a dead entry in its queue,
// so notify only when the wake-up moves forward.
void Cpu::arm() {
  const TimePs at = next_turn();
  if (at >= wake_at_) return; // covers "never": nothing to arm; an earlier wake-up re-arms by itself
  const TimePs now = kernel_now();
  wake_at_ = at;
  wake_.notify(to_sc_time(std::max(at, now) - now));
}

void Cpu::trigger(std::uint32_t source, TimePs at) {
  interrupts_.trigger(source, at);
  if (waiting_) arm();
}

void Cpu::on_irq(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (!is_word_access(payload)) return;
  if (!payload.is_write() || payload.get_address() != reg::intc::trigger ||
      word_of(payload) >= reg::intc::sources) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  trigger(word_of(payload), kernel_now() + delay.value());
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

std::uint32_t Cpu::private_read(std::uint32_t address) {
  switch (address) {
    case reg::kIntcBase + reg::intc::cause_lo:
      return interrupts_.cause(0, local_);
    case reg::kIntcBase + reg::intc::cause_hi:
      return interrupts_.cause(1, local_);
    case reg::kIntcBase + reg::intc::cause_top:
      return interrupts_.cause(2, local_);
    default:
      return 0;
  }
}

void Cpu::private_write(std::uint32_t address, std::uint32_t value) {
  if (address == reg::kIntcBase + reg::intc::trigger) {
    trigger(value, local_);
  } else if (address == reg::kTimerBase + reg::timer::arm_ns) {
    interrupts_.clear(reg::irq::timer); // writing re-arms, 0 disarms
    if (value != 0) interrupts_.trigger(reg::irq::timer, local_ + ns(value));
  }
}

template <typename Access>
void Cpu::bus_access(std::uint32_t address, Access access) {
  sc_core::sc_time delay = to_sc_time(local_ - kernel_now());
  if (address >= reg::kFlashBase) {
    const std::uint32_t offset = address - reg::kFlashBase;
    const std::uint32_t channel = offset / reg::kFlashStride;
    if (channel >= flash.size()) return; // nobody answers: reads give the last word on the bus
    access(flash[channel], offset % reg::kFlashStride, delay);
  } else {
    access(host, address - reg::kHostBase, delay);
  }
  local_ = kernel_now() + delay.value();
}

std::uint32_t Cpu::mmio_read(std::uint32_t address) {
  if (address >= reg::kIntcBase && address < reg::kFlashBase) return private_read(address);
  ++statistics_.mmio_reads;
  std::uint32_t value = 0;
  bus_access(address, [&](auto& socket, std::uint32_t offset, sc_core::sc_time& delay) {
    value = access_.read(socket, offset, delay);
  });
  return value;
}

void Cpu::mmio_write(std::uint32_t address, std::uint32_t value) {
  if (address >= reg::kIntcBase && address < reg::kFlashBase) {
    private_write(address, value);
    return;
  }
  ++statistics_.mmio_writes;
  bus_access(address, [&](auto& socket, std::uint32_t offset, sc_core::sc_time& delay) {
    access_.write(socket, offset, value, delay);
  });
}

} // namespace twinplane::hw
