// The assembled drive: a netlist of the hardware with the firmware loaded into its core.
//
// Outside, standard TLM-2.0 only, so that any SystemC platform can instantiate it:
//   bar    target, BAR0 of the NVMe controller (registers, doorbells, MSI-X table); or the PCI function in
//          front of it, pci().config and pci().memory, for a host that enumerates
//   dma    initiator, host memory (queue entries, PRP lists, data, completions, MSI-X messages)
//   intx   pin interrupt while MSI-X is disabled
// Bind all of them. A factory puts other blocks in the places of ours (platform/ssd/block_factory.h). The
// configuration is the same as the command line's (platform/config/loader.h); it is checked here as there,
// and what is wrong with it is an InputError.
// What only the firmware can find wrong, when it boots or later, leaves the drive standing still: CSTS.CFS,
// and an SC_ERROR "twinplane.firmware" (platform/fw_host/firmware_process.h).
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <cstdint>
#include <memory>
#include <optional>
#include <systemc>
#include <tlm>
#include <vector>

#include "hw/channel/channel_block.h"
#include "hw/channel/contract_watch.h"
#include "hw/controller/controller_block.h"
#include "hw/controller/ecc_block.h"
#include "hw/core/dram_block.h"
#include "hw/core/event_queue.h"
#include "hw/core/power_grant.h"
#include "hw/cpu/core_block.h"
#include "hw/host_if/front_end_block.h"
#include "hw/monitor/protocol_monitor.h"
#include "hw/nand/package_block.h"
#include "hw/pci/pci_port.h"
#include "platform/config/config.h"
#include "platform/config/dram_needs.h"
#include "platform/fw_host/firmware_process.h"
#include "platform/fw_host/tlm_hal.h"
#include "platform/ssd/block_factory.h"

namespace twinplane::platform {

class Ssd : public sc_core::sc_module {
 public:
  tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND> bar{"bar"};
  tlm::tlm_initiator_socket<32> dma{"dma"};
  sc_core::sc_out<bool> intx{"intx"};

  Ssd(const sc_core::sc_module_name& name, const Config& config);
  Ssd(const sc_core::sc_module_name& name, const Config& config, BlockFactory& factory);
  ~Ssd() override;

  /// For a host that enumerates: its sockets `config` and `memory` instead of `bar` above.
  hw::PciPort& pci() { return pci_; }

  /// Hooks every die and channel; observers must outlive the simulation.
  void attach(hw::NandObserver& observer);
  void attach(hw::BusObserver& observer);
  void attach(hw::FrontEndObserver& observer) { front_end_->attach(observer); }

  // --- what reports read ---
  const Config& config() const { return config_; }
  const hw::FrontEndBlock& front_end() const { return *front_end_; }
  const hw::CoreBlock& core() const { return *core_; }
  /// For debuggers, see hw/cpu/core_block.h; addresses as in hw/spec/registers.h.
  bool look_at_register(std::uint32_t address, std::uint32_t& value) {
    return core_->look_at(address, value);
  }
  /// Whom the firmware tells its trace events; before simulation starts. At most one.
  void listen(fw::TraceListener& listener) { hal_.listen(listener); }
  /// The firmware tells no trace events from now on, or tells them again: preconditioning is no part of a
  /// run.
  void silence(bool silent) { hal_.silence(silent); }
  /// What the firmware reaches through the core.
  const TlmHal& hal() const { return hal_; }
  const std::vector<std::unique_ptr<hw::ControllerBlock>>& controllers() const { return controllers_; }
  /// By channel.
  const std::vector<std::unique_ptr<hw::EccBlock>>& ecc_engines() const { return ecc_engines_; }
  const std::vector<std::unique_ptr<hw::ChannelBlock>>& channels() const { return channels_; }
  /// By channel * chips_per_channel + chip.
  const std::vector<std::unique_ptr<hw::PackageBlock>>& packages() const { return packages_; }
  /// Of energy.peak_limit; null: there is none.
  hw::PowerGrant* power_grant() { return power_grant_.get(); }
  /// Until when no other part can act: a server or a debugger that joins in tells it.
  hw::RunAhead& run_ahead() { return event_queue_.run_ahead(); }
  /// For a host that acts with the drive; null: the core does not serve it.
  hw::EventQueue* event_queue() { return core_->serves_event_queue() ? &event_queue_ : nullptr; }
  /// The time at which the drive acts, which may be ahead of the kernel's.
  TimePs now() const { return event_queue_.run_ahead().now(); }
  /// Whether one of the blocks may act without anybody's announcing it (hw/core/block.h).
  bool has_external_events() const;
  /// By channel; empty when bus.monitor is off.
  const std::vector<std::unique_ptr<hw::ProtocolMonitor>>& monitors() const { return monitors_; }
  /// Time in which the port of the device's DRAM was in use.
  TimePs dram_busy() const;
  /// See BandwidthPort::booked_until().
  TimePs dram_booked_until() const { return dram_->bandwidth().booked_until(); }
  /// Tells the monitors that the simulation ends at `at`.
  void finish_monitors(TimePs at);
  /// The supply of all packages will fail at `at`, and has failed: see hw/nand/package_block.h.
  void announce_power_cut(TimePs at);
  void cut_power();
  /// The firmware is told, at the kernel's time, that hold-up energy is all that is left.
  void tell_supply_failed();
  /// What lasts of the hardware: the cells of all packages, and what the monitors know of them. Before the
  /// host's first command.
  void serialise(StateVisitor& state);
  /// The software in the core. Usable once the simulation has started (firmware has booted).
  FirmwareProcess& firmware() { return *firmware_; }
  const FirmwareProcess& firmware() const { return *firmware_; }
  /// Kernel processes dispatched in the drive so far.
  std::uint64_t kernel_events() const;

 private:
  void end_of_elaboration() override;
  std::vector<const hw::Block*> blocks() const;
  void build_channels(BlockFactory& factory);
  void bind_all();
  void bind_channel(std::uint32_t channel);
  void watch(hw::ChannelBlock& channel);
  void attach_monitors(const std::shared_ptr<const PageOrderTable>& page_order);

  const Config config_;
  const std::optional<DramNeeds> dram_needs_;
  hw::EventQueue event_queue_;
  std::unique_ptr<hw::DramBlock> dram_;
  std::unique_ptr<hw::FrontEndBlock> front_end_;
  hw::PciPort pci_;
  std::unique_ptr<hw::CoreBlock> core_;
  const std::unique_ptr<hw::PowerGrant> power_grant_;
  std::vector<std::unique_ptr<hw::ControllerBlock>> controllers_;
  std::vector<std::unique_ptr<hw::EccBlock>> ecc_engines_;
  std::vector<std::unique_ptr<hw::ChannelBlock>> channels_;
  std::vector<std::unique_ptr<hw::PackageBlock>> packages_;
  std::vector<std::unique_ptr<hw::ContractWatch>> watches_; // by channel; null: the channel is ours
  std::vector<std::unique_ptr<hw::ProtocolMonitor>> monitors_;
  tlm_utils::simple_initiator_socket<Ssd> supply_{"supply"};
  TlmHal hal_;
  std::unique_ptr<FirmwareProcess> firmware_;
};

} // namespace twinplane::platform
