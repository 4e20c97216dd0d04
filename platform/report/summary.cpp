#include "platform/report/summary.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "platform/report/number_text.h"

namespace twinplane::platform {
namespace {

constexpr double kPsPerNs = 1e3;
constexpr double kPsPerS = 1e12;

HostDirection direction(const IoTotals& totals, TimePs measured) {
  HostDirection d;
  d.count = totals.latency.count();
  d.bytes = totals.bytes;
  if (measured != 0) {
    const double seconds = static_cast<double>(measured) / kPsPerS;
    d.iops = static_cast<double>(d.count) / seconds;
    d.mb_per_s = static_cast<double>(d.bytes) / 1e6 / seconds;
  }
  d.latency = latency_ns(totals.latency);
  return d;
}

} // namespace

std::uint64_t Violations::total() const {
  return pac + bac + order + erase_before_program + partial_limit + protocol + distinct_planes + same_lun +
         bad_address + slc_mode + busy + suspend + write_protect;
}

std::uint64_t MonitorSummary::total() const {
  return std::accumulate(findings.begin(), findings.end(), std::uint64_t{0});
}

std::uint64_t NandSummary::reads() const {
  return std::accumulate(reads_by_type.begin(), reads_by_type.end(), reads_slc);
}
std::uint64_t NandSummary::programs() const {
  return std::accumulate(programs_by_type.begin(), programs_by_type.end(), programs_slc);
}

LatencyNs latency_ns(const LatencyHistogram& h) {
  LatencyNs l;
  l.count = h.count();
  if (l.count == 0) return l;
  const auto at = [&h](PercentileRank rank) { return static_cast<double>(*h.percentile(rank)) / kPsPerNs; };
  l.mean = h.mean() / kPsPerNs;
  l.min = static_cast<double>(h.min()) / kPsPerNs;
  l.max = static_cast<double>(h.max()) / kPsPerNs;
  l.p50 = at(kP50);
  l.p90 = at(kP90);
  l.p95 = at(kP95);
  l.p99 = at(kP99);
  l.p99_9 = at(kP99_9);
  l.p99_99 = at(kP99_99);
  l.p99_999 = at(kP99_999);
  return l;
}

void fill_host(HostSummary& host, const IoMeter& meter) {
  const TimePs measured = meter.measured();
  host.read = direction(meter.total(IoOp::read), measured);
  host.write = direction(meter.total(IoOp::write), measured);
  host.trim = direction(meter.total(IoOp::trim), measured);
  host.flush = direction(meter.total(IoOp::flush), measured);
  host.measured_ns = static_cast<double>(measured) / kPsPerNs;
  host.queue_depth_mean = meter.mean_outstanding();
  host.littles_law.reset();
  if (host.queue_depth_mean <= 0) return;
  double latencies = 0;
  for (const IoOp op : {IoOp::read, IoOp::write, IoOp::trim, IoOp::flush})
    latencies += meter.total(op).latency.sum();
  const double in_flight = host.queue_depth_mean * static_cast<double>(measured);
  host.littles_law = latencies / (in_flight + meter.carried());
}

void fill_traces(HostSummary& host, const TraceMeters& traces) {
  const auto measured = static_cast<TimePs>(host.measured_ns * kPsPerNs);
  for (const TraceMeter& meter : traces.all()) {
    TraceSummary t;
    t.source = meter.name;
    t.failed = meter.failed;
    for (const auto& [op, member] : {std::pair{IoOp::read, &TraceSummary::read},
                                     {IoOp::write, &TraceSummary::write},
                                     {IoOp::trim, &TraceSummary::trim},
                                     {IoOp::flush, &TraceSummary::flush}}) {
      t.*member = direction(meter.totals[static_cast<std::size_t>(op)], measured);
    }
    host.traces.push_back(std::move(t));
  }
}

void fill_breakdown(HostSummary& host, const BreakdownMeter& meter) {
  host.read.breakdown = meter.mean(IoOp::read);
  host.write.breakdown = meter.mean(IoOp::write);
  host.trim.breakdown = meter.mean(IoOp::trim);
  host.flush.breakdown = meter.mean(IoOp::flush);
  host.slowest_tenth = meter.slowest_tenth();
}

Limit limit_of(const Summary& summary) {
  Load load;
  load.slowest = summary.host.slowest_tenth;
  const Json::json_pointer mode("/host/mode");
  load.arrives_by_itself = summary.config && summary.config->contains(mode) &&
                           (*summary.config)[mode] == "open" && !falls_behind(summary);
  return limit_of(summary.utilisation, load);
}

void fill_ftl(Summary& summary, const fw::FtlStatistics& c) {
  summary.ftl.counters = c;
}

std::uint64_t DrainSummary::left_by_host() const {
  std::uint64_t programmed = 0;
  for (const fw::ProgramCause cause : {fw::ProgramCause::host, fw::ProgramCause::partial_rmw})
    programmed += written.programmed[static_cast<std::size_t>(cause)];
  return programmed - std::min(programmed, host_bytes_before);
}

WearSummary wear_of(const std::vector<std::uint32_t>& erases) {
  WearSummary w;
  if (erases.empty()) return w;
  const auto [min, max] = std::minmax_element(erases.begin(), erases.end());
  w.min = *min;
  w.max = *max;
  const double n = static_cast<double>(erases.size());
  double sum = 0;
  for (const std::uint32_t e : erases) sum += e;
  w.mean = sum / n;
  double squares = 0;
  for (const std::uint32_t e : erases) squares += (e - w.mean) * (e - w.mean);
  w.stddev = std::sqrt(squares / n);
  return w;
}

std::optional<double> FtlSummary::over_provisioning() const {
  if (raw_bytes == 0) return std::nullopt;
  return 1 - static_cast<double>(exported_bytes) / static_cast<double>(raw_bytes);
}

std::optional<double> WearSummary::evenness() const {
  if (max == 0) return std::nullopt;
  return mean / static_cast<double>(max);
}

std::uint64_t peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::string latency_csv(const IoMeter& meter) {
  std::string out = "op,latency_ns,count,cumulative\n";
  const struct {
    IoOp op;
    const char* name;
  } kinds[] = {{IoOp::read, "read"}, {IoOp::write, "write"}, {IoOp::trim, "trim"}, {IoOp::flush, "flush"}};
  for (const auto& kind : kinds) {
    const IoTotals& totals = meter.total(kind.op);
    std::uint64_t seen = 0;
    for (const LatencyHistogram::Step& step : totals.latency.steps()) {
      seen += step.count;
      out.append(kind.name).push_back(',');
      append_ns(out, step.value);
      out.push_back(',');
      append(out, step.count);
      out.push_back(',');
      append_fixed(out, static_cast<double>(seen) / static_cast<double>(totals.latency.count()), 9);
      out.push_back('\n');
    }
  }
  return out;
}

} // namespace twinplane::platform
