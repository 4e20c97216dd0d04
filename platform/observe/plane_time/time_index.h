// Finds the last of many things that begin by a time: in a few steps wherever they are spread more or less
// evenly, in a binary search where they crowd.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/spec/sim_time.h"

namespace twinplane::platform {

class TimeIndex {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  /// Of `things`, in the order of their `begin`, for times in [from, to].
  template <typename Thing>
  void build(const std::vector<Thing>& things, TimePs from, TimePs to) {
    from_ = from;
    shift_ = 0;
    while ((to - from) >> shift_ > 2 * things.size()) ++shift_;
    begun_.clear();
    std::uint32_t begun = 0;
    for (TimePs slot = 0; slot <= (to - from) >> shift_; ++slot) {
      while (begun < things.size() && things[begun].begin <= from + (slot << shift_)) ++begun;
      begun_.push_back(begun);
    }
    begun_.push_back(static_cast<std::uint32_t>(things.size()));
  }

  /// Its number; kNone: none has begun.
  template <typename Thing>
  std::size_t last_begun(const std::vector<Thing>& things, TimePs time) const {
    const std::size_t slot = (time - from_) >> shift_;
    std::size_t next = begun_[slot];
    const std::size_t end = begun_[slot + 1];
    if (end - next > kCrowd) {
      const auto first = things.begin() + static_cast<std::ptrdiff_t>(next);
      const auto behind = std::upper_bound(first, things.begin() + static_cast<std::ptrdiff_t>(end), time,
                                           [](TimePs t, const Thing& thing) { return t < thing.begin; });
      next = static_cast<std::size_t>(behind - things.begin());
    } else {
      while (next != end && things[next].begin <= time) ++next;
    }
    return next - 1; // kNone, if nothing has begun
  }

 private:
  static constexpr std::size_t kCrowd = 8;

  TimePs from_ = 0;
  std::uint32_t shift_ = 0;
  std::vector<std::uint32_t> begun_; // things that have begun by the begin of each slot
};

} // namespace twinplane::platform
