// The assembled drive: a netlist of the hardware with the firmware loaded into its core.
//
// Outside, standard TLM-2.0 only, so that any SystemC platform can instantiate it:
//   bar    target, BAR0 of the NVMe controller (registers, doorbells, MSI-X table); or the PCI function in
//   front of
//          it, pci().config and pci().memory, for a host that enumerates
//   dma    initiator, host memory (queue entries, PRP lists, data, completions, MSI-X messages)
//   intx   pin interrupt while MSI-X is disabled
// Bind all of them. The configuration is the same as the command line's (platform/config/loader.h) and
// must have passed its checks. What only the firmware can find wrong, when it boots or later, leaves the
// drive standing still: CSTS.CFS, and an SC_ERROR "twinplane.firmware" (platform/model/firmware_process.h).
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "hw/channel/channel.h"
#include "hw/controller/flash_controller.h"
#include "hw/core/dram.h"
#include "hw/core/reservation.h"
#include "hw/cpu/cpu.h"
#include "hw/host_if/host_interface.h"
#include "hw/monitor/protocol_monitor.h"
#include "hw/nand/package.h"
#include "hw/pci/pci_port.h"
#include "platform/config/config.h"
#include "platform/model/firmware_process.h"
#include "platform/model/tlm_hal.h"

namespace twinplane::platform {

class Ssd : public sc_core::sc_module {
 public:
  tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND> bar{"bar"};
  tlm::tlm_initiator_socket<32> dma{"dma"};
  sc_core::sc_out<bool> intx{"intx"};

  Ssd(const sc_core::sc_module_name& name, const Config& config);

  /// For a host that enumerates: its sockets `config` and `memory` instead of `bar` above.
  hw::PciPort& pci() { return pci_; }

  /// Hooks every die and channel; observers must outlive the simulation.
  void attach(hw::NandObserver& observer);
  void attach(hw::BusObserver& observer);

  // --- what reports read ---
  const Config& config() const { return config_; }
  const hw::HostInterface& host_interface() const { return host_if_; }
  const hw::Cpu& cpu() const { return cpu_; }
  const std::vector<std::unique_ptr<hw::FlashController>>& controllers() const { return controllers_; }
  const std::vector<std::unique_ptr<hw::Channel>>& channels() const { return channels_; }
  /// By channel * chips_per_channel + chip.
  const std::vector<std::unique_ptr<hw::Package>>& packages() const { return packages_; }
  /// By channel; empty when bus.monitor is off.
  const std::vector<std::unique_ptr<hw::ProtocolMonitor>>& monitors() const { return monitors_; }
  /// Time in which the port of the device's DRAM was booked.
  TimePs dram_busy() const { return dram_port_.busy(); }
  /// Tells the monitors that the simulation ends at `at`.
  void finish_monitors(TimePs at);
  /// The software in the core. Usable once the simulation has started (firmware has booted).
  FirmwareProcess& firmware() { return firmware_; }
  const FirmwareProcess& firmware() const { return firmware_; }
  /// Kernel processes dispatched in the drive so far.
  std::uint64_t kernel_events() const;

 private:
  void build_channels();
  void bind_all();
  void attach_monitors(const std::shared_ptr<const PageOrderTable>& page_order);

  const Config config_; // names in the firmware's configuration point into it
  hw::BandwidthPort dram_port_;
  hw::Dram dram_;
  hw::HostInterface host_if_;
  hw::PciPort pci_;
  hw::Cpu cpu_;
  std::vector<std::unique_ptr<hw::FlashController>> controllers_;
  std::vector<std::unique_ptr<hw::Channel>> channels_;
  std::vector<std::unique_ptr<hw::Package>> packages_;
  std::vector<std::unique_ptr<hw::ProtocolMonitor>> monitors_;
  TlmHal hal_;
  FirmwareProcess firmware_;
};

} // namespace twinplane::platform
