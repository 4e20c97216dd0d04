// A page as the bus sees it, byte by byte, over a page as the model moves it (sector payloads and
// out-of-band words).
//
// Columns 0 .. page_size-1 are the sectors. DataMode::full: every byte is kept; tag: the first 16 bytes
// of a sector are, the others read as 00h; none: all read as 00h. The first eight columns of the spare area
// are the out-of-band word, least significant byte first, followed by those of further subpages where the
// part keeps them; the rest of the spare area reads as FFh.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/spec/data_mode.h"
#include "hw/spec/geometry.h"

namespace twinplane::hw {

class PageBytes {
 public:
  static constexpr std::uint32_t kWordBytes = 8;
  /// What the spare area shows of a page whose program or erase was cut short or failed: pins carry no raw errors,
  /// and no page is written with this word. A controller takes it for a page that ECC cannot correct.
  static constexpr std::uint64_t kUndecodable = 0;

  PageBytes(const Geometry& geometry, DataMode mode, bool subpage_words = false)
      : page_size_(geometry.page_size),
        columns_(geometry.page_size + geometry.spare_size),
        sector_size_(geometry.sector_size),
        payload_(payload_bytes(mode, geometry.sector_size)),
        oob_bytes_(subpage_words ? kWordBytes * geometry.subpages_per_page : kWordBytes),
        bytes_(std::size_t{geometry.sectors_per_page()} * payload_) {
    clear();
  }

  /// All bytes FFh, nothing written.
  void clear() {
    bytes_.assign(bytes_.size(), 0xFF);
    words.fill(~std::uint64_t{0});
    forget_writes();
  }
  /// What written_sectors() and oob_written() say starts anew.
  void forget_writes() {
    written_sectors_ = 0;
    oob_written_ = false;
  }

  bool has(std::uint32_t column) const { return column < columns_; }

  /// `column` must be one that the page has.
  std::uint8_t read(std::uint32_t column) const {
    if (column >= page_size_) {
      const std::uint32_t i = column - page_size_;
      if (i >= oob_bytes_) return 0xFF;
      return static_cast<std::uint8_t>(words[i / kWordBytes] >> (8 * (i % kWordBytes)));
    }
    const std::uint32_t offset = column % sector_size_;
    return offset < payload_ ? bytes_[place(column, offset)] : std::uint8_t{0};
  }
  void write(std::uint32_t column, std::uint8_t byte) {
    if (column < page_size_) {
      const std::uint32_t offset = column % sector_size_;
      written_sectors_ |= 1u << column / sector_size_;
      if (offset < payload_) bytes_[place(column, offset)] = byte;
    } else if (column < page_size_ + oob_bytes_) {
      std::uint64_t& word = words[(column - page_size_) / kWordBytes];
      const std::uint32_t shift = 8 * ((column - page_size_) % kWordBytes);
      word = (word & ~(std::uint64_t{0xFF} << shift)) | std::uint64_t{byte} << shift;
      oob_written_ = true;
    }
  }

  std::uint32_t written_sectors() const { return written_sectors_; } // bit mask
  bool oob_written() const { return oob_written_; }

  /// As OnfiPhase::sectors wants it.
  std::uint8_t* sectors() { return bytes_.data(); }
  /// As OnfiPhase::words wants them; the first one as OnfiPhase::oob does.
  std::array<std::uint64_t, kMaxSectorsPerPage> words{};
  bool has_subpage_words() const { return oob_bytes_ != kWordBytes; }

 private:
  std::size_t place(std::uint32_t column, std::uint32_t offset) const {
    return std::size_t{column / sector_size_} * payload_ + offset;
  }

  std::uint32_t page_size_;
  std::uint32_t columns_;
  std::uint32_t sector_size_;
  std::uint32_t payload_;
  std::uint32_t oob_bytes_;
  std::vector<std::uint8_t> bytes_;
  std::uint32_t written_sectors_ = 0;
  bool oob_written_ = false;
};

} // namespace twinplane::hw
