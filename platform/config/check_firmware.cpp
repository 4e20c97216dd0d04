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
  if (image && config.run.check_turns != 0) {
    findings.push_back({true, "run.check_turns",
                        "must be 0 with cpu.firmware: the tables of an image cannot be looked into"});
  }
  return findings;
}

} // namespace twinplane::platform
