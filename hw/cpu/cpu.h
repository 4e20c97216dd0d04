// The device's processor: a core that runs software as an SC_THREAD, its interrupt controller and
// its one-shot timer.
//
// Timing is loosely timed with temporal decoupling: charge() moves the core's local time ahead of the
// kernel; register accesses carry that lead as annotated delay; the thread gives the kernel the lead
// back before the next turn. One turn costs one kernel wake-up, at max(earliest interrupt, end of the
// previous turn).
//
// Address map: hw/spec/registers.h. `host` and `flash[channel]` reach the peripherals; the interrupt
// controller and the timer are private to the core.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <systemc>
#include <tlm>

#include "hw/core/register_access.h"
#include "hw/core/target_socket.h"
#include "hw/cpu/interrupt_controller.h"
#include "hw/cpu/software.h"

namespace twinplane::hw {

struct CpuConfig {
  std::uint64_t clock_hz = 1'000'000'000;
  std::uint32_t channels = 1;
};

struct CpuStatistics {
  std::uint64_t turns = 0;      // kernel wake-ups of the core
  std::uint64_t busy_ps = 0;    // time charged by software
  std::uint64_t mmio_reads = 0; // over the bus (private registers not counted)
  std::uint64_t mmio_writes = 0;
};

class Cpu : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Cpu> host{"host"};
  sc_core::sc_vector<tlm_utils::simple_initiator_socket<Cpu>> flash;
  /// Interrupt messages: 32-bit writes of a source number to offset reg::intc::trigger.
  TargetSocket<Cpu, 0> irq{"irq"};

  Cpu(const sc_core::sc_module_name& name, const CpuConfig& config);

  /// Must be called before simulation starts. The software outlives the simulation.
  void load(Software& software) { software_ = &software; }

  // --- what software may do, from inside boot() or step() ---
  std::uint32_t mmio_read(std::uint32_t address);
  void mmio_write(std::uint32_t address, std::uint32_t value);
  void charge(std::uint32_t cycles) {
    lead_ += cycles < charges_.size() ? charges_[cycles] : to_sc_time(cycles * cycle_ps_);
    statistics_.busy_ps += cycles * cycle_ps_;
  }
  TimePs local_time() const { return turn_at_ + lead_.value(); }

  const CpuStatistics& statistics() const { return statistics_; }

 private:
  void run();
  void wait_for_turn();
  TimePs next_turn() const { return more_ ? local_time() : std::max(local_time(), interrupts_.earliest()); }
  void arm(TimePs at, TimePs now);
  void disarm_before(TimePs at);
  void on_irq(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void trigger(std::uint32_t source, TimePs at, TimePs now);
  std::uint32_t private_read(std::uint32_t address);
  void private_write(std::uint32_t address, std::uint32_t value);
  template <typename Access>
  void bus_access(std::uint32_t address, Access access);

  /// A wake-up of the core at a time.
  struct Alarm {
    sc_core::sc_event event{sc_core::sc_gen_unique_name("wake")};
    TimePs at = kNever; // for which it is notified
  };

  Software* software_ = nullptr;
  InterruptController interrupts_;
  RegisterAccess access_;
  Alarm alarms_[2]; // that of the next turn, and a later one that it overtook
  TimePs cycle_ps_;
  std::array<sc_core::sc_time, 256> charges_; // by number of cycles: saves a library call per charge
  TimePs turn_at_ = 0;                        // kernel time of the newest turn
  sc_core::sc_time lead_;                     // the core's time is ahead of turn_at_ by this
  bool waiting_ = false;                      // between turns
  bool more_ = true;                          // software asked for another turn
  CpuStatistics statistics_;
};

} // namespace twinplane::hw
