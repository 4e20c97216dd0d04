#include "platform/report/io_meter.h"

#include <algorithm>

namespace twinplane::platform {

bool IoMeter::interval_empty() const {
  return std::all_of(interval_.begin(), interval_.end(),
                     [](const IoTotals& t) { return t.latency.count() == 0; });
}

double IoMeter::interval_depth_integral(TimePs at) {
  if (at > last_) integrate(at);
  return static_cast<double>(depth_);
}

void IoMeter::fold() {
  for (std::uint32_t i = 0; i < kIoOps; ++i) {
    folded_[i].bytes += interval_[i].bytes;
    folded_[i].latency.merge(interval_[i].latency);
    interval_[i].bytes = 0;
    interval_[i].latency.clear();
  }
  folded_depth_ += depth_;
  depth_ = 0;
}

const IoTotals& IoMeter::total(IoOp op) const {
  const auto i = static_cast<std::uint32_t>(op);
  if (interval_[i].latency.count() == 0) return folded_[i];
  if (folded_[i].latency.count() == 0) return interval_[i];
  IoTotals& sum = totals_[i];
  folded_[i].latency.sort();
  sum = folded_[i];
  sum.bytes += interval_[i].bytes;
  sum.latency.merge(interval_[i].latency);
  return sum;
}

IoCounts IoMeter::counts(IoOp op) const {
  const auto i = static_cast<std::uint32_t>(op);
  const IoTotals& before = folded_[i];
  const IoTotals& open = interval_[i];
  return {before.latency.count() + open.latency.count(), before.bytes + open.bytes,
          before.latency.sum() + open.latency.sum()};
}

double IoMeter::mean_outstanding() const {
  const TimePs time = measured();
  return time == 0 ? 0 : static_cast<double>(folded_depth_ + depth_) / static_cast<double>(time);
}

TimePs IoMeter::measured() const {
  return last_completion_ > first_submission_ ? last_completion_ - first_submission_ : 0;
}

void IoMeter::restart(TimePs now) {
  account(now);
  fold();
  carried_ += static_cast<double>(folded_depth_);
  for (IoTotals& t : folded_) {
    carried_ -= t.latency.sum();
    t.bytes = 0;
    t.latency.clear();
  }
  folded_depth_ = 0;
  restarted_ = now;
  first_submission_ = now;
  last_completion_ = now;
}

} // namespace twinplane::platform
