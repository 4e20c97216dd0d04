// When a resource is taken, by transfers that are cut up at will: a memory that several masters use in turns
// of a few hundred bytes.
//
// A transfer takes what is left from its `earliest` time on, around what was booked before it, and ends when
// it has had its time. Bookings may come in any order of their times: what is announced for later leaves the
// time before it to others. Those that ask for the same time are served in the order of the calls.
//
// The intervals lie in two parts, split where the last booking in front of others was: the next one is mostly
// near, however much has been announced for later.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

#include "hw/spec/sim_time.h"

namespace twinplane::hw {

class Calendar {
 public:
  /// Books `duration` from `earliest` on; returns the end.
  TimePs book(TimePs earliest, TimePs duration) {
    if (duration == 0) return earliest;
    if (earliest > last_.end) {
      if (last_.end != 0) later_.push_back(last_);
      if (later_.size() == 2 * kKept) forget_later();
      last_ = {earliest, earliest + duration};
      return last_.end;
    }
    if (earliest >= last_.begin) return last_.end += duration;
    return book_between(std::max(earliest, forgotten_), duration);
  }

 private:
  struct Interval {
    TimePs begin;
    TimePs end;
  };
  /// Intervals that are kept at least, of either part. No transfer is booked in front of so many: they are long
  /// past.
  static constexpr std::size_t kKept = 4096;

  /// In front of the last interval: fills the gaps, so that all from `earliest` to the end is one interval.
  TimePs book_between(TimePs earliest, TimePs duration) {
    split_at(earliest);
    const bool joins = !earlier_.empty() && earlier_.back().end >= earliest;
    if (!joins) earlier_.push_back({earliest, earliest});
    TimePs& end = earlier_.back().end;
    while (!later_.empty() && later_.front().begin - end <= duration) {
      duration -= later_.front().begin - end;
      const TimePs done = later_.front().begin;
      end = later_.front().end;
      later_.pop_front();
      if (duration == 0) return done;
    }
    if (later_.empty() && last_.begin - end <= duration) return join_last(end, duration);
    end += duration;
    const TimePs done = end;
    if (earlier_.size() >= 2 * kKept) forget_earlier();
    return done;
  }

  /// The newest of earlier_ reaches the last interval, with so much left to be booked.
  TimePs join_last(TimePs end, TimePs duration) {
    duration -= last_.begin - end;
    const TimePs done = duration == 0 ? last_.begin : last_.end + duration;
    last_.begin = earlier_.back().begin;
    last_.end += duration;
    earlier_.pop_back();
    return done;
  }

  /// All that begins up to `at` lies in earlier_, the rest but the last one in later_.
  void split_at(TimePs at) {
    while (!earlier_.empty() && earlier_.back().begin > at) {
      later_.push_front(earlier_.back());
      earlier_.pop_back();
    }
    while (!later_.empty() && later_.front().begin <= at) {
      earlier_.push_back(later_.front());
      later_.pop_front();
    }
  }

  void forget_later() {
    earlier_.clear();
    const auto kept = later_.begin() + static_cast<std::ptrdiff_t>(kKept);
    forgotten_ = (kept - 1)->end;
    later_.erase(later_.begin(), kept);
  }

  void forget_earlier() {
    const auto kept = earlier_.end() - static_cast<std::ptrdiff_t>(kKept);
    forgotten_ = (kept - 1)->end;
    earlier_.erase(earlier_.begin(), kept);
  }

  // in order of time, not touching where that is known
  std::vector<Interval> earlier_;
  std::deque<Interval> later_;
  Interval last_{0, 0};
  TimePs forgotten_ = 0; // nothing is booked before this
};

} // namespace twinplane::hw
