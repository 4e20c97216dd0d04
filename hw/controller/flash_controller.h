// Flash controller of one channel: descriptor ring in, ONFI bus tenures out, completion ring back.
//
// Firmware that misuses the rings gets a bit in the ERROR register, an interrupt and a warning
// "twinplane.flash_controller", and the controller takes nothing more.
//
// Sockets and ports: hw/controller/controller_block.h. Without a fence bound, fences are ignored.
//
// Structure: one SC_METHOD, or worker of an event queue, per controller. Everything that wants the bus has a due
// time (bus_scheduler.h); the method starts every tenure that can start, and arms itself for the next one. A
// tenure's end and the die's ready time are known when it starts, so completions are posted with a time stamp
// (visible-at) instead of an event. A doorbell that finds the bus idle starts its tenure at once.
//
// This module has the sockets and puts the parts together, which do not know it:
//   rings.h, group_pool.h   descriptors come in and become groups, completions go out
//   die_queue.h             groups of one die run in ring order; dies run in parallel
//   sequences/              what happens on the bus for each kind of command
//   services/               ECC and retries, the DRAM's bandwidth, power, dies that do not answer
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "hw/controller/functional_access.h"
#include "hw/controller/sequences/table.h"
#include "hw/controller/services/power_use.h"
#include "hw/core/register_file.h"

namespace twinplane::hw {

class FlashController final : public ControllerBlock, public RegisterFile, private EventQueue::Worker {
 public:
  FlashController(const sc_core::sc_module_name& name, const FlashControllerConfig& config);

  bool has_external_events() const override { return false; }
  const FlashControllerStatistics& statistics() const override { return statistics_; }
  void tell_in_use(TimePs now, TimePs* dies) const override {
    for (const DieQueue& die : dies_) *dies++ = die.in_use_until(now);
  }
  /// That went from DRAM to dies or back.
  std::uint64_t dram_bytes() const {
    return builder_.data_of(statistics_.page_bytes_in + statistics_.page_bytes_out);
  }

 private:
  // sockets
  bool read32(std::uint64_t address, std::uint32_t& value, TimePs& at) override;
  bool write32(std::uint64_t address, std::uint32_t value, TimePs& at) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
  std::uint32_t read_register(std::uint32_t offset);
  std::uint32_t read_register(std::uint32_t offset, TimePs at);
  bool write_register(std::uint32_t offset, std::uint32_t value, TimePs at);
  void end_of_elaboration() override;
  void on_ready(std::uint32_t chip, std::uint32_t lun, TimePs at) override;

  // groups
  void ring_doorbell(std::uint32_t tail, TimePs at);
  void enqueue(FlashGroup& group, TimePs at);
  void reject(FlashGroup& group, TimePs at);
  void join_retry(TimePs at);
  /// Not before its doorbell: another channel may have left power to the die at an earlier time, while the core is
  /// ahead.
  void start_next(DieQueue& die, TimePs at) {
    die.sequence = nullptr;
    if (die.head != nullptr) die.head->sequence->begin(die, std::max(at, die.head->accepted));
  }

  // bus
  void on_due_event() { on_due(kernel_now()); }
  void on_due(TimePs at) override;
  TimePs run_before(TimePs limit);
  /// Starts every tenure that can start by `at`. Nothing new can become due before: it is the time of the caller, and
  /// only the CPU adds work.
  void run(TimePs at) { bus_.arm(run_before(at + 1)); }
  void on_timeout();

  const FlashControllerConfig config_;
  FlashControllerStatistics statistics_;
  Addressing addresses_;
  TenureBuilder builder_;
  FunctionalAccess functional_;
  ReadyTimeout timeout_;
  BusScheduler bus_;
  Rings rings_;
  GroupPool groups_;
  DramPacing pacing_;
  PageDelivery pages_;
  std::vector<DieQueue> dies_;
  std::unique_ptr<PowerUse> power_; // null: what the drive draws has no limit
  std::unique_ptr<SequenceTable> sequences_;
};

} // namespace twinplane::hw
