// From configuration keys to the configuration structs of the hardware modules.
#pragma once

#include <cstdint>
#include <memory>

#include "hw/channel/channel.h"
#include "hw/controller/flash_controller_config.h"
#include "hw/core/dram_block.h"
#include "hw/cpu/cpu.h"
#include "hw/host_if/host_interface.h"
#include "hw/monitor/monitor_config.h"
#include "hw/nand/nand_config.h"
#include "platform/config/config.h"
#include "platform/report/energy.h"

namespace twinplane::platform {

hw::DramConfig to_dram_config(const Config& config, std::uint64_t bytes);
hw::HostInterfaceConfig to_host_interface_config(const Config& config, hw::BandwidthPort& dram_port);
hw::CpuConfig to_cpu_config(const Config& config, hw::BandwidthPort& dram_port);
hw::FlashControllerConfig to_controller_config(const Config& config, std::uint32_t channel,
                                               hw::BandwidthPort& dram_port);
hw::ChannelConfig to_channel_config(const Config& config, std::uint32_t channel);
/// `page_order` is shared by all packages of the drive.
hw::NandConfig to_nand_config(const Config& config, std::uint32_t channel, std::uint32_t chip,
                              std::shared_ptr<const PageOrderTable> page_order);
/// Of energy.peak_limit; null: there is none. Without what is drawn in standby.
std::unique_ptr<hw::PowerGrant> make_power_grant(const Config& config);
/// Units of the keys of [energy].
EnergyModel to_energy_model(const Config& config);
hw::MonitorConfig to_monitor_config(const Config& config, std::uint32_t channel,
                                    std::shared_ptr<const PageOrderTable> page_order);

} // namespace twinplane::platform
