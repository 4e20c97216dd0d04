// The drive's core: runs the firmware and carries its accesses.
//
//   host    initiator, base protocol: the front end's registers (reg::host)
//   flash   initiators, one per channel: the flash controllers' registers (reg::flash)
//   dram    initiator, base protocol: device DRAM, which grants DMI from address 0
//   irq     target, base protocol, any number of initiators: 32-bit writes of a source number to
//   reg::intc::trigger, which
//           take effect at now + delay
//   event_queue  port: the drive's event queue. A core that serves_event_queue() is its server (EventQueue::serve_by)
//           and calls its workers at their times; for any other core the flash controllers use kernel events
// The address map is that of hw/spec/registers.h; interrupt controller and timer are the core's.
//
// Blocks answer transport_dbg on the register sockets as far as they are to be looked into.
//
// The software's local time is kept here, not behind virtual functions: it is asked for at every step of the
// firmware. A core sets it when a turn begins and lets accesses add to it.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <cstdint>
#include <systemc>
#include <tlm>

#include "hw/core/block.h"
#include "hw/core/event_queue.h"
#include "hw/cpu/cache_model.h"
#include "hw/cpu/software.h"

namespace twinplane::hw {

struct CoreStatistics {
  std::uint64_t turns = 0;
  std::uint64_t activations = 0; // kernel wake-ups of the thread
  std::uint64_t busy_ps = 0;     // time charged by software, and spent waiting for memory
  std::uint64_t memory_ps = 0;   // the latter
  CacheStatistics cache;         // of a core that has a model of one
  std::uint64_t mmio_reads = 0;  // over the bus (private registers not counted)
  std::uint64_t mmio_writes = 0;
};

class CoreBlock : public Block {
 public:
  tlm_utils::simple_initiator_socket<CoreBlock> host{"host"};
  sc_core::sc_vector<tlm_utils::simple_initiator_socket<CoreBlock>> flash;
  tlm_utils::simple_initiator_socket<CoreBlock> dram{"dram"};
  tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 0> irq{"irq"};
  sc_core::sc_port<EventQueue, 1, sc_core::SC_ZERO_OR_MORE_BOUND> event_queue{"event_queue"};

  /// Before simulation starts. The software outlives the simulation.
  virtual void load(Software& software) = 0;
  [[nodiscard]] virtual bool serves_event_queue() const { return false; }

  // --- what software may do, from inside boot() or step() ---
  virtual std::uint32_t mmio_read(std::uint32_t address) = 0;
  virtual void mmio_write(std::uint32_t address, std::uint32_t value) = 0;
  /// From inside boot(): time goes on until an interrupt is pending that has not been read.
  virtual void wait_for_interrupt() = 0;
  /// Part of a table in DRAM is read or written: a core with a cache waits for what it misses. Only within a
  /// turn; what happens outside takes no time.
  virtual void touch(std::uint64_t /*address*/, std::uint32_t /*bytes*/, bool /*write*/) {}
  /// Since when the oldest interrupt that software has not seen is pending; kNever: there is none, or the
  /// core cannot tell.
  [[nodiscard]] virtual TimePs interrupt_since() const { return kNever; }
  /// For debuggers: a register as it is, with nothing happening, by debug transport. False where no
  /// target answers.
  [[nodiscard]] virtual bool look_at(std::uint32_t address, std::uint32_t& value);
  void charge(std::uint32_t cycles) {
    const TimePs time = cycles * cycle_ps_;
    lead_ += time;
    statistics_.busy_ps += time;
  }
  [[nodiscard]] TimePs local_time() const { return turn_at_ + lead_; }

  [[nodiscard]] const CoreStatistics& statistics() const { return statistics_; }

 protected:
  CoreBlock(const sc_core::sc_module_name& name, std::uint32_t channels, TimePs cycle)
      : Block(name), flash("flash", channels), cycle_ps_(cycle) {}

  TimePs cycle_ps_;
  TimePs turn_at_ = 0; // the kernel's time during the newest turn
  TimePs lead_ = 0;    // the software's time is ahead of that by this
  CoreStatistics statistics_;
};

} // namespace twinplane::hw
