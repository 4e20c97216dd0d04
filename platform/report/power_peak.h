// The highest sum of many rectangles of power, each announced when it begins, at the latest, with its end.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "hw/spec/sim_time.h"

namespace twinplane::platform {

class PowerPeak {
 public:
  /// `uw` (microwatts, may be negative: less than announced) during [start, end). What lies before the time
  /// that has been settled counts from there on.
  void add(TimePs start, TimePs end, std::int64_t uw) {
    if (end <= start) return;
    changes_.push({start, uw});
    changes_.push({end, -uw});
  }

  /// Nothing that begins before `now` will be announced any more.
  void settle(TimePs now) {
    while (!changes_.empty() && changes_.top().at < now) {
      const TimePs at = changes_.top().at;
      for (; !changes_.empty() && changes_.top().at == at; changes_.pop()) power_ += changes_.top().uw;
      if (power_ > highest_) highest_ = power_;
      if (power_ > recent_) recent_ = power_;
    }
  }

  /// Of all that is settled.
  std::int64_t highest_uw() const { return highest_; }
  /// Of what was settled since this was asked last; at least the power that it began with.
  std::int64_t take_recent_uw() {
    const std::int64_t recent = recent_;
    recent_ = power_;
    return recent;
  }
  std::size_t pending() const { return changes_.size(); }

 private:
  struct Change {
    TimePs at;
    std::int64_t uw;
    bool operator>(const Change& other) const { return at > other.at; }
  };
  std::priority_queue<Change, std::vector<Change>, std::greater<>> changes_;
  std::int64_t power_ = 0;
  std::int64_t highest_ = 0;
  std::int64_t recent_ = 0;
};

} // namespace twinplane::platform
