#include "platform/trace/trace_info.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "platform/trace/burst_meter.h"
#include "platform/trace/page_counts.h"

namespace twinplane::platform {
namespace {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint32_t kSmall = 4096;
constexpr std::uint32_t kLargeWrite = 8192;
constexpr std::uint32_t kHotWrites = 4;
constexpr std::uint64_t kPeakWindowNs = 100'000'000;

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::array<double, 3> shares_of(const std::array<std::uint64_t, 3>& parts) {
  const std::uint64_t whole = parts[0] + parts[1] + parts[2];
  return {ratio(parts[0], whole), ratio(parts[1], whole), ratio(parts[2], whole)};
}

/// Sorts `counts`; shares of their sum that the largest 1, 5, 20 % of them make up.
std::array<double, 3> hottest_shares(std::vector<std::uint32_t>& counts, std::uint64_t total) {
  std::array<double, 3> shares{};
  std::sort(counts.begin(), counts.end(), std::greater<>());
  std::uint64_t sum = 0;
  std::size_t counted = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double hottest = static_cast<double>(counts.size()) * TraceInfo::kHottestPercent[i] / 100.0;
    for (; counted < static_cast<std::size_t>(std::ceil(hottest)); ++counted) sum += counts[counted];
    shares[i] = ratio(sum, total);
  }
  return shares;
}

class SizeCounter {
 public:
  void add(std::uint32_t bytes) { ++count_[bytes]; }

  SizeStatistics statistics() const {
    SizeStatistics result;
    for (const auto& [bytes, requests] : count_) {
      result.requests += requests;
      result.bytes += bytes * requests;
      result.max_bytes = bytes;
    }
    result.mean_bytes = ratio(result.bytes, result.requests);
    result.p50_bytes = percentile(50, result.requests);
    result.p90_bytes = percentile(90, result.requests);
    result.p99_bytes = percentile(99, result.requests);
    return result;
  }

  std::uint64_t above(std::uint32_t bytes) const {
    std::uint64_t requests = 0;
    for (auto size = count_.upper_bound(bytes); size != count_.end(); ++size) requests += size->second;
    return requests;
  }

 private:
  std::uint32_t percentile(std::uint64_t percent, std::uint64_t total) const {
    std::uint64_t seen = 0;
    for (const auto& [bytes, requests] : count_) {
      seen += requests;
      if (seen * 100 >= total * percent) return bytes;
    }
    return 0;
  }

  std::map<std::uint32_t, std::uint64_t> count_;
};

/// Mean and variance of the time between arrivals (Welford), and the busiest window.
class ArrivalCounter {
 public:
  void add(std::uint64_t arrival_ns) {
    if (arrivals_++ > 0) {
      const double gap = static_cast<double>(arrival_ns - last_);
      const double delta = gap - mean_;
      mean_ += delta / static_cast<double>(arrivals_ - 1);
      squares_ += delta * (gap - mean_);
    } else {
      first_ = arrival_ns;
    }
    last_ = arrival_ns;
    const std::uint64_t window = (arrival_ns - first_) / kPeakWindowNs;
    bursts_.add(arrival_ns);
    in_window_ = window == window_ ? in_window_ + 1 : 1;
    window_ = window;
    peak_ = std::max(peak_, in_window_);
  }

  void finish(TraceInfo& info) const {
    info.span_ns = last_ - first_;
    info.burst_bias = bursts_.bias();
    const double seconds = static_cast<double>(info.span_ns) * 1e-9;
    if (info.span_ns != 0) info.requests_per_s = static_cast<double>(arrivals_) / seconds;
    info.peak_requests_per_s = static_cast<double>(peak_) * 1e9 / static_cast<double>(kPeakWindowNs);
    if (arrivals_ > 1 && mean_ > 0.0) {
      info.interarrival_cv2 = squares_ / static_cast<double>(arrivals_ - 1) / (mean_ * mean_);
    }
  }

 private:
  std::uint64_t arrivals_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
  double mean_ = 0.0;
  double squares_ = 0.0;
  std::uint64_t window_ = 0;
  std::uint64_t in_window_ = 0;
  std::uint64_t peak_ = 0;
  BurstMeter bursts_;
};

/// Where writes start, and which of them start where another one did.
class AddressCounter {
 public:
  void add(const IoRecord& write) {
    PageCount& count = starts_.at(write.offset);
    ++writes_;
    if (count.writes++ != 0) ++rewrites_[write.length <= kSmall ? 0 : write.length <= kLargeWrite ? 1 : 2];
  }

