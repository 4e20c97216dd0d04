#include "platform/host/drive_registers.h"

#include <stdexcept>
#include <string>

#include "hw/core/kernel_time.h"
#include "hw/spec/nvme.h"

namespace twinplane::platform {

namespace {
constexpr TimePs kPollInterval = us(10);
} // namespace

std::uint32_t DriveRegisters::read32(std::uint32_t offset) {
  const TimePs begun = hw::kernel_now();
  TimePs at = begun;
  std::uint32_t value = 0;
  if (!port_.read(access_, offset, value, at)) throw std::runtime_error("the drive refuses register access");
  sc_core::wait(hw::to_sc_time(at - begun));
  return value;
}

std::uint64_t DriveRegisters::read64(std::uint32_t offset) {
  const std::uint64_t low = read32(offset);
  return low | std::uint64_t{read32(offset + 4)} << 32;
}

void DriveRegisters::wait_for_status(std::uint32_t mask, std::uint32_t value, const char* what,
                                     const Limit& limit) {
  const sc_core::sc_time end = sc_core::sc_time_stamp() + limit.time;
  for (;;) {
    const std::uint32_t status = read32(nvme::bar::csts);
    if ((status & mask) == value) return;
    if ((status & nvme::csts::cfs) != 0)
      throw std::runtime_error("the drive reports a fatal status (CSTS.CFS)");
    if (sc_core::sc_time_stamp() > end)
      throw std::runtime_error(std::string("the drive does not ") + what + " within " + limit.name);
    sc_core::wait(hw::to_sc_time(kPollInterval));
  }
}

} // namespace twinplane::platform
