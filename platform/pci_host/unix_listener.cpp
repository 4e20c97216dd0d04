#include "platform/pci_host/unix_listener.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "platform/config/error.h"

namespace twinplane::platform {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw InputError(path + ": " + why);
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    fail(path,
         "expected a path of 1 to " + std::to_string(sizeof address.sun_path - 1) + " bytes for a socket");
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

Descriptor new_socket(const std::string& path) {
  Descriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!made.is_open()) fail(path, std::strerror(errno));
  return made;
}

/// A server that was killed leaves its socket behind.
void remove_left_over(const std::string& path, const sockaddr_un& address) {
  struct stat about {};
  if (::lstat(path.c_str(), &about) != 0) return;
  if (!S_ISSOCK(about.st_mode)) fail(path, "is there already, and is no socket");
  const Descriptor probe = new_socket(path);
  if (::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    fail(path, "a server listens there already");
  ::unlink(path.c_str());
}

} // namespace

UnixListener::UnixListener(const std::string& path) {
  const sockaddr_un address = address_of(path);
  remove_left_over(path, address);
  // It gets its name when it can be connected to.
  const std::string part = path + ".part";
  const sockaddr_un first = address_of(part);
  ::unlink(part.c_str());
  socket_ = new_socket(path);
  // The name gets the socket's mode: a client that connects commands the drive, so that is its owner's from
  // the first.
  if (::fchmod(socket_.get(), S_IRUSR | S_IWUSR) != 0 ||
      ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&first), sizeof first) != 0 ||
      ::listen(socket_.get(), 1) != 0 || ::rename(part.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(part.c_str());
    fail(path, std::string("cannot listen: ") + std::strerror(error));
  }
  path_ = path;
}

UnixListener::~UnixListener() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

Descriptor UnixListener::accept(int milliseconds) {
  pollfd waiting{socket_.get(), POLLIN, 0};
  if (::poll(&waiting, 1, milliseconds) <= 0) return Descriptor();
  return Descriptor(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
}

} // namespace twinplane::platform
