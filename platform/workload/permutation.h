// A random-looking order of the numbers 0..n-1 that needs no memory.
#pragma once

#include <cstdint>

namespace twinplane::platform {

/// A Feistel network on a grid of about sqrt(n) by sqrt(n); the few numbers of the grid that are not below n
/// are walked over. Bijective for every n and seed.
class Permutation {
 public:
  Permutation(std::uint64_t n, std::uint64_t seed); // n >= 1, below 2^62
  /// Requires x < n.
  std::uint64_t operator()(std::uint64_t x) const;
  std::uint64_t size() const { return n_; }

 private:
  static constexpr int kRounds = 4;
  std::uint64_t step(std::uint64_t x) const;

  std::uint64_t n_;
  std::uint64_t rows_;
  std::uint64_t columns_;
  std::uint64_t keys_[kRounds]{};
};

} // namespace twinplane::platform
