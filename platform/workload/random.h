// The generator's random numbers: xoshiro256** (Blackman and Vigna, 2018) seeded by splitmix64. Integer
// arithmetic only, so the same seed gives the same numbers on every machine.
#pragma once

#include <cstdint>

namespace twinplane::platform {

/// One step of splitmix64: a bijection of 64-bit numbers that mixes well.
inline std::uint64_t mix64(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// High half of the product: maps a 64-bit number evenly to [0, n).
inline std::uint64_t scale_down(std::uint64_t x, std::uint64_t n) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(x) * n >> 64);
}

class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      word = mix64(seed);
      seed += 0x9E3779B97F4A7C15u;
    }
  }

  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  /// In [0, n); the bias is below n / 2^64.
  std::uint64_t below(std::uint64_t n) { return scale_down(next(), n); }

  /// In [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  static std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

  std::uint64_t state_[4]{};
};

} // namespace twinplane::platform
