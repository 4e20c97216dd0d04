// What the host saw: counts, bytes, latencies and the number of requests in flight, exact and cheap
// (about 45 instructions per request). Host models call submitted() and completed(); everything
// about the host side of summary.json and timeline.csv is read from here.
//
// Times are simulated picoseconds and never go backwards between calls.
#pragma once

#include <array>
#include <cstdint>

#include "hw/spec/sim_time.h"
#include "platform/report/latency_histogram.h"
#include "platform/trace/io_record.h"

namespace twinplane::platform {

constexpr std::uint32_t kIoOps = 4; // values of IoOp

/// Completed requests of one kind.
struct IoTotals {
  std::uint64_t bytes = 0;
  LatencyHistogram latency; // picoseconds; its count() is the number of requests
};

/// The same without the distribution.
struct IoCounts {
  std::uint64_t requests = 0;
  std::uint64_t bytes = 0;
  double latency_ps = 0; // summed
};

/// Told when the clock has passed the boundary that it set.
class IntervalListener {
 public:
  virtual void on_boundary(TimePs now) = 0;

 protected:
  ~IntervalListener() = default;
};

class IoMeter {
 public:
  /// A request enters the device's queues (its latency starts here).
  void submitted(TimePs now) {
    account(now);
    ++outstanding_;
    if (first_submission_ == kNever) first_submission_ = now;
  }

  /// A request's completion reaches the host.
  void completed(TimePs now, IoOp op, std::uint32_t bytes, TimePs latency) {
    account(now);
    --outstanding_;
    last_completion_ = now;
    IoTotals& t = interval_[static_cast<std::uint32_t>(op)];
    t.bytes += bytes;
    t.latency.record(latency);
  }

  /// A request will never complete: as if it had not been submitted.
  void given_up(TimePs submitted, TimePs now) {
    account(now);
    --outstanding_;
    const TimePs from = submitted < restarted_ ? restarted_ : submitted;
    folded_depth_ -= Wide{now - from}; // may wrap; only its sum with depth_ counts
    carried_ -= static_cast<double>(from - submitted);
  }

  /// Calls listener.on_boundary() at the first event at or after `boundary`.
  void watch(IntervalListener& listener, TimePs boundary) {
    listener_ = &listener;
    boundary_ = boundary;
  }
  void unwatch() { boundary_ = kNever; }

  /// The interval since the last fold(): valid until the next event.
  const IoTotals& interval(IoOp op) const { return interval_[static_cast<std::uint32_t>(op)]; }
  bool interval_empty() const;
  /// Requests in flight, integrated over the interval up to `at` (request picoseconds).
  double interval_depth_integral(TimePs at);
  /// Ends the interval: its numbers become part of the totals.
  void fold();

  /// Since construction or restart(), including the open interval: valid until the next event.
  const IoTotals& total(IoOp op) const;
  IoCounts counts(IoOp op) const;
  std::uint64_t outstanding() const { return outstanding_; }
  /// Mean number of requests in flight between first submission and last completion.
  double mean_outstanding() const;
  /// What the requests in flight at restart() had waited by then, summed: part of their latencies, and of no
  /// depth measured since (request picoseconds).
  double carried() const { return carried_; }
  /// First submission to last completion: the time base of IOPS and bandwidth. 0 without requests.
  TimePs measured() const;

  /// Forgets everything measured so far (end of a warm-up); requests in flight stay in flight.
  void restart(TimePs now);

 private:
  __extension__ typedef unsigned __int128 Wide;

  void account(TimePs now) {
    if (now >= boundary_) listener_->on_boundary(now);
    integrate(now);
  }
  void integrate(TimePs now) {
    depth_ += Wide{outstanding_} * (now - last_);
    last_ = now;
  }

  std::array<IoTotals, kIoOps> interval_;
  std::array<IoTotals, kIoOps> folded_;
  mutable std::array<IoTotals, kIoOps> totals_; // where total() had to put both together
  Wide depth_ = 0;                              // of the open interval
  Wide folded_depth_ = 0;
  TimePs last_ = 0;
  std::uint64_t outstanding_ = 0;
  TimePs boundary_ = kNever;
  IntervalListener* listener_ = nullptr;
  TimePs restarted_ = 0;
  double carried_ = 0;
  TimePs first_submission_ = kNever;
  TimePs last_completion_ = 0;
};

} // namespace twinplane::platform
