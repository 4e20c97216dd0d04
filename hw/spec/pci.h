// PCI configuration space of an endpoint: offsets and bits that software and function agree on (PCI Local Bus
// Specification 3.0, sections 6.1, 6.2, 6.8.2; PCI Bus Power Management 1.2, section 3.2; PCI Express Base
// Specification 4.0, sections 6.6.2, 7.5.3).
#pragma once

#include <cstdint>

namespace twinplane::pci {

// type 0 header
constexpr std::uint32_t vendor = 0x00;
constexpr std::uint32_t device = 0x02;
constexpr std::uint32_t command = 0x04;
constexpr std::uint32_t status = 0x06;
constexpr std::uint32_t revision = 0x08;
constexpr std::uint32_t class_code = 0x09; // 3 bytes: programming interface, subclass, base class
constexpr std::uint32_t cache_line = 0x0C;
constexpr std::uint32_t header_type = 0x0E;
constexpr std::uint32_t bar0 = 0x10;
constexpr std::uint32_t bar1 = 0x14;
constexpr std::uint32_t subsystem_vendor = 0x2C;
constexpr std::uint32_t subsystem = 0x2E;
constexpr std::uint32_t capabilities = 0x34;
constexpr std::uint32_t interrupt_line = 0x3C;
constexpr std::uint32_t interrupt_pin = 0x3D;
constexpr std::uint32_t config_bytes = 256; // what is beyond, up to 4 KiB, reads as zero

constexpr std::uint16_t kVendor = 0x5450;        // no vendor's: the letters "PT"; Identify repeats it
constexpr std::uint32_t kNvmeClass = 0x01'08'02; // mass storage, non-volatile memory, NVM Express

namespace command_bit {
constexpr std::uint16_t memory_space = 1u << 1;
constexpr std::uint16_t bus_master = 1u << 2;
constexpr std::uint16_t parity_error_response = 1u << 6;
constexpr std::uint16_t serr = 1u << 8;
constexpr std::uint16_t intx_disable = 1u << 10;
} // namespace command_bit

namespace status_bit {
constexpr std::uint16_t interrupt = 1u << 3;
constexpr std::uint16_t capability_list = 1u << 4;
constexpr std::uint16_t errors = 0xF900; // write 1 to clear
} // namespace status_bit

constexpr std::uint32_t bar_memory_64 = 0x4; // bits 2:1 of a memory BAR: anywhere in 64 bits

// capabilities, as this function places them; id at +0, next at +1
namespace power {
constexpr std::uint8_t id = 0x01;
constexpr std::uint32_t offset = 0x40;
constexpr std::uint32_t capabilities = offset + 2;
constexpr std::uint32_t control = offset + 4; // PMCSR: bits 1:0 the power state
constexpr std::uint16_t no_soft_reset = 1u << 3;
constexpr std::uint16_t d3_hot = 3;
} // namespace power

namespace msix {
constexpr std::uint8_t id = 0x11;
constexpr std::uint32_t offset = 0x50;
constexpr std::uint32_t control = offset + 2; // vectors - 1 in bits 10:0
constexpr std::uint32_t table = offset + 4;   // offset in BAR0; bits 2:0 the BAR
constexpr std::uint32_t pending = offset + 8;
constexpr std::uint16_t enable = 1u << 15;
constexpr std::uint16_t mask_all = 1u << 14;
} // namespace msix

namespace express {
constexpr std::uint8_t id = 0x10;
constexpr std::uint32_t offset = 0x60;
constexpr std::uint32_t capabilities = offset + 2;
constexpr std::uint32_t device_capabilities = offset + 4;
constexpr std::uint32_t device_control = offset + 8;
constexpr std::uint32_t device_status = offset + 10;
constexpr std::uint32_t link_capabilities = offset + 12;
constexpr std::uint32_t link_control = offset + 16;
constexpr std::uint32_t link_status = offset + 18;
constexpr std::uint32_t link_capabilities_2 = offset + 44;
constexpr std::uint32_t flr_capable = 1u << 28;  // of device_capabilities
constexpr std::uint16_t initiate_flr = 1u << 15; // of device_control; reads as 0
} // namespace express

} // namespace twinplane::pci
