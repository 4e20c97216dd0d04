// A short queue in the order of time. Most entries are either due now and go to the front, or due last and go
// to the end, and most departures are of the first: a sorted run with free room on both sides.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>

#include "hw/spec/sim_time.h"

namespace twinplane::hw {

/// `Entry` has a time `since`; entries of equal times stay in the order in which they came. At most kCapacity
/// entries at once.
template <typename Entry, std::size_t kCapacity>
class SortedRun {
 public:
  bool empty() const { return begin_ == end_; }
  std::size_t size() const { return end_ - begin_; }
  /// In the order of time; `place` < size().
  const Entry& operator[](std::size_t place) const { return entries_[begin_ + place]; }
  const Entry* data() const { return &entries_[begin_]; }

  void insert(const Entry& entry) {
    if (empty()) {
      begin_ = end_ = kCapacity;
    } else if (entry.since < entries_[begin_].since && begin_ != 0) {
      entries_[--begin_] = entry;
      return;
    } else if (end_ == entries_.size()) {
      centre();
    }
    std::size_t place = end_++;
    for (; place != begin_ && entries_[place - 1].since > entry.since; --place) {
      entries_[place] = entries_[place - 1];
    }
    entries_[place] = entry;
  }

  void erase(std::size_t place) {
    for (; place != 0; --place) entries_[begin_ + place] = entries_[begin_ + place - 1];
    ++begin_;
  }

 private:
  void centre() {
    assert(size() < kCapacity && "more entries than the run was made for");
    const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(begin_);
    const std::size_t count = size();
    std::copy(first, entries_.end(), entries_.begin() + kCapacity);
    begin_ = kCapacity;
    end_ = kCapacity + count;
  }

  std::array<Entry, 4 * kCapacity> entries_;
  std::size_t begin_ = kCapacity;
  std::size_t end_ = kCapacity;
};

} // namespace twinplane::hw
