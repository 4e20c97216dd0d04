// The NVMe 1.4 controller front end: registers and doorbells towards the host, command ring, DMA ring and
// queue mailbox towards firmware.
//
// Sockets: hw/host_if/front_end_block.h.
//
// Timing: everything is booked at the call that causes it (PcieLink, BandwidthPort). One SC_METHOD serves
// what has to wait: arbitration of a busy fetch engine, coalesced interrupts, the pin; one, which sleeps
// where the host uses registers, its doorbells in memory.
//
// Host memory may call wait() (host_waits): transactions on `dma` come from SC_THREADs of this module and
// nothing else stops meanwhile. One thread posts completion entries and interrupt messages in their order,
// one sends data to the host, pcie.tags of them read data for the device, one reads submission queue entries.
// An entry is posted when all data before it in the DMA ring have been answered, a message after its entry.
// What takes longer than the link's booking ends when the host has answered.
//
// Host memory that answers with an error: data fail their command; a submission queue entry that cannot be
// read sets CSTS.CFS, and the controller is quiet until its reset.
//
// Reset (CC.EN 1 -> 0): queues are gone at once, and with them the completions they held; commands in
// firmware's hands no longer reach the host, whatever firmware does with them. CSTS.RDY falls when firmware
// writes host_control::clear_ready; by then it must have answered all those commands: `inflight` is 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include "hw/core/bandwidth_port.h"
#include "hw/core/dma_fence.h"
#include "hw/core/kernel_time.h"
#include "hw/core/register_access.h"
#include "hw/core/register_port.h"
#include "hw/core/run_ahead.h"
#include "hw/core/target_socket.h"
#include "hw/host_if/dma_engine.h"
#include "hw/host_if/fetch_engine.h"
#include "hw/host_if/front_end_block.h"
#include "hw/host_if/host_access.h"
#include "hw/host_if/host_interrupts.h"
#include "hw/host_if/pcie_link.h"
#include "hw/host_if/shadow_doorbells.h"
#include "hw/host_if/timed_level.h"
#include "hw/pci/pci_function.h"
#include "hw/spec/data_mode.h"
#include "hw/spec/nvme.h"

namespace twinplane::hw {

struct HostInterfaceConfig {
  std::uint32_t sector_size = 4096;
  DataMode data_mode = DataMode::tag;
  std::uint32_t max_queue_entries = 1024; // CAP.MQES + 1, 2 .. 65536
  std::uint32_t max_io_queues = 64;       // pairs, 1 .. 1023
  std::uint32_t max_slots = 1024;         // commands in the device, 1 .. 65535
  std::uint32_t ready_timeout = 20;       // CAP.TO, in 500 ms
  bool msix_enabled = true;               // Message Control at power-on (a host may change it)
  PcieConfig pcie;
  // May the host call wait() in b_transport of socket `dma`? A host that never does saves the switches to
  // threads, one per interrupt message at least.
  bool host_waits = true;
  BandwidthPort* dram_port =
      nullptr; // books what host DMA moves through device DRAM; null: DRAM costs no time
};

class HostInterface final : public FrontEndBlock {
 public:
  HostInterface(const sc_core::sc_module_name& name, const HostInterfaceConfig& config);

  /// It tells the agenda of all its events.
  bool acts_unannounced() const override { return false; }
  /// Null when the configuration can work, else what is wrong with it.
  static const char* check(const HostInterfaceConfig& config);

  PciFunctionConfig pci_function() const override;
  // PciClient
  void reset_function(TimePs at) override;
  void set_msix(std::uint16_t control, TimePs at) override;
  void set_bus_master(bool enabled, TimePs at) override;
  void disable_intx(bool disabled, TimePs at) override;
  bool interrupt_pending() const override { return interrupts_.pin_wanted(kernel_now()); }

  FrontEndStatistics statistics() const override;
  std::vector<QueueLevel> queue_levels() const override;
  void attach(FrontEndObserver& observer) override {
    fetch_engine_.attach(observer);
    poster_.attach(observer);
  }

