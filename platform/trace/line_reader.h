// Streams the lines of a plain, gzip, zstd, bzip2 or xz file; the compression is told by the first bytes, not
// the name. A byte order mark (UTF-8) before the first line is taken off.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace twinplane::platform {

class LineReader {
 public:
  /// Opens `path`. Throws InputError when it cannot be read, and when it is an archive or something else that
  /// holds no lines.
  explicit LineReader(std::string path);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// Sets `line` to the next line without its line ending, valid until the next call; false at the end.
  /// Throws InputError, naming the file and how far it got, when compressed data is damaged or ends early,
  /// and when a line is longer than 1 MiB.
  bool next(std::string_view& line);

  /// Starts over from the first line.
  void rewind();

  /// Number of the line last returned, from 1.
  std::uint64_t line_number() const { return line_number_; }
  const std::string& path() const { return path_; }

 private:
  struct Stream;
  void open();
  bool refill();
  void take_off_mark();

  std::string path_;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t line_number_ = 0;
  std::uint64_t bytes_out_ = 0;
  bool at_end_ = false;
};

} // namespace twinplane::platform
