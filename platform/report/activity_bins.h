// How much of each interval of simulated time something was busy, for several kinds ("lanes") at once.
// Activities may be announced when they start, with an end in the future. Intervals are taken from the
// front in order of time; memory is what the announced future needs: it is kMostAhead intervals at most, which widen
// otherwise.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/spec/sim_time.h"

namespace twinplane::platform {

class ActivityBins {
 public:
  static constexpr std::uint64_t kMostAhead = 1u << 16;

  ActivityBins(std::uint32_t lanes, TimePs width) : lanes_(lanes), width_(width) {}

  /// So many of a kind are busy during [start, end). What lies before front() is lost.
  void add(std::uint32_t lane, TimePs start, TimePs end, std::uint64_t many = 1) {
    if (start >= front_ && end - front_ <= width_ && !cells_.empty()) {
      cells_[lane] += many * (end - start);
    } else {
      add_slowly(lane, start, end, many);
    }
  }

  /// Takes back part of what was added: so many of the lane are not busy during [start, end) after all.
  void remove(std::uint32_t lane, TimePs start, TimePs end, std::uint64_t many = 1);

  TimePs front() const { return front_; }
  TimePs width() const { return width_; }
  /// Busy time of a lane inside the first interval (summed over everything announced).
  std::uint64_t busy(std::uint32_t lane) const { return cells_.empty() ? 0 : cells_[lane]; }
  /// Intervals at the front in which no lane was busy; `limit` when nothing more is known.
  std::uint64_t idle_intervals(std::uint64_t limit) const;

  /// Drops the first `count` intervals.
  void advance(std::uint64_t count);
  /// Doubles the width of all intervals from front() on.
  void widen();

 private:
  void add_slowly(std::uint32_t lane, TimePs start, TimePs end, std::uint64_t many);

  std::uint32_t lanes_;
  TimePs width_;
  TimePs front_ = 0;
  std::vector<std::uint64_t> cells_; // interval-major, front first
};

} // namespace twinplane::platform
