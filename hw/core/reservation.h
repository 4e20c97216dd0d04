// A resource that serves one transfer at a time, booked ahead ("next free at") instead of scheduled by
// kernel events: a direction of a link, an engine. Bookings are exact integers in picoseconds.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hw/spec/sim_time.h"

namespace twinplane::hw {

/// Bytes to picoseconds: a fixed-point number of ps per byte (2^-20 ps), durations rounded up.
class Rate {
 public:
  constexpr Rate() = default; // infinitely fast
  static constexpr Rate ps_per_byte(std::uint64_t numerator, std::uint64_t denominator) {
    return Rate((numerator << kShift) / denominator);
  }
  /// 0 = infinitely fast.
  static constexpr Rate bytes_per_second(std::uint64_t rate) {
    return rate == 0 ? Rate() : ps_per_byte(1'000'000'000'000u, rate);
  }
  constexpr TimePs duration(std::uint64_t bytes) const { return (bytes * fixed_ + kRound) >> kShift; }
  /// The same for any number of bytes, rounded down.
  constexpr TimePs total(std::uint64_t bytes) const {
    constexpr std::uint64_t kFraction = (std::uint64_t{1} << kShift) - 1;
    return (bytes >> kShift) * fixed_ + (((bytes & kFraction) * fixed_) >> kShift);
  }

 private:
  constexpr explicit Rate(std::uint64_t fixed) : fixed_(fixed) {}
  static constexpr std::uint32_t kShift = 20;
  static constexpr std::uint64_t kRound = (std::uint64_t{1} << kShift) - 1;
  std::uint64_t fixed_ = 0;
};

/// Bookings come in the order of the calls, which is not always the order of their times: a transfer
/// announced for later leaves a hole in front of it. The latest hole is remembered and filled.
class Reservation {
 public:
  /// Books `duration` at the first opportunity not before `earliest`; returns the end.
  TimePs book(TimePs earliest, TimePs duration) {
    busy_ += duration;
    if (earliest + duration <= hole_end_) { // rarely
      const TimePs in_hole = std::max(earliest, hole_begin_);
      if (in_hole + duration <= hole_end_) return hole_begin_ = in_hole + duration;
    }
    if (earliest > free_at_) {
      hole_begin_ = free_at_;
      hole_end_ = earliest;
      free_at_ = earliest;
    }
    return free_at_ += duration;
  }
  TimePs free_at() const { return free_at_; }
  TimePs busy() const { return busy_; } // sum of all durations

 private:
  TimePs free_at_ = 0;
  TimePs hole_begin_ = 0;
  TimePs hole_end_ = 0;
  TimePs busy_ = 0;
};

} // namespace twinplane::hw
