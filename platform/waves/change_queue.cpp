#include "platform/waves/change_queue.h"

#include <algorithm>
#include <utility>

namespace twinplane::platform {
namespace {

constexpr std::size_t kInsertionLimit = 16; // larger buckets are sorted by the library

inline bool before(const WaveBurst& a, const WaveBurst& b) {
  return a.at != b.at ? a.at < b.at : a.first < b.first;
}

void sort_bucket(WaveBurst* first, WaveBurst* last) {
  if (static_cast<std::size_t>(last - first) > kInsertionLimit) {
    std::sort(first, last, [](const WaveBurst& a, const WaveBurst& b) { return before(a, b); });
    return;
  }
  for (WaveBurst* next = first + 1; next < last; ++next) {
    const WaveBurst burst = *next;
    WaveBurst* hole = next;
    for (; hole != first && before(burst, hole[-1]); --hole) *hole = hole[-1];
    *hole = burst;
  }
}

} // namespace

void ChangeQueue::open_burst(TimePs at) {
  close_burst();
  const auto first = static_cast<std::uint32_t>(changes_.size());
  bursts_.push_back({at, first, first});
  last_at_ = at;
}

void ChangeQueue::close_burst() {
  if (!bursts_.empty()) bursts_.back().last = static_cast<std::uint32_t>(changes_.size());
  last_at_ = kNever;
}

void ChangeQueue::clear() {
  bursts_.clear();
  changes_.clear();
  last_at_ = kNever;
}

ChangeQueue::Due ChangeQueue::take(TimePs from, TimePs until) {
  close_burst();
  if (until == kNever) { // the end of all time says nothing about the span
    until = from;
    for (const WaveBurst& b : bursts_) until = std::max(until, b.at);
    ++until;
  }
  std::uint32_t shift = 0; // one bucket per burst, about
  while ((until - from) >> shift > bursts_.size()) ++shift;
  ends_.assign(((until - from) >> shift) + 1, 0);
  const std::size_t due = place_buckets(from, until, shift);
  if (sorted_.size() < due) sorted_.resize(due);
  distribute(from, until, shift);
  std::uint32_t begin = 0;
  for (const std::uint32_t end : ends_) {
    if (end - begin > 1) sort_bucket(sorted_.data() + begin, sorted_.data() + end);
    begin = end;
  }
  return {sorted_.data(), sorted_.data() + due};
}

// Fills ends_ with, for now, the place of each bucket's next burst; returns how many are due.
std::size_t ChangeQueue::place_buckets(TimePs from, TimePs until, std::uint32_t shift) {
  for (const WaveBurst& b : bursts_) {
    if (b.at < until) ++ends_[(b.at - from) >> shift];
  }
  std::uint32_t begin = 0;
  for (std::uint32_t& end : ends_) {
    const std::uint32_t count = end;
    end = begin;
    begin += count;
  }
  return begin;
}

// Bursts that are due go to their buckets, their changes stay where they are; the others move, with their
// changes, to the front.
void ChangeQueue::distribute(TimePs from, TimePs until, std::uint32_t shift) {
  std::swap(taken_, changes_);
  changes_.clear();
  std::size_t kept = 0;
  for (const WaveBurst& b : bursts_) {
    if (b.at < until) {
      sorted_[ends_[(b.at - from) >> shift]++] = b;
      continue;
    }
    const auto first = static_cast<std::uint32_t>(changes_.size());
    changes_.insert(changes_.end(), change(b.first), change(b.last));
    bursts_[kept++] = {b.at, first, static_cast<std::uint32_t>(changes_.size())};
  }
  bursts_.resize(kept);
}

} // namespace twinplane::platform
