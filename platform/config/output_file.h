// Files that a command writes. Nothing half-written is ever seen under a final name: a file is written beside
// its place and renamed by commit(); without commit() it vanishes again. A symbolic link is followed. What is
// no regular file (a pipe, a device) has a reader of its own and is written to as it stands there.
// Every failure is an InputError that names the path and the system's reason (disk full, no permission).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace twinplane::platform {

class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Throws InputError when a file of this path could not be made now; leaves everything as it is.
  static void try_out(const std::filesystem::path& path);

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
  bool in_place() const { return part_.empty(); }

  std::filesystem::path path_;  // as messages name it
  std::filesystem::path final_; // behind symbolic links
  std::filesystem::path part_;  // written until commit(); empty: in place
  std::string buffer_;
  int file_ = -1;
};

/// The whole of a small file at once.
void write_file(const std::filesystem::path& path, std::string_view text);

} // namespace twinplane::platform
