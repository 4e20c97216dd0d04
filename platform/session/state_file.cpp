#include "platform/session/state_file.h"

#include <algorithm>
#include <boost/crc.hpp>
#include <cstdio>
#include <cstring>

#include "platform/config/error.h"

namespace twinplane::platform {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::size_t kPiece = std::size_t{1} << 16; // at least
constexpr std::uint32_t kMostPacked = std::uint32_t{1} << 22;
constexpr std::size_t kLongestName = 64;                      // of a section
constexpr std::uint64_t kMostConfig = std::uint64_t{1} << 24; // bytes; more is no configuration

std::uint32_t crc_of(const std::vector<char>& bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

struct ChunkHead {
  std::uint32_t size = 0;
  std::uint32_t crc = 0;
};

} // namespace

const StateFileKind kSavedDrive = {"twinplane state ", "16", "a saved drive", "--save-state"};

// --- saving ---

/// Cells are regular: more effort of the compressor would save little.
StateSaver::StateSaver(const std::string& path, const std::string& config, const StateFileKind& kind)
    : path_(path), kind_(kind), file_(path), compressor_(packed_, kFastestZstd, kChunk) {
  file_.write(kind_.magic);
  file_.write(kind_.version);
  file_.write("\n");
  chunk_.reserve(kChunk);
  std::uint64_t length = config.size();
  value(length);
  bytes(const_cast<char*>(config.data()), config.size()); // only read
}

void StateSaver::boundary(bool now) {
  if (!now && chunk_.size() < kPiece) return;
  write_chunk();
  file_.flush();
}

void StateSaver::section(const char* name) {
  bytes(const_cast<char*>(name), std::strlen(name) + 1);
}

void StateSaver::bytes(void* data, std::size_t size) {
  const char* from = static_cast<const char*>(data);
  while (size != 0) {
    const std::size_t part = std::min(size, kChunk - chunk_.size());
    chunk_.insert(chunk_.end(), from, from + part);
    from += part;
    size -= part;
    if (chunk_.size() == kChunk) write_chunk();
  }
}

void StateSaver::write_chunk() {
  const ChunkHead head{static_cast<std::uint32_t>(chunk_.size()), crc_of(chunk_)};
  compressor_.write({reinterpret_cast<const char*>(&head), sizeof head});
  compressor_.write({chunk_.data(), chunk_.size()});
  chunk_.clear();
  if (kind_.pieces) {
    compressor_.end_frame();
    const auto length = static_cast<std::uint32_t>(packed_.size());
    file_.write({reinterpret_cast<const char*>(&length), sizeof length});
  }
  file_.write(packed_);
  packed_.clear();
}

void StateSaver::refuse(const char* why) {
  throw InputError(std::string(kind_.made_by) + " " + path_ + ": " + why);
}

void StateSaver::complete() {
  if (!chunk_.empty()) write_chunk();
  write_chunk();
  if (!kind_.pieces) {
    compressor_.end_frame();
    file_.write(packed_);
  }
  file_.commit();
}

// --- loading ---

StateLoader::StateLoader(const std::string& path, const char* option, const StateFileKind& kind)
    : path_(path), option_(option), kind_(kind), file_(path, std::ios::binary) {
  const std::string expected = std::string("; expected a file of ") + kind_.made_by;
  if (!file_) throw InputError(path_ + ": cannot be opened" + expected);
  std::string line;
  std::getline(file_, line);
  const std::string magic = kind_.magic;
  if (line.compare(0, magic.size(), magic) != 0) throw InputError(path_ + ": not " + kind_.thing + expected);
  if (const std::string version = line.substr(magic.size()); version != kind_.version) {
    throw InputError(path_ + ": " + kind_.thing + " of version " + version + "; this program reads version " +
                     kind_.version + ": make it again");
  }
  if (!kind_.pieces) stream_ = std::make_unique<ZstdReader>(file_, kChunk);
  std::uint64_t length = 0;
  value(length);
  if (length > kMostConfig) refuse("its configuration is longer than any");
  config_.resize(length);
  bytes(config_.data(), length);
}

const std::string& StateLoader::next_section() {
  if (!next_section_.empty()) return next_section_;
  for (char c = 0;; next_section_ += c) {
    bytes(&c, 1);
    if (c == 0) return next_section_;
    if (next_section_.size() == kLongestName) refuse("it was saved by another program");
  }
}

void StateLoader::section(const char* name) {
  if (next_section() != name)
    refuse((std::string("expected its section \"") + name + "\": it was saved by another program").c_str());
  next_section_.clear();
}

void StateLoader::bytes(void* data, std::size_t size) {
  char* to = static_cast<char*>(data);
  while (size != 0) {
    if (at_ == chunk_.size() && !read_chunk())
      refuse((std::string("it holds less than ") + kind_.thing).c_str());
    const std::size_t part = std::min(size, chunk_.size() - at_);
    std::memcpy(to, chunk_.data() + at_, part);
    at_ += part;
    to += part;
    size -= part;
  }
}

bool StateLoader::more() {
  return at_ != chunk_.size() || !packed_.empty() || open_piece();
}

/// False when the file does not have all of another one.
bool StateLoader::open_piece() {
  std::uint32_t length = 0;
  if (!file_.read(reinterpret_cast<char*>(&length), sizeof length)) return false;
  if (length == 0 || length > kMostPacked) refuse("it is damaged");
  packed_.resize(length);
  if (!file_.read(packed_.data(), length)) {
    packed_.clear();
    return false;
  }
  stream_ = std::make_unique<ZstdReader>(packed_, kChunk);
  return true;
}

/// False at the end.
bool StateLoader::read_chunk() {
  if (kind_.pieces && packed_.empty() && !open_piece()) refuse("it is truncated or damaged");
  ChunkHead head;
  read(reinterpret_cast<char*>(&head), sizeof head);
  if (head.size > kChunk) refuse("it is damaged");
  chunk_.resize(head.size);
  at_ = 0;
  if (head.size == 0) return false;
  read(chunk_.data(), chunk_.size());
  if (crc_of(chunk_) != head.crc) refuse("it is damaged (CRC)");
  packed_.clear();
  return true;
}

/// Boost's filter ends quietly where the file does.
void StateLoader::read(char* to, std::size_t size) {
  std::size_t got = 0;
  try {
    got = stream_->read(to, size);
  } catch (const std::exception&) { // zstd_error, by way of the stream or not
    got = 0;
  }
  if (got != size) refuse("it is truncated or damaged");
}

void StateLoader::refuse(const char* why) {
  throw InputError(std::string(option_) + " " + path_ + ": " + why);
}

void StateLoader::complete_unread() {
  do {
    at_ = chunk_.size();
  } while (read_chunk());
}

void StateLoader::complete() {
  const bool rest = at_ != chunk_.size() || read_chunk() || (kind_.pieces && file_.peek() != EOF);
  if (rest) refuse((std::string("it holds more than ") + kind_.thing).c_str());
}

} // namespace twinplane::platform
