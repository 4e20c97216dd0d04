// The device's processor: a core that runs software as an SC_THREAD, its interrupt controller and
// its one-shot timer.
//
// Timing is loosely timed with temporal decoupling: charge() moves the core's local time ahead of the
// kernel, and register accesses carry that lead as annotated delay. The next turn begins at max(earliest
// interrupt, end of the previous turn).
//
// The core's thread also serves the drive's event queue (hw/core/event_queue.h), in the order of time. While no other
// can act before the next turn or due time (hw/core/run_ahead.h), the thread goes on by itself, ahead of
// the kernel; the order in which things happen is the same however far it may go.
//
// The interrupt controller and the timer are private to the core. What software does in memory takes no time
// but what it charges, and where a cache is configured the misses of what it says it has touched.
#pragma once

#include <algorithm>
#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include "hw/core/bandwidth_port.h"
#include "hw/core/event_queue.h"
#include "hw/core/register_access.h"
#include "hw/core/register_file.h"
#include "hw/core/register_port.h"
#include "hw/core/run_ahead.h"
#include "hw/cpu/cache_model.h"
#include "hw/cpu/core_block.h"
#include "hw/cpu/interrupt_controller.h"
#include "hw/cpu/software.h"
#include "hw/spec/registers.h"

namespace twinplane::hw {

struct CpuConfig {
  std::uint64_t clock_hz = 1'000'000'000;
  std::uint32_t channels = 1;
  TimePs run_ahead = 0; // of the event queue that it has to itself, when none is bound
  CacheConfig cache{};
  TimePs dram_latency = 0;            // of a miss, before its line comes at the port's rate; a port that
                                      // goes by address has latencies of its own instead
  BandwidthPort* dram_port = nullptr; // null: lines take the latency alone
};

class Cpu final : public CoreBlock, public RegisterFile, private EventQueue::Server {
 public:
  Cpu(const sc_core::sc_module_name& name, const CpuConfig& config);

  bool has_external_events() const override { return false; }
  bool serves_event_queue() const override { return true; }
  void load(Software& software) override { software_ = &software; }
  std::uint32_t mmio_read(std::uint32_t address) override;
  void mmio_write(std::uint32_t address, std::uint32_t value) override;
  void wait_for_interrupt() override;
  bool look_at(std::uint32_t address, std::uint32_t& value) override;
  TimePs interrupt_since() const override { return interrupts_.earliest(); }
  void touch(std::uint64_t address, std::uint32_t bytes, bool write) override {
    if (in_turn_ && cache_.modelled()) wait_for_lines(address, bytes, write);
  }

 private:
  void end_of_elaboration() override;
  void run();
  void wait_for_turn();
  void begin_turn(TimePs at);
  void look_ahead();
  void sleep_until(TimePs at);
  void wake_at(TimePs at) override;
  TimePs next_turn() const { return more_ ? local_time() : std::max(local_time(), interrupts_.earliest()); }
  bool read32(std::uint64_t, std::uint32_t&, TimePs&) override { return false; }
  bool write32(std::uint64_t address, std::uint32_t value, TimePs& at) override;
  void trigger(std::uint32_t source, TimePs at);
  void wait_for_lines(std::uint64_t begin, std::uint32_t bytes, bool write);
  std::uint32_t private_read(std::uint32_t address);
  [[gnu::noinline]] void private_write(std::uint32_t address, std::uint32_t value);
  [[gnu::cold, gnu::noinline]] void refused(std::uint32_t address);
  /// What answers at `address`, which becomes its offset; null: nothing does.
  const RegisterPort* port_at(std::uint32_t& address) const {
    if (address < reg::kFlashBase) {
      address -= reg::kHostBase;
      return &host_port_;
    }
    const std::uint32_t offset = address - reg::kFlashBase;
    address = offset % reg::kFlashStride;
    const std::uint32_t channel = offset / reg::kFlashStride;
    return channel < flash_ports_.size() ? &flash_ports_[channel] : nullptr;
  }

  Software* software_ = nullptr;
  InterruptController interrupts_;
  RegisterAccess access_;
  RegisterPort host_port_; // behind the sockets
  std::vector<RegisterPort> flash_ports_;
  EventQueue own_event_queue_; // served where no other is bound
  EventQueue* event_queue_ = &own_event_queue_;
  RunAhead* ahead_ = nullptr; // the event queue's
  CacheModel cache_;
  TimePs dram_latency_;
  BandwidthPort own_dram_port_; // where none is shared: infinitely fast
  BandwidthPort& dram_port_;
  bool in_turn_ = false;
  sc_core::sc_event wake_{"wake"};
  TimePs kernel_ = 0;         // the kernel's time
  TimePs horizon_ = 0;        // the thread need not ask the kernel before this time
  TimePs asleep_until_ = 0;   // 0: awake
  TimePs slept_for_ = 0;      // what the last sleep waited for, though it may have ended before
  bool more_ = true;          // software asked for another turn
  std::uint32_t time_hi_ = 0; // register
};

} // namespace twinplane::hw
