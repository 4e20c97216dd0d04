// The hash behind everything that chance decides in the cells.
#pragma once

#include <cstdint>

namespace twinplane::hw {

/// SplitMix64's finaliser: every bit of the result depends on every bit of `x`.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

} // namespace twinplane::hw
