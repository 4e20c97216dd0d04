// What each round of a workload did: the differences of the meters and of the firmware's counters
// between the ends of rounds. Long-term runs are read from here.
#pragma once

#include <vector>

#include "firmware/ftl/statistics.h"
#include "platform/report/io_meter.h"
#include "platform/report/summary.h"
#include "platform/ssd/ssd.h"

namespace twinplane::platform {

class RoundLog final : public IntervalListener {
 public:
  RoundLog(const Ssd& ssd, const IoMeter& meter, std::uint64_t ramp_ios)
      : ssd_(ssd), meter_(meter), ramp_ios_(ramp_ios) {}

  /// What has been counted so far was preparation.
  void begin() { last_.ftl = ssd_.firmware().window().statistics(); }
  /// A round ended.
  void on_boundary(TimePs now) override;

  const std::vector<RoundSummary>& rounds() const { return rounds_; }

 private:
  /// Sums since the start of the run.
  struct Mark {
    TimePs at = 0;
    std::uint64_t reads = 0, writes = 0, of_ramp = 0, bytes_written = 0;
    double read_ps = 0, write_ps = 0;
    fw::FtlStatistics ftl;
  };
  Mark mark(TimePs now) const;

  const Ssd& ssd_;
  const IoMeter& meter_;
  const std::uint64_t ramp_ios_;
  Mark last_;
  std::vector<RoundSummary> rounds_;
};

} // namespace twinplane::platform
