// When a resource is taken, by transfers that are cut up at will: a memory that several masters use in turns
// of a few hundred bytes.
//
// A transfer takes what is left from its `earliest` time on, around what was booked before it, and ends when
// it has had its time. Bookings may come in any order of their times: what is announced for later leaves the
// time before it to others. Those that ask for the same time are served in the order of the calls.
//
// The intervals lie in an array with a gap where the last booking in front of others was: the next one is mostly
// near, however much has been announced for later.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "hw/spec/sim_time.h"

namespace twinplane::hw {

class Calendar {
 public:
  /// Books `duration` from `earliest` on; returns the end.
  TimePs book(TimePs earliest, TimePs duration) {
    if (duration == 0) return earliest;
    if (earliest > last_.end) {
      if (end_ == intervals_.size()) make_room();
      intervals_[end_++] = last_;
      last_ = {earliest, earliest + duration};
      return last_.end;
    }
    if (earliest >= last_.begin) return last_.end += duration;
    return book_between(std::max(earliest, forgotten_), duration);
  }
  /// When the last of it ends.
  TimePs end() const { return last_.end; }

 private:
  struct Interval {
    TimePs begin;
    TimePs end;
  };
  /// Intervals that are kept at least. No transfer is booked in front of so many: they are long past.
  static constexpr std::size_t kKept = 8192;

  /// In front of the last interval: fills the gaps, so that all from `earliest` to the end is one interval.
  TimePs book_between(TimePs earliest, TimePs duration) {
    if (earlier_ == later_) make_room();
    split_at(earliest);
    Interval* const all = intervals_.data();
    const bool joins = earlier_ != 0 && all[earlier_ - 1].end >= earliest;
    if (!joins) all[earlier_++] = {earliest, earliest};
    TimePs& end = all[earlier_ - 1].end;
    while (later_ != end_ && all[later_].begin - end <= duration) {
      duration -= all[later_].begin - end;
      const TimePs done = all[later_].begin;
      end = all[later_++].end;
      if (duration == 0) return done;
    }
    if (later_ == end_ && last_.begin - end <= duration) return join_last(all[--earlier_], duration);
    return end += duration;
  }

  /// `before` reaches the last interval, with so much left to be booked.
  TimePs join_last(const Interval& before, TimePs duration) {
    duration -= last_.begin - before.end;
    const TimePs done = duration == 0 ? last_.begin : last_.end + duration;
    last_.begin = before.begin;
    last_.end += duration;
    return done;
  }

  /// Moves the gap: all that begins up to `at` lies in front of it. Looks twice as far each time; what
  /// moves is mostly little, and no work for memmove.
  void split_at(TimePs at) {
    Interval* const all = intervals_.data();
    const auto begins = [at](const Interval& i) { return i.begin <= at; };
    std::size_t reach = 1;
    if (earlier_ != 0 && !begins(all[earlier_ - 1])) {
      while (reach < earlier_ && !begins(all[earlier_ - 1 - reach])) reach *= 2;
      Interval* const far = reach < earlier_ ? all + earlier_ - 1 - reach : all;
      const Interval* const first = std::partition_point(far, all + earlier_, begins);
      Interval* to = all + later_;
      for (const Interval* from = all + earlier_; from != first;) *--to = *--from;
      later_ = static_cast<std::size_t>(to - all);
      earlier_ = static_cast<std::size_t>(first - all);
    } else {
      while (later_ + reach < end_ && begins(all[later_ + reach])) reach *= 2;
      Interval* const far = all + std::min(later_ + reach, end_);
      const Interval* const first = std::partition_point(all + later_, far, begins);
      Interval* to = all + earlier_;
      for (const Interval* from = all + later_; from != first;) *to++ = *from++;
      earlier_ = static_cast<std::size_t>(to - all);
      later_ = static_cast<std::size_t>(first - all);
    }
  }

  /// In the gap and at the end.
  void make_room() {
    split_at(kNever);
    if (earlier_ >= 2 * kKept) {
      const auto kept = intervals_.begin() + static_cast<std::ptrdiff_t>(earlier_ - kKept);
      forgotten_ = (kept - 1)->end;
      std::copy_n(kept, kKept, intervals_.begin());
      earlier_ = kKept;
    }
    intervals_.resize(std::max(intervals_.size(), 2 * earlier_ + 64));
    later_ = end_ = (earlier_ + intervals_.size()) / 2;
  }

  // in order of time, not touching where that is known: [0, earlier_), the gap, [later_, end_), and last_
  std::vector<Interval> intervals_;
  std::size_t earlier_ = 0;
  std::size_t later_ = 0;
  std::size_t end_ = 0;
  Interval last_{0, 0};
  TimePs forgotten_ = 0; // nothing is booked before this
};

} // namespace twinplane::hw
