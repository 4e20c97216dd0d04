// Distribution of a non-negative integer quantity (here: latencies in picoseconds) in constant memory.
//
// Buckets are log-linear: values below 128 have a bucket each, above that every power of two is cut
// into 128 equal buckets, so a bucket is at most 1/128 (0.8 %) of its values wide and a reported
// percentile is at most 0.4 % away from the true sample. Count, sum, minimum and maximum are exact.
// record() costs about 15 instructions; merge() and clear() touch only the occupied range.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace twinplane::platform {

/// Percentiles in units of 1/100,000, so that p99.999 is exact: 50 % = 50'000, p99.9 = 99'900.
using PercentileRank = std::uint32_t;
constexpr PercentileRank kP50 = 50'000;
constexpr PercentileRank kP90 = 90'000;
constexpr PercentileRank kP95 = 95'000;
constexpr PercentileRank kP99 = 99'000;
constexpr PercentileRank kP99_9 = 99'900;
constexpr PercentileRank kP99_99 = 99'990;
constexpr PercentileRank kP99_999 = 99'999;

class LatencyHistogram {
 public:
  struct Bucket {
    std::uint64_t lowest = 0;  // smallest value that falls into it
    std::uint64_t highest = 0; // largest value that falls into it
    std::uint64_t count = 0;
  };

  LatencyHistogram() : counts_(kBuckets) {}

  void record(std::uint64_t value) {
    ++counts_[index_of(value)];
    ++count_;
    sum_ += value;
    if (value < min_) min_ = value;
    if (value > max_) max_ = value;
  }

  /// Adds all of `other`'s samples.
  void merge(const LatencyHistogram& other);
  void clear();

  std::uint64_t count() const { return count_; }
  /// Without samples min() and max() are 0 and mean() is 0.0.
  std::uint64_t min() const { return count_ == 0 ? 0 : min_; }
  std::uint64_t max() const { return max_; }
  double mean() const;
  /// Sum of all samples; exact up to 2^53 in relative terms.
  double sum() const { return static_cast<double>(sum_); }

  /// The sample of nearest rank ceil(rank / 100,000 * count), as the middle of its bucket clamped to
  /// [min, max]. Empty without samples. `rank` is at most 100,000.
  std::optional<std::uint64_t> percentile(PercentileRank rank) const;

  /// The occupied buckets in ascending order.
  std::vector<Bucket> buckets() const;

 private:
  static constexpr std::uint32_t kSubBits = 7;
  static constexpr std::uint32_t kSubBuckets = 1u << kSubBits;
  static constexpr std::uint32_t kBuckets = (64 - kSubBits + 1) * kSubBuckets;

  static std::uint32_t index_of(std::uint64_t value) {
    if (value < kSubBuckets) return static_cast<std::uint32_t>(value);
    const auto shift = 63u - static_cast<std::uint32_t>(__builtin_clzll(value)) - kSubBits;
    return (shift << kSubBits) + static_cast<std::uint32_t>(value >> shift);
  }
  static std::uint64_t lowest_of(std::uint32_t index);
  static std::uint64_t highest_of(std::uint32_t index);

  __extension__ typedef unsigned __int128 Wide; // 10^9 requests of a second each exceed 64 bits

  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  Wide sum_ = 0;
  std::uint64_t min_ = ~std::uint64_t{0};
  std::uint64_t max_ = 0;
};

} // namespace twinplane::platform
