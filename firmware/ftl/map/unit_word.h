// The out-of-band word of a unit: what is needed to find all units again by the flash alone.
//
// Which unit it is, the level of its block, and when it was programmed:
//
//   [sequence | level, 2 bits | lpn * units + unit]
//
// The number takes as many bits as the drive has units, the sequence all that are left: 31 at least. It is
// the number of the program in the order in which the map changed, so of two words of a unit the one with
// the higher sequence is the newer one; in a drive of 2^28 units it lasts for 2^34 programs. Words of one
// program have one sequence, so the programs of a page can be counted.
//
// The word of a page that is mapped as a whole has no level, and 32 bits for either of the others (kPageWords).
//
// All ones: no word. Slots that are erased, or that a native page was programmed with for lack of data.
#pragma once

#include <cstdint>

#include "firmware/ftl/map/write_stamp.h"
#include "hw/spec/geometry.h"

namespace twinplane::fw {

constexpr std::uint64_t kNoWord = ~std::uint64_t{0};

class UnitWords {
 public:
  UnitWords() = default;
  /// For so many units of all logical pages.
  explicit UnitWords(std::uint32_t units) : UnitWords(address_bits(units), kLevelBits) {}
  constexpr UnitWords(std::uint32_t number_bits, std::uint32_t level_bits)
      : number_bits_(number_bits), level_bits_(level_bits) {}

  std::uint64_t word(std::uint64_t sequence, std::uint32_t level, std::uint32_t number) const {
    return ((sequence << level_bits_ | level) << number_bits_) | number;
  }
  /// Of a word that is not kNoWord.
  std::uint32_t number(std::uint64_t word) const {
    return static_cast<std::uint32_t>(word & ((std::uint64_t{1} << number_bits_) - 1));
  }
  std::uint32_t level(std::uint64_t word) const {
    return static_cast<std::uint32_t>(word >> number_bits_) & ((1u << level_bits_) - 1);
  }
  std::uint64_t sequence(std::uint64_t word) const { return word >> (number_bits_ + level_bits_); }
  /// Which of two sequences is the newer one.
  StampOrder order() const { return StampOrder(64 - level_bits_ - number_bits_); }

 private:
  static constexpr std::uint32_t kLevelBits = 2; // 0: native, else of the cache

  std::uint32_t number_bits_ = 0;
  std::uint32_t level_bits_ = kLevelBits;
};

/// LPN and stamp (FtlState::oob_of).
constexpr UnitWords kPageWords{32, 0};

} // namespace twinplane::fw
