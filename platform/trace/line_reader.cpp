#include "platform/trace/line_reader.h"

#include <algorithm>
#include <boost/iostreams/device/file.hpp>
#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <cstring>
#include <exception>
#include <utility>

#include "platform/config/error.h"
#include "platform/trace/packing.h"
#include "platform/trace/zstd_frames.h"

namespace twinplane::platform {
namespace io = boost::iostreams;
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::streamsize kDeviceBuffer = 1 << 16;

} // namespace

struct LineReader::Stream {
  io::filtering_streambuf<io::input> bytes;
};

LineReader::LineReader(std::string path) : path_(std::move(path)), buffer_(new char[kBufferBytes]) {
  open();
}

LineReader::~LineReader() = default;

void LineReader::open() {
  stream_ = std::make_unique<Stream>();
  switch (packing_of(path_)) {
    case Packing::gzip:
      stream_->bytes.push(io::gzip_decompressor(), kDeviceBuffer);
      break;
    case Packing::zstd: {
      const ZstdExtent extent = walk_zstd_frames(path_);
      if (!extent.complete) {
        throw InputError(path_ +
                         ": the zstd data ends early or is damaged: " + std::to_string(extent.whole_bytes) +
                         " of " + std::to_string(extent.file_bytes) + " bytes belong to whole frames");
      }
      stream_->bytes.push(io::zstd_decompressor(), kDeviceBuffer);
      break;
    }
    case Packing::bzip2:
      stream_->bytes.push(io::bzip2_decompressor(), kDeviceBuffer);
      break;
    case Packing::xz:
      stream_->bytes.push(io::lzma_decompressor(), kDeviceBuffer);
      break;
    case Packing::none:
      break;
  }
  stream_->bytes.push(io::file_source(path_, std::ios::binary), kDeviceBuffer);
}

void LineReader::rewind() {
  begin_ = end_ = 0;
  line_number_ = bytes_out_ = 0;
  at_end_ = false;
  open();
}

bool LineReader::refill() {
  std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == kBufferBytes) {
    throw InputError(path_ + ":" + std::to_string(line_number_ + 1) +
                     ": expected a text line, got more than 1 MiB without a line end");
  }
  std::streamsize got = 0;
  try {
    got = stream_->bytes.sgetn(buffer_.get() + end_, static_cast<std::streamsize>(kBufferBytes - end_));
  } catch (const std::exception&) { // its words are those of a library
    throw InputError(path_ + ": the compressed data ends early or is damaged after line " +
                     std::to_string(line_number_) + " (" + std::to_string(bytes_out_) +
                     " bytes decompressed)");
  }
  if (got <= 0) return false;
  const bool first = bytes_out_ == 0;
  end_ += static_cast<std::size_t>(got);
  bytes_out_ += static_cast<std::uint64_t>(got);
  if (first) take_off_mark();
  return true;
}

/// At the beginning of the text: the byte order mark goes, what is no text is named.
void LineReader::take_off_mark() {
  const std::string_view text(buffer_.get(), end_);
  if (const std::string what = is_no_text(text.substr(0, kTellingBytes)); !what.empty())
    throw InputError(path_ + ": expected lines of text, got " + what);
  if (text.substr(0, 3) == "\xEF\xBB\xBF") begin_ += 3;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = begin_;
  for (;;) {
    const char* start = buffer_.get() + begin_;
    const void* found =
        searched < end_ ? std::memchr(buffer_.get() + searched, '\n', end_ - searched) : nullptr;
    std::size_t length = 0;
    if (found != nullptr) {
      length = static_cast<std::size_t>(static_cast<const char*>(found) - start);
      begin_ += length + 1;
    } else if (!at_end_) {
      const std::size_t kept = end_ - begin_;
      at_end_ = !refill();
      searched = begin_ + kept;
      continue;
    } else if (begin_ < end_) {
      length = end_ - begin_;
      begin_ = end_;
    } else {
      return false;
    }
    if (length > 0 && start[length - 1] == '\r') --length;
    ++line_number_;
    line = {start, length};
    return true;
  }
}

} // namespace twinplane::platform
