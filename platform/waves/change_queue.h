// Changes of signals, announced in any order, given back in order of time.
//
// Neighbouring announcements for the same time form a burst, and bursts are what is sorted. Sources
// announce ahead of time and are not in step with each other, but over a stretch of time their bursts
// spread evenly: a bucket sort puts them in order at a cost that does not grow with their number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/spec/sim_time.h"

namespace twinplane::platform {

struct WaveChange {
  std::uint64_t value = 0;
  std::uint64_t order = 0; // [63:24] number of the announcement, [23] relative, [22:0] signal

  static constexpr std::uint32_t kSignalBits = 23;
  std::uint32_t signal() const { return static_cast<std::uint32_t>(order & ((1u << kSignalBits) - 1)); }
  bool relative() const { return (order >> kSignalBits & 1) != 0; }
};

/// Changes [first, last) of ChangeQueue::change(), all at the same time.
struct WaveBurst {
  TimePs at = 0;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

class ChangeQueue {
 public:
  /// `order` of the next announcement.
  std::uint64_t next_order(std::uint32_t signal, bool relative) {
    return ++announced_ << (WaveChange::kSignalBits + 1) |
           std::uint64_t{relative ? 1u : 0u} << WaveChange::kSignalBits | signal;
  }
  void push(TimePs at, std::uint32_t signal, bool relative, std::uint64_t value) {
    if (at != last_at_) open_burst(at);
    changes_.push_back({value, next_order(signal, relative)});
  }

  struct Due {
    const WaveBurst* begin;
    const WaveBurst* end;
  };
  /// Takes out what lies in [from, until) by time, equal times in the order of their announcement;
  /// nothing is pending before `from`. Valid until the next call of any function.
  Due take(TimePs from, TimePs until);
  const WaveChange* change(std::uint32_t index) const { return taken_.data() + index; }

  std::size_t size() const { return changes_.size(); }
  void clear();

 private:
  void open_burst(TimePs at);
  void close_burst();
  std::size_t place_buckets(TimePs from, TimePs until, std::uint32_t shift);
  void distribute(TimePs from, TimePs until, std::uint32_t shift);

  std::vector<WaveBurst> bursts_; // in order of announcement; the last one is open
  std::vector<WaveChange> changes_;
  TimePs last_at_ = kNever; // of the open burst
  std::vector<WaveBurst> sorted_;
  std::vector<WaveChange> taken_;   // what bursts taken out refer to
  std::vector<std::uint32_t> ends_; // of the buckets
  std::uint64_t announced_ = 0;
};

} // namespace twinplane::platform
