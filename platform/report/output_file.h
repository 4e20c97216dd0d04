// Files of a run's output folder. Nothing half-written is ever seen under a final name: a file is
// written beside its place and renamed by commit(); without commit() it vanishes again.
// Every failure is an InputError that names the path and the system's reason (disk full, no permission).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace twinplane::platform {

/// The folder given with --out. Construct it before the simulation: it is created (with its parents)
/// and tried out by creating a file, so a run never ends with results that cannot be stored.
class OutputFolder {
 public:
  explicit OutputFolder(std::filesystem::path path);
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path file(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Buffered.
  void write(std::string_view text) {
    buffer_.append(text);
    if (buffer_.size() >= kBufferBytes) flush();
  }
  /// What was written is in the file, beside its place: "PATH.part".
  void flush();
  /// Flushes, closes and gives the file its final name. Call once, last.
  void commit();

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

  [[noreturn]] void fail(int error_number) const;

  std::filesystem::path path_;
  std::filesystem::path part_;
  std::string buffer_;
  int file_ = -1;
};

/// The whole of a small file at once.
void write_file(const std::filesystem::path& path, std::string_view text);

} // namespace twinplane::platform
