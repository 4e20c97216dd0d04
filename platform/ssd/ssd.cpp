#include "platform/ssd/ssd.h"

#include <algorithm>
#include <string>

#include "hw/core/register_access.h"
#include "hw/spec/registers.h"
#include "platform/config/convert.h"
#include "platform/config/error.h"
#include "platform/config/loader.h"
#include "platform/fw_host/host_firmware.h"
#include "platform/fw_host/image_firmware.h"
#include "platform/ssd/check_blocks.h"
#include "platform/ssd/hardware_config.h"

namespace twinplane::platform {
namespace {

std::string numbered(const char* stem, std::uint32_t number) {
  return stem + std::to_string(number);
}

std::unique_ptr<FirmwareProcess> make_firmware(const char* drive, const Config& config, hw::CoreBlock& core,
                                               TlmHal& hal) {
  if (config.cpu.firmware.empty()) {
    return std::make_unique<HostFirmware>(drive, hal, to_firmware_config(config), config.run.check_turns);
  }
  return std::make_unique<ImageFirmware>(drive, core, hal, config);
}

/// Checked as the loader does, and with what a drive finds by itself.
Config complete(const std::string& drive, Config config) {
  try {
    require_valid(config);
  } catch (const InputError& error) {
    throw InputError(drive + " cannot have this configuration:\n" + error.what());
  }
  if (config.pcie.serial_number.empty()) config.pcie.serial_number = serial_number_of(drive, config.run.seed);
  return config;
}

} // namespace

Ssd::Ssd(const sc_core::sc_module_name& name, const Config& config)
    : Ssd(name, config, *std::make_unique<BlockFactory>()) {}

Ssd::Ssd(const sc_core::sc_module_name& name, const Config& config, BlockFactory& factory)
    : sc_module(name),
      config_(complete(this->name(), config)),
      dram_needs_(dram_needs(config)),
      event_queue_(config.cpu.run_ahead),
      dram_(required(factory.make_dram("dram", to_dram_config(config, dram_bytes(config, dram_needs_))),
                     this->name(), "dram", "DRAM")),
      front_end_(
          required(factory.make_front_end("host_if", to_host_interface_config(config, dram_->bandwidth())),
                   this->name(), "host_if", "front end")),
      pci_("pci", front_end_->pci_function(), *front_end_, config.pcie.ideal ? 0 : config.pcie.latency),
      core_(required(factory.make_core("cpu", to_cpu_config(config, dram_->bandwidth())), this->name(), "cpu",
                     "core")),
      power_grant_(make_power_grant(config)),
      hal_(*core_, dram_needs_ ? dram_needs_->for_hardware() : dram_bytes(config, dram_needs_) / 2),
      firmware_(make_firmware(this->name(), config_, *core_, hal_)) {
  dram_->bandwidth().set_patience(config_.run.timeout);
  build_channels(factory);
  check_blocks(config_.geometry, *core_, channels_, packages_);
  bind_all();
  core_->load(*firmware_);
}

Ssd::~Ssd() = default;

void Ssd::build_channels(BlockFactory& factory) {
  const Geometry& g = config_.geometry;
  const auto page_order =
      std::make_shared<const PageOrderTable>(g.cell, g.pages_per_block, page_table(config_));
  for (std::uint32_t c = 0; c < g.channels; ++c) {
    hw::FlashControllerConfig controller = to_controller_config(config_, c, dram_->bandwidth());
    controller.power.grant = power_grant_.get();
    const std::string controller_name = numbered("controller", c);
    const std::string ecc_name = numbered("ecc", c);
    const std::string channel_name = numbered("ch", c);
    controllers_.push_back(required(factory.make_controller(controller_name.c_str(), controller),
                                    this->name(), controller_name, "flash controller"));
    ecc_engines_.push_back(required(factory.make_ecc(ecc_name.c_str(), c, controller.ecc), this->name(),
                                    ecc_name, "ECC engine"));
    channels_.push_back(required(factory.make_channel(channel_name.c_str(), to_channel_config(config_, c)),
                                 this->name(), channel_name, "channel"));
    watch(*channels_.back());
    for (std::uint32_t chip = 0; chip < g.chips_per_channel; ++chip) {
      const std::string chip_name = channel_name + numbered("_chip", chip);
      packages_.push_back(
          required(factory.make_package(chip_name.c_str(), to_nand_config(config_, c, chip, page_order)),
                   this->name(), chip_name, "package"));
    }
  }
  if (config_.bus.monitor) attach_monitors(page_order);
}

/// Our own channels keep their contract; those of other authors are watched.
void Ssd::watch(hw::ChannelBlock& channel) {
  watches_.push_back(nullptr);
  if (dynamic_cast<hw::Channel*>(&channel) != nullptr) return;
  watches_.back() = std::make_unique<hw::ContractWatch>(channel);
  channel.attach(*watches_.back());
  if (config_.bus.monitor) watches_.back()->expect_phases();
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

void Ssd::announce_power_cut(TimePs at) {
  for (auto& package : packages_) package->announce_power_cut(at);
  for (auto& monitor : monitors_) monitor->announce_power_cut(at);
}

void Ssd::cut_power() {
  for (auto& package : packages_) package->cut_power();
  for (auto& monitor : monitors_) monitor->cut_power();
}

void Ssd::tell_supply_failed() {
  hw::RegisterAccess access;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  access.write(supply_, reg::intc::trigger, reg::irq::power_fail, delay);
}

void Ssd::serialise(StateVisitor& state) {
  state.section("cells");
  for (auto& package : packages_) package->serialise(state);
  hal_.serialise(state);
  state.section("monitors");
  for (auto& monitor : monitors_) monitor->serialise(state);
}

void Ssd::bind_all() {
  bar.bind(front_end_->bar);
  pci_.bar.bind(front_end_->bar);
  front_end_->dma.bind(dma);
  front_end_->intx(intx);
  front_end_->irq.bind(core_->irq);
  supply_.bind(core_->irq);
  front_end_->dram.bind(dram_->port);
  front_end_->event_queue.bind(event_queue_);
  core_->host.bind(front_end_->device);
  core_->dram.bind(dram_->port);
  core_->event_queue.bind(event_queue_);
  for (std::uint32_t c = 0; c < config_.geometry.channels; ++c) bind_channel(c);
}

void Ssd::bind_channel(std::uint32_t channel) {
  hw::ControllerBlock& controller = *controllers_[channel];
  hw::ChannelBlock& bus = *channels_[channel];
  core_->flash[channel].bind(controller.regs);
  controller.irq.bind(core_->irq);
  controller.dram.bind(dram_->port);
  controller.bus.bind(bus.in);
  controller.dma_fence.bind(front_end_->fence);
  controller.ecc_stage.bind(ecc_engines_[channel]->stage);
  if (core_->serves_event_queue()) controller.event_queue.bind(event_queue_);
  const std::uint32_t chips = config_.geometry.chips_per_channel;
  for (std::uint32_t chip = 0; chip < chips; ++chip) {
    hw::PackageBlock& package = *packages_[channel * chips + chip];
    bus.chips[chip].bind(package.bus);
    controller.connect(package);
  }
}

void Ssd::end_of_elaboration() {
  hal_.connect();
  if (has_external_events()) event_queue_.run_ahead().block();
}

bool Ssd::has_external_events() const {
  const std::vector<const hw::Block*> all = blocks();
  return std::any_of(all.begin(), all.end(), [](const hw::Block* b) { return b->has_external_events(); });
}

std::vector<const hw::Block*> Ssd::blocks() const {
  std::vector<const hw::Block*> all{dram_.get(), front_end_.get(), core_.get()};
  for (const auto& b : controllers_) all.push_back(b.get());
  for (const auto& b : ecc_engines_) all.push_back(b.get());
  for (const auto& b : channels_) all.push_back(b.get());
  for (const auto& b : packages_) all.push_back(b.get());
  return all;
}

void Ssd::attach(hw::NandObserver& observer) {
  for (auto& package : packages_) package->attach(observer);
}

void Ssd::attach(hw::BusObserver& observer) {
  for (auto& channel : channels_) channel->attach(observer);
  for (auto& watch : watches_) {
    if (watch != nullptr && observer.wants_phases()) watch->expect_phases();
  }
}

TimePs Ssd::dram_busy() const {
  std::uint64_t on_buses = 0;
  for (const auto& controller : controllers_) {
    const hw::FlashControllerStatistics& s = controller->statistics();
    on_buses += s.page_bytes_in + s.page_bytes_out;
  }
  const std::uint32_t sector = config_.geometry.sector_size;
  return dram_->bandwidth().busy(on_buses / (sector + parity_per_sector(config_)) * sector);
}

std::uint64_t Ssd::kernel_events() const {
  return core_->statistics().activations + front_end_->statistics().activations;
}

} // namespace twinplane::platform
