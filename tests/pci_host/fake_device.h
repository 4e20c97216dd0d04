// A PCI function that writes down what a transport asks of it, and its end of a socket pair.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "platform/pci_host/pci_device.h"

namespace twinplane::test {

using platform::Descriptor;

class FakeDevice final : public platform::PciDevice {
 public:
  static constexpr std::uint32_t kBarBytes = 0x10000;
  static constexpr std::uint32_t kVectors = 5;
  static constexpr std::uint32_t kTable = 0x8000;
  static constexpr std::uint64_t kBar = 0xFEB0'0000;

  std::vector<std::string> calls;
  std::map<std::uint32_t, std::uint64_t> config; // what reads give, by offset
  std::map<std::uint32_t, std::uint64_t> bar;
  platform::MappedMemory mapped;

  std::uint32_t read_config(std::uint32_t offset, std::uint32_t bytes) override {
    return static_cast<std::uint32_t>(note("config read", offset, bytes, config[offset]));
  }
  void write_config(std::uint32_t offset, std::uint32_t bytes, std::uint32_t value) override {
    note("config write", offset, bytes, value);
  }
  std::uint64_t read_bar(std::uint32_t offset, std::uint32_t bytes) override {
    return note("bar read", offset, bytes, bar[offset]);
  }
  void write_bar(std::uint32_t offset, std::uint32_t bytes, std::uint64_t value) override {
    note("bar write", offset, bytes, value);
  }
  std::optional<std::uint32_t> decode(std::uint64_t address, std::uint32_t bytes) const override {
    if (address < kBar || address + bytes > kBar + kBarBytes) return std::nullopt;
    return static_cast<std::uint32_t>(address - kBar);
  }
  void reset() override { calls.push_back("reset"); }
  std::uint32_t bar_bytes() const override { return kBarBytes; }
  std::uint32_t vectors() const override { return kVectors; }
  std::uint32_t vector_table() const override { return kTable; }
  platform::MappedMemory& memory() override { return mapped; }

 private:
  std::uint64_t note(const char* what, std::uint32_t offset, std::uint32_t bytes, std::uint64_t value) {
    char text[80];
    std::snprintf(text, sizeof text, "%s %x/%u %llx", what, offset, bytes,
                  static_cast<unsigned long long>(value));
    calls.push_back(text);
    return value;
  }
};

using Bytes = std::vector<std::uint8_t>;

/// Little endian, as many bytes as are said.
inline void put(Bytes& to, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) to.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}
inline std::uint64_t get(const Bytes& from, std::size_t offset, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value |= std::uint64_t{from.at(offset + i)} << (8 * i);
  return value;
}

/// Two ends of a stream.
struct Ends {
  Ends() {
    int pair[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) std::abort();
    served = Descriptor(pair[0]);
    ours = Descriptor(pair[1]);
  }
  Descriptor served;
  Descriptor ours;

  void send(const Bytes& bytes, const std::vector<int>& files = {}) const {
    iovec piece{const_cast<std::uint8_t*>(bytes.data()), bytes.size()};
    alignas(cmsghdr) char control[CMSG_SPACE(16 * sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    if (!files.empty()) {
      message.msg_control = control;
      message.msg_controllen = CMSG_SPACE(files.size() * sizeof(int));
      cmsghdr* const head = CMSG_FIRSTHDR(&message);
      head->cmsg_level = SOL_SOCKET;
      head->cmsg_type = SCM_RIGHTS;
      head->cmsg_len = CMSG_LEN(files.size() * sizeof(int));
      std::memcpy(CMSG_DATA(head), files.data(), files.size() * sizeof(int));
    }
    if (::sendmsg(ours.get(), &message, MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size())) std::abort();
  }
  /// All that has come.
  Bytes received() const {
    Bytes bytes(1 << 16);
    const ssize_t got = ::recv(ours.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return bytes;
  }
};

/// Descriptors of this process that are open.
std::size_t open_files();

} // namespace twinplane::test
