// Checks of the firmware as an image.
#include "platform/config/checks.h"

namespace twinplane::platform {

std::vector<Finding> check_firmware(const Config& config) {
  std::vector<Finding> findings;
  const bool image = !config.cpu.firmware.empty();
  if (!image && config.report.profile) {
    findings.push_back(
        {true, "report.profile",
         "must be false without cpu.firmware: only an image has instructions that can be counted"});
  }
  return findings;
}

} // namespace twinplane::platform
