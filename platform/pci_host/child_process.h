// A program that this one starts, and ends.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "platform/pci_host/descriptor.h"

namespace twinplane::platform {

class ChildProcess {
 public:
  /// Runs words[0], found as a shell would; `inherited` stay open in it. It is killed when this process dies.
  /// Throws InputError when it cannot be run.
  ChildProcess(const std::vector<std::string>& words, const std::vector<int>& inherited);
  /// Ends it.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Waits for its end: `milliseconds` for it to go by itself, then after SIGTERM, then SIGKILL. Returns
  /// what waitpid() says.
  int end(int milliseconds);

 private:
  bool wait(int milliseconds);

  pid_t pid_ = -1;
  int status_ = 0;
};

/// Two ends of a stream socket. Throws InputError.
struct SocketPair {
  SocketPair();
  Descriptor ours;
  Descriptor theirs;
};

} // namespace twinplane::platform
