#include "platform/trace/zstd_frames.h"

#include <array>
#include <fstream>

#include "platform/config/error.h"

namespace twinplane::platform {
namespace {

constexpr std::uint32_t kFrameMagic = 0xFD2FB528;
constexpr std::uint32_t kSkippableMagic = 0x184D2A50; // low nibble is free
constexpr unsigned kRleBlock = 1;

class FrameWalker {
 public:
  explicit FrameWalker(const std::string& path) : file_(path, std::ios::binary | std::ios::ate) {
    if (!file_) throw InputError(path + ": cannot be opened for reading");
    size_ = static_cast<std::uint64_t>(file_.tellg());
  }

  ZstdExtent walk() {
    ZstdExtent extent;
    extent.file_bytes = size_;
    while (at_ < size_ && skip_frame() && at_ <= size_) extent.whole_bytes = at_;
    extent.complete = extent.whole_bytes == size_;
    return extent;
  }

 private:
  /// Little-endian number of `count` bytes at the cursor; false past the end of the file.
  bool take(unsigned count, std::uint32_t& value) {
    std::array<char, 4> bytes{};
    if (at_ + count > size_) return false;
    file_.seekg(static_cast<std::streamoff>(at_));
    if (!file_.read(bytes.data(), count)) return false;
    value = 0;
    for (unsigned i = 0; i < count; ++i) {
      value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
    at_ += count;
    return true;
  }

  bool skip_frame() {
    std::uint32_t magic = 0;
    if (!take(4, magic)) return false;
    if ((magic & ~0xFu) == kSkippableMagic) {
      std::uint32_t length = 0;
      if (!take(4, length)) return false;
      at_ += length;
      return true;
    }
    return magic == kFrameMagic && skip_data_frame();
  }

  bool skip_data_frame() {
    std::uint32_t descriptor = 0;
    if (!take(1, descriptor)) return false;
    const bool single_segment = (descriptor & 0x20) != 0;
    const bool checksum = (descriptor & 0x04) != 0;
    constexpr std::array<unsigned, 4> kDictionaryIdBytes{0, 1, 2, 4};
    constexpr std::array<unsigned, 4> kContentSizeBytes{0, 2, 4, 8};
    at_ += (single_segment ? 0 : 1) + kDictionaryIdBytes[descriptor & 3];
    const unsigned size_flag = descriptor >> 6;
    at_ += size_flag == 0 && single_segment ? 1 : kContentSizeBytes[size_flag];
    for (bool last = false; !last;) {
      std::uint32_t header = 0;
      if (!take(3, header)) return false;
      last = (header & 1) != 0;
      at_ += (header >> 1 & 3) == kRleBlock ? 1 : header >> 3;
    }
    at_ += checksum ? 4 : 0;
    return true;
  }

  std::ifstream file_;
  std::uint64_t size_ = 0;
  std::uint64_t at_ = 0;
};

} // namespace

ZstdExtent walk_zstd_frames(const std::string& path) {
  return FrameWalker(path).walk();
}

} // namespace twinplane::platform
