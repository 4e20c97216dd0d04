#include "hw/host_if/slots.h"

#include <algorithm>

namespace twinplane::hw {

namespace {
constexpr std::uint32_t kPage = 4096;
} // namespace

std::uint32_t command_data_bytes(const nvme::Sqe& sqe, bool admin, std::uint32_t sector_size) {
  if (admin) {
    if (sqe.opcode != nvme::admin::get_log_page) return kPage;
    const std::uint64_t dwords = ((sqe.cdw10 >> 16) | std::uint64_t{sqe.cdw11 & 0xFFFF} << 16) + 1;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(dwords * 4, 0x7FFF'FFFFu));
  }
  switch (sqe.opcode) {
    case nvme::io::write:
    case nvme::io::read:
    case nvme::io::compare:
      return ((sqe.cdw12 & 0xFFFF) + 1) * sector_size;
    case nvme::io::dataset_management:
      return ((sqe.cdw10 & 0xFF) + 1) * static_cast<std::uint32_t>(sizeof(nvme::DsmRange));
    default:
      return kPage;
  }
}

} // namespace twinplane::hw
