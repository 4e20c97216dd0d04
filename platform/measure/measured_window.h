// The drive's counters between the end of the ramp (without one: the first arrival) and the last completion.
#pragma once

#include <array>
#include <memory>

#include "firmware/ftl/statistics.h"
#include "platform/fw_host/image_meter.h"
#include "platform/measure/host_meter.h"
#include "platform/observe/energy_meter.h"
#include "platform/observe/plane_time/account.h"
#include "platform/report/summary.h"
#include "platform/report/utilisation.h"
#include "platform/ssd/ssd.h"

namespace twinplane::platform {

/// What was counted after `mark`; gauges as they are now.
fw::FtlStatistics counted_since(const fw::FtlStatistics& mark, const fw::FtlStatistics& now);

SharedBusyTimes shared_busy_times(const Ssd& ssd, TimePs now);

class MeasuredWindow final : public WindowListener {
 public:
  /// Of a run with a ramp it keeps what the hardware has counted by its end.
  MeasuredWindow(const Ssd& ssd, bool has_ramp) : ssd_(ssd), has_ramp_(has_ramp) {}

  /// Takes its energy over the same time.
  void measure(EnergyMeter& meter, const EnergyModel& model);

  /// Keeps the account over the same time.
  void measure(PlaneTimeAccount& account) { plane_time_ = &account; }

  /// Counts the image's instructions over the same time.
  void measure(ImageMeter& image) { image_ = &image; }

  void on_begin(TimePs now) override;
  void on_end(TimePs now) override;

  /// The firmware's counters without the ramp's, all of them before it has ended.
  fw::FtlStatistics counted() const { return counted_since(ftl_, ssd_.firmware().window().statistics()); }
  /// Takes what the hardware counted in the ramp out of a summary of the whole run.
  void leave_out_ramp(Summary& summary) const;
  /// Up to the last completion, or to now when requests are still under way.
  Utilisation utilisation() const;
  /// The same of energy; not modelled without measure().
  EnergySummary energy() const;
  /// The same of the planes' time.
  PlaneTimeSummary plane_time() const;
  /// What the image has executed; without one, nothing.
  FirmwareSummary firmware() const;

 private:
  struct Energy {
    EnergyCounts counts;
    std::array<double, kEnergyCauses> nj{};
  };
  Energy energy_at(TimePs now) const;
  PlaneTimeSummary planes_until(TimePs now) const;

  const Ssd& ssd_;
  const bool has_ramp_;
  std::unique_ptr<Summary> in_ramp_; // null until it has ended
  EnergyMeter* meter_ = nullptr;
  PlaneTimeAccount* plane_time_ = nullptr;
  ImageMeter* image_ = nullptr;
  PlaneTimeSummary planes_at_end_;
  EnergyModel model_;
  Energy energy_at_begin_, energy_at_end_;
  fw::FtlStatistics ftl_;
  BusyTimes busy_at_begin_;
  BusyTimes busy_at_end_;
  TimePs begin_ = kNever;
  TimePs end_ = kNever;
};

} // namespace twinplane::platform
