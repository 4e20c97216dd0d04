#include "platform/model/host_firmware.h"

namespace twinplane::platform {

void HostFirmware::boot() {
  try {
    booted_with(firmware_.boot(hal(), config()));
  } catch (const FirmwarePanic& panic) {
    failed_to_boot(panic);
  }
}

bool HostFirmware::step() {
  ++turns_;
  try {
    return firmware_.step();
  } catch (const FirmwarePanic& panic) {
    panicked(panic);
  }
}

} // namespace twinplane::platform
