#include "hw/cpu/cpu.h"

#include <algorithm>

#include "hw/spec/registers.h"

namespace twinplane::hw {

Cpu::Cpu(const sc_core::sc_module_name& name, const CpuConfig& config)
    : sc_module(name),
      flash("flash", config.channels),
      cycle_ps_(1'000'000'000'000u / std::max<std::uint64_t>(1, config.clock_hz)) {
  irq.register_b_transport(this, &Cpu::on_irq);
  for (std::size_t cycles = 0; cycles < charges_.size(); ++cycles) {
    charges_[cycles] = to_sc_time(cycles * cycle_ps_);
  }
  SC_HAS_PROCESS(Cpu);
  SC_THREAD(run);
  for (Alarm& alarm : alarms_) sensitive << alarm.event;
}

void Cpu::run() {
  turn_at_ = kernel_now();
  software_->boot();
  for (;;) {
    wait_for_turn();
    ++statistics_.turns;
    more_ = software_->step();
  }
}

void Cpu::wait_for_turn() {
  waiting_ = true;
  TimePs now = turn_at_; // a turn takes no kernel time
  for (TimePs at = next_turn(); now < at; at = next_turn()) {
    disarm_before(at);
    arm(at, now);
    sc_core::wait();
    now = kernel_now();
    for (Alarm& alarm : alarms_) {
      if (alarm.at <= now) alarm.at = kNever;
    }
  }
  waiting_ = false;
  turn_at_ = now;
  lead_ = sc_core::sc_time();
}

// What a busy turn has served already must not wake the thread, which costs more than the kernel's dead
// queue entry.
void Cpu::disarm_before(TimePs at) {
  for (Alarm& alarm : alarms_) {
    if (alarm.at >= at) continue;
    alarm.event.cancel();
    alarm.at = kNever;
  }
}

// A later notification is ignored by the kernel and an earlier one leaves a dead entry in its queue: an
// interrupt that overtakes the one waited for gets the other event, and the overtaken one keeps its own for
// the turn after.
void Cpu::arm(TimePs at, TimePs now) {
  const bool second_later = alarms_[1].at >= alarms_[0].at;
  if (at >= alarms_[second_later ? 0 : 1].at) return; // an earlier wake-up re-arms by itself
  Alarm& alarm = alarms_[second_later ? 1 : 0];
  alarm.at = at;
  alarm.event.notify(to_sc_time(at - now));
}

void Cpu::trigger(std::uint32_t source, TimePs at, TimePs now) {
  interrupts_.trigger(source, at);
  if (!waiting_ || at > interrupts_.earliest()) return; // that one is armed
  arm(std::max(next_turn(), now), now);
}

void Cpu::on_irq(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (!is_word_access(payload)) return;
  if (!payload.is_write() || payload.get_address() != reg::intc::trigger ||
      word_of(payload) >= reg::intc::sources) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  const TimePs now = kernel_now();
  trigger(word_of(payload), now + delay.value(), now);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

std::uint32_t Cpu::private_read(std::uint32_t address) {
  switch (address) {
    case reg::kIntcBase + reg::intc::cause_lo:
      return interrupts_.cause(0, local_time());
    case reg::kIntcBase + reg::intc::cause_hi:
      return interrupts_.cause(1, local_time());
    case reg::kIntcBase + reg::intc::cause_top:
      return interrupts_.cause(2, local_time());
    default:
      return 0;
  }
}

void Cpu::private_write(std::uint32_t address, std::uint32_t value) {
  if (address == reg::kIntcBase + reg::intc::trigger) {
    trigger(value, local_time(), turn_at_);
  } else if (address == reg::kTimerBase + reg::timer::arm_ns) {
    interrupts_.clear(reg::irq::timer); // writing re-arms, 0 disarms
    if (value != 0) interrupts_.trigger(reg::irq::timer, local_time() + ns(value));
  }
}

template <typename Access>
void Cpu::bus_access(std::uint32_t address, Access access) {
  if (address >= reg::kFlashBase) {
    const std::uint32_t offset = address - reg::kFlashBase;
    const std::uint32_t channel = offset / reg::kFlashStride;
    if (channel >= flash.size()) return; // nobody answers: reads give the last word on the bus
    access(flash[channel], offset % reg::kFlashStride, lead_);
  } else {
    access(host, address - reg::kHostBase, lead_);
  }
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
