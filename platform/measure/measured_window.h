// The drive's counters between the end of the ramp (without one: the first arrival) and the last completion. What
// it does behind that, with the write buffer's rest and what collects for it, is told apart.
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
  MeasuredWindow(const Ssd& ssd, std::uint64_t ramp_ios) : ssd_(ssd), ramp_ios_(ramp_ios) {}

  /// Takes its energy over the same time.
  void measure(EnergyMeter& meter, const EnergyModel& model);

  /// Keeps the account over the same time.
  void measure(PlaneTimeAccount& account) { plane_time_ = &account; }

  /// Counts the image's instructions over the same time.
  void measure(ImageMeter& image) { image_ = &image; }

  void on_begin(TimePs now) override;
  void on_end(TimePs now) override;

  /// Takes what firmware and hardware counted before the window and behind it out of a summary of the whole run, and
  /// says what came behind it. Without a window, as no request has come, all stays.
  void limit(Summary& summary) const;
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
  /// What the hardware has counted so far.
  std::unique_ptr<Summary> hardware() const;
  DrainSummary drain(const Summary& hardware, const fw::FtlStatistics& ftl) const;
  PlaneTimeSummary planes_until(TimePs now) const;

  const Ssd& ssd_;
  const std::uint64_t ramp_ios_;
  std::unique_ptr<Summary> at_begin_, at_end_; // of the hardware; null before
  EnergyMeter* meter_ = nullptr;
  PlaneTimeAccount* plane_time_ = nullptr;
  ImageMeter* image_ = nullptr;
  PlaneTimeSummary planes_at_end_;
  EnergyModel model_;
  Energy energy_at_begin_, energy_at_end_;
  fw::FtlStatistics ftl_at_begin_, ftl_at_end_;
  BusyTimes busy_at_begin_;
  BusyTimes busy_at_end_;
  TimePs begin_ = kNever;
  TimePs end_ = kNever;
};

} // namespace twinplane::platform
