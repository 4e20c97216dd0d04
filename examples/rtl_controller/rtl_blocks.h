// A drive with the Verilog controller on one of its channels.
#pragma once

#include <cstdint>
#include <memory>

#include "hw/pins/pin_channel.h"
#include "platform/ssd/block_factory.h"
#include "rtl_flash_controller.h"

namespace twinplane::example {

class RtlBlocks : public platform::BlockFactory {
 public:
  explicit RtlBlocks(std::uint32_t channel = 0, const RtlClock& clock = {})
      : channel_(channel), clock_(clock) {}

  std::unique_ptr<hw::ControllerBlock> make_controller(const char* name,
                                                       const hw::FlashControllerConfig& config) override;
  std::unique_ptr<hw::ChannelBlock> make_channel(const char* name, const hw::ChannelConfig& config) override;
  std::unique_ptr<hw::PackageBlock> make_package(const char* name, const hw::NandConfig& config) override;

  /// The channel's wires, once the drive has been made.
  const hw::PinChannel& wires() const { return *wires_; }

 private:
  std::uint32_t channel_;
  RtlClock clock_;
  hw::FlashControllerConfig config_;
  RtlFlashController* controller_ = nullptr; // the drive's
  hw::PinChannel* wires_ = nullptr;          // the drive's
};

} // namespace twinplane::example
