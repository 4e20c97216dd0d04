#include "platform/report/latency_histogram.h"

#include <algorithm>

namespace twinplane::platform {

std::uint64_t LatencyHistogram::lowest_of(std::uint32_t index) {
  if (index < 2 * kSubBuckets) return index;
  const std::uint32_t shift = index / kSubBuckets - 1;
  return std::uint64_t{index % kSubBuckets + kSubBuckets} << shift;
}

std::uint64_t LatencyHistogram::highest_of(std::uint32_t index) {
  if (index < 2 * kSubBuckets) return index;
  const std::uint32_t shift = index / kSubBuckets - 1;
  return lowest_of(index) + ((std::uint64_t{1} << shift) - 1);
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
  if (other.count_ == 0) return;
  const std::uint32_t last = index_of(other.max_);
  for (std::uint32_t i = index_of(other.min_); i <= last; ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

void LatencyHistogram::clear() {
  if (count_ == 0) return;
  std::fill(counts_.begin() + index_of(min_), counts_.begin() + index_of(max_) + 1, 0);
  count_ = 0;
  sum_ = 0;
  min_ = ~std::uint64_t{0};
  max_ = 0;
}

double LatencyHistogram::mean() const {
  return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

std::optional<std::uint64_t> LatencyHistogram::percentile(PercentileRank rank) const {
  if (count_ == 0) return std::nullopt;
  constexpr std::uint64_t kWhole = 100'000;
  const std::uint64_t parts = count_ / kWhole * rank + (count_ % kWhole * rank + kWhole - 1) / kWhole;
  const std::uint64_t wanted = std::clamp<std::uint64_t>(parts, 1, count_);
  std::uint64_t seen = 0;
  std::uint32_t i = index_of(min_);
  for (;; ++i) {
    seen += counts_[i];
    if (seen >= wanted) break;
  }
  const std::uint64_t low = lowest_of(i);
  return std::clamp(low + (highest_of(i) - low) / 2, min_, max_);
}

std::vector<LatencyHistogram::Bucket> LatencyHistogram::buckets() const {
  std::vector<Bucket> out;
  if (count_ == 0) return out;
  const std::uint32_t last = index_of(max_);
  for (std::uint32_t i = index_of(min_); i <= last; ++i) {
    if (counts_[i] != 0) out.push_back({lowest_of(i), highest_of(i), counts_[i]});
  }
  return out;
}

} // namespace twinplane::platform
