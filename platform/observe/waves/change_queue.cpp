#include "platform/observe/waves/change_queue.h"

#include <algorithm>
#include <utility>

namespace twinplane::platform {
namespace {

constexpr std::size_t kInsertionLimit = 64;   // larger buckets are sorted by the library
constexpr std::size_t kSmallestArray = 16384; // bursts

inline bool before(const WaveBurst& a, const WaveBurst& b) {
  return a.at < b.at;
}

/// Stable: equal times stay in the order of their announcement.
void sort_bucket(WaveBurst* first, WaveBurst* last) {
  if (static_cast<std::size_t>(last - first) > kInsertionLimit) {
    std::stable_sort(first, last, before);
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
  if (size_ == bursts_.size()) bursts_.resize(std::max(kSmallestArray, 2 * size_));
  bursts_[size_++] = {at, static_cast<std::uint32_t>(changes_.size()), 0};
  open_at_ = at;
}

void ChangeQueue::clear() {
  size_ = 0;
  changes_.clear();
  open_at_ = kNever;
}

ChangeQueue::Due ChangeQueue::take(TimePs from, TimePs until) {
  open_at_ = kNever;
  if (until == kNever) { // the end of all time says nothing about the span
    until = from;
    for (std::size_t i = 0; i < size_; ++i) until = std::max(until, bursts_[i].at);
    ++until;
  }
  std::uint32_t shift = 0;
  while ((until - from) >> shift > size_) ++shift;
  const std::size_t buckets = ((until - from) >> shift) + 1;
  heads_.assign(buckets, 0);
  if (links_.size() < size_) links_.resize(bursts_.size());
  if (sorted_.size() < size_) sorted_.resize(bursts_.size());
  const std::size_t due = distribute(from, until, shift);
  collect(buckets);
  keep_late();
  return {sorted_.data(), sorted_.data() + due};
}

// Hangs each burst that is due in front of its bucket's list, the last one first, so that the lists are in
// order of announcement. Returns how many are due.
std::size_t ChangeQueue::distribute(TimePs from, TimePs until, std::uint32_t shift) {
  const WaveBurst* const bursts = bursts_.data();
  std::uint32_t* const heads = heads_.data();
  std::uint32_t* const links = links_.data();
  late_.clear();
  for (std::size_t i = size_; i-- > 0;) {
    const TimePs at = bursts[i].at;
    if (at >= until) {
      late_.push_back(bursts[i]);
      continue;
    }
    const std::size_t bucket = (at - from) >> shift;
    links[i] = heads[bucket];
    heads[bucket] = static_cast<std::uint32_t>(i) + 1;
  }
  return size_ - late_.size();
}

void ChangeQueue::collect(std::size_t buckets) {
  const WaveBurst* const bursts = bursts_.data();
  const std::uint32_t* const links = links_.data();
  const std::uint32_t* const heads = heads_.data();
  WaveBurst* out = sorted_.data();
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    std::uint32_t next = heads[bucket];
    if (next == 0) continue;
    WaveBurst* const first = out;
    TimePs last = 0;
    bool disorder = false;
    do {
      const WaveBurst burst = bursts[next - 1];
      next = links[next - 1];
      disorder |= burst.at < last;
      last = burst.at;
      *out++ = burst;
    } while (next != 0);
    if (disorder) sort_bucket(first, out);
  }
}

// Bursts that are not due move, with their changes, to the front; those taken out find theirs in taken_.
void ChangeQueue::keep_late() {
  std::swap(taken_, changes_);
  changes_.clear();
  size_ = 0;
  for (auto burst = late_.rbegin(); burst != late_.rend(); ++burst) {
    const WaveChange* const moved = change(burst->first);
    burst->first = static_cast<std::uint32_t>(changes_.size());
    changes_.insert(changes_.end(), moved, moved + burst->count);
    bursts_[size_++] = *burst;
  }
}

// From the newest announcement back: what lies behind a newer one has been replaced by it.
void ChangeQueue::drop_replaced(std::uint32_t signal, std::uint32_t applied) {
  open_at_ = kNever;
  TimePs earliest = kNever;
  for (std::size_t i = size_; i-- > 0;) {
    WaveBurst& burst = bursts_[i];
    WaveChange* const changes = changes_.data() + burst.first;
    std::uint32_t kept = 0;
    const TimePs newer = earliest;
    for (std::uint32_t c = 0; c < burst.count; ++c) {
      WaveChange change = changes[c];
      if (!change.is_relative() && change.signal() == signal) {
        if (burst.at > newer || change.epoch() < applied) continue;
        earliest = burst.at;
        change = WaveChange::absolute(signal, change.value(), 0);
      }
      changes[kept++] = change;
    }
    burst.count = kept;
  }
}

} // namespace twinplane::platform
