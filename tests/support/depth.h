// How long random tests are: a share in every build, the whole once a week (scripts/test weekly).
#pragma once

#include <cstdint>
#include <cstdlib>

namespace twinplane::test {

/// `whole` where TWINPLANE_DEEP_TESTS is set, as in the weekly tests, and else one in `share` of it.
inline std::uint32_t at_depth(std::uint32_t whole, std::uint32_t share) {
  static const bool deep = std::getenv("TWINPLANE_DEEP_TESTS") != nullptr;
  return deep ? whole : whole / share;
}

/// Of many cases alike every how manieth is run: each where TWINPLANE_DEEP_TESTS is set.
inline std::uint32_t one_in(std::uint32_t share) {
  return share / at_depth(share, share);
}

} // namespace twinplane::test
