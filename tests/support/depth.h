// How long random tests are: a share in every build, the whole once a week (scripts/test weekly).
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace twinplane::test {

/// `whole` where TWINPLANE_DEEP_TESTS is set, as in the weekly tests, and else one in `share` of it.
inline std::uint32_t at_depth(std::uint32_t whole, std::uint32_t share) {
  static const bool deep = std::getenv("TWINPLANE_DEEP_TESTS") != nullptr;
  return deep ? whole : whole / share;
}

/// One in `share` of many cases alike, and others in tests of other names: all of them where TWINPLANE_DEEP_TESTS is set.
class OneIn {
 public:
  explicit OneIn(std::uint32_t share) : share_(share / at_depth(share, share)) {
    const std::string_view name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    for (const char c : name) next_ += static_cast<unsigned char>(c);
  }
  /// For each case in turn: it is one of them.
  bool runs() { return next_++ % share_ == 0; }

 private:
  std::uint32_t share_;
  std::uint32_t next_ = 0;
};

} // namespace twinplane::test
