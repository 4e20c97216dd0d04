// timeline.csv: one row per interval of simulated time.
//
//   start_us end_us                        the interval; a stretch without any activity is one long row
//   read_iops write_iops read_mb_per_s write_mb_per_s            completions (MB = 10^6 bytes)
//   read_latency_mean_us read_latency_p99_us write_latency_...   of the requests completed in it
//   queue_depth_mean                       requests in flight, averaged over time
//   planes_reading_mean planes_programming_mean planes_erasing_mean planes_busy_mean
//   channel_utilisation                    busy time of the buses / (interval * channels), 0 .. 1
//   free_blocks waf                        at the end of the row; waf since the start of the run
//   free_pages_lsb ...                     one column for each page type of the cell, at the end of the row
//   hot_blocks ...                         of drives with regions of blocks: regions.h
//   slc_work_blocks ...                    of drives with an SLC-mode cache: slc_cache.h
//   power_mean_mw power_peak_mw            of runs with report.energy: arrays, buses, and what is drawn all
//                                          the time (energy.h); the peak is since the sample of the row before
//   plane_time_read_host ...               of runs with report.plane_time: the mean number of planes that
//                                          each cause has (plane_time.h); their sum is the number of planes
//   core_utilisation link_to_device_utilisation link_to_host_utilisation dram_utilisation ecc_utilisation
//   die_utilisation                        0 .. 1, between the samples of this row and the row before
//
// A cell without a defined value (latency without requests, waf before the first host write, utilisation of
// rows that the same event has closed) is empty.
// No events are spent on the clock: rows are closed by the first host event at or after their end, so
// the columns from free_blocks on are those of that event. After kRowsPerWidth rows the interval doubles: the
// file grows with the logarithm of simulated time. It doubles as well where flash works on for ActivityBins::kMostAhead
// intervals without an event of the host.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

#include "firmware/ftl/partition/write_cost.h"
#include "firmware/ftl/statistics.h"
#include "hw/spec/geometry.h"
#include "hw/spec/sim_time.h"
#include "platform/report/activity_bins.h"
#include "platform/report/io_meter.h"
#include "platform/report/output_file.h"
#include "platform/report/plane_time.h"
#include "platform/report/utilisation.h"

namespace twinplane::platform {

/// Lanes of the timeline's ActivityBins; observers of planes and buses feed them.
enum class Lane : std::uint32_t { planes_reading, planes_programming, planes_erasing, buses, power };
constexpr std::uint32_t kLanes = 5;
/// Of Lane::power.
constexpr std::int64_t kMicrowattsPerUnit = 100;

/// Values that are sampled, not integrated.
struct TimelineGauges {
  std::uint64_t free_blocks = 0;
  std::optional<double> waf; // since the start of the run
  std::array<std::uint64_t, kMaxPageTypes> free_pages{};
  double peak_mw = 0;                      // where Options::energy is set
  const PlaneTimes* plane_times = nullptr; // until the row's end, where Options::plane_time is set
  const fw::FtlStatistics* ftl = nullptr;  // looked at where Options::regions or slc_cache is set
  TimePs at = 0;                           // when this was sampled
  SharedBusyTimes busy;
};

class TimelineSource {
 public:
  /// For the row that ends at `end`.
  virtual TimelineGauges sample(TimePs end) = 0;

 protected:
  ~TimelineSource() = default;
};

class Timeline final : public IntervalListener {
 public:
  static constexpr std::uint32_t kRowsPerWidth = 2048;

  struct Options {
    TimePs interval = ms(1);
    std::uint32_t channels = 1;
    CellType cell = CellType::slc;
    bool regions = false; // of blocks: several, which have columns
    bool slc_cache = false;
    fw::FlashCosts flash{};
    bool energy = false;
    double constant_mw = 0; // drawn all the time
    bool plane_time = false;
  };

  /// Registers itself with `meter`; meter and source must outlive it. Throws InputError when the file
  /// cannot be created.
  Timeline(const std::filesystem::path& path, const Options& options, IoMeter& meter, TimelineSource& source);

  /// Plane and bus activity goes in here.
  ActivityBins& activity() { return bins_; }

  void on_boundary(TimePs now) override;
  /// Closes the last row at `end` and gives the file its name.
  void finish(TimePs end);

 private:
  void close_row(TimePs end);
  void append_rates(double length);
  void append_latencies(IoOp op);
  void append_activity(double length);
  void append_gauges(TimePs end, double length);
  void append_plane_times(const PlaneTimes& until, double length);
  void append_power(const TimelineGauges& gauges, double length);
  void append_utilisation(const TimelineGauges& gauges);
  void cell_end() { row_.push_back(','); }

  OutputFile file_;
  Options options_;
  IoMeter& meter_;
  TimelineSource& source_;
  ActivityBins bins_;
  std::string row_;
  std::uint32_t rows_of_this_width_ = 0;
  SharedBusyTimes busy_before_; // at the sample of the row before
  TimePs sampled_before_ = 0;
  PlaneTimes plane_times_before_{};
};

} // namespace twinplane::platform
