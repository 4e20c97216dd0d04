// Between a drive in a simulation and a guest outside of it: the drive's host side in SystemC, the guest's
// side a PciDevice. What a guest does is not announced, so the kernel runs in steps of this port's, from one
// thing that is pending to the next, and the guest acts between them (hw/core/run_ahead.h: the drive must not
// run ahead).
//
// All accesses come at a time when nothing is left to happen at that time; so a session depends on nothing
// but the accesses and their times, and can be repeated.
//
// The device writes at times of its own, later than the kernel's. Data are in the guest's memory at once:
// the guest does not look for them before there is an entry. Entries and messages wait for their time.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <systemc>
#include <tlm>
#include <vector>

#include "hw/pci/pci_port.h"
#include "platform/pci_host/nvme_watch.h"
#include "platform/pci_host/pci_device.h"

namespace twinplane::platform {

class GuestPort final : public sc_core::sc_module, public PciDevice {
 public:
  tlm_utils::simple_initiator_socket<GuestPort> bar{"bar"};
  tlm_utils::simple_target_socket<GuestPort> dma{"dma"};
  sc_core::sc_signal<bool> intx{"intx"};

  /// `latency`: of the link, one way.
  GuestPort(const sc_core::sc_module_name& name, hw::PciFunction& function,
            const hw::PciFunctionConfig& config, TimePs latency, NvmeWatch& watch);

  /// `core_time`: what the drive does in a turn of its core takes effect in the core's time, which is ahead of the
  /// kernel's by what the turn takes.
  void follow(std::function<TimePs()> core_time) { core_time_ = std::move(core_time); }
  /// Once the drive has booted.
  void power_on(InterruptSink& sink);
  /// Interrupts go there from here on.
  void send_to(InterruptSink& sink) { sink_ = &sink; }
  /// The device reaches this by DMA from here on, instead of memory().
  void reach(GuestMemory& memory) { reached_ = &memory; }

  // PciDevice
  std::uint32_t read_config(std::uint32_t offset, std::uint32_t bytes) override;
  void write_config(std::uint32_t offset, std::uint32_t bytes, std::uint32_t value) override;
  std::uint64_t read_bar(std::uint32_t offset, std::uint32_t bytes) override;
  void write_bar(std::uint32_t offset, std::uint32_t bytes, std::uint64_t value) override;
  std::optional<std::uint32_t> decode(std::uint64_t address, std::uint32_t bytes) const override {
    return function_.decode(address, bytes);
  }
  void reset() override;
  std::uint32_t bar_bytes() const override { return config_.bar_bytes; }
  std::uint32_t vectors() const override { return config_.msix_vectors; }
  std::uint32_t vector_table() const override { return config_.msix_table; }
  MappedMemory& memory() override { return memory_; }

  /// Lets time pass up to the next thing that is pending, at most to `limit`. False: nothing was pending
  /// before that, and it is `limit`.
  bool step(TimePs limit);
  /// When something is pending next; kNever: nothing is.
  TimePs next() const;
  /// As many steps as it takes to get there.
  void run_until(TimePs time);

  std::uint64_t refused() const { return refused_; } // accesses that no register takes

 private:
  static constexpr std::uint32_t kEntry = 16; // longest write that waits for its time
  /// What arrives in the guest at its time.
  struct Arrival {
    TimePs at = 0;
    std::uint64_t number = 0; // of equal times, the first comes first
    std::uint64_t address = 0;
    std::uint32_t length = 0;
    bool message = false;
    std::uint8_t bytes[kEntry] = {};
    bool operator>(const Arrival& other) const {
      return at != other.at ? at > other.at : number > other.number;
    }
  };
  void on_dma(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void settle();
  void deliver();
  void put_off(const tlm::tlm_generic_payload& payload, TimePs at, bool message);
  bool access(tlm::tlm_command command, std::uint32_t offset, void* data, std::uint32_t bytes);

  hw::PciFunction& function_;
  const hw::PciFunctionConfig config_;
  const TimePs latency_;
  NvmeWatch& watch_;
  MappedMemory memory_;
  GuestMemory* reached_ = &memory_;
  InterruptSink* sink_ = nullptr;
  std::function<TimePs()> core_time_;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
  std::uint64_t numbered_ = 0;
  bool pin_ = false;
  std::uint64_t refused_ = 0;
};

} // namespace twinplane::platform
