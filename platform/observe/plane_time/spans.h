// Sets of times, and what is left of a time when several of them have been taken out of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "hw/spec/sim_time.h"
#include "platform/observe/plane_time/front_vector.h"

namespace twinplane::platform {

/// [begin, end)
struct Span {
  TimePs begin = 0;
  TimePs end = 0;
};

/// Drops spans, in order, that have ended by then, but for the last `kept` ones.
template <typename T>
void drop_ended(FrontVector<T>& spans, TimePs time, std::size_t kept = 0) {
  std::size_t gone = 0;
  while (gone + kept < spans.size() && spans[gone].end <= time) ++gone;
  spans.drop_front(gone);
}

/// A union of spans, in order and apart from each other.
class SpanSet {
 public:
  /// Cheap while spans come in the order of their ends, however early they begin.
  void add(TimePs begin, TimePs end) {
    begin = std::max(begin, floor_);
    if (begin >= end) return;
    if (spans_.empty() || begin > spans_.back().end) {
      spans_.push_back({begin, end});
    } else {
      merge(begin, end);
    }
  }

  /// What lies before `time` is forgotten, now and in future.
  void drop_before(TimePs time) {
    floor_ = time;
    drop_ended(spans_, time);
    if (!spans_.empty()) spans_.front().begin = std::max(spans_.front().begin, time);
  }

  /// Appends those that begin before `until`.
  void add_to(std::vector<Span>& list, TimePs until) const {
    for (const Span& s : spans_) {
      if (s.begin >= until) break;
      list.push_back(s);
    }
  }
  const FrontVector<Span>& spans() const { return spans_; }

 private:
  void merge(TimePs begin, TimePs end) {
    std::size_t last = spans_.size(); // behind those that begin by `end`
    while (last != 0 && spans_[last - 1].begin > end) --last;
    std::size_t first = last; // the first that reaches `begin`
    while (first != 0 && spans_[first - 1].end >= begin) --first;
    if (first == last) {
      spans_.insert(first, {begin, end});
      return;
    }
    Span& into = spans_[first];
    into.begin = std::min(into.begin, begin);
    into.end = std::max(spans_[last - 1].end, end);
    spans_.erase(first + 1, last);
  }

  FrontVector<Span> spans_;
  TimePs floor_ = 0;
};

/// A time that causes take their parts of, one cause after the other.
class Rest {
 public:
  void reset(TimePs begin, TimePs end) {
    left_.clear();
    if (begin < end) left_.push_back({begin, end});
  }
  bool empty() const { return left_.empty(); }
  const std::vector<Span>& left() const { return left_; }

  /// Takes what `spans` (in order, apart, with begin and end) cover; taken(begin, end, span) for each piece.
  template <typename Spans, typename Taken>
  void take(const Spans& spans, Taken&& taken) {
    if (left_.empty() || spans.empty()) return;
    next_.clear();
    auto span = std::lower_bound(spans.begin(), spans.end(), left_.front().begin,
                                 [](const auto& s, TimePs at) { return s.end <= at; });
    for (Span gap : left_) {
      while (span != spans.end() && span->end <= gap.begin) ++span;
      for (auto s = span; s != spans.end() && s->begin < gap.end; ++s) {
        if (s->begin > gap.begin) next_.push_back({gap.begin, s->begin});
        const TimePs from = std::max(gap.begin, s->begin);
        const TimePs to = std::min(gap.end, s->end);
        taken(from, to, *s);
        gap.begin = to;
      }
      if (gap.begin < gap.end) next_.push_back(gap);
    }
    left_.swap(next_);
  }

  /// The same of one span.
  template <typename Taken>
  void take(const Span& span, Taken&& taken) {
    if (left_.empty() || span.end <= left_.front().begin || span.begin >= left_.back().end) return;
    struct One {
      const Span* span;
      const Span* begin() const { return span; }
      const Span* end() const { return span + 1; }
      bool empty() const { return false; }
    };
    take(One{&span}, taken);
  }

 private:
  std::vector<Span> left_;
  std::vector<Span> next_;
};

} // namespace twinplane::platform
