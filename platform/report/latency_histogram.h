// Distribution of a non-negative integer quantity (here: latencies in picoseconds).
//
// The first million samples are kept as they are, so that percentiles are exact. From then on they are counted
// in log-linear buckets: values below 2^15 have a bucket each, above that every power of two is cut into 2^15
// equal ones, so a reported percentile is at most 0.0031 % above the true sample (four significant digits).
// Count, sum, minimum and maximum are exact at all times. record() costs about 15 instructions.
#pragma once

#include <cstddef>
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
/// Those that reports name, in ascending order.
constexpr PercentileRank kReportedRanks[] = {kP50, kP90, kP95, kP99, kP99_9, kP99_99, kP99_999};

class LatencyHistogram {
 public:
  static constexpr std::uint64_t kExactSamples = 1'000'000;

  /// `count` samples are above the value of the step before, and at most `value`.
  struct Step {
    std::uint64_t value = 0;
    std::uint64_t count = 0;
  };

  void record(std::uint64_t value) {
    ++count_;
    sum_ += value;
    if (value < min_) min_ = value;
    if (value > max_) max_ = value;
    if (count_ > kExactSamples) return count_one(value);
    samples_.push_back(value);
  }

  /// Adds all of `other`'s samples.
  void merge(const LatencyHistogram& other);
  void clear();
  /// Puts the samples in order now, so that copies need not do it again.
  void sort() const { sorted(); }

  std::uint64_t count() const { return count_; }
  /// Without samples min() and max() are 0 and mean() is 0.0.
  std::uint64_t min() const { return count_ == 0 ? 0 : min_; }
  std::uint64_t max() const { return max_; }
  double mean() const;
  /// Sum of all samples; exact up to 2^53 in relative terms.
  double sum() const { return static_cast<double>(sum_); }

  /// The sample of nearest rank ceil(rank / 100,000 * count); of more than kExactSamples the highest value of
  /// its bucket, at most max(). Empty without samples. `rank` is at most 100,000.
  std::optional<std::uint64_t> percentile(PercentileRank rank) const;
  /// The same for a single rank, without putting all samples in order: a sixth of the instructions.
  std::optional<std::uint64_t> single_percentile(PercentileRank rank) const;

  /// The cumulative distribution in ascending order, in steps of at most 0.8 %. The last value is max(), and
  /// each of kReportedRanks is the value of the first step that reaches its share: percentile() gives the same.
  std::vector<Step> steps() const;

 private:
  static constexpr std::uint32_t kSubBits = 15;
  static constexpr std::uint32_t kStepBits = 7;

  /// Number of the bucket of `value` where each power of two is cut into 2^bits.
  static std::uint32_t bucket_of(std::uint64_t value, std::uint32_t bits);
  /// What stands for the samples of a bucket.
  std::uint64_t edge_of(std::uint32_t bucket) const;

  void count_one(std::uint64_t value);
  void add_to_bucket(std::uint32_t bucket, std::uint64_t count);
  void give_up_samples();
  std::uint64_t wanted(PercentileRank rank) const;
  const std::vector<std::uint64_t>& sorted() const;
  std::vector<Step> steps_of_samples() const;
  std::vector<Step> steps_of_buckets() const;

  __extension__ typedef unsigned __int128 Wide; // 10^9 requests of a second each exceed 64 bits

  mutable std::vector<std::uint64_t> samples_; // their order is of no importance; empty: counts_ are kept
  mutable std::size_t sorted_ = 0;             // so many of them, the first, are in order
  std::vector<std::uint64_t> counts_;          // by bucket, up to the highest one that was used
  std::uint64_t count_ = 0;
  Wide sum_ = 0;
  std::uint64_t min_ = ~std::uint64_t{0};
  std::uint64_t max_ = 0;
};

} // namespace twinplane::platform
