// The device's processor: a core that runs software as an SC_THREAD, its interrupt controller and
// its one-shot timer.
//
// Timing is loosely timed with temporal decoupling: charge() moves the core's local time ahead of the
// kernel, and register accesses carry that lead as annotated delay. The next turn begins at max(earliest
// interrupt, end of the previous turn).
//
// The core's thread also serves the agenda of the device (hw/core/agenda.h), in the order of time. While the
// kernel has nothing pending before the next turn or due time, the thread goes on by itself, ahead of the
// kernel by at most `run_ahead`; the order in which things happen is the same for any `run_ahead`. It must
// be 0 when somebody acts on the device whom the kernel does not announce (hw/core/run_ahead.h), or when
// flash controllers, channels or packages are bound that use kernel events of their own, or a front end that
// does not tell RunAhead::kernel_changed() of its own and of those that its calls may cause.
//
// Address map: hw/spec/registers.h. `host` and `flash[channel]` reach the peripherals; the interrupt
// controller and the timer are private to the core.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <algorithm>
#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include "hw/core/agenda.h"
#include "hw/core/register_access.h"
#include "hw/core/run_ahead.h"
#include "hw/core/target_socket.h"
#include "hw/cpu/interrupt_controller.h"
#include "hw/cpu/software.h"

namespace twinplane::hw {

struct CpuConfig {
  std::uint64_t clock_hz = 1'000'000'000;
  std::uint32_t channels = 1;
  TimePs run_ahead = 0;
};

struct CpuStatistics {
  std::uint64_t turns = 0;
  std::uint64_t activations = 0; // kernel wake-ups of the thread
  std::uint64_t busy_ps = 0;     // time charged by software
  std::uint64_t mmio_reads = 0;  // over the bus (private registers not counted)
  std::uint64_t mmio_writes = 0;
};

class Cpu : public sc_core::sc_module, private Agenda::Owner {
 public:
  tlm_utils::simple_initiator_socket<Cpu> host{"host"};
  sc_core::sc_vector<tlm_utils::simple_initiator_socket<Cpu>> flash;
  /// Interrupt messages: 32-bit writes of a source number to offset reg::intc::trigger.
  TargetSocket<Cpu, 0> irq{"irq"};

  Cpu(const sc_core::sc_module_name& name, const CpuConfig& config);

  /// Must be called before simulation starts. The software outlives the simulation.
  void load(Software& software) { software_ = &software; }

  Agenda& agenda() { return agenda_; }
  RunAhead& run_ahead() { return ahead_; }

  // --- what software may do, from inside boot() or step() ---
  std::uint32_t mmio_read(std::uint32_t address);
  void mmio_write(std::uint32_t address, std::uint32_t value);
  void charge(std::uint32_t cycles) {
    const TimePs time = cycles * cycle_ps_;
    lead_ += time;
    statistics_.busy_ps += time;
  }
  TimePs local_time() const { return turn_at_ + lead_; }

  const CpuStatistics& statistics() const { return statistics_; }

 private:
  void end_of_elaboration() override;
  void run();
  void wait_for_turn();
  void begin_turn(TimePs at);
  void look_ahead();
  void sleep_until(TimePs at);
  void wake_at(TimePs at) override;
  TimePs next_turn() const { return more_ ? local_time() : std::max(local_time(), interrupts_.earliest()); }
  void on_irq(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void trigger(std::uint32_t source, TimePs at);
  std::uint32_t private_read(std::uint32_t address);
  void private_write(std::uint32_t address, std::uint32_t value);
  template <typename Access>
  void bus_access(std::uint32_t address, Access access);

  Software* software_ = nullptr;
  InterruptController interrupts_;
  RegisterAccess access_;
  tlm::tlm_fw_transport_if<>* host_port_ =
      nullptr; // behind the sockets: an access asks neither port nor vector
  std::vector<tlm::tlm_fw_transport_if<>*> flash_ports_;
  Agenda agenda_{*this};
  sc_core::sc_event wake_{"wake"};
  TimePs cycle_ps_;
  RunAhead ahead_;
  TimePs kernel_ = 0;       // the kernel's time
  TimePs horizon_ = 0;      // the thread need not ask the kernel before this time
  TimePs turn_at_ = 0;      // ... during the newest turn
  TimePs lead_ = 0;         // the core's time is ahead of turn_at_ by this
  TimePs asleep_until_ = 0; // 0: awake
  TimePs slept_for_ = 0;    // what the last sleep waited for, though it may have ended before
  bool more_ = true;        // software asked for another turn
  CpuStatistics statistics_;
};

} // namespace twinplane::hw
