// When a resource is taken, by transfers that are cut up at will: a memory that several masters use in turns
// of a few hundred bytes.
//
// A transfer takes what is left from its `earliest` time on, around what was booked before it, and ends when
// it has had its time. Bookings may come in any order of their times: what is announced for later leaves the
// time before it to others. Those that ask for the same time are served in the order of the calls.
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
    if (taken_.empty() || earliest > taken_.back().end) {
      taken_.push_back({earliest, earliest + duration});
      if (taken_.size() == 2 * kKept) forget();
      return taken_.back().end;
    }
    if (earliest >= taken_.back().begin) return taken_.back().end += duration;
    return book_between(std::max(earliest, forgotten_), duration);
  }

 private:
  struct Interval {
    TimePs begin;
    TimePs end;
  };
  /// Intervals that are kept at least. Nobody books in front of so many others: they are long past.
  static constexpr std::size_t kKept = 4096;

  /// In front of the last interval: fills the gaps, so that all from `earliest` to the end is one interval.
  TimePs book_between(TimePs earliest, TimePs duration) {
    auto next = std::upper_bound(taken_.begin(), taken_.end(), earliest,
                                 [](TimePs at, const Interval& i) { return at < i.begin; });
    auto own = next;
    TimePs end = earliest;
    const bool joins = next != taken_.begin() && (next - 1)->end >= earliest;
    if (joins) end = (--own)->end;
    while (next != taken_.end() && next->begin - end <= duration) {
      duration -= next->begin - end;
      if (duration == 0) {
        const TimePs done = next->begin;
        merge(own, next, joins ? own->begin : earliest, next->end);
        return done;
      }
      end = next->end;
      ++next;
    }
    end += duration;
    if (own == next) {
      taken_.insert(next, {earliest, end});
    } else {
      merge(own, next - 1, joins ? own->begin : earliest, end);
    }
    return end;
  }

  using Place = std::vector<Interval>::iterator;
  /// [first, last] become one.
  void merge(Place first, Place last, TimePs begin, TimePs end) {
    *first = {begin, end};
    taken_.erase(first + 1, last + 1);
  }

  void forget() {
    const auto kept = taken_.begin() + static_cast<std::ptrdiff_t>(kKept);
    forgotten_ = (kept - 1)->end;
    taken_.erase(taken_.begin(), kept);
  }

  std::vector<Interval> taken_; // in order of time, not touching where that is known
  TimePs forgotten_ = 0;        // nothing is booked before this
};

} // namespace twinplane::hw
