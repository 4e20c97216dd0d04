// What a block's memory holds, and where: a record for each page (out-of-band word, then the payloads), further
// words and sector masks where they are kept, and half a byte of state for each page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace twinplane::hw {

class BlockLayout {
 public:
  static constexpr std::uint32_t kCountMask = 7; // of a state: programs since the erase
  static constexpr std::uint32_t kCorrupt = 8;

  struct Page {
    std::uint32_t sectors = 0;
    std::uint32_t sector_bytes = 0;  // of a stored payload
    std::uint32_t further_words = 0; // beside the out-of-band word
    std::uint32_t mask_bytes = 0;    // 0: masks are not kept
  };
  BlockLayout(const Page& page, std::uint32_t pages)
      : page_(page),
        record_size_(sizeof(std::uint64_t) + std::size_t{page.sector_bytes} * page.sectors),
        words_offset_(record_size_ * pages),
        mask_offset_(words_offset_ + words_size() * pages),
        state_offset_(mask_offset_ + std::size_t{page.mask_bytes} * pages),
        size_(state_offset_ + (pages + 1) / 2) {}

  const Page& page() const { return page_; }
  std::size_t size() const { return size_; }
  std::size_t record_size() const { return record_size_; }
  std::size_t words_size() const { return page_.further_words * sizeof(std::uint64_t); } // of a page

  std::uint8_t* record(std::uint8_t* memory, std::uint32_t page) const {
    return memory + std::size_t{page} * record_size_;
  }
  std::uint8_t* words(std::uint8_t* memory, std::uint32_t page) const {
    return memory + words_offset_ + page * words_size();
  }
  std::uint8_t* mask(std::uint8_t* memory, std::uint32_t page) const {
    return memory + mask_offset_ + std::size_t{page} * page_.mask_bytes;
  }
  /// Little endian: the sectors of the page first, then of those behind it.
  static std::uint32_t load_mask(const std::uint8_t* place) {
    std::uint32_t word = 0;
    std::memcpy(&word, place, sizeof word);
    return word;
  }
  /// The byte with the page's state, which is its low half for even pages.
  std::uint8_t& state_byte(std::uint8_t* memory, std::uint32_t page) const {
    return memory[state_offset_ + page / 2];
  }
  static std::uint32_t state_shift(std::uint32_t page) { return page % 2 * 4; }
  std::uint32_t state(std::uint8_t* memory, std::uint32_t page) const {
    return (std::uint32_t{state_byte(memory, page)} >> state_shift(page)) & 0xFu;
  }

  // Parts of the memory that are cleared and kept as a whole.
  std::uint8_t* states(std::uint8_t* memory) const { return memory + state_offset_; }
  std::size_t states_size() const { return size_ - state_offset_; }
  /// All that stands behind the records.
  std::uint8_t* notes(std::uint8_t* memory) const { return memory + words_offset_; }
  std::size_t notes_size() const { return size_ - words_offset_; }
  /// Records and words are looked at only when the page's state says that they were written, so that masks and
  /// states alone have to be cleared: a block that is only begun costs only what it uses.
  void clear(std::uint8_t* memory) const { std::memset(memory + mask_offset_, 0, size_ - mask_offset_); }

 private:
  Page page_;
  std::size_t record_size_;
  std::size_t words_offset_;
  std::size_t mask_offset_;
  std::size_t state_offset_;
  std::size_t size_;
};

} // namespace twinplane::hw
