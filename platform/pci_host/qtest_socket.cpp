#include "platform/pci_host/qtest_socket.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace twinplane::platform {

void QtestSocket::write32(std::uint64_t address, std::uint32_t data) {
  char line[64];
  std::snprintf(line, sizeof line, "writel 0x%llx 0x%x\n", static_cast<unsigned long long>(address), data);
  waiting_ += line;
  ++unanswered_;
  flush();
}

bool QtestSocket::flush() {
  while (!waiting_.empty() && !gone_) {
    const ssize_t sent = ::send(socket_.get(), waiting_.data(), waiting_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) {
      waiting_.erase(0, static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      break;
    } else if (errno != EINTR) {
      gone_ = true;
    }
  }
  return !gone_;
}

/// One line for each command; the socket is read only while some are missing.
bool QtestSocket::exchange() {
  flush();
  while (unanswered_ != 0 && !gone_) {
    char answers[512];
    const ssize_t got = ::recv(socket_.get(), answers, sizeof answers, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      gone_ = true;
      break;
    }
    const auto lines = static_cast<std::uint64_t>(std::count(answers, answers + got, '\n'));
    unanswered_ -= std::min(unanswered_, lines);
  }
  return !gone_;
}

} // namespace twinplane::platform
