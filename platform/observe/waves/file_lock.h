// A file that one writer has to itself, in this process and beside others (flock(2)); it is created if it
// does not exist.
#pragma once

#include <filesystem>

namespace twinplane::platform {

class FileLock {
 public:
  /// Throws InputError when another writer has the file or it cannot be created.
  explicit FileLock(const std::filesystem::path& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int file_;
};

} // namespace twinplane::platform
