// Rows of bits in boot memory: of a row's set bits the next one, from wherever it is asked for.
#pragma once

#include <cstdint>

#include "firmware/ftl/bits.h"
#include "firmware/ftl/boot_memory.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

class BitRows {
 public:
  /// All are clear. Check BootMemory::exhausted() behind it.
  void boot(BootMemory& memory, std::size_t rows, std::uint32_t bits) {
    rows_ = rows;
    bits_ = bits;
    stride_ = (bits + 31) / 32;
    words_ = memory.zeroed<std::uint32_t>(rows * stride_);
  }

  bool test(std::uint32_t row, std::uint32_t bit) const { return (word(row, bit) >> bit % 32 & 1) != 0; }
  void set(std::uint32_t row, std::uint32_t bit) { word(row, bit) |= 1u << bit % 32; }
  void clear(std::uint32_t row, std::uint32_t bit) { word(row, bit) &= ~(1u << bit % 32); }

  /// The first one set at or after `bit`; as many as a row has when there is none.
  std::uint32_t next(std::uint32_t row, std::uint32_t bit) const {
    if (bit >= bits_) return bits_;
    const std::uint32_t* const words = words_ + std::size_t{row} * stride_;
    std::uint32_t w = bit / 32;
    std::uint32_t left = words[w] & ~low_mask(bit % 32);
    while (left == 0) {
      if (++w == stride_) return bits_;
      left = words[w];
    }
    return w * 32 + lowest_bit(left);
  }

  void serialise(StateVisitor& state) { state.table(words_, rows_ * stride_); }
  /// Nothing is set beyond the last bit of a row, as it must be of what was loaded.
  bool hold() const {
    for (std::size_t row = 0; bits_ % 32 != 0 && row < rows_; ++row) {
      if ((words_[(row + 1) * stride_ - 1] & ~low_mask(bits_ % 32)) != 0) return false;
    }
    return true;
  }

 private:
  std::uint32_t& word(std::uint32_t row, std::uint32_t bit) const {
    return words_[std::size_t{row} * stride_ + bit / 32];
  }

  std::uint32_t* words_ = nullptr;
  std::size_t rows_ = 0;
  std::uint32_t bits_ = 0;   // of a row
  std::uint32_t stride_ = 0; // words of a row
};

} // namespace twinplane::fw
