#include "platform/workload/permutation.h"

#include "platform/workload/random.h"

namespace twinplane::platform {
namespace {

/// Spreads one half over 64 bits; the high ones depend on all of it.
std::uint64_t round_value(std::uint64_t half, std::uint64_t key) {
  return (half + key) * 0xD6E8FEB86659FD93u;
}

} // namespace

Permutation::Permutation(std::uint64_t n, std::uint64_t seed) : n_(n), rows_(1) {
  while (rows_ * rows_ < n) rows_ *= 2;
  columns_ = (n + rows_ - 1) / rows_;
  for (std::uint64_t& key : keys_) {
    key = mix64(seed);
    seed += 0x9E3779B97F4A7C15u;
  }
}

std::uint64_t Permutation::step(std::uint64_t x) const {
  std::uint64_t row = x / columns_;
  std::uint64_t column = x % columns_;
  for (int round = 0; round < kRounds; round += 2) {
    row ^= scale_down(round_value(column, keys_[round]), rows_); // rows_ is a power of two
    column += scale_down(round_value(row, keys_[round + 1]), columns_);
    if (column >= columns_) column -= columns_;
  }
  return row * columns_ + column;
}

std::uint64_t Permutation::operator()(std::uint64_t x) const {
  do {
    x = step(x);
  } while (x >= n_);
  return x;
}

} // namespace twinplane::platform
