// Between the replay engine and the measurements: every finished request goes into the meters, and on
// to the request log and the progress line when there are any.
//
// The ramp is the time until the first `ramp_ios` requests have finished, whichever these are. What the
// summary says of the host (counted(), breakdown(), steadiness()) begins there, as with fio's ramp_time:
// requests in flight then count with their whole latency. Timeline, rounds, request log and progress tell of
// the whole run; rounds and request log say which requests were of the ramp.
#pragma once

#include <memory>

#include "platform/host/latency_sink.h"
#include "platform/measure/command_table.h"
#include "platform/report/breakdown.h"
#include "platform/report/io_meter.h"
#include "platform/report/progress.h"
#include "platform/report/request_listener.h"
#include "platform/report/request_log.h"
#include "platform/report/steadiness.h"
#include "platform/report/trace_meters.h"

namespace twinplane::platform {

/// Told when what counts begins, with the first arrival or the end of the ramp, and when it ends, with the
/// last completion (not when the run is broken off).
class WindowListener {
 public:
  virtual void on_begin(TimePs now) = 0;
  virtual void on_end(TimePs now) = 0;

 protected:
  ~WindowListener() = default;
};

class HostMeter final : public LatencySink {
 public:
  explicit HostMeter(std::uint64_t ramp_ios = 0)
      : ramp_ios_(ramp_ios), counted_(ramp_ios == 0 ? nullptr : std::make_unique<IoMeter>()) {}

  /// Of the whole run.
  IoMeter& meter() { return meter_; }
  const IoMeter& meter() const { return meter_; }
  /// Since the end of the ramp; nothing before it.
  const IoMeter& counted() const { return counted_ == nullptr ? meter_ : *counted_; }
  const Steadiness& steadiness() const { return steadiness_; }
  const BreakdownMeter& breakdown() const { return breakdown_; }
  /// The drive's firmware tells it of every command.
  fw::CommandObserver& command_observer() { return commands_; }
  void attach(RequestLog& log) { log_ = &log; }
  void attach(Progress& progress) { progress_ = &progress; }
  /// Told when a round of the workload is done.
  void attach(IntervalListener& rounds) { rounds_ = &rounds; }
  void attach(WindowListener& window) { window_ = &window; }
  void attach(RequestListener& requests) { requests_ = &requests; }
  /// Given what counts, of each of several traces.
  void attach(TraceMeters& traces) { traces_ = &traces; }

  void arrived(TimePs now) override {
    meter_.submitted(now); // first: rows of the timeline end before what counts begins
    if (!any_arrived_) begin(now);
    if (requests_ != nullptr) requests_->on_arrival(now);
    if (counting_apart()) counted_->submitted(now);
  }
  void record(const FinishedIo& io) override { record(io, commands_.times_of(io)); }
  /// Of a host that knows the parts of its requests' times itself.
  void record(const FinishedIo& io, const RequestTimes& times) {
    const TimePs latency = io.completed - io.arrival;
    meter_.completed(io.completed, io.op, static_cast<std::uint32_t>(io.bytes), latency);
    if (++finished_ > ramp_ios_) {
      if (counted_ != nullptr) {
        counted_->completed(io.completed, io.op, static_cast<std::uint32_t>(io.bytes), latency);
      }
      if (traces_ != nullptr) traces_->add(io.trace, io.op, io.bytes, latency, io.status != 0);
      steadiness_.add(latency);
      breakdown_.add(io.op, times);
    } else if (finished_ == ramp_ios_) {
      end_ramp(io.completed);
    }
    if (log_ != nullptr) {
      log_->add({io.op, io.offset, static_cast<std::uint32_t>(io.bytes), io.arrival, io.completed,
                 finished_ <= ramp_ios_});
    }
    if (requests_ != nullptr) requests_->on_finished(io, times);
    if (progress_ != nullptr) progress_->tick(finished_, io.completed);
  }
  void given_up(TimePs arrival, TimePs now) override {
    meter_.given_up(arrival, now);
    if (counting_apart()) counted_->given_up(arrival, now);
  }
  void finished(TimePs now) override {
    if (window_ != nullptr) window_->on_end(now);
  }
  void round_done(TimePs now) override {
    if (rounds_ != nullptr) rounds_->on_boundary(now);
  }

 private:
  bool counting_apart() const { return counted_ != nullptr && finished_ >= ramp_ios_; }
  void end_ramp(TimePs now) {
    *counted_ = meter_;
    counted_->unwatch();
    counted_->restart(now);
    if (window_ != nullptr) window_->on_begin(now);
  }
  void begin(TimePs now) {
    any_arrived_ = true;
    if (ramp_ios_ == 0 && window_ != nullptr) window_->on_begin(now);
  }

  const std::uint64_t ramp_ios_;
  IoMeter meter_;
  std::unique_ptr<IoMeter> counted_; // null without a ramp: then all that meter_ has counts
  Steadiness steadiness_;
  CommandTable commands_;
  BreakdownMeter breakdown_;
  RequestLog* log_ = nullptr;
  Progress* progress_ = nullptr;
  IntervalListener* rounds_ = nullptr;
  WindowListener* window_ = nullptr;
  RequestListener* requests_ = nullptr;
  TraceMeters* traces_ = nullptr;
  bool any_arrived_ = false;
  std::uint64_t finished_ = 0;
};

} // namespace twinplane::platform
