// A socket with a name in the file system, for one client at a time, which must be of the same user.
#pragma once

#include <string>

#include "platform/pci_host/descriptor.h"

namespace twinplane::platform {

class UnixListener {
 public:
  /// Throws InputError: the path is too long, or taken, by a file or by a server that listens there. A socket
  /// that no server listens at any more is replaced.
  explicit UnixListener(const std::string& path);
  /// Removes the name.
  ~UnixListener();
  UnixListener(const UnixListener&) = delete;
  UnixListener& operator=(const UnixListener&) = delete;

  /// The next connection; one that is not open when none has come in so many milliseconds, or with a signal.
  Descriptor accept(int milliseconds);

 private:
  std::string path_;
  Descriptor socket_;
};

} // namespace twinplane::platform
