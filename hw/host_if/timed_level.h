// A status bit that firmware sets at its local time, which may be ahead of the time at which the host looks.
#pragma once

#include <deque>

#include "hw/spec/sim_time.h"

namespace twinplane::hw {

class TimedLevel {
 public:
  /// The level from `at` on, set at kernel time `now`; no time before `now` will be asked for again.
  /// Firmware's time does not go back, so changes come in their order.
  void set(bool level, TimePs at, TimePs now) {
    while (!changes_.empty() && changes_.front().at <= now) {
      level_ = changes_.front().level;
      changes_.pop_front();
    }
    changes_.push_back(Change{at, level});
  }
  /// Takes back what was to change after `at`.
  void revoke(TimePs at) {
    while (!changes_.empty() && changes_.back().at > at) changes_.pop_back();
  }
  bool at(TimePs time) const {
    bool level = level_;
    for (const Change& change : changes_) {
      if (change.at <= time) level = change.level;
    }
    return level;
  }

 private:
  struct Change {
    TimePs at;
    bool level;
  };
  bool level_ = false;
  std::deque<Change> changes_; // few: firmware is ahead by one turn at most
};

} // namespace twinplane::hw
