#include "rtl_blocks.h"

#include <string>

namespace twinplane::example {

std::unique_ptr<hw::ControllerBlock> RtlBlocks::make_controller(const char* name,
                                                                const hw::FlashControllerConfig& config) {
  if (config.channel != channel_) return BlockFactory::make_controller(name, config);
  config_ = config;
  auto controller = std::make_unique<RtlFlashController>(name, config);
  controller_ = controller.get();
  return controller;
}

std::unique_ptr<hw::ChannelBlock> RtlBlocks::make_channel(const char* name, const hw::ChannelConfig& config) {
  if (config.index != channel_) return BlockFactory::make_channel(name, config);
  const hw::PinConfig pins{config.index,      config.chips, config_.geometry,
                           config_.data_mode, config.bus,   config.tDBSY};
  auto wires = std::make_unique<hw::PinChannel>(name, pins);
  wires_ = wires.get();
  controller_->drive(*wires_, clock_);
  return wires;
}

/// R/B# is a wire of the channel. What pins do not carry, a model of bit errors, would get lost on them.
std::unique_ptr<hw::PackageBlock> RtlBlocks::make_package(const char* name, const hw::NandConfig& config) {
  auto package = BlockFactory::make_package(name, config);
  if (config.channel != channel_) return package;
  if (config.errors.reading != ErrorReading::off || config.faults.read > 0) {
    SC_REPORT_ERROR(
        "twinplane.rtl_controller",
        (std::string(package->name()) +
         ": wrong bits and reads that fail do not show on pins (nand.errors.reading, nand.fail.read)")
            .c_str());
  }
  wires_->listen(*package);
  return package;
}

} // namespace twinplane::example
