#include "platform/report/timeline.h"

#include <algorithm>

#include "hw/spec/page_order.h"
#include "platform/report/number_text.h"
#include "platform/report/regions.h"
#include "platform/report/slc_cache.h"

namespace twinplane::platform {
namespace {

constexpr const char* kHeader =
    "start_us,end_us,read_iops,write_iops,read_mb_per_s,write_mb_per_s,"
    "read_latency_mean_us,read_latency_p99_us,write_latency_mean_us,write_latency_p99_us,queue_depth_mean,"
    "planes_reading_mean,planes_programming_mean,planes_erasing_mean,planes_busy_mean,channel_utilisation,"
    "free_blocks,waf";

} // namespace

Timeline::Timeline(const std::filesystem::path& path, const Options& options, IoMeter& meter,
                   TimelineSource& source)
    : file_(path), options_(options), meter_(meter), source_(source), bins_(kLanes, options.interval) {
  std::string header = kHeader;
  for (std::uint32_t t = 0; t < static_cast<std::uint32_t>(options_.cell); ++t) {
    header += std::string(",free_pages_") + page_type_name(options_.cell, static_cast<PageType>(t));
  }
  if (options_.regions) header += region_columns();
  if (options_.slc_cache) header += slc_cache_columns();
  if (options_.energy) header += ",power_mean_mw,power_peak_mw";
  for (std::size_t i = 0; options_.plane_time && i < kPlaneCauses; ++i) {
    header += std::string(",plane_time_") + kPlaneCauseNames[i];
  }
  header +=
      ",core_utilisation,link_to_device_utilisation,link_to_host_utilisation,dram_utilisation,"
      "ecc_utilisation,die_utilisation";
  file_.write(header + "\n");
  meter_.watch(*this, options_.interval);
}

void Timeline::on_boundary(TimePs now) {
  while (bins_.front() + bins_.width() <= now) {
    const std::uint64_t passed = (now - bins_.front()) / bins_.width();
    const std::uint64_t idle = meter_.interval_empty() ? bins_.idle_intervals(passed) : 0;
    const std::uint64_t intervals = std::max<std::uint64_t>(idle, 1);
    close_row(bins_.front() + intervals * bins_.width());
    bins_.advance(intervals);
    if (++rows_of_this_width_ == kRowsPerWidth) {
      bins_.widen();
      rows_of_this_width_ = 0;
    }
  }
  meter_.watch(*this, bins_.front() + bins_.width());
}

void Timeline::finish(TimePs end) {
  on_boundary(end);
  if (end > bins_.front()) close_row(end);
  meter_.unwatch();
  file_.commit();
}

void Timeline::close_row(TimePs end) {
  const TimePs start = bins_.front();
  const double length = static_cast<double>(end - start);
  row_.clear();
  append_us(row_, start);
  cell_end();
  append_us(row_, end);
  cell_end();
  append_rates(length);
  append_latencies(IoOp::read);
  append_latencies(IoOp::write);
  append_fixed(row_, meter_.interval_depth_integral(end) / length, 3);
  cell_end();
  append_activity(length);
  append_gauges(end, length);
  row_.push_back('\n');
  file_.write(row_);
  meter_.fold();
}

void Timeline::append_rates(double length) {
  const double seconds = length / 1e12;
  for (const IoOp op : {IoOp::read, IoOp::write}) {
    append_fixed(row_, static_cast<double>(meter_.interval(op).latency.count()) / seconds, 1);
    cell_end();
  }
  for (const IoOp op : {IoOp::read, IoOp::write}) {
    append_fixed(row_, static_cast<double>(meter_.interval(op).bytes) / 1e6 / seconds, 3);
    cell_end();
  }
}

void Timeline::append_latencies(IoOp op) {
  const LatencyHistogram& latency = meter_.interval(op).latency;
  const bool any = latency.count() != 0;
  if (any) append_fixed(row_, latency.mean() / 1e6, 3);
  cell_end();
  if (any) append_us(row_, *latency.single_percentile(kP99));
  cell_end();
}

void Timeline::append_activity(double length) {
  constexpr auto kBuses = static_cast<std::uint32_t>(Lane::buses);
  std::uint64_t planes = 0;
  for (std::uint32_t lane = 0; lane < kBuses; ++lane) {
    planes += bins_.busy(lane);
    append_fixed(row_, static_cast<double>(bins_.busy(lane)) / length, 3);
    cell_end();
  }
  append_fixed(row_, static_cast<double>(planes) / length, 3);
  cell_end();
  append_fixed(row_, static_cast<double>(bins_.busy(kBuses)) / length / options_.channels, 4);
  cell_end();
}

void Timeline::append_gauges(TimePs end, double length) {
  const TimelineGauges gauges = source_.sample(end);
  append(row_, gauges.free_blocks);
  cell_end();
  if (gauges.waf) append_fixed(row_, *gauges.waf, 4);
  for (std::uint32_t t = 0; t < static_cast<std::uint32_t>(options_.cell); ++t) {
    cell_end();
    append(row_, gauges.free_pages[t]);
  }
  if (options_.regions) append_region_cells(row_, *gauges.ftl, options_.flash);
  if (options_.slc_cache) append_slc_cache_cells(row_, *gauges.ftl);
  if (options_.energy) append_power(gauges, length);
  if (options_.plane_time) append_plane_times(*gauges.plane_times, length);
  append_utilisation(gauges);
}

void Timeline::append_plane_times(const PlaneTimes& until, double length) {
  for (std::size_t i = 0; i < kPlaneCauses; ++i) {
    cell_end();
    append_fixed(row_, static_cast<double>(until[i] - plane_times_before_[i]) / length, 4);
  }
  plane_times_before_ = until;
}

void Timeline::append_power(const TimelineGauges& gauges, double length) {
  const double units = static_cast<double>(bins_.busy(static_cast<std::uint32_t>(Lane::power)));
  cell_end();
  append_fixed(row_, options_.constant_mw + units / length * kMicrowattsPerUnit / 1000, 3);
  cell_end();
  append_fixed(row_, gauges.peak_mw, 3);
}

void Timeline::append_utilisation(const TimelineGauges& gauges) {
  const TimePs passed = gauges.at - sampled_before_;
  for (const auto resource :
       {&SharedBusyTimes::core, &SharedBusyTimes::link_to_device, &SharedBusyTimes::link_to_host,
        &SharedBusyTimes::dram, &SharedBusyTimes::ecc_mean, &SharedBusyTimes::dies_mean}) {
    cell_end();
    if (passed == 0) continue;
    // A die that waits for an operation that has been launched ahead may seem to have worked less than
    // before.
    TimePs& before = busy_before_.*resource;
    const TimePs now = std::max(gauges.busy.*resource, before);
    append_fixed(row_, static_cast<double>(now - before) / static_cast<double>(passed), 4);
    before = now;
  }
  sampled_before_ = gauges.at;
}

} // namespace twinplane::platform
