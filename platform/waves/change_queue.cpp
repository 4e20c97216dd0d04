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
  TimePs latest = from; // `until` may be the end of all time
  for (const WaveBurst& b : bursts_) {
    if (b.at < until) latest = std::max(latest, b.at);
  }
  std::uint32_t shift = 0; // one bucket per burst, about
  while ((latest - from) >> shift > bursts_.size()) ++shift;
  ends_.assign(((latest - from) >> shift) + 1, 0);
  partition(from, until, shift);
  sort_due(from, shift);
  return {sorted_.data(), sorted_.data() + due_.size()};
}

// Bursts that are due go to due_, their changes stay; the others move, with their changes, to the front.
void ChangeQueue::partition(TimePs from, TimePs until, std::uint32_t shift) {
  due_.clear();
  kept_.clear();
  std::swap(taken_, changes_);
  changes_.clear();
  for (const WaveBurst& b : bursts_) {
    if (b.at < until) {
      due_.push_back(b);
      ++ends_[(b.at - from) >> shift];
      continue;
    }
    const auto first = static_cast<std::uint32_t>(changes_.size());
    kept_.push_back({b.at, first, first + (b.last - b.first)});
    changes_.insert(changes_.end(), change(b.first), change(b.last));
  }
  std::swap(bursts_, kept_);
}

void ChangeQueue::sort_due(TimePs from, std::uint32_t shift) {
  if (sorted_.size() < due_.size()) sorted_.resize(due_.size());
  std::uint32_t begin = 0;
  for (std::uint32_t& end : ends_) { // for now the place of the bucket's next burst
    const std::uint32_t count = end;
    end = begin;
    begin += count;
  }
  for (const WaveBurst& b : due_) sorted_[ends_[(b.at - from) >> shift]++] = b;
  begin = 0;
  for (const std::uint32_t end : ends_) {
    if (end - begin > 1) sort_bucket(sorted_.data() + begin, sorted_.data() + end);
    begin = end;
  }
}

} // namespace twinplane::platform
