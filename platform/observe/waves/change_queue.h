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

/// One change: [63:32] value, [31:24] epoch, [23] relative, [22:0] signal. A change of an older epoch of
/// its signal than one that lies before it is void.
struct WaveChange {
  static constexpr std::uint32_t kSignalBits = 23;
  static constexpr std::uint32_t kLastEpoch = 255;

  std::uint64_t word = 0;

  static WaveChange absolute(std::uint32_t signal, std::uint32_t value, std::uint32_t epoch) {
    return {std::uint64_t{value} << 32 | epoch << 24 | signal};
  }
  static WaveChange relative(std::uint32_t signal, std::uint32_t by) {
    return {std::uint64_t{by} << 32 | 1u << kSignalBits | signal};
  }
  std::uint32_t signal() const { return static_cast<std::uint32_t>(word) & ((1u << kSignalBits) - 1); }
  bool is_relative() const { return (word >> kSignalBits & 1) != 0; }
  std::uint32_t epoch() const { return static_cast<std::uint32_t>(word) >> 24; }
  std::uint32_t value() const { return static_cast<std::uint32_t>(word >> 32); }
};

/// `count` changes from ChangeQueue::change(first) on, all at the same time.
struct WaveBurst {
  TimePs at = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

class ChangeQueue {
 public:
  void push(TimePs at, WaveChange change) {
    if (at != open_at_) open_burst(at);
    changes_.push_back(change);
    ++bursts_[size_ - 1].count;
  }
  struct Due {
    const WaveBurst* begin;
    const WaveBurst* end;
  };
  /// Takes out what lies in [from, until) by time, equal times in the order of their announcement;
  /// nothing is pending before `from`. Valid until the next call of any function.
  Due take(TimePs from, TimePs until);
  const WaveChange* change(std::uint32_t index) const { return taken_.data() + index; }

  /// Voids what later announcements of `signal` have replaced, among them one that has been taken out with
  /// epoch `applied`, and gives the rest epoch 0.
  void drop_replaced(std::uint32_t signal, std::uint32_t applied);

  /// Bursts that are pending.
  std::size_t size() const { return size_; }
  void clear();

 private:
  void open_burst(TimePs at);
  std::size_t distribute(TimePs from, TimePs until, std::uint32_t shift);
  void collect(std::size_t buckets);
  void keep_late();

  std::vector<WaveBurst> bursts_; // the first size_, in order of announcement
  std::size_t size_ = 0;
  std::vector<WaveChange> changes_;
  TimePs open_at_ = kNever;       // of the last burst, while it may grow
  std::vector<WaveChange> taken_; // what bursts taken out refer to
  std::vector<WaveBurst> sorted_;
  std::vector<std::uint32_t> heads_; // of each bucket's list of bursts: index + 1, 0 ends it
  std::vector<std::uint32_t> links_;
  std::vector<WaveBurst> late_; // not due, the last one first
};

} // namespace twinplane::platform
