#include "platform/fw_host/host_firmware.h"

#include "firmware/ftl/checks/table_check.h"

namespace twinplane::platform {
namespace {

std::string place(const char* name, std::uint32_t value) {
  if (value == fw::BrokenRule::kNowhere) return "";
  return std::string(", ") + name + " " + std::to_string(value);
}

std::string text_of(const fw::BrokenRule& b) {
  return std::string("the firmware's tables do not agree: ") + b.rule + place("LPN", b.lpn) +
         place("plane", b.plane) + place("block", b.block) + place("page", b.page) + ": found " +
         std::to_string(b.found) + ", expected " + std::to_string(b.expected);
}

} // namespace

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
    const bool again = firmware_.step();
    if (check_turns_ != 0 && turns_ % check_turns_ == 0) check_tables();
    return again;
  } catch (const FirmwarePanic& panic) {
    panicked(panic);
  }
}

void HostFirmware::check_tables() const {
  if (firmware_.ftl().recovering()) return; // the tables are being filled
  const fw::BrokenRule broken = fw::check_tables(firmware_.ftl().core());
  if (broken.rule != nullptr)
    throw FirmwarePanic(text_of(broken) + " (turn " + std::to_string(turns_) + "; run.check_turns)");
}

void HostFirmware::serialise(StateVisitor& state) {
  firmware_.serialise(state);
  if (!state.loading()) return;
  const fw::BrokenRule broken = fw::check_tables(firmware_.ftl().core());
  if (broken.rule != nullptr) state.refuse(("it is damaged: " + text_of(broken)).c_str());
}

} // namespace twinplane::platform
