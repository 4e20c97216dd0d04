#include "hw/pci/pci_function.h"

namespace twinplane::hw {

namespace {

/// 128 bytes are coded as 0, 256 as 1, ...
std::uint32_t payload_code(std::uint32_t bytes) {
  std::uint32_t code = 0;
  while ((128u << code) < bytes) ++code;
  return code;
}

} // namespace

PciFunction::PciFunction(const PciFunctionConfig& config, PciClient& client)
    : config_(config), client_(client) {
  using namespace pci;
  allow(command, 2,
        command_bit::memory_space | command_bit::bus_master | command_bit::parity_error_response |
            command_bit::serr | command_bit::intx_disable);
  allow(cache_line, 1, 0xFF);
  allow(bar0, 4, ~(config.bar_bytes - 1));
  allow(bar1, 4, 0xFFFF'FFFF);
  allow(interrupt_line, 1, 0xFF);
  allow(power::control, 2, 3);
  allow(msix::control, 2, msix::enable | msix::mask_all);
  allow(express::device_control, 2, 0x7FFF);
  allow(express::link_control, 2, 0x01DB);
  cleared_by_one_[status + 1] = status_bit::errors >> 8;
  cleared_by_one_[express::device_status] = 0x0F;
  defaults();
}

std::uint64_t PciFunction::field(std::uint32_t offset, std::uint32_t bytes) const {
  std::uint64_t value = 0;
  for (std::uint32_t i = 0; i < bytes; ++i) value |= std::uint64_t{bytes_[offset + i]} << (8 * i);
  return value;
}

void PciFunction::put(std::uint32_t offset, std::uint32_t bytes, std::uint32_t value) {
  for (std::uint32_t i = 0; i < bytes; ++i) bytes_[offset + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

void PciFunction::allow(std::uint32_t offset, std::uint32_t bytes, std::uint32_t mask) {
  for (std::uint32_t i = 0; i < bytes; ++i)
    writable_[offset + i] = static_cast<std::uint8_t>(mask >> (8 * i));
}

void PciFunction::capability(std::uint32_t offset, std::uint8_t id, std::uint32_t next) {
  put(offset, 1, id);
  put(offset + 1, 1, next);
}

/// What every register holds after a reset.
void PciFunction::defaults() {
  using namespace pci;
  bytes_.fill(0);
  put(vendor, 2, config_.vendor);
  put(device, 2, config_.device);
  put(status, 2, status_bit::capability_list);
  put(class_code, 3, config_.class_code);
  put(bar0, 4, bar_memory_64);
  put(subsystem_vendor, 2, config_.vendor);
  put(subsystem, 2, config_.device);
  put(pci::capabilities, 1, power::offset);
  put(interrupt_pin, 1, 1);
  capability(power::offset, power::id, msix::offset);
  put(power::capabilities, 2, 3); // version 3; D1, D2 and wake-up are not supported
  put(power::control, 2, power::no_soft_reset);
  capability(msix::offset, msix::id, express::offset);
  put(msix::control, 2, config_.msix_vectors - 1);
  put(msix::table, 4, config_.msix_table);
  put(msix::pending, 4, config_.msix_pending);
  capability(express::offset, express::id, 0);
  put_link();
}

void PciFunction::put_link() {
  using namespace pci;
  put(express::capabilities, 2, 2); // version 2, endpoint
  constexpr std::uint32_t kRoleBasedErrors = 1u << 15;
  put(express::device_capabilities, 4,
      payload_code(config_.max_payload) | kRoleBasedErrors | express::flr_capable);
  put(express::device_control, 2, payload_code(config_.max_payload) << 5 | 2u << 12); // reads of 512 bytes
  const std::uint32_t link = config_.link_generation | config_.link_lanes << 4;
  put(express::link_capabilities, 4, link);
  put(express::link_status, 2, link);
  put(express::link_capabilities_2, 4, ((1u << config_.link_generation) - 1) << 1);
}

std::uint32_t PciFunction::read(std::uint32_t offset, std::uint32_t bytes) const {
  if (offset + bytes > bytes_.size()) return 0;
  auto value = static_cast<std::uint32_t>(field(offset, bytes));
  const bool has_status = offset <= pci::status && pci::status < offset + bytes;
  if (has_status && client_.interrupt_pending()) {
    value |= std::uint32_t{pci::status_bit::interrupt} << (8 * (pci::status - offset));
  }
  return value;
}

void PciFunction::write(std::uint32_t offset, std::uint32_t bytes, std::uint32_t value, TimePs at) {
  if (offset + bytes > bytes_.size()) return;
  for (std::uint32_t i = 0; i < bytes; ++i) {
    const auto byte = static_cast<std::uint8_t>(value >> (8 * i));
    std::uint8_t& place = bytes_[offset + i];
    const std::uint8_t mask = writable_[offset + i];
    place = static_cast<std::uint8_t>((place & ~mask) | (byte & mask));
    place = static_cast<std::uint8_t>(place & ~(byte & cleared_by_one_[offset + i]));
  }
  const std::uint32_t flr_byte = pci::express::device_control + 1;
  if (offset <= flr_byte && flr_byte < offset + bytes &&
      (value >> (8 * (flr_byte - offset)) & (pci::express::initiate_flr >> 8)) != 0) {
    ++resets_;
    reset(at);
  } else {
    tell(at);
  }
}

std::optional<std::uint32_t> PciFunction::decode(std::uint64_t address, std::uint32_t bytes) const {
  const bool answers = (field(pci::command, 2) & pci::command_bit::memory_space) != 0 && awake();
  if (!answers || address < bar() || address - bar() > config_.bar_bytes - bytes) return std::nullopt;
  return static_cast<std::uint32_t>(address - bar());
}

void PciFunction::reset(TimePs at) {
  defaults();
  tell(at); // first: what the reset ends must not reach the host
  client_.reset_function(at);
}

/// The client hears what it is to do; the same again changes nothing.
void PciFunction::tell(TimePs at) {
  const auto commands = field(pci::command, 2);
  client_.set_bus_master((commands & pci::command_bit::bus_master) != 0 && awake(), at);
  client_.disable_intx((commands & pci::command_bit::intx_disable) != 0, at);
  client_.set_msix(static_cast<std::uint16_t>(field(pci::msix::control, 2)), at);
}

} // namespace twinplane::hw
