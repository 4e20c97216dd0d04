#include "platform/pci_host/event_line.h"

#include <poll.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace twinplane::platform {

bool EventLine::is_event(const Descriptor& file) {
  char target[64] = {};
  const std::string link = "/proc/self/fd/" + std::to_string(file.get());
  const ssize_t length = ::readlink(link.c_str(), target, sizeof target - 1);
  return length > 0 && std::strcmp(target, "anon_inode:[eventfd]") == 0;
}

void EventLine::signal() {
  pollfd room{event_.get(), POLLOUT, 0};
  if (::poll(&room, 1, 0) != 1 || (room.revents & POLLOUT) == 0) return;
  const std::uint64_t one = 1;
  if (::write(event_.get(), &one, sizeof one) < 0) return; // there is no listener left
}

} // namespace twinplane::platform
