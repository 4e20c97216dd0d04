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

/// First set bit at or after `start` (< 64), wrapping around; the mask must not be empty.
inline std::uint32_t next_bit(std::uint64_t mask, std::uint32_t start) {
  const std::uint64_t after = mask >> start << start;
  return lowest_bit(after != 0 ? after : mask);
}

/// The lowest `count` (0..32) bits set.
inline std::uint32_t low_mask(std::uint32_t count) {
  return count >= 32 ? 0xFFFFFFFFu : (1u << count) - 1;
}

constexpr bool is_power_of_two(std::uint32_t v) {
  return v != 0 && (v & (v - 1)) == 0;
}

} // namespace twinplane::fw
