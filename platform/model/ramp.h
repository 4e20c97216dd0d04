// The firmware's counters from the end of the ramp on.
#pragma once

#include "firmware/ftl/statistics.h"
#include "platform/model/ssd.h"
#include "platform/report/io_meter.h"

namespace twinplane::platform {

/// What was counted after `mark`; gauges as they are now.
fw::FtlStatistics counted_since(const fw::FtlStatistics& mark, const fw::FtlStatistics& now);

class RampMark final : public IntervalListener {
 public:
  explicit RampMark(const Ssd& ssd) : ssd_(ssd) {}

  /// The ramp ends.
  void on_boundary(TimePs /*now*/) override { at_ = ssd_.firmware().firmware().ftl().statistics(); }

  /// The firmware's counters without the ramp's, all of them before it has ended.
  fw::FtlStatistics counted() const {
    return counted_since(at_, ssd_.firmware().firmware().ftl().statistics());
  }

 private:
  const Ssd& ssd_;
  fw::FtlStatistics at_;
};

} // namespace twinplane::platform
