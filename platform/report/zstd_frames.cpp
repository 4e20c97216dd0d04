#include "platform/report/zstd_frames.h"

#include <boost/iostreams/device/array.hpp>
#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>

namespace twinplane::platform {

namespace io = boost::iostreams;

// Into memory: Boost's chain never gives up on a full disk.
struct ZstdWriter::Chain {
  Chain(std::string& packed, int level, std::size_t buffer) {
    const io::zstd_params params(static_cast<std::uint32_t>(level));
    if (buffer == 0) {
      stream.push(io::zstd_compressor(params));
      stream.push(io::back_inserter(packed));
    } else {
      stream.push(io::zstd_compressor(params, static_cast<std::streamsize>(buffer)));
      stream.push(io::back_inserter(packed), static_cast<std::streamsize>(buffer));
    }
  }

  io::filtering_ostream stream;
};

ZstdWriter::ZstdWriter(std::string& packed, int level, std::size_t buffer)
    : packed_(&packed), level_(level), buffer_(buffer) {}

ZstdWriter::~ZstdWriter() = default;

void ZstdWriter::write(std::string_view bytes) {
  if (chain_ == nullptr) chain_ = std::make_unique<Chain>(*packed_, level_, buffer_);
  chain_->stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void ZstdWriter::end_frame() {
  write({}); // a frame of nothing is one, too
  chain_.reset();
}

struct ZstdReader::Chain {
  template <class Source>
  Chain(Source&& source, std::size_t buffer) {
    const auto size = static_cast<std::streamsize>(buffer);
    stream.push(io::zstd_decompressor(io::zstd_params(), size));
    stream.push(source, size);
  }

  io::filtering_istream stream;
};

ZstdReader::ZstdReader(std::istream& file, std::size_t buffer)
    : chain_(std::make_unique<Chain>(file, buffer)) {}

ZstdReader::ZstdReader(std::string_view packed, std::size_t buffer)
    : chain_(std::make_unique<Chain>(io::array_source(packed.data(), packed.size()), buffer)) {}

ZstdReader::~ZstdReader() = default;

std::size_t ZstdReader::read(char* to, std::size_t size) {
  chain_->stream.read(to, static_cast<std::streamsize>(size));
  return static_cast<std::size_t>(chain_->stream.gcount());
}

} // namespace twinplane::platform
