// The firmware as the software of the modelled core.
#pragma once

#include <string>

#include "firmware/boot/firmware.h"
#include "hw/cpu/software.h"
#include "platform/config/config.h"

namespace twinplane::platform {

class FirmwareProcess final : public hw::Software {
 public:
  /// `config` outlives this object: the firmware keeps pointers to its names.
  FirmwareProcess(fw::Hal& hal, const Config& config);

  void boot() override;
  bool step() override { return firmware_.step(); }

  /// Empty when the firmware has booted; else what it refused. boot() stops the simulation then.
  const std::string& boot_error() const { return boot_error_; }
  bool booted() const { return booted_; }
  fw::Firmware& firmware() { return firmware_; }
  const fw::Firmware& firmware() const { return firmware_; }

 private:
  fw::Hal& hal_;
  fw::FirmwareConfig config_;
  fw::Firmware firmware_;
  std::string boot_error_;
  bool booted_ = false;
};

} // namespace twinplane::platform
