// Bit scans used by the masks of dies, channels, blocks and pages.
#pragma once

#include <cstdint>

namespace twinplane::fw {

/// Position of the lowest set bit; the mask must not be empty.
inline std::uint32_t lowest_bit(std::uint64_t mask) {
  return static_cast<std::uint32_t>(__builtin_ctzll(mask));
}
inline std::uint32_t lowest_bit(std::uint32_t mask) {
  return static_cast<std::uint32_t>(__builtin_ctz(mask));
}

inline std::uint32_t bits_set(std::uint32_t mask) {
  return static_cast<std::uint32_t>(__builtin_popcount(mask));
}

/// First set bit at or after `start` (< 64), wrapping around; the mask must not be empty.
inline std::uint32_t next_bit(std::uint64_t mask, std::uint32_t start) {
  const std::uint64_t after = mask >> start << start;
  return lowest_bit(after != 0 ? after : mask);
}

/// The lowest `count` (0..32) bits set.
inline std::uint32_t low_mask(std::uint32_t count) {
  return count >= 32 ? 0xFFFFFFFFu : (1u << count) - 1;
}

/// `count` (1..64) bits from `first` on; first + count <= 64.
inline std::uint64_t bit_run(std::uint32_t first, std::uint32_t count) {
  return ~std::uint64_t{0} >> (64 - count) << first;
}

/// How many bits from `first` (< 64) on are set without a gap, at most `most`.
inline std::uint32_t ones_at(std::uint64_t mask, std::uint32_t first, std::uint32_t most) {
  const std::uint64_t gaps = ~(mask >> first); // zeros shifted in from above are gaps, too
  const std::uint32_t ones = gaps == 0 ? 64 : lowest_bit(gaps);
  return ones < most ? ones : most;
}

constexpr bool is_power_of_two(std::uint32_t v) {
  return v != 0 && (v & (v - 1)) == 0;
}

} // namespace twinplane::fw
