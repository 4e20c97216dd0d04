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
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "hw/host_if/controller_registers.h"
#include "hw/host_if/device_registers.h"
#include "hw/host_if/front_end.h"

namespace twinplane::hw {

class HostInterface final : public FrontEndBlock {
 public:
  HostInterface(const sc_core::sc_module_name& name, const HostInterfaceConfig& config);

  /// It tells the event queue of all its events.
  bool has_external_events() const override { return false; }
  /// Null when the configuration can work, else what is wrong with it.
  static const char* check(const HostInterfaceConfig& config);

  PciFunctionConfig pci_function() const override;
  // PciClient
  void reset_function(TimePs at) override { controller_.reset(at); }
  void set_msix(std::uint16_t control, TimePs at) override { controller_.set_msix(control, at); }
  void set_bus_master(bool enabled, TimePs at) override;
  void disable_intx(bool disabled, TimePs at) override;
  bool interrupt_pending() const override { return front_.interrupts.pin_wanted(kernel_now()); }

  FrontEndStatistics statistics() const override;
  std::vector<QueueLevel> queue_levels() const override { return front_.queue_levels(); }
  void attach(FrontEndObserver& observer) override {
    front_.fetch_engine.attach(observer);
    front_.poster.attach(observer);
  }

 private:
  void end_of_elaboration() override;
  void on_invalidate(sc_dt::uint64 start, sc_dt::uint64 end) override { front_.host.invalidate(start, end); }
  void start_threads();
  void on_wake();
  void on_doorbells();

  const HostInterfaceConfig config_;
  FrontEnd front_;
  ControllerRegisters controller_;
  DeviceRegisters device_registers_;
  bool pin_ = false;
  std::uint64_t activations_ = 0;
};

} // namespace twinplane::hw
