// Are percentiles as exact as promised, and do merge and clear keep every sample?
#include "platform/report/latency_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/random/lognormal_distribution.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <vector>

namespace twinplane::platform {
namespace {

constexpr PercentileRank kRanks[] = {1, kP50, kP90, kP95, kP99, kP99_9, kP99_99, kP99_999, 100'000};

std::vector<std::uint64_t> samples(std::uint32_t count, std::uint32_t seed) {
  boost::random::mt19937_64 random(seed);
  boost::random::lognormal_distribution<> latency(18.0, 1.7); // median 66 us in ps, a long tail
  std::vector<std::uint64_t> values(count);
  for (std::uint64_t& v : values) v = static_cast<std::uint64_t>(latency(random));
  return values;
}

LatencyHistogram histogram_of(const std::vector<std::uint64_t>& values) {
  LatencyHistogram h;
  for (const std::uint64_t v : values) h.record(v);
  return h;
}

std::uint64_t nearest_rank(std::vector<std::uint64_t>& sorted, PercentileRank rank) {
  const std::uint64_t n = sorted.size();
  return sorted[std::max<std::uint64_t>((n * rank + 99'999) / 100'000, 1) - 1];
}

TEST(LatencyHistogram, PercentilesStayWithinHalfAPercentOfTheSortedSamples) {
  for (const std::uint32_t count : {1u, 2u, 10u, 999u, 250'000u}) {
    std::vector<std::uint64_t> values = samples(count, count);
    const LatencyHistogram h = histogram_of(values);
    std::sort(values.begin(), values.end());
    for (const PercentileRank rank : kRanks) {
      const double truth = static_cast<double>(nearest_rank(values, rank));
      EXPECT_NEAR(static_cast<double>(*h.percentile(rank)), truth, truth * 0.004 + 1)
          << count << " at " << rank;
    }
  }
}

TEST(LatencyHistogram, CountMinimumMaximumAndMeanAreExact) {
  const std::vector<std::uint64_t> values = samples(10'000, 7);
  const LatencyHistogram h = histogram_of(values);
  double sum = 0;
  for (const std::uint64_t v : values) sum += static_cast<double>(v);
  EXPECT_EQ(h.count(), values.size());
  EXPECT_EQ(h.min(), *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(h.max(), *std::max_element(values.begin(), values.end()));
  EXPECT_DOUBLE_EQ(h.mean(), sum / 10'000);
}

TEST(LatencyHistogram, SmallValuesAreCountedOneByOne) {
  LatencyHistogram h;
  for (std::uint64_t v = 0; v < 256; ++v) h.record(v);
  EXPECT_EQ(*h.percentile(kP50), 127u);
  EXPECT_EQ(h.buckets().size(), 256u);
}

TEST(LatencyHistogram, EveryValueLiesInsideItsBucket) {
  for (std::uint32_t shift = 0; shift < 64; ++shift) {
    for (const std::int64_t offset : {-1, 0, 1}) {
      const std::uint64_t value = (std::uint64_t{1} << shift) + static_cast<std::uint64_t>(offset);
      LatencyHistogram h;
      h.record(value);
      ASSERT_EQ(h.buckets().size(), 1u);
      EXPECT_LE(h.buckets()[0].lowest, value);
      EXPECT_GE(h.buckets()[0].highest, value);
      EXPECT_LE(h.buckets()[0].highest - h.buckets()[0].lowest, value / 128);
    }
  }
}

TEST(LatencyHistogram, MeanSurvivesSumsBeyond64Bits) {
  LatencyHistogram h;
  const std::uint64_t huge = std::uint64_t{1} << 63;
  for (int i = 0; i < 10; ++i) h.record(huge);
  EXPECT_DOUBLE_EQ(h.mean(), static_cast<double>(huge));
}

TEST(LatencyHistogram, MergingPartsEqualsRecordingTheWhole) {
  std::vector<std::uint64_t> values = samples(5'000, 1);
  const LatencyHistogram whole = histogram_of(values);
  LatencyHistogram merged = histogram_of({values.begin(), values.begin() + 1'234});
  merged.merge(histogram_of({values.begin() + 1'234, values.end()}));
  merged.merge(LatencyHistogram());
  EXPECT_EQ(merged.count(), whole.count());
  EXPECT_EQ(merged.min(), whole.min());
  EXPECT_EQ(merged.max(), whole.max());
  for (const PercentileRank rank : kRanks) EXPECT_EQ(merged.percentile(rank), whole.percentile(rank));
}

TEST(LatencyHistogram, ClearedAndEmptyOnesHaveNoPercentile) {
  LatencyHistogram h = histogram_of(samples(100, 3));
  h.clear();
  EXPECT_EQ(h.count(), 0u);
  EXPECT_EQ(h.min(), 0u);
  EXPECT_EQ(h.max(), 0u);
  EXPECT_FALSE(h.percentile(kP99).has_value());
  EXPECT_TRUE(h.buckets().empty());
  h.record(5);
  EXPECT_EQ(h.buckets().size(), 1u);
}

} // namespace
} // namespace twinplane::platform
