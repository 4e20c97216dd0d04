#include "platform/model/ssd.h"

#include <string>

#include "platform/model/hardware_config.h"

namespace twinplane::platform {
namespace {

std::string numbered(const char* stem, std::uint32_t number) {
  return stem + std::to_string(number);
}

} // namespace

Ssd::Ssd(const sc_core::sc_module_name& name, const Config& config)
    : sc_module(name),
      config_(config),
      dram_port_(hw::Rate::bytes_per_second(config.dram.bandwidth)),
      dram_("dram", static_cast<std::uint32_t>(config.dram.size)),
      host_if_("host_if", to_host_interface_config(config, dram_port_)),
      pci_("pci", hw::HostInterface::pci_function(to_host_interface_config(config, dram_port_)), host_if_,
           config.pcie.ideal ? 0 : config.pcie.latency),
      cpu_("cpu", hw::CpuConfig{config.cpu.clock, config.geometry.channels, config.cpu.run_ahead}),
      hal_(cpu_, dram_),
      firmware_(this->name(), hal_, config_) {
  build_channels();
  bind_all();
  cpu_.load(firmware_);
}

void Ssd::build_channels() {
  const Geometry& g = config_.geometry;
  const auto page_order =
      std::make_shared<const PageOrderTable>(g.cell, g.pages_per_block, config_.nand.page_table);
  for (std::uint32_t c = 0; c < g.channels; ++c) {
    controllers_.push_back(std::make_unique<hw::FlashController>(numbered("controller", c).c_str(),
                                                                 to_controller_config(config_, c)));
    channels_.push_back(
        std::make_unique<hw::Channel>(numbered("ch", c).c_str(), to_channel_config(config_, c)));
    for (std::uint32_t chip = 0; chip < g.chips_per_channel; ++chip) {
      const std::string chip_name = numbered("ch", c) + numbered("_chip", chip);
      packages_.push_back(std::make_unique<hw::Package>(sc_core::sc_module_name(chip_name.c_str()),
                                                        to_nand_config(config_, c, chip, page_order)));
    }
  }
  if (config_.bus.monitor) attach_monitors(page_order);
}

void Ssd::attach_monitors(const std::shared_ptr<const PageOrderTable>& page_order) {
  const Geometry& g = config_.geometry;
  for (std::uint32_t c = 0; c < g.channels; ++c) {
    monitors_.push_back(std::make_unique<hw::ProtocolMonitor>(to_monitor_config(config_, c, page_order)));
    hw::ProtocolMonitor& monitor = *monitors_.back();
    channels_[c]->attach(monitor);
    for (std::uint32_t chip = 0; chip < g.chips_per_channel; ++chip) {
      packages_[c * g.chips_per_channel + chip]->attach(monitor);
    }
  }
}

void Ssd::finish_monitors(TimePs at) {
  for (auto& monitor : monitors_) monitor->finish(at);
}

void Ssd::bind_all() {
  const Geometry& g = config_.geometry;
  bar.bind(host_if_.bar);
  pci_.bar.bind(host_if_.bar);
  host_if_.dma.bind(dma);
  host_if_.intx(intx);
  host_if_.irq.bind(cpu_.irq);
  host_if_.dram.bind(dram_.port);
  cpu_.host.bind(host_if_.device);
  host_if_.bind_run_ahead(cpu_.run_ahead());
  for (std::uint32_t c = 0; c < g.channels; ++c) {
    cpu_.flash[c].bind(controllers_[c]->regs);
    controllers_[c]->irq.bind(cpu_.irq);
    controllers_[c]->dram.bind(dram_.port);
    controllers_[c]->bus.bind(channels_[c]->in);
    controllers_[c]->bind_fence(host_if_.fence());
    controllers_[c]->bind_agenda(cpu_.agenda());
    for (std::uint32_t chip = 0; chip < g.chips_per_channel; ++chip) {
      channels_[c]->chips[chip].bind(packages_[c * g.chips_per_channel + chip]->bus);
    }
  }
}

void Ssd::attach(hw::NandObserver& observer) {
  for (auto& package : packages_) package->attach(observer);
}

void Ssd::attach(hw::BusObserver& observer) {
  for (auto& channel : channels_) channel->attach(observer);
}

std::uint64_t Ssd::kernel_events() const {
  return cpu_.statistics().activations + host_if_.statistics().activations;
}

} // namespace twinplane::platform
