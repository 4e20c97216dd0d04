#include "platform/report/latency_histogram.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

namespace twinplane::platform {

namespace {

/// Sorts by digits of 11 bits, the lowest first: three passes for latencies that differ by milliseconds, where comparing
/// takes four times as long.
void sort_by_digits(std::vector<std::uint64_t>& values, std::uint64_t lowest, std::uint64_t highest) {
  constexpr std::uint32_t kBits = 11;
  constexpr std::uint64_t kDigit = (1u << kBits) - 1;
  std::vector<std::uint64_t> sorted(values.size());
  for (std::uint32_t shift = 0; shift < 64 && (highest - lowest) >> shift != 0; shift += kBits) {
    std::array<std::uint32_t, kDigit + 2> at{}; // where the values of each digit go
    for (const std::uint64_t value : values) ++at[((value - lowest) >> shift & kDigit) + 1];
    std::partial_sum(at.begin(), at.end(), at.begin());
    for (const std::uint64_t value : values) sorted[at[(value - lowest) >> shift & kDigit]++] = value;
    values.swap(sorted);
  }
}

} // namespace

std::uint32_t LatencyHistogram::bucket_of(std::uint64_t value, std::uint32_t bits) {
  if (value >> bits == 0) return static_cast<std::uint32_t>(value);
  const std::uint32_t shift = 63u - static_cast<std::uint32_t>(__builtin_clzll(value)) - bits;
  return (shift << bits) + static_cast<std::uint32_t>(value >> shift);
}

std::uint64_t LatencyHistogram::edge_of(std::uint32_t bucket) const {
  std::uint64_t low = bucket;
  std::uint64_t width = 1;
  if (bucket >= 2u << kSubBits) {
    const std::uint32_t shift = (bucket >> kSubBits) - 1;
    low = std::uint64_t{bucket - (shift << kSubBits)} << shift;
    width <<= shift;
  }
  return std::min(low + (width - 1), max_);
}

void LatencyHistogram::add_to_bucket(std::uint32_t bucket, std::uint64_t count) {
  if (bucket >= counts_.size()) counts_.resize(bucket + std::size_t{1});
  counts_[bucket] += count;
}

void LatencyHistogram::give_up_samples() {
  for (const std::uint64_t value : samples_) add_to_bucket(bucket_of(value, kSubBits), 1);
  samples_ = {};
  sorted_ = 0;
}

void LatencyHistogram::count_one(std::uint64_t value) {
  if (!samples_.empty()) give_up_samples();
  add_to_bucket(bucket_of(value, kSubBits), 1);
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  if (count_ <= kExactSamples) {
    samples_.insert(samples_.end(), other.samples_.begin(), other.samples_.end());
    return;
  }
  give_up_samples();
  for (const std::uint64_t value : other.samples_) add_to_bucket(bucket_of(value, kSubBits), 1);
  for (std::uint32_t i = 0; i < other.counts_.size(); ++i) {
    if (other.counts_[i] != 0) add_to_bucket(i, other.counts_[i]);
  }
}

void LatencyHistogram::clear() {
  samples_.clear();
  counts_.clear();
  sorted_ = 0;
  count_ = 0;
  sum_ = 0;
  min_ = ~std::uint64_t{0};
  max_ = 0;
}

double LatencyHistogram::mean() const {
  return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

/// The nearest rank, from 1 on.
std::uint64_t LatencyHistogram::wanted(PercentileRank rank) const {
  constexpr std::uint64_t kWhole = 100'000;
  const std::uint64_t parts = count_ / kWhole * rank + (count_ % kWhole * rank + kWhole - 1) / kWhole;
  return std::clamp<std::uint64_t>(parts, 1, count_);
}

const std::vector<std::uint64_t>& LatencyHistogram::sorted() const {
  constexpr std::size_t kMany = 2000;
  if (sorted_ == samples_.size()) return samples_;
  const auto added = samples_.begin() + static_cast<std::ptrdiff_t>(sorted_);
  if (samples_.size() - sorted_ < kMany) {
    std::sort(added, samples_.end());
    std::inplace_merge(samples_.begin(), added, samples_.end());
  } else {
    sort_by_digits(samples_, min_, max_);
  }
  sorted_ = samples_.size();
  return samples_;
}

std::optional<std::uint64_t> LatencyHistogram::percentile(PercentileRank rank) const {
  if (count_ == 0) return std::nullopt;
  std::uint64_t left = wanted(rank);
  if (!samples_.empty()) return sorted()[left - 1];
  std::uint32_t bucket = bucket_of(min_, kSubBits);
  while (counts_[bucket] < left) left -= counts_[bucket++];
  return edge_of(bucket);
}

std::optional<std::uint64_t> LatencyHistogram::single_percentile(PercentileRank rank) const {
  if (sorted_ == samples_.size()) return percentile(rank); // in order, or there are none
  const auto place = samples_.begin() + static_cast<std::ptrdiff_t>(wanted(rank) - 1);
  std::nth_element(samples_.begin(), place, samples_.end());
  sorted_ = 0;
  return *place;
}

std::vector<LatencyHistogram::Step> LatencyHistogram::steps() const {
  return samples_.empty() ? steps_of_buckets() : steps_of_samples();
}

std::vector<LatencyHistogram::Step> LatencyHistogram::steps_of_samples() const {
  std::vector<Step> out;
  const auto& samples = sorted();
  const PercentileRank* rank = std::begin(kReportedRanks);
  for (auto from = samples.begin(); from != samples.end();) {
    const std::uint32_t bucket = bucket_of(*from, kStepBits);
    auto to = std::partition_point(
        from, samples.end(), [&](std::uint64_t value) { return bucket_of(value, kStepBits) == bucket; });
    const auto place = [&] { return samples.begin() + static_cast<std::ptrdiff_t>(wanted(*rank) - 1); };
    while (rank != std::end(kReportedRanks) && place() < from) ++rank;
    if (rank != std::end(kReportedRanks) && place() < to) to = std::upper_bound(from, to, *place());
    out.push_back({*(to - 1), static_cast<std::uint64_t>(to - from)});
    from = to;
  }
  return out;
}

std::vector<LatencyHistogram::Step> LatencyHistogram::steps_of_buckets() const {
  std::vector<Step> out;
  Step step;
  std::uint64_t seen = 0;
  const PercentileRank* rank = std::begin(kReportedRanks);
  for (std::uint32_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    const std::uint64_t value = edge_of(i);
    if (step.count != 0 && bucket_of(value, kStepBits) != bucket_of(step.value, kStepBits)) {
      out.push_back(step);
      step.count = 0;
    }
    step.value = value;
    step.count += counts_[i];
    seen += counts_[i];
    bool ends = false;
    for (; rank != std::end(kReportedRanks) && wanted(*rank) <= seen; ++rank) ends = true;
    if (!ends) continue;
    out.push_back(step);
    step.count = 0;
  }
  if (step.count != 0) out.push_back(step);
  return out;
}

} // namespace twinplane::platform
