// Which of two pages of an LPN is the newer one: order of the stamps that pages are written with (FtlState::
// make_oob, map/unit_word.h). Stamps count the programs of the drive and wrap with the bits that the
// out-of-band word has for them: 32 beside an LPN, 31 at least beside a subpage.
//
// Serial number arithmetic (RFC 1982): of two stamps less than half of the numbers apart the order is right
// whether or not the count has wrapped in between; at half or more it is wrong. So it holds while stamps of
// one LPN that are still in the flash are fewer than reach() programs apart. How far apart they get:
//
//   A page that moves gets a new stamp. So where each block is erased at least once in every reach() programs
//   no page in the flash is older than that, and no two stamps are farther apart. Collection by need promises
//   no such thing: data that are not overwritten keep their block, unless wear levelling (ftl.wear_gap) or a
//   refresh moves them. 2^31 programs of 16 KiB pages are 32 TiB, as much as 113 times what a drive of 288 GiB
//   holds; the 33 bits and more that words of subpages mostly have multiply that. docs/power_loss.md states
//   the limit.
#pragma once

#include <cstdint>

namespace twinplane::fw {

class StampOrder {
 public:
  /// Of stamps of so many bits, 2 to 63.
  explicit constexpr StampOrder(std::uint32_t bits) : bits_(bits) {}

  /// Programs between two stamps that are still told apart: less than this.
  constexpr std::uint64_t reach() const { return std::uint64_t{1} << (bits_ - 1); }
  /// The bits of a count that a word has room for.
  constexpr std::uint64_t stamp(std::uint64_t count) const { return count & (2 * reach() - 1); }

  /// How many programs `b` is behind `a`, going on from `a` and around.
  constexpr std::uint64_t behind(std::uint64_t a, std::uint64_t b) const { return stamp(b - a); }
  /// `a` was given after `b`. Not for stamps reach() or more apart.
  constexpr bool newer(std::uint64_t a, std::uint64_t b) const {
    const std::uint64_t apart = behind(b, a);
    return apart != 0 && apart < reach();
  }

 private:
  std::uint32_t bits_;
};

/// Beside an LPN (FtlState::oob_of).
inline constexpr StampOrder kPageStamps{32};

} // namespace twinplane::fw
