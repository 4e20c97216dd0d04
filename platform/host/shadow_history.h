// What a host knows of one sector: which of its own writes it may hold.
#pragma once

#include <algorithm>
#include <cstdint>

namespace twinplane::platform {

/// A sector's history in 32 bits; all zero = never touched. What was there before counts as write 1.
///   issued    sequence of the newest write or trim (2 .. 65535, then again from kAgain)
///   in_flight writes and trims submitted and not completed (sticky when full)
///   group     the newest `group` writes overlapped in time: any of them may have come last
///   prior     size of the group before, possible until a write of the newest group has succeeded
///   *_written the group (prior group) cannot have left zeros
/// A full counter means: any sequence.
struct SectorHistory {
  static constexpr std::uint32_t kFirst = 2; // 1 is Shadow::kInitialSequence
  static constexpr std::uint32_t kLast = 0xFFFF;
  static constexpr std::uint32_t kAgain = 64; // larger than any window: none is taken for one of the first
  static constexpr std::uint32_t kFullInFlight = 31;
  static constexpr std::uint32_t kFullGroup = 31;
  static constexpr std::uint32_t kFullPrior = 15;
  // of the packed word
  static constexpr std::uint32_t kOneInFlight = 1u << 16;
  static constexpr std::uint32_t kInFlightField = 31u << 16;
  static constexpr std::uint32_t kGroupAbovePrior = 16u << 21;

  std::uint32_t issued;
  std::uint32_t in_flight;
  std::uint32_t group;
  std::uint32_t prior;
  bool group_written;
  bool prior_written;

  /// `filled`: what was there before are not zeros.
  SectorHistory(std::uint32_t word, bool filled) : SectorHistory(word) {
    if (word == 0) group_written = filled;
    const bool prior_is_first = in_flight != 0 && prior == 1 && issued == group + 1;
    if (prior_is_first) prior_written = filled;
  }
  explicit SectorHistory(std::uint32_t word)
      : issued(word & 0xFFFF),
        in_flight(word >> 16 & 31),
        group(word >> 21 & 31),
        prior(word >> 26 & 15),
        group_written((word >> 30 & 1) != 0),
        prior_written((word >> 31) != 0) {
    if (word == 0) issued = group = 1;
  }
  std::uint32_t word() const {
    return issued | in_flight << 16 | group << 21 | prior << 26 | std::uint32_t{group_written} << 30 |
           std::uint32_t{prior_written} << 31;
  }

  void begin(bool written) {
    if (in_flight == 0) {
      prior = std::min(group, kFullPrior);
      prior_written = group_written;
      group = 0;
      group_written = true;
    }
    if (!written) group_written = false;
    in_flight = std::min(in_flight + 1, kFullInFlight);
    group = std::min(group + 1, kFullGroup);
    issued = issued == kLast ? kAgain : issued + 1;
  }
  void succeed() {
    leave();
    prior = 0; // overwritten
    prior_written = true;
  }
  /// A write or trim has ended with an error: the sector may have it or not. What was there before it is out
  /// all the same when another one of its group has succeeded, or still does.
  void fail() {
    leave();
    if (in_flight != 0) return;
    group = prior == kFullPrior ? kFullGroup : std::min(group + prior, kFullGroup);
    group_written = group_written && prior_written;
  }
  void leave() {
    if (in_flight != 0 && in_flight != kFullInFlight) --in_flight;
  }
  /// Zeros, too, are possible from now on.
  void allow_zeros() {
    issued = issued == kLast ? kAgain : issued + 1;
    group = std::min(group + 1, kFullGroup);
    group_written = false;
  }
  /// True when a write is alone and the group before it fits into `prior`: the common case, without
  /// unpacking.
  static bool begins_plainly(std::uint32_t word) {
    return (word & (kInFlightField | kGroupAbovePrior)) == 0 && (word & kLast) != kLast;
  }
  static std::uint32_t after_plain_begin(std::uint32_t word) {
    const std::uint32_t group = std::max(word >> 21 & kFullPrior, 1u);
    const std::uint32_t group_written = word >> 30 & 1;
    const std::uint32_t issued = std::max((word & kLast) + 1, kFirst);
    return issued | kOneInFlight | 1u << 21 | group << 26 | 1u << 30 | group_written << 31;
  }
  /// True when the end of the only write changes nothing in the packed word but the count of writes in
  /// flight: the group before does not matter then.
  static bool ends_plainly(std::uint32_t word) { return (word & kInFlightField) == kOneInFlight; }
  /// The supply has failed: no command is answered any more. What was in flight may have come to the sector
  /// or not.
  void abandon() {
    if (in_flight == kFullInFlight) {
      group = kFullGroup;
      group_written = group_written && prior_written;
    } else {
      while (in_flight > 1) leave();
      if (in_flight == 1) fail();
    }
    in_flight = prior = 0;
    prior_written = true;
  }
  /// Sequence of the first write of the newest group; not where that is unknown.
  std::uint32_t first_of_group() const { return issued - (group - 1); }
  bool unknown() const {
    return in_flight == kFullInFlight || group == kFullGroup || (in_flight != 0 && prior == kFullPrior);
  }
  std::uint32_t window() const { return in_flight != 0 ? prior + group : group; }
  bool may_be_zero() const { return !group_written || (in_flight != 0 && !prior_written); }

  /// Writes from sequence `older` to sequence `newer`.
  static std::uint32_t distance(std::uint32_t newer, std::uint32_t older) {
    return newer >= older ? newer - older : newer + (kLast - kAgain + 1) - older;
  }
};

} // namespace twinplane::platform
