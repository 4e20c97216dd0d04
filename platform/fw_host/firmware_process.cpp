#include "platform/fw_host/firmware_process.h"

#include <iostream>
#include <utility>

#include "hw/spec/registers.h"

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

void FirmwareProcess::booted_with(const fw::Firmware::BootError& error) {
  if (error.text != nullptr) {
    boot_error_ = std::string("firmware refuses to boot (") + error.step + "): " + error.text;
    stand_still(boot_error_);
  }
  booted_ = true;
  if (!on_booted_) return;
  on_booted_();
  sc_core::wait(sc_core::SC_ZERO_TIME);
}

void FirmwareProcess::failed_to_boot(const FirmwarePanic& panic) {
  boot_error_ = panic_ = panic.what();
  stand_still(boot_error_);
}

void FirmwareProcess::panicked(const FirmwarePanic& panic) {
  panic_ = panic.what();
  stand_still(panic_);
}

void run_until_booted(FirmwareProcess& firmware) {
  firmware.on_booted(
      [] { sc_core::sc_pause(); }); // at once, or ahead of the kernel, or when the flash has answered
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  if (firmware.booted() || !firmware.boot_error().empty()) return;
  sc_core::sc_start();
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
