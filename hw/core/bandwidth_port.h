// The port of a memory with a bandwidth, for the engines that book what they move through it.
//
// There are two kinds. Most go by bytes: a transfer takes its share of a rate, wherever it lies. One that
// goes by_address() has a DramTiming behind it, which is asked about every transfer.
//
// An engine that moves data between DRAM and something else
//   - calls book() for every transfer, or reserve() if another block counts its bytes, and is done no earlier
//     than that says. Flash controllers reserve: their bytes are page_bytes_in and page_bytes_out of
//     FlashControllerStatistics, which a controller must fill, parity included, for the DRAM's utilisation
//     and energy to be right;
//   - may leave that out where the port is ample(): then the answer is `at` and duration() at best, and
//     no master is ever kept waiting by another. A port that goes by address is never ample.
#pragma once

#include <cstdint>

#include "hw/core/calendar.h"
#include "hw/core/dram_timing.h"
#include "hw/core/reservation.h"

namespace twinplane::hw {

class BandwidthPort {
 public:
  /// `ample`: all masters together cannot ask for more than the bandwidth, so that no master ever waits for
  /// another, and nothing has to be kept in mind. Infinitely fast memory is ample.
  explicit BandwidthPort(Rate rate = Rate(), bool ample = false)
      : rate_(rate), ample_(ample || rate.duration(1) == 0) {}
  /// Goes by address. `timing` outlives the port.
  explicit BandwidthPort(DramTiming& timing) : ample_(false), timing_(&timing) {}

  /// When the last byte has passed, the first of them not before `earliest`. Not for ports by_address().
  TimePs book(TimePs earliest, std::uint64_t bytes) { return book(earliest, bytes, duration(bytes)); }
  /// With duration(bytes) known to the caller.
  TimePs book(TimePs earliest, std::uint64_t bytes, TimePs duration) {
    bytes_ += bytes;
    return ample_ ? earliest + duration : calendar_.book(earliest, duration);
  }
  /// For masters that count what they move.
  TimePs reserve(TimePs earliest, std::uint64_t bytes) {
    return ample_ ? earliest + duration(bytes) : calendar_.book(earliest, duration(bytes));
  }

  /// The same for either kind of port.
  TimePs book(const DramAccess& access) { return by_address() ? ask(access) : book(access.at, access.bytes); }
  TimePs reserve(const DramAccess& access) {
    return by_address() ? ask(access) : reserve(access.at, access.bytes);
  }

  /// When the last transfer ends that has been booked; 0 where that is not kept in mind: it is ample, or goes by
  /// address.
  TimePs booked_until() const { return calendar_.end(); }

  bool ample() const { return ample_; }
  bool by_address() const { return timing_ != nullptr; }
  /// At the rate; 0 where it is the address that counts.
  TimePs duration(std::uint64_t bytes) const { return rate_.duration(bytes); }
  /// With the bytes of masters that count for themselves.
  TimePs busy(std::uint64_t others = 0) const {
    return by_address() ? timing_->busy() : rate_.total(bytes_ + others);
  }

  /// For how long a DramTiming may end nothing of what it has been asked for; the drive says so before the
  /// simulation.
  void set_patience(TimePs patience) { patience_ = patience; }

 private:
  [[gnu::noinline]] TimePs ask(const DramAccess& access);

  Rate rate_;
  bool ample_;
  Calendar calendar_;
  std::uint64_t bytes_ = 0;
  DramTiming* timing_ = nullptr;
  TimePs patience_ = kNever;
  TimePs ended_ = 0; // the latest that the DramTiming has answered
};

} // namespace twinplane::hw
