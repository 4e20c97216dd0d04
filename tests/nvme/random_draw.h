// Numbers for a random host: the same on every machine for the same seed.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "firmware/ftl/random.h"

namespace twinplane::test {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  std::uint64_t word() { return random_.next(); }
  std::uint32_t word32() { return static_cast<std::uint32_t>(random_.next()); }
  /// 0 .. bound-1
  std::uint32_t below(std::uint64_t bound) { return static_cast<std::uint32_t>(random_.next() % bound); }
  /// first .. last
  std::uint32_t from(std::uint32_t first, std::uint32_t last) { return first + below(last - first + 1); }
  bool chance(std::uint32_t percent) { return below(100) < percent; }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  template <typename T>
  T pick(std::initializer_list<T> values) {
    return *(values.begin() + below(values.size()));
  }
  /// Of no particular size: few bits, many, one, all.
  std::uint32_t wild() {
    return pick<std::uint32_t>({below(16), word32(), ~0u >> below(32), 1u << below(32)});
  }

 private:
  fw::Random random_;
};

} // namespace twinplane::test
