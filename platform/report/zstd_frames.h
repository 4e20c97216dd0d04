// zstd frames in memory. The headers of the library behind them stay in the .cpp: they take two seconds to compile.
#pragma once

#include <cstddef>
#include <istream>
#include <memory>
#include <string>
#include <string_view>

namespace twinplane::platform {

constexpr int kFastestZstd = 1; // level

/// Compresses what is written and appends it to a text.
class ZstdWriter {
 public:
  /// `buffer`: bytes that are compressed at a time; 0: as the library likes.
  ZstdWriter(std::string& packed, int level, std::size_t buffer = 0);
  ~ZstdWriter();

  void write(std::string_view bytes);
  /// Ends the frame; what is written then begins another one.
  void end_frame();

 private:
  struct Chain;
  std::string* packed_;
  int level_;
  std::size_t buffer_;
  std::unique_ptr<Chain> chain_; // none between frames
};

/// Decompresses a frame from a file, or from memory, that must last as long.
class ZstdReader {
 public:
  ZstdReader(std::istream& file, std::size_t buffer);
  ZstdReader(std::string_view packed, std::size_t buffer);
  ~ZstdReader();

  /// Bytes that were there: fewer than `size` at the end, and of what is no frame, unless Boost throws for that.
  std::size_t read(char* to, std::size_t size);

 private:
  struct Chain;
  std::unique_ptr<Chain> chain_;
};

} // namespace twinplane::platform
