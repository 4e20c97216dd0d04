// Files of saved drives, of a guest's images and of recorded sessions, as they are compressed and cut into chunks: any
// lengths, checksums that are right or not, streams that end or do not. What reads them is asked for sections, values,
// and the end.
//
// An input is how the file is made, the chunks, and what is read.
#include <boost/crc.hpp>
#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>

#include <cstring>
#include <string>
#include <vector>

#include "platform/config/error.h"
#include "platform/session/session_file.h"
#include "platform/session/state_file.h"
#include "tests/fuzz/fuzzing.h"

namespace {

using namespace twinplane;
namespace io = boost::iostreams;

constexpr platform::StateFileKind kPieces = {"pieces ", "1", "a file in pieces", "fuzz_state_file", true};
constexpr int kMostChunks = 16;
constexpr int kMostReads = 64;

std::string packed(const std::string& bytes) {
  std::string result;
  io::filtering_ostream out;
  out.push(io::zstd_compressor());
  out.push(io::back_inserter(result));
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.reset();
  return result;
}

template <typename T>
std::string as_bytes(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

/// Length, checksum, bytes; bit 0 of `how`: another length, bit 1: another checksum, bit 2: as many bytes as may be.
std::string chunk(fuzz::Bytes& bytes, std::uint8_t how) {
  std::string content((how & 4) != 0 ? bytes.take<std::uint16_t>() % 2048 * 512u : bytes.take<std::uint8_t>(),
                      '\0');
  for (std::size_t i = 0; i < content.size() && !bytes.empty() && i < 256; ++i)
    content[i] = bytes.take<char>();
  boost::crc_32_type crc;
  crc.process_bytes(content.data(), content.size());
  const std::uint32_t length =
      (how & 1) != 0 ? bytes.take<std::uint32_t>() : static_cast<std::uint32_t>(content.size());
  const std::uint32_t sum = (how & 2) != 0 ? bytes.take<std::uint32_t>() : crc.checksum();
  return as_bytes(length) + as_bytes(sum) + content;
}

/// Bit 3 of a chunk's `how`: it ends the chunks; bits 4 to 6: of a piece, its length, its stream is wrong, more follows.
std::string file_of(fuzz::Bytes& bytes, const platform::StateFileKind& kind) {
  const auto head = bytes.take<std::uint8_t>();
  std::string file = std::string(kind.magic) + ((head & 1) != 0 ? "0" : kind.version) + "\n";
  std::string stream;
  for (int i = 0; i < kMostChunks && !bytes.empty(); ++i) {
    const auto how = bytes.take<std::uint8_t>();
    const std::string one = chunk(bytes, how);
    stream += one;
    if (kind.pieces) {
      std::string piece = packed(one);
      if ((how & 32) != 0) piece[piece.size() / 2] = static_cast<char>(~piece[piece.size() / 2]);
      const auto length =
          (how & 16) != 0 ? bytes.take<std::uint32_t>() : static_cast<std::uint32_t>(piece.size());
      file += as_bytes(length) + piece;
    }
    if ((how & 8) != 0) break;
  }
  if (!kind.pieces) file += packed(stream);
  if ((head & 2) != 0) file.resize(file.size() - bytes.take<std::uint8_t>() % file.size());
  if ((head & 4) != 0) file += "more";
  return file;
}

void read(fuzz::Bytes& bytes, platform::StateLoader& loader, bool pieces) {
  std::vector<char> data;
  for (int i = 0; i < kMostReads; ++i) {
    switch (bytes.take<std::uint8_t>() % 6) {
      case 0:
        return loader.complete();
      case 1:
        return loader.complete_unread();
      case 2:
        fuzz::claim(loader.next_section().size() <= 64, "a name is no longer than any");
        break;
      case 3:
        loader.section("");
        break;
      case 4:
        if (pieces) (void)loader.more();
        break;
      default:
        data.resize(bytes.take<std::uint16_t>());
        loader.bytes(data.data(), data.size());
        break;
    }
  }
}

void as_state(fuzz::Bytes& bytes, const std::string& path, const platform::StateFileKind& kind) {
  platform::StateLoader loader(path, "--load-state", kind);
  read(bytes, loader, kind.pieces);
}

void as_session(const std::string& path) {
  platform::RecordedSession session(path);
  platform::Config config;
  session.require_same_drive(config, "");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::InputFile file;
  fuzz::Bytes bytes(data, size);
  const auto what = bytes.take<std::uint8_t>() % 4;
  try {
    if (what == 0) {
      file.set(fuzz::text_of(data + (size != 0), size - (size != 0)));
      as_state(bytes, file.path(), platform::kSavedDrive);
    } else if (what == 3) {
      file.set(file_of(bytes, platform::kSession));
      as_session(file.path());
    } else {
      const platform::StateFileKind& kind = what == 1 ? platform::kSavedDrive : kPieces;
      file.set(file_of(bytes, kind));
      as_state(bytes, file.path(), kind);
    }
  } catch (const platform::InputError&) {
  }
  return 0;
}
