#include "platform/pci_host/mpqemu_link.h"

#include <cstdio>
#include <cstring>

#include "hw/spec/pci.h"

namespace twinplane::platform {
namespace {

enum Command : std::int32_t {
  kSyncMemory = 0,
  kReturn = 1,
  kConfigWrite = 2,
  kConfigRead = 3,
  kBarWrite = 4,
  kBarRead = 5,
  kSetIrqFd = 6,
  kReset = 7,
};

struct Header {
  std::int32_t command = 0;
  std::uint32_t padding = 0;
  std::uint64_t size = 0; // of the payload
};
static_assert(sizeof(Header) == 16);

struct ConfigAccess {
  std::uint32_t offset = 0;
  std::uint32_t value = 0;
  std::int32_t bytes = 0;
};
static_assert(sizeof(ConfigAccess) == 12);

struct BarAccess {
  std::uint64_t address = 0; // of the guest's memory
  std::uint64_t value = 0;
  std::uint32_t bytes = 0;
  std::uint8_t memory = 0;
  std::uint8_t padding[3] = {};
};
static_assert(sizeof(BarAccess) == 24);

constexpr std::uint32_t kConfigSpace = 4096;

constexpr std::size_t kWindows = 8;
struct Memory { // as many are valid as descriptors came
  std::uint64_t address[kWindows] = {};
  std::uint64_t size[kWindows] = {};
  std::uint64_t offset[kWindows] = {};
};
static_assert(sizeof(Memory) == 192);

/// Every command has one size of payload; a reset may have none or a number.
bool fits(std::int32_t command, std::uint64_t size) {
  switch (command) {
    case kSyncMemory:
      return size == sizeof(Memory);
    case kConfigWrite:
    case kConfigRead:
      return size == sizeof(ConfigAccess);
    case kBarWrite:
    case kBarRead:
      return size == sizeof(BarAccess);
    case kSetIrqFd:
      return size == 0;
    case kReset:
      return size == 0 || size == sizeof(std::uint64_t);
    default:
      return false;
  }
}

bool is_width(std::uint64_t bytes, std::uint64_t most) {
  return bytes != 0 && bytes <= most && (bytes & (bytes - 1)) == 0;
}

} // namespace

const std::uint8_t* MpqemuLink::payload() const {
  return socket_.data() + sizeof(Header);
}

Transport::Served MpqemuLink::serve(PciDevice& device) {
  if (!qtest_.exchange()) return reject("its qtest socket is closed");
  const MessageSocket::State head = socket_.fill(sizeof(Header));
  if (head == MessageSocket::State::partial) return Served::nothing;
  if (head == MessageSocket::State::closed)
    return socket_.size() == 0 ? Served::closed : reject("it ends in the middle of a message");
  Header header;
  std::memcpy(&header, socket_.data(), sizeof header);
  command_ = header.command;
  size_ = header.size;
  if (!fits(command_, size_)) return reject("a message that this version of QEMU does not send");
  const MessageSocket::State body = socket_.fill(sizeof header + size_);
  if (body == MessageSocket::State::partial) return Served::nothing;
  if (body == MessageSocket::State::closed) return reject("it ends in the middle of a message");
  const Served served = handle(device);
  socket_.next();
  return served;
}

Transport::Served MpqemuLink::reject(const char* why) {
  std::fprintf(stderr, "twinplane: QEMU's link: %s; the connection ends\n", why);
  return Served::closed;
}

Transport::Served MpqemuLink::handle(PciDevice& device) {
  switch (command_) {
    case kSyncMemory:
      return share_memory(device);
    case kConfigWrite:
    case kConfigRead:
      return access_config(device, command_ == kConfigWrite);
    case kBarWrite:
    case kBarRead:
      return access_bar(device, command_ == kBarWrite);
    case kReset:
      device.reset();
      probing_ = false;
      return answer(0);
    default: // interrupt eventfds, of which this link makes no use
      return Served::message;
  }
}

Transport::Served MpqemuLink::answer(std::uint64_t value) {
  struct {
    Header header;
    std::uint64_t value = 0;
  } reply;
  reply.header.command = kReturn;
  reply.header.size = sizeof reply.value;
  reply.value = value;
  return socket_.send(&reply, sizeof reply) ? Served::message : Served::closed;
}

/// The whole memory of the guest, again and again while its machine is built and its firmware works.
Transport::Served MpqemuLink::share_memory(PciDevice& device) {
  Memory memory;
  std::memcpy(&memory, payload(), sizeof memory);
  std::vector<Descriptor>& files = socket_.descriptors();
  if (files.size() > kWindows) return reject("more memory than it can tell of");
  std::vector<MappedMemory::Shared> windows;
  for (std::size_t i = 0; i < files.size(); ++i)
    windows.push_back({{memory.address[i], memory.size[i], memory.offset[i], true}, std::move(files[i])});
  if (const int error = device.memory().replace(windows); error != 0) {
    std::fprintf(stderr, "twinplane: QEMU's link: memory of the guest that cannot be shared: %s\n",
                 std::strerror(error));
  }
  return Served::message;
}

/// QEMU takes the upper half of a 64-bit BAR for another one when it probes.
std::uint32_t MpqemuLink::read_config(PciDevice& device, std::uint32_t offset, std::uint32_t bytes) const {
  if (probing_ && offset >= pci::bar1 && offset < pci::bar1 + 4) return 0;
  return device.read_config(offset, bytes);
}

Transport::Served MpqemuLink::access_config(PciDevice& device, bool write) {
  ConfigAccess access;
  std::memcpy(&access, payload(), sizeof access);
  if (access.bytes <= 0 || !is_width(static_cast<std::uint32_t>(access.bytes), 4))
    return reject("a configuration access of a width that there is not");
  const auto bytes = static_cast<std::uint32_t>(access.bytes);
  if (access.offset > kConfigSpace - bytes) return answer(write ? 0 : 0xFFFF'FFFF >> (32 - 8 * bytes));
  const std::uint32_t step = access.offset % bytes == 0 ? bytes : 1;
  std::uint32_t value = 0;
  for (std::uint32_t done = 0; done < bytes; done += step) {
    if (write) {
      const std::uint32_t part = access.value >> (8 * done);
      device.write_config(access.offset + done, step, step == 4 ? part : part & ((1u << (8 * step)) - 1));
    } else {
      value |= read_config(device, access.offset + done, step) << (8 * done);
    }
  }
  return answer(value);
}

/// What the function does not claim reads as all ones.
Transport::Served MpqemuLink::access_bar(PciDevice& device, bool write) {
  BarAccess access;
  std::memcpy(&access, payload(), sizeof access);
  if (!is_width(access.bytes, 8)) return reject("a memory access of a width that there is not");
  const auto offset = device.decode(access.address, access.bytes);
  if (!offset || access.memory == 0) return answer(write ? 0 : ~std::uint64_t{0} >> (64 - 8 * access.bytes));
  if (!write) return answer(device.read_bar(*offset, access.bytes));
  device.write_bar(*offset, access.bytes, access.value);
  return answer(0);
}

} // namespace twinplane::platform
