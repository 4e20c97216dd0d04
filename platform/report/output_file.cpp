#include "platform/report/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "platform/config/error.h"

namespace twinplane::platform {

OutputFolder::OutputFolder(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (error) {
    throw InputError("output folder \"" + path_.string() + "\" cannot be created: " + error.message());
  }
  if (!std::filesystem::is_directory(path_, error)) {
    throw InputError("output folder \"" + path_.string() + "\" is not a folder");
  }
  const OutputFile probe(file("writable")); // thrown away again: only its error matters
}

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)), part_(path_.string() + ".part") {
  file_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) fail(errno);
  buffer_.reserve(kBufferBytes + 4096);
}

OutputFile::~OutputFile() {
  if (file_ < 0) return;
  ::close(file_);
  ::unlink(part_.c_str());
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
  if (closed != 0 || ::rename(part_.c_str(), path_.c_str()) != 0) {
    const int reason = errno;
    ::unlink(part_.c_str());
    fail(reason);
  }
}

void OutputFile::fail(int error_number) const {
  throw InputError("cannot write \"" + path_.string() + "\": " + std::strerror(error_number));
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

} // namespace twinplane::platform
