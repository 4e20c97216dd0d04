// Between the replay engine and the measurements: every finished request goes into the meter, and on
// to the request log and the progress line when there are any.
#pragma once

#include "platform/host/latency_sink.h"
#include "platform/model/command_book.h"
#include "platform/report/breakdown.h"
#include "platform/report/io_meter.h"
#include "platform/report/progress.h"
#include "platform/report/request_log.h"
#include "platform/report/steadiness.h"

namespace twinplane::platform {

class HostMeter final : public LatencySink {
 public:
  IoMeter& meter() { return meter_; }
  const IoMeter& meter() const { return meter_; }
  const Steadiness& steadiness() const { return steadiness_; }
  const BreakdownMeter& breakdown() const { return breakdown_; }
  /// The drive's firmware tells it of every command.
  fw::CommandObserver& command_observer() { return book_; }
  void attach(RequestLog& log) { log_ = &log; }
  void attach(Progress& progress) { progress_ = &progress; }
  /// Told when a round of the workload is done.
  void attach(IntervalListener& rounds) { rounds_ = &rounds; }

  void arrived(TimePs now) override { meter_.submitted(now); }
  void record(const FinishedIo& io) override {
    meter_.completed(io.completed, io.op, static_cast<std::uint32_t>(io.bytes), io.completed - io.arrival);
    steadiness_.add(io.completed - io.arrival);
    breakdown_.add(io.op, book_.times_of(io));
    ++finished_;
    if (log_ != nullptr) {
      log_->add({io.op, io.offset, static_cast<std::uint32_t>(io.bytes), io.arrival, io.completed});
    }
    if (progress_ != nullptr) progress_->tick(finished_, io.completed);
  }
  void given_up(TimePs arrival, TimePs now) override { meter_.given_up(arrival, now); }
  void round_done(TimePs now) override {
    if (rounds_ != nullptr) rounds_->on_boundary(now);
  }

 private:
  IoMeter meter_;
  Steadiness steadiness_;
  CommandBook book_;
  BreakdownMeter breakdown_;
  RequestLog* log_ = nullptr;
  Progress* progress_ = nullptr;
  IntervalListener* rounds_ = nullptr;
  std::uint64_t finished_ = 0;
};

} // namespace twinplane::platform
