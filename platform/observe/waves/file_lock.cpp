#include "platform/observe/waves/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "platform/config/error.h"

namespace twinplane::platform {

FileLock::FileLock(const std::filesystem::path& path)
    : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666)) {
  if (file_ < 0) throw InputError("cannot write \"" + path.string() + "\": " + std::strerror(errno));
  struct stat status {};
  if (::fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) return; // a device is anybody's
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return; // some file systems have no locks
  ::close(file_);
  throw InputError(
      "\"" + path.string() +
      "\" is being written by another recorder: expected a folder for each file of waves; drives of "
      "one simulation may share a file (platform/observe/waves/wave_file.h)");
}

FileLock::~FileLock() {
  ::close(file_);
}

} // namespace twinplane::platform
