// The other end of a guest's link: messages with files of several kinds, and memory that vanishes.
#pragma once

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "platform/pci_host/descriptor.h"
#include "platform/pci_host/transport.h"
#include "tests/fuzz/checked_function.h"
#include "tests/fuzz/fuzzing.h"

namespace twinplane::fuzz {

/// `files`: two bits for each of four that go along, 0 none, 1 memory, 2 an eventfd, 3 one that is neither.
struct HostileMessage {
  std::vector<std::uint8_t> bytes;
  std::uint8_t files = 0;
};

/// The input says how the message is wrong (bit 0: its length, bit 1: `other`; 0: it is as it should be), which
/// files go along, the wrong values, and the payload.
template <typename Header, typename Length, typename Other>
HostileMessage hostile_message(Bytes& bytes, Header header, std::size_t payload, Length Header::*length,
                               Other Header::*other) {
  HostileMessage message;
  const auto how = bytes.take<std::uint8_t>();
  message.files = bytes.take<std::uint8_t>();
  if ((how & 1) != 0) header.*length = bytes.take<Length>();
  if ((how & 2) != 0) header.*other = bytes.take<Other>();
  message.bytes.resize(sizeof header + payload);
  std::memcpy(message.bytes.data(), &header, sizeof header);
  for (std::size_t i = sizeof header; i < message.bytes.size(); ++i)
    message.bytes[i] = bytes.take<std::uint8_t>();
  return message;
}

class HostilePeer {
 public:
  static constexpr std::uint64_t kMemory = 0x10000;

  HostilePeer()
      : memory_(::memfd_create("guest", MFD_CLOEXEC)), event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    int pair[2] = {-1, -1};
    claim(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0, "there are sockets");
    served_ = platform::Descriptor(pair[0]);
    ours_ = platform::Descriptor(pair[1]);
    claim(::ftruncate(memory_.get(), kMemory) == 0, "there is memory");
  }
  /// The end that is served.
  platform::Descriptor take_end() { return std::move(served_); }

  void send(const HostileMessage& what) {
    static const int kNull = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    std::vector<int> list;
    for (int i = 0; i < 4; ++i) {
      const int kind = what.files >> (2 * i) & 3;
      if (kind != 0) list.push_back(kind == 1 ? memory_.get() : kind == 2 ? event_.get() : kNull);
    }
    iovec piece{const_cast<std::uint8_t*>(what.bytes.data()), what.bytes.size()};
    alignas(cmsghdr) char control[CMSG_SPACE(4 * sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    if (!list.empty()) {
      message.msg_control = control;
      message.msg_controllen = CMSG_SPACE(list.size() * sizeof(int));
      cmsghdr* const head = CMSG_FIRSTHDR(&message);
      head->cmsg_level = SOL_SOCKET;
      head->cmsg_type = SCM_RIGHTS;
      head->cmsg_len = CMSG_LEN(list.size() * sizeof(int));
      std::memcpy(CMSG_DATA(head), list.data(), list.size() * sizeof(int));
    }
    (void)!::sendmsg(ours_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  }

  /// Until the transport has nothing to do. False: it has closed.
  bool serve(platform::Transport& transport, CheckedFunction& function) {
    for (;;) {
      const auto served = transport.serve(function);
      drain();
      if (served == platform::Transport::Served::closed) return false;
      if (served == platform::Transport::Served::nothing) return true;
    }
  }

  /// The device reaches for the guest's memory, whose file may have been cut short, and interrupts.
  void act(Bytes& bytes, platform::Transport& transport, CheckedFunction& function) {
    const auto what = bytes.take<std::uint8_t>();
    const std::uint64_t address = bytes.take<std::uint32_t>() % (2 * kMemory);
    const std::uint64_t length = bytes.take<std::uint16_t>();
    std::vector<std::uint8_t> data(length + 1);
    claim(::ftruncate(memory_.get(), (what & 4) != 0 ? 0 : kMemory) == 0, "the memory can be cut short");
    if ((what & 1) != 0) (void)function.memory().read(address, data.data(), length);
    if ((what & 2) != 0) (void)function.memory().write(address, data.data(), length);
    if ((what & 8) != 0) transport.message(platform::kMessageWindow, static_cast<std::uint32_t>(address) % 8);
    if ((what & 16) != 0) transport.pin((what & 32) != 0);
    claim(function.memory().windows() <= platform::MappedMemory::kMostWindows, "windows are limited");
  }

 private:
  void drain() const {
    char bytes[4096];
    while (::recv(ours_.get(), bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
    }
  }

  platform::Descriptor memory_;
  platform::Descriptor event_;
  platform::Descriptor served_;
  platform::Descriptor ours_;
};

/// The row of messages of an input, each followed by what the device does then, until the transport closes.
template <typename Draw>
void converse(Bytes& bytes, HostilePeer& peer, platform::Transport& transport, const Draw& message_from) {
  CheckedFunction function;
  bool open = true;
  while (open && !bytes.empty()) {
    peer.send(message_from(bytes));
    open = peer.serve(transport, function);
    peer.act(bytes, transport, function);
  }
}

} // namespace twinplane::fuzz
