// Are percentiles as exact as promised, and do merge and clear keep every sample?
#include "platform/report/latency_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/random/lognormal_distribution.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <vector>

namespace twinplane::platform::report_latency_histogram_test {
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

TEST(LatencyHistogram, PercentilesOfAMillionSamplesAreTheSamplesThemselves) {
  for (const std::uint32_t count : {1u, 2u, 10u, 999u, 250'000u, 1'000'000u}) {
    std::vector<std::uint64_t> values = samples(count, count);
    const LatencyHistogram h = histogram_of(values);
    std::sort(values.begin(), values.end());
    for (const PercentileRank rank : kRanks)
      EXPECT_EQ(h.percentile(rank), nearest_rank(values, rank)) << count << " at " << rank;
    EXPECT_EQ(h.percentile(kP50), nearest_rank(values, kP50)) << "asked in descending order";
  }
}

TEST(LatencyHistogram, ASinglePercentileIsThatOfAllInOrder) {
  for (const std::uint32_t count : {1u, 10u, 999u, 5'000u, 1'000'001u}) {
    const std::vector<std::uint64_t> values = samples(count, count);
    const LatencyHistogram ordered = histogram_of(values);
    const LatencyHistogram h = histogram_of(values);
    for (const PercentileRank rank : kRanks)
      EXPECT_EQ(h.single_percentile(rank), ordered.percentile(rank)) << count << " at " << rank;
    EXPECT_EQ(h.percentile(kP50), ordered.percentile(kP50));
  }
  EXPECT_FALSE(LatencyHistogram().single_percentile(kP99).has_value());
}

TEST(LatencyHistogram, WhatComesAfterAPercentileWasAskedCounts) {
  for (const std::size_t more : {1u, 1'500u, 4'000u}) {
    std::vector<std::uint64_t> values = samples(5'000, 8);
    LatencyHistogram h = histogram_of(values);
    h.sort();
    for (const std::uint64_t v : samples(static_cast<std::uint32_t>(more), 9)) {
      h.record(v);
      values.push_back(v);
    }
    const LatencyHistogram copy = h;
    std::sort(values.begin(), values.end());
    for (const PercentileRank rank : kRanks)
      EXPECT_EQ(copy.percentile(rank), nearest_rank(values, rank)) << more;
  }
}

TEST(LatencyHistogram, PercentilesOfMoreHaveFourSignificantDigits) {
  std::vector<std::uint64_t> values = samples(1'000'001, 5);
  const LatencyHistogram h = histogram_of(values);
  std::sort(values.begin(), values.end());
  for (const PercentileRank rank : kRanks) {
    const double truth = static_cast<double>(nearest_rank(values, rank));
    EXPECT_GE(static_cast<double>(*h.percentile(rank)), truth) << rank;
    EXPECT_LE(static_cast<double>(*h.percentile(rank)), truth * (1 + 1.0 / 32'768)) << rank;
  }
  EXPECT_EQ(h.percentile(100'000), values.back());
}

/// The value of the first step whose samples, with all before, are `share` of all.
std::uint64_t read_off(const std::vector<LatencyHistogram::Step>& steps, PercentileRank rank,
                       std::uint64_t count) {
  std::uint64_t seen = 0;
  for (const LatencyHistogram::Step& step : steps) {
    seen += step.count;
    if (seen * 100'000 >= rank * count) return step.value;
  }
  return 0;
}

TEST(LatencyHistogram, StepsGiveTheSamePercentiles) {
  for (const std::uint32_t count : {1u, 7u, 5'000u, 1'200'000u}) {
    const LatencyHistogram h = histogram_of(samples(count, 9));
    const std::vector<LatencyHistogram::Step> steps = h.steps();
    std::uint64_t all = 0;
    for (const LatencyHistogram::Step& step : steps) all += step.count;
    EXPECT_EQ(all, count);
    EXPECT_EQ(steps.back().value, h.max());
    EXPECT_LT(steps.size(), 5'000u);
    for (const PercentileRank rank : kReportedRanks)
      EXPECT_EQ(read_off(steps, rank, count), h.percentile(rank)) << count << " at " << rank;
  }
}

TEST(LatencyHistogram, StepsAreNarrow) {
  const std::vector<LatencyHistogram::Step> steps = histogram_of(samples(400'000, 2)).steps();
  for (std::size_t i = 1; i < steps.size(); ++i) {
    ASSERT_GT(steps[i].value, steps[i - 1].value);
    if (steps[i].count > 1'000) {
      EXPECT_LE(static_cast<double>(steps[i].value),
                static_cast<double>(steps[i - 1].value) * (1 + 2.0 / 128));
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

TEST(LatencyHistogram, MeanSurvivesSumsBeyond64Bits) {
  LatencyHistogram h;
  const std::uint64_t huge = std::uint64_t{1} << 63;
  for (int i = 0; i < 10; ++i) h.record(huge);
  EXPECT_DOUBLE_EQ(h.mean(), static_cast<double>(huge));
}

TEST(LatencyHistogram, MergingPartsEqualsRecordingTheWhole) {
  for (const std::uint32_t count : {5'000u, 1'000'500u}) {
    std::vector<std::uint64_t> values = samples(count, 1);
    const LatencyHistogram whole = histogram_of(values);
    LatencyHistogram merged = histogram_of({values.begin(), values.begin() + 1'234});
    merged.merge(histogram_of({values.begin() + 1'234, values.end()}));
    merged.merge(LatencyHistogram());
    EXPECT_EQ(merged.count(), whole.count());
    EXPECT_EQ(merged.min(), whole.min());
    EXPECT_EQ(merged.max(), whole.max());
    for (const PercentileRank rank : kRanks) EXPECT_EQ(merged.percentile(rank), whole.percentile(rank));
  }
}

TEST(LatencyHistogram, ClearedAndEmptyOnesHaveNoPercentile) {
  LatencyHistogram h = histogram_of(samples(100, 3));
  h.clear();
  EXPECT_EQ(h.count(), 0u);
  EXPECT_EQ(h.min(), 0u);
  EXPECT_EQ(h.max(), 0u);
  EXPECT_FALSE(h.percentile(kP99).has_value());
  EXPECT_TRUE(h.steps().empty());
  h.record(5);
  EXPECT_EQ(h.steps().size(), 1u);
}

} // namespace
} // namespace twinplane::platform::report_latency_histogram_test
