// A plane's page register: what a read has fetched, or what a program is going to store.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace twinplane::hw {

constexpr std::uint64_t kBlankOob = ~std::uint64_t{0}; // no word: erased cells

/// Flips bits of a page's data.
inline void flip_bits(std::uint8_t* page, const std::vector<std::uint32_t>& bits) {
  for (const std::uint32_t bit : bits)
    page[bit / 8] = static_cast<std::uint8_t>(page[bit / 8] ^ 1u << bit % 8);
}

/// How probable each bit of a page that was read is to be wrong, and where its draws start from.
struct ReadNoise {
  std::vector<double> rates;        // by sector
  std::vector<double> wrong;        // by sector: RawErrors::by_sector of the transfer
  std::vector<std::uint32_t> flips; // RawErrors::flips of the transfer
  std::uint64_t key = 0;
  std::uint8_t kind = 0; // RawErrors::kind
  bool counts = false;   // the page holds data
};

struct PageRegister {
  std::unique_ptr<std::uint8_t[]> payload; // sectors_per_page * payload_bytes()
  std::uint64_t oob = kBlankOob;
  std::unique_ptr<std::uint64_t[]> further; // words of the subpages behind the first; null: not kept
  std::uint32_t mask = 0;                   // sectors loaded by data in
  std::uint32_t lost = 0;                   // sectors that are marked as lost
  bool oob_loaded = false;
  bool readable = false; // holds the result of a read
  bool blank = false;    // ... of a page that was never programmed
  bool corrupt = false;  // ... whose program or erase was aborted, or that needs another read level
  bool copyback = false; // read by 35h: 85h may program it
  std::uint8_t further_count = 0;
  std::uint8_t copies = 0;          // ... moves by copyback that have brought the page to where it was read
  std::uint32_t copied = 0;         // sectors that were not moved in: of a copyback program
  std::unique_ptr<ReadNoise> noise; // of the read, on the bus face of parts with a model of bit errors

  /// 80h: forget everything.
  void clear() {
    oob = kBlankOob;
    mask = copied = lost = 0;
    oob_loaded = readable = blank = corrupt = copyback = false;
    if (further) std::fill_n(further.get(), further_count, kBlankOob);
  }
  /// Of all subpages: those that come with a program (all ones: none), and those that a read has fetched.
  void load_words(const std::uint64_t* words) {
    if (words[0] != kBlankOob) {
      oob = words[0];
      oob_loaded = true;
    }
    for (std::size_t i = 0; i < further_count; ++i) {
      if (words[i + 1] != kBlankOob) further[i] = words[i + 1];
    }
  }
  void store_words(std::uint64_t* words, std::uint32_t subpages) const {
    std::fill_n(words, subpages, kBlankOob);
    words[0] = oob;
    if (further) std::copy_n(further.get(), further_count, words + 1);
  }
  /// A refused read: what comes out is garbage that no ECC can correct.
  void invalidate() {
    clear();
    readable = corrupt = true;
  }
};

} // namespace twinplane::hw
