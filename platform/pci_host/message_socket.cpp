#include "platform/pci_host/message_socket.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace twinplane::platform {

MessageSocket::State MessageSocket::fill(std::size_t bytes) {
  while (bytes_.size() < bytes) {
    const State state = receive(bytes - bytes_.size());
    if (state != State::complete) return state;
  }
  return State::complete;
}

MessageSocket::State MessageSocket::receive(std::size_t bytes) {
  const std::size_t had = bytes_.size();
  bytes_.resize(had + bytes);
  iovec piece{bytes_.data() + had, bytes};
  alignas(cmsghdr) char control[CMSG_SPACE(kMostDescriptors * sizeof(int))];
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t got = 0;
  do {
    got = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  const int error = errno;
  bytes_.resize(had + (got > 0 ? static_cast<std::size_t>(got) : 0));
  if (got < 0) return error == EAGAIN || error == EWOULDBLOCK ? State::partial : State::closed;
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
      Descriptor own(fd);
      if (descriptors_.size() < kMostDescriptors) descriptors_.push_back(std::move(own));
    }
  }
  return got == 0 ? State::closed : State::complete;
}

bool MessageSocket::send(const void* data, std::size_t bytes) {
  const auto* from = static_cast<const std::uint8_t*>(data);
  while (bytes != 0) {
    const ssize_t sent = ::send(socket_.get(), from, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) {
      from += sent;
      bytes -= static_cast<std::size_t>(sent);
      continue;
    }
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK) return false;
    pollfd room{socket_.get(), POLLOUT, 0};
    if (::poll(&room, 1, kPatienceMs) == 0) return false;
  }
  return true;
}

} // namespace twinplane::platform
