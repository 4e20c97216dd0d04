// vfio-user, version 0.0: what goes over the socket (QEMU, docs/interop/vfio-user.rst). Little endian, packed
// as here.
#pragma once

#include <cstdint>

namespace twinplane::platform::vfio_user {

struct Header {
  std::uint16_t id = 0;
  std::uint16_t command = 0;
  std::uint32_t size = 0; // this header included
  std::uint32_t flags = 0;
  std::uint32_t error = 0; // errno of a reply
};
static_assert(sizeof(Header) == 16);

namespace flag {
constexpr std::uint32_t type_mask = 0xF; // 0: command, 1: reply
constexpr std::uint32_t reply = 1;
constexpr std::uint32_t no_reply = 1u << 4;
constexpr std::uint32_t error = 1u << 5;
} // namespace flag

enum Command : std::uint16_t {
  version = 1,
  dma_map = 2,
  dma_unmap = 3,
  device_get_info = 4,
  device_get_region_info = 5,
  device_get_irq_info = 7,
  device_set_irqs = 8,
  region_read = 9,
  region_write = 10,
  device_reset = 13,
};

struct Version { // JSON follows, with its zero
  std::uint16_t major = 0;
  std::uint16_t minor = 0;
};

struct DmaMap {
  std::uint32_t argsz = sizeof(DmaMap);
  std::uint32_t flags = 3; // 1: readable, 2: writable
  std::uint64_t offset = 0;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};
static_assert(sizeof(DmaMap) == 32);

struct DmaUnmap {
  std::uint32_t argsz = sizeof(DmaUnmap);
  std::uint32_t flags = 0; // 2: everything
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};
static_assert(sizeof(DmaUnmap) == 24);
constexpr std::uint32_t dma_writable = 2;
constexpr std::uint32_t unmap_all = 2;

struct DeviceInfo {
  std::uint32_t argsz = sizeof(DeviceInfo);
  std::uint32_t flags = 0; // 1: can be reset, 2: PCI
  std::uint32_t regions = 0;
  std::uint32_t irqs = 0;
};
constexpr std::uint32_t info_flags = 3;

struct RegionInfo {
  std::uint32_t argsz = sizeof(RegionInfo);
  std::uint32_t flags = 0; // 1: readable, 2: writable
  std::uint32_t index = 0;
  std::uint32_t cap_offset = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
};
static_assert(sizeof(RegionInfo) == 32);
constexpr std::uint32_t region_flags = 3;
constexpr std::uint32_t kBar0 = 0;   // region index
constexpr std::uint32_t kConfig = 7; // ... of configuration space
constexpr std::uint32_t kRegions = 9;

struct IrqInfo {
  std::uint32_t argsz = sizeof(IrqInfo);
  std::uint32_t flags = 0; // 1: eventfd, 2: maskable, 4: masks itself, 8: not resizable
  std::uint32_t index = 0;
  std::uint32_t count = 0;
};
static_assert(sizeof(IrqInfo) == 16);
constexpr std::uint32_t kPin = 0;  // interrupt index
constexpr std::uint32_t kMsix = 2; // ... of MSI-X
constexpr std::uint32_t kIrqs = 5;

struct SetIrqs { // an array of bytes follows where the data are bools
  std::uint32_t argsz = sizeof(SetIrqs);
  std::uint32_t flags = 0;
  std::uint32_t index = 0;
  std::uint32_t start = 0;
  std::uint32_t count = 0;
};
static_assert(sizeof(SetIrqs) == 20);
namespace irq {
constexpr std::uint32_t data_none = 1;
constexpr std::uint32_t data_bool = 2;
constexpr std::uint32_t data_eventfd = 4;
constexpr std::uint32_t data_mask = 7;
constexpr std::uint32_t mask = 8;
constexpr std::uint32_t unmask = 0x10;
constexpr std::uint32_t trigger = 0x20;
} // namespace irq

struct RegionAccess { // data follow, in a request to write and in a reply to read
  std::uint64_t offset = 0;
  std::uint32_t region = 0;
  std::uint32_t count = 0;
};
static_assert(sizeof(RegionAccess) == 16);

constexpr std::uint32_t kMostData = 1u << 20; // of one access, and a little more of a message
constexpr std::uint32_t kMostMessage = kMostData + 4096;

} // namespace twinplane::platform::vfio_user
