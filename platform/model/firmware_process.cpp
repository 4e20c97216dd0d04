#include "platform/model/firmware_process.h"

#include <iostream>
#include <utility>

#include "hw/spec/registers.h"
#include "platform/config/convert.h"

namespace twinplane::platform {
namespace {

/// What the default actions throw is shown here instead; anybody else's handler and actions see an SC_ERROR.
void report(const std::string& text) {
  try {
    SC_REPORT_ERROR("twinplane.firmware", text.c_str());
  } catch (const sc_core::sc_report& thrown) {
    std::cerr << "\n" << thrown.what() << std::endl;
  }
}

} // namespace

FirmwareProcess::FirmwareProcess(const std::string& drive, fw::Hal& hal, const Config& config)
    : drive_(drive), hal_(hal), config_(to_firmware_config(config)) {}

void FirmwareProcess::boot() {
  try {
    const fw::Firmware::BootError error = firmware_.boot(hal_, config_);
    if (error.text != nullptr) {
      boot_error_ = std::string("firmware refuses to boot (") + error.step + "): " + error.text;
    }
  } catch (const FirmwarePanic& panic) {
    boot_error_ = panic_ = panic.what();
  }
  if (!boot_error_.empty()) stand_still(boot_error_);
  booted_ = true;
}

bool FirmwareProcess::step() {
  ++turns_;
  try {
    return firmware_.step();
  } catch (const FirmwarePanic& panic) {
    panic_ = panic.what();
  }
  stand_still(panic_);
}

// The core's thread serves the flash controllers, too: nothing inside the drive moves any more. Registers
// answer.
void FirmwareProcess::stand_still(const std::string& why) {
  hal_.mmio_write(reg::kHostBase + reg::host::control, reg::host_control::halted);
  report(drive_ + ": " + why + "; the drive stands still with CSTS.CFS set");
  if (on_failure_) on_failure_();
  for (;;) sc_core::wait(never_);
}

} // namespace twinplane::platform