  void finish(TraceInfo& info) const {
    std::vector<std::uint32_t> counts;
    std::uint64_t hot = 0;
    for (const PageCount& start : starts_.slots()) {
      if (start.writes == 0) continue;
      counts.push_back(start.writes);
      hot += start.writes >= kHotWrites ? 1 : 0;
    }
    info.write_addresses = counts.size();
    info.rewrite_ratio = ratio(rewrites_[0] + rewrites_[1] + rewrites_[2], writes_);
    info.rewrite_size_share = shares_of(rewrites_);
    info.hot_write_ratio = ratio(hot, counts.size());
    info.hottest_address_share = hottest_shares(counts, writes_);
  }

 private:
  PageCounts starts_; // by byte address
  std::uint64_t writes_ = 0;
  std::array<std::uint64_t, 3> rewrites_{}; // by size
};

class Collector {
 public:
  void add(const IoRecord& record) {
    ++info_.requests;
    arrivals_.add(record.arrival_ns);
    info_.end_bytes = std::max(info_.end_bytes, record.offset + record.length);
    switch (record.op) {
      case IoOp::read:
        add_transfer(record, 0);
        break;
      case IoOp::write:
        add_transfer(record, 1);
        addresses_.add(record);
        break;
      case IoOp::trim:
        ++info_.trims;
        break;
      case IoOp::flush:
        ++info_.flushes;
        break;
    }
  }

  TraceInfo finish() {
    info_.reads = sizes_[0].statistics();
    info_.writes = sizes_[1].statistics();
    info_.write_ratio = ratio(info_.writes.requests, info_.requests);
    info_.large_write_ratio = ratio(sizes_[1].above(kLargeWrite), info_.writes.requests);
    info_.sequential_ratio = ratio(sequential_, info_.reads.requests + info_.writes.requests);
    const std::uint64_t transfers = info_.reads.requests + info_.writes.requests;
    info_.mean_bytes = ratio(info_.reads.bytes + info_.writes.bytes, transfers);
    info_.small_ratio =
        transfers == 0 ? 0.0 : 1.0 - ratio(sizes_[0].above(kSmall) + sizes_[1].above(kSmall), transfers);
    arrivals_.finish(info_);
    addresses_.finish(info_);
    finish_pages();
    return info_;
  }

 private:
  void add_transfer(const IoRecord& record, std::size_t kind) {
    sizes_[kind].add(record.length);
    sequential_ += seen_[kind] && record.offset == next_[kind] ? 1 : 0;
    seen_[kind] = true;
    next_[kind] = record.offset + record.length;
    const std::uint64_t last = (record.offset + record.length - 1) / kPageBytes;
    for (std::uint64_t page = record.offset / kPageBytes; page <= last; ++page) {
      PageCount& count = pages_.at(page);
      ++(kind == 0 ? count.reads : count.writes);
    }
  }

  void finish_pages() {
    std::vector<std::uint32_t> writes;
    std::uint64_t page_writes = 0;
    for (const PageCount& count : pages_.slots()) {
      info_.read_pages += count.reads > 0 ? 1 : 0;
      if (count.writes == 0) continue;
      writes.push_back(count.writes);
      page_writes += count.writes;
    }
    info_.footprint_pages = pages_.size();
    info_.written_pages = writes.size();
    info_.update_ratio = ratio(page_writes - writes.size(), page_writes);
    info_.hottest_share = hottest_shares(writes, page_writes);
  }

  TraceInfo info_;
  std::array<SizeCounter, 2> sizes_; // reads, writes
  std::array<std::uint64_t, 2> next_{};
  std::array<bool, 2> seen_{};
  std::uint64_t sequential_ = 0;
  ArrivalCounter arrivals_;
  AddressCounter addresses_;
  PageCounts pages_;
};

} // namespace

TraceInfo collect_info(IoSource& source) {
  Collector collector;
  IoRecord record;
  while (source.next(record)) collector.add(record);
  return collector.finish();
}

} // namespace twinplane::platform
