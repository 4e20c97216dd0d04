#include "platform/model/firmware_process.h"

#include <systemc>

#include "hw/spec/geometry.h"
#include "platform/config/convert.h"
#include "platform/model/hardware_config.h"

namespace twinplane::platform {
namespace {

fw::FirmwareConfig to_firmware_config(const Config& config) {
  fw::FirmwareConfig f;
  f.ftl = to_ftl_config(config);
  f.nvme.mdts =
      static_cast<std::uint8_t>(address_bits(static_cast<std::uint32_t>(config.host.max_transfer / 4096)));
  f.nvme.max_queue_entries = max_queue_entries(config);
  f.nvme.endurance_cycles = config.nand.endurance;
  return f;
}

} // namespace

FirmwareProcess::FirmwareProcess(fw::Hal& hal, const Config& config)
    : hal_(hal), config_(to_firmware_config(config)) {}

void FirmwareProcess::boot() {
  const fw::Firmware::BootError error = firmware_.boot(hal_, config_);
  if (error.text != nullptr) {
    boot_error_ = std::string("firmware refuses to boot (") + error.step + "): " + error.text;
    sc_core::sc_stop();
    sc_core::wait(); // nothing may run any more
  }
  booted_ = true;
}

} // namespace twinplane::platform
