#include "platform/config/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "platform/config/error.h"

namespace twinplane::platform {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40; // as the kernel

[[noreturn]] void refuse(const fs::path& path, int error_number) {
  throw InputError("cannot write \"" + path.string() + "\": " + std::strerror(error_number));
}

/// What the path names once symbolic links are followed; the file itself need not be there.
fs::path behind_links(const fs::path& path) {
  fs::path at = path;
  std::error_code error;
  for (int i = 0; fs::is_symlink(fs::symlink_status(at, error)); ++i) {
    if (i == kMostLinks) refuse(path, ELOOP);
    const fs::path target = fs::read_symlink(at, error);
    if (error) refuse(path, error.value());
    at = target.is_absolute() ? target : at.parent_path() / target;
  }
  return at;
}

/// There is something that is no regular file, and must stay what it is.
bool stays(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) refuse(path, EISDIR);
  return fs::exists(status) && !fs::is_regular_file(status);
}

} // namespace

OutputFile::OutputFile(fs::path path) : path_(std::move(path)) {
  if (stays(path_)) {
    file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    final_ = behind_links(path_);
    part_ = final_.string() + ".part";
    file_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  }
  if (file_ < 0) fail(errno);
  buffer_.reserve(kBufferBytes + 4096);
}

OutputFile::~OutputFile() {
  if (file_ < 0) return;
  ::close(file_);
  if (!in_place()) ::unlink(part_.c_str());
}

/// A pipe is not opened: that would wait for its reader, and look to it like a file of nothing.
void OutputFile::try_out(const fs::path& path) {
  if (!stays(path)) {
    const OutputFile thrown_away(path);
  } else if (::access(path.c_str(), W_OK) != 0) {
    refuse(path, errno);
  }
}

void OutputFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void OutputFile::commit() {
  flush();
  const int closed = ::close(std::exchange(file_, -1));
  const bool renamed = closed == 0 && (in_place() || ::rename(part_.c_str(), final_.c_str()) == 0);
  if (renamed) return;
  const int reason = errno;
  if (!in_place()) ::unlink(part_.c_str());
  fail(reason);
}

void OutputFile::fail(int error_number) const {
  refuse(path_, error_number);
}

void write_file(const fs::path& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

} // namespace twinplane::platform
