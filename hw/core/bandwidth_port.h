// The port of a memory with a bandwidth, for the engines that book what they move through it.
#pragma once

#include <cstdint>

#include "hw/core/calendar.h"
#include "hw/core/reservation.h"

namespace twinplane::hw {

class BandwidthPort {
 public:
  /// `ample`: all masters together cannot ask for more than the bandwidth, so that nobody ever waits for
  /// another, and nothing has to be kept in mind. Infinitely fast memory is ample.
  explicit BandwidthPort(Rate rate = Rate(), bool ample = false)
      : rate_(rate), ample_(ample || rate.duration(1) == 0) {}

  /// When the last byte has passed, the first of them not before `earliest`.
  TimePs book(TimePs earliest, std::uint64_t bytes) { return book(earliest, bytes, duration(bytes)); }
  /// With duration(bytes) known to the caller.
  TimePs book(TimePs earliest, std::uint64_t bytes, TimePs duration) {
    bytes_ += bytes;
    return ample_ ? earliest + duration : calendar_.book(earliest, duration);
  }
  /// For those who count what they move.
  TimePs reserve(TimePs earliest, std::uint64_t bytes) {
    return ample_ ? earliest + duration(bytes) : calendar_.book(earliest, duration(bytes));
  }

  bool ample() const { return ample_; }
  TimePs duration(std::uint64_t bytes) const { return rate_.duration(bytes); }
  /// With the bytes of those who count for themselves.
  TimePs busy(std::uint64_t others = 0) const { return rate_.total(bytes_ + others); }

 private:
  Rate rate_;
  bool ample_;
  Calendar calendar_;
  std::uint64_t bytes_ = 0;
};

} // namespace twinplane::hw
