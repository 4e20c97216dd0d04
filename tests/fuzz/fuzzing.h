// What the fuzz targets share: a file for what is read from files, and claims that hold for every input.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace twinplane::fuzz {

/// Ends the process, which libFuzzer takes for a finding.
inline void claim(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

/// A file in memory, with a path that can be opened.
class InputFile {
 public:
  InputFile() : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    path_ = "/proc/self/fd/" + std::to_string(descriptor_);
  }
  ~InputFile() { ::close(descriptor_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  void set(std::string_view bytes) {
    claim(::ftruncate(descriptor_, 0) == 0 &&
              ::pwrite(descriptor_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
          "the input can be written to memory");
  }
  const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Takes the first line off.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

/// Numbers from bytes, zero when there are none left.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : at_(data), left_(size) {}

  bool empty() const { return left_ == 0; }
  template <typename T>
  T take() {
    T value{};
    const std::size_t bytes = left_ < sizeof value ? left_ : sizeof value;
    if (bytes != 0) __builtin_memcpy(&value, at_, bytes);
    at_ += bytes;
    left_ -= bytes;
    return value;
  }

 private:
  const std::uint8_t* at_;
  std::size_t left_;
};

} // namespace twinplane::fuzz
