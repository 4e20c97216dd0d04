#include "platform/debug/gdb_socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace twinplane::platform {
namespace {

bool readable(int descriptor, int milliseconds) {
  pollfd waiting{descriptor, POLLIN, 0};
  return ::poll(&waiting, 1, milliseconds) > 0;
}

} // namespace

GdbSocket::GdbSocket(std::uint16_t port) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  const int on = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on); // the port of a run before this one
  if (listener_ < 0 || ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), bytes) != 0 ||
      ::listen(listener_, 1) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &bytes) != 0) {
    const std::string why = std::strerror(errno);
    if (listener_ >= 0) ::close(listener_);
    throw std::runtime_error("cannot listen on 127.0.0.1: " + why);
  }
  port_ = ntohs(address.sin_port);
}

GdbSocket::~GdbSocket() {
  close_client();
  ::close(listener_);
}

bool GdbSocket::accept(int milliseconds) {
  if (!readable(listener_, milliseconds)) return false;
  client_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  const int on = 1;
  if (client_ >= 0) ::setsockopt(client_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return client_ >= 0;
}

void GdbSocket::send(const std::string& bytes) {
  for (std::size_t sent = 0; client_ >= 0 && sent < bytes.size();) {
    const ssize_t n = ::send(client_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n > 0) {
      sent += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      close_client();
    }
  }
}

std::size_t GdbSocket::receive(char* to, std::size_t most, int milliseconds) {
  if (client_ < 0 || !readable(client_, milliseconds)) return 0;
  const ssize_t n = ::recv(client_, to, most, 0);
  if (n > 0) return static_cast<std::size_t>(n);
  if (n == 0 || errno != EINTR) close_client();
  return 0;
}

void GdbSocket::close_client() {
  if (client_ >= 0) ::close(client_);
  client_ = -1;
}

} // namespace twinplane::platform