 private:
  void end_of_elaboration() override;
  void on_invalidate(sc_dt::uint64 start, sc_dt::uint64 end) override;
  // host side (bar_registers.cpp)
  void on_bar(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  bool read_bar_word(std::uint64_t address, std::uint32_t& value, TimePs& at);
  bool write_bar_word(std::uint64_t address, std::uint32_t value, TimePs& at);
  bool takes_word(std::uint64_t address, TimePs at) const {
    return (address & 3) == 0 && address < nvme::bar::size && (ahead_ == nullptr || !ahead_->passed(at));
  }
  void refuse_late_access(tlm::tlm_generic_payload& payload, TimePs at);
  unsigned on_bar_debug(tlm::tlm_generic_payload& payload);
  tlm::tlm_response_status bar_access(tlm::tlm_generic_payload& payload, TimePs at);
  std::uint32_t read_bar(std::uint32_t offset, TimePs at);
  void write_bar(std::uint32_t offset, std::uint32_t value, TimePs at);
  std::uint64_t capabilities() const;
  std::uint32_t controller_status(TimePs at) const;
  void write_cc(std::uint32_t value, TimePs at);
  bool enable();
  void enable_or_fail(TimePs at);
  void disable(TimePs at);
  void doorbell(std::uint32_t offset, std::uint32_t value, TimePs at);
  bool sq_doorbell(std::uint32_t id, std::uint32_t value, TimePs at);
  bool cq_doorbell(std::uint32_t id, std::uint32_t value, TimePs at);
  void shadowed_doorbell(std::uint32_t number, std::uint32_t value, TimePs at);
  ShadowDoorbells::User doorbell_user();
  bool bad_doorbell(std::uint32_t info, TimePs at);
  // firmware side (device_registers.cpp)
  void on_device(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned on_device_debug(tlm::tlm_generic_payload& payload);
  bool read_device_word(std::uint64_t address, std::uint32_t& value, TimePs& at);
  bool write_device_word(std::uint64_t address, std::uint32_t value, TimePs& at);
  std::uint32_t read_device(std::uint32_t offset, TimePs at);
  std::uint32_t look_at_device(std::uint32_t offset);
  bool write_device(std::uint32_t offset, std::uint32_t value, TimePs at);
  bool write_queue_mailbox(std::uint32_t offset, std::uint32_t value, TimePs at);
  void queue_command(std::uint32_t op, TimePs at);
  void doorbell_command(std::uint32_t op, TimePs at);
  bool answers_host() const;
  std::uint16_t delete_cq(std::uint32_t id);
  void control(std::uint32_t bits, TimePs at);
  // both
  void start_threads();
  void send_posted();
  void after_dma(TimePs at);
  void after_fetch(TimePs notice);
  void fetch(TimePs at);
  void post_event(std::uint32_t bits, TimePs at);
  void raise(std::uint32_t source, TimePs at);
  void arm() {
    const TimePs at = std::min(fetch_engine_.due(), interrupts_.due());
    if (at < wake_at_) wake_up_at(at);
  }
  void wake_up_at(TimePs at);
  void on_wake();
  void on_doorbells();

  RegisterCalls<HostInterface> bar_calls_{*this, &HostInterface::on_bar, &HostInterface::on_bar_debug,
                                          &HostInterface::read_bar_word, &HostInterface::write_bar_word};
  RegisterCalls<HostInterface> device_calls_{
      *this, &HostInterface::on_device, &HostInterface::on_device_debug, &HostInterface::read_device_word,
      &HostInterface::write_device_word};
  HostInterfaceConfig config_;
  BandwidthPort own_dram_port_; // used when none is shared: infinitely fast
  PcieLink link_;
  HostAccess host_;
  QueueSet queues_;
  SlotTable slots_;
  CommandRing command_ring_;
  HostInterrupts interrupts_;
  CompletionPath path_;
  CompletionPoster poster_;
  DmaEngine dma_engine_;
  FetchEngine fetch_engine_;
  ShadowDoorbells shadow_doorbells_;
  RegisterAccess irq_access_;
  RegisterPort irq_port_; // behind the socket
  RunAhead* ahead_ = nullptr;

  sc_core::sc_event wake_{"wake"};
  TimePs wake_at_ = kNever; // time for which wake_ is notified
  bool pin_ = false;

  // NVMe registers
  std::uint32_t cc_ = 0;
  bool fatal_ = false;
  bool halted_ = false;               // fatal for good
  TimedLevel ready_;                  // CSTS.RDY
  std::uint32_t shutdown_status_ = 0; // CSTS.SHST in place
  std::uint32_t aqa_ = 0;
  std::uint64_t asq_ = 0;
  std::uint64_t acq_ = 0;
  // firmware registers
  std::uint32_t event_ = 0;
  std::uint32_t event_info_ = 0;
  QueueRequest mailbox_;
  std::uint32_t data_slot_ = 0;
  std::uint32_t mailbox_result_ = 0;

  std::uint64_t bad_doorbells_ = 0;
  std::uint64_t activations_ = 0;
};

} // namespace twinplane::hw
