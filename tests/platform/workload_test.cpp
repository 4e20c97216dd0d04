// Synthetic workloads: mixes within sampling error, distributions against their closed forms, determinism.
#include "platform/workload/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "platform/config/error.h"
#include "platform/trace/trace_info.h"
#include "platform/workload/address_sampler.h"
#include "platform/workload/permutation.h"

namespace twinplane::platform::workload_test {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

WorkloadSpec spec_of(AccessPattern rw, std::uint64_t number_ios) {
  WorkloadSpec spec;
  spec.rw = rw;
  spec.size = 64 * kMiB;
  spec.number_ios = number_ios;
  return spec;
}

std::vector<IoRecord> records_of(const WorkloadSpec& spec) {
  const auto source = make_workload(spec);
  std::vector<IoRecord> records;
  IoRecord record;
  while (source->next(record)) records.push_back(record);
  return records;
}

/// Five standard deviations of a share estimated from n draws.
double tolerance(double share, double n) {
  return 5.0 * std::sqrt(share * (1.0 - share) / n);
}

/// How often each of `blocks` was drawn, most often first.
std::vector<double> ranked_shares(const AddressDistribution& distribution, std::uint64_t blocks, int draws) {
  const auto sampler = make_address_sampler(distribution, blocks, 5);
  Random random(11);
  std::vector<double> count(blocks);
  for (int i = 0; i < draws; ++i) count.at(sampler->draw(random)) += 1.0 / draws;
  std::sort(count.begin(), count.end(), std::greater<>());
  return count;
}

TEST(Workload, SequentialRequestsFollowEachOtherAndWrapAround) {
  WorkloadSpec spec = spec_of(AccessPattern::write, 5);
  spec.size = 3 * 4096;
  spec.offset = kMiB;
  const auto records = records_of(spec);
  ASSERT_EQ(records.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(records[i].offset, kMiB + i % 3 * 4096);
}

TEST(Workload, SequentialReadsAndWritesKeepTheirOwnPlaces) {
  std::uint64_t next[2] = {0, 0};
  for (const IoRecord& record : records_of(spec_of(AccessPattern::rw, 1000))) {
    std::uint64_t& expected = next[record.op == IoOp::write ? 1 : 0];
    EXPECT_EQ(record.offset, expected);
    expected += record.length;
  }
  EXPECT_GT(next[0], 0u);
  EXPECT_GT(next[1], 0u);
}

TEST(Workload, MixesAreWithinTheErrorOfSampling) {
  WorkloadSpec spec = spec_of(AccessPattern::randrw, 100000);
  spec.rwmixread = 70;
  parse_block_sizes("", "4k/60:8k/40,16k/25:32k/25:64k", spec);
  double reads = 0;
  double small_reads = 0;
  double large_writes = 0;
  for (const IoRecord& record : records_of(spec)) {
    EXPECT_LE(record.offset + record.length, spec.size);
    EXPECT_EQ(record.offset % 4096, 0u);
    reads += record.op == IoOp::read ? 1 : 0;
    small_reads += record.op == IoOp::read && record.length == 4096 ? 1 : 0;
    large_writes += record.op == IoOp::write && record.length == 65536 ? 1 : 0;
  }
  EXPECT_NEAR(reads / 1e5, 0.7, tolerance(0.7, 1e5));
  EXPECT_NEAR(small_reads / reads, 0.6, tolerance(0.6, reads));
  EXPECT_NEAR(large_writes / (1e5 - reads), 0.5, tolerance(0.5, 1e5 - reads));
}

TEST(Workload, TrimsTakeTheirShareOfWhatIsNotRead) {
  WorkloadSpec spec = spec_of(AccessPattern::randrw, 100000);
  spec.rwmixread = 70;
  spec.rwmixtrim = 20;
  parse_block_sizes("", "4k,4k,8k", spec);
  double trims = 0;
  double writes = 0;
  for (const IoRecord& record : records_of(spec)) {
    trims += record.op == IoOp::trim ? 1 : 0;
    writes += record.op == IoOp::write ? 1 : 0;
    EXPECT_EQ(record.length, record.op == IoOp::trim ? 8192u : 4096u);
  }
  EXPECT_NEAR(trims / 1e5, 0.06, tolerance(0.06, 1e5));
  EXPECT_NEAR(writes / 1e5, 0.24, tolerance(0.24, 1e5));
  spec.rwmixtrim = 101;
  EXPECT_THROW(make_workload(spec), InputError);
}

TEST(Workload, TheEndsOfTheMixAreExact) {
  for (const auto& [percent, op] : {std::pair{100.0, IoOp::read}, std::pair{0.0, IoOp::write}}) {
    WorkloadSpec spec = spec_of(AccessPattern::randrw, 10000);
    spec.rwmixread = percent;
    for (const IoRecord& record : records_of(spec)) ASSERT_EQ(record.op, op);
  }
}

std::vector<IoRecord> all_of(IoSource& source) {
  std::vector<IoRecord> records;
  for (IoRecord record; source.next(record);) records.push_back(record);
  return records;
}

// Rounds are parts of one long workload: their addresses are what a workload of that many requests draws.
TEST(Workload, RoundsDrawOnWhereTheRoundBeforeEnded) {
  for (const bool randommap : {false, true}) {
    WorkloadSpec spec = spec_of(AccessPattern::randwrite, 500);
    spec.size = 700 * 4096;
    spec.randommap = randommap;
    const auto rounds = make_workload(spec);
    std::vector<IoRecord> joined = all_of(*rounds);
    for (int round = 1; round < 4; ++round) {
      rounds->next_round();
      const auto more = all_of(*rounds);
      joined.insert(joined.end(), more.begin(), more.end());
    }
    spec.number_ios = 2000;
    const auto whole = records_of(spec);
    ASSERT_EQ(joined.size(), whole.size());
    for (std::size_t i = 0; i < whole.size(); ++i) {
      ASSERT_EQ(joined[i].offset, whole[i].offset) << i;
      ASSERT_EQ(joined[i].op, whole[i].op) << i;
    }
  }
}

TEST(Workload, TheTimesOfARoundBeginAtZero) {
  WorkloadSpec spec = spec_of(AccessPattern::randread, 100);
  spec.rate_iops = 1000;
  const auto source = make_workload(spec);
  const auto first = all_of(*source);
  source->next_round();
  const auto second = all_of(*source);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(second[i].arrival_ns, first[i].arrival_ns);
}

TEST(Workload, PassesOfARandomMapHaveOrdersOfTheirOwn) {
  WorkloadSpec spec = spec_of(AccessPattern::randwrite, 2 * 1003);
  spec.size = 1003 * 4096;
  spec.randommap = true;
  const auto records = records_of(spec);
  std::size_t same = 0;
  for (std::size_t i = 0; i < 1003; ++i) same += records[i].offset == records[1003 + i].offset ? 1 : 0;
  EXPECT_LT(same, 10u) << "of 1003 places one is the same by chance";
}

TEST(Workload, TheSameSeedGivesTheSameRecordsAfterEveryRewind) {
  WorkloadSpec spec = spec_of(AccessPattern::randrw, 2000);
  spec.random_distribution = parse_distribution("zipf:1.1");
  spec.rate_iops = 1000;
  spec.poisson = true;
  const auto first = records_of(spec);
  const auto source = make_workload(spec);
  for (int round = 0; round < 2; ++round) {
    IoRecord record;
    for (const IoRecord& expected : first) {
      ASSERT_TRUE(source->next(record));
      EXPECT_EQ(record.offset, expected.offset);
      EXPECT_EQ(record.arrival_ns, expected.arrival_ns);
    }
    EXPECT_FALSE(source->next(record));
    source->rewind();
  }
  spec.seed = 2;
  const auto other = records_of(spec);
  const auto same = std::equal(first.begin(), first.end(), other.begin(),
                               [](const IoRecord& a, const IoRecord& b) { return a.offset == b.offset; });
  EXPECT_FALSE(same);
}

TEST(Workload, PercentageRandomLeavesTheRestSequential) {
  WorkloadSpec spec = spec_of(AccessPattern::randread, 100000);
  spec.size = 1024 * kMiB;
  spec.percentage_random = 30;
  const TraceInfo info = collect_info(*make_workload(spec));
  EXPECT_NEAR(info.sequential_ratio, 0.7, tolerance(0.7, 1e5));
}

TEST(Workload, ARandomMapVisitsEveryBlockOncePerPass) {
  WorkloadSpec spec = spec_of(AccessPattern::randwrite, 2 * 1003);
  spec.size = 1003 * 4096;
  spec.randommap = true;
  const auto records = records_of(spec);
  for (std::size_t pass = 0; pass < 2; ++pass) {
    std::set<std::uint64_t> seen;
    for (std::size_t i = 0; i < 1003; ++i) seen.insert(records[pass * 1003 + i].offset);
    EXPECT_EQ(seen.size(), 1003u);
  }
}

TEST(Workload, LinearRateIsExactAndPoissonHasTheVariationOfOne) {
  WorkloadSpec spec = spec_of(AccessPattern::randread, 100000);
  spec.rate_iops = 30000;
  const auto records = records_of(spec);
  EXPECT_EQ(records[3].arrival_ns, 100000u);
  EXPECT_EQ(records[99999].arrival_ns, 3'333'300'000u);
  spec.poisson = true;
  const TraceInfo info = collect_info(*make_workload(spec));
  EXPECT_NEAR(info.requests_per_s, 30000.0, 30000.0 * 5.0 / std::sqrt(1e5));
  EXPECT_NEAR(info.interarrival_cv2, 1.0, 0.05);
}

TEST(Workload, ThinktimeMakesBursts) {
  WorkloadSpec spec = spec_of(AccessPattern::randread, 10);
  spec.rate_iops = 1'000'000;
  spec.thinktime_ns = 5'000'000;
  spec.thinktime_blocks = 4;
  const auto records = records_of(spec);
  EXPECT_EQ(records[3].arrival_ns, 3000u);
  EXPECT_EQ(records[4].arrival_ns, 5'004'000u);
  EXPECT_EQ(records[8].arrival_ns, 10'008'000u);
  for (std::size_t i = 0; i < records.size(); ++i)
    EXPECT_EQ(records[i].pause_ns, i == 4 || i == 8 ? 5'000'000u : 0u) << i;
}

TEST(Workload, FsyncFlushesAfterSoManyWrites) {
  WorkloadSpec spec = spec_of(AccessPattern::write, 6);
  spec.fsync = 3;
  const auto records = records_of(spec);
  ASSERT_EQ(records.size(), 8u);
  EXPECT_EQ(records[3].op, IoOp::flush);
  EXPECT_EQ(records[3].length, 0u);
  EXPECT_EQ(records[7].op, IoOp::flush);
}

TEST(Distribution, ZipfFollowsThePowerLawOfItsTheta) {
  constexpr int kDraws = 1'000'000;
  constexpr std::uint64_t kBlocks = 1000;
  for (const double theta : {0.5, 0.99, 1.0, 1.1, 2.0}) {
    AddressDistribution distribution;
    distribution.kind = AddressDistribution::Kind::zipf;
    distribution.parameter = theta;
    const std::vector<double> shares = ranked_shares(distribution, kBlocks, kDraws);
    double harmonic = 0;
    for (std::uint64_t k = 1; k <= kBlocks; ++k) harmonic += std::pow(static_cast<double>(k), -theta);
    double got = 0;
    double expected = 0;
    for (std::uint64_t k = 1; k <= kBlocks; ++k) {
      expected += std::pow(static_cast<double>(k), -theta) / harmonic;
      got += shares[k - 1];
      if (k == 1 || k == 10 || k == 100) {
        EXPECT_NEAR(got, expected, 0.004) << theta << " " << k;
      }
    }
  }
}

TEST(Distribution, ZipfOfOneBlockAndOfTwoIsExact) {
  AddressDistribution distribution = parse_distribution("zipf:1.2");
  EXPECT_EQ(ranked_shares(distribution, 1, 1000)[0], ranked_shares(AddressDistribution{}, 1, 1000)[0]);
  const double expected = 1.0 / (1.0 + std::pow(2.0, -1.2));
  EXPECT_NEAR(ranked_shares(distribution, 2, 100000)[0], expected, tolerance(expected, 1e5));
}

TEST(Distribution, ParetoGivesTheRestToTheShareH) {
  const std::vector<double> shares = ranked_shares(parse_distribution("pareto:0.2"), 1000, 1'000'000);
  double hottest = 0;
  for (std::size_t k = 0; k < 200; ++k) hottest += shares[k];
  EXPECT_NEAR(hottest, 0.8, 0.005);
}

TEST(Distribution, ZonesGetTheirAccessesInOrderOfAddress) {
  const auto sampler = make_address_sampler(parse_distribution("zoned:60/10:30/20:10/70"), 1000, 1);
  Random random(3);
  std::vector<double> zones(3);
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t block = sampler->draw(random);
    ASSERT_LT(block, 1000u);
    zones[block < 100 ? 0 : block < 300 ? 1 : 2] += 1e-5;
  }
  EXPECT_NEAR(zones[0], 0.6, tolerance(0.6, 1e5));
  EXPECT_NEAR(zones[1], 0.3, tolerance(0.3, 1e5));
}

TEST(Distribution, NormalHasTwoThirdsWithinOneDeviation) {
  const auto sampler = make_address_sampler(parse_distribution("normal:10"), 100000, 1);
  Random random(3);
  double within = 0;
  for (int i = 0; i < 100000; ++i) {
    const double block = static_cast<double>(sampler->draw(random));
    within += block >= 40000 && block < 60000 ? 1e-5 : 0;
  }
  EXPECT_NEAR(within, std::erf(1.0 / std::sqrt(2.0)), tolerance(0.68, 1e5));
}

TEST(Permutation, IsABijectionForEverySizeAndDiffersBySeed) {
  for (std::uint64_t n = 1; n < 300; ++n) {
    const Permutation permutation(n, n);
    std::set<std::uint64_t> images;
    for (std::uint64_t x = 0; x < n; ++x) images.insert(permutation(x));
    EXPECT_EQ(images.size(), n);
    EXPECT_EQ(*images.rbegin(), n - 1);
  }
  const Permutation a(1000003, 1);
  const Permutation b(1000003, 2);
  int equal = 0;
  for (std::uint64_t x = 0; x < 1000; ++x) equal += a(x) == b(x) ? 1 : 0;
  EXPECT_LT(equal, 10);
}

TEST(WorkloadWords, AreFios) {
  EXPECT_EQ(parse_access_pattern("readwrite"), AccessPattern::rw);
  EXPECT_EQ(parse_access_pattern("randtrim"), AccessPattern::randtrim);
  WorkloadSpec spec;
  parse_block_sizes("4k,128KiB", "", spec);
  EXPECT_EQ(spec.read_sizes[0].bytes, 4096u);
  EXPECT_EQ(spec.write_sizes[0].bytes, 131072u);
  EXPECT_EQ(spec.trim_sizes[0].bytes, 131072u);
  parse_block_sizes("", "4k/50:1m/:512/", spec);
  EXPECT_EQ(spec.write_sizes[1].percent, 25.0);
  EXPECT_EQ(spec.write_sizes[2].bytes, 512u);
}

std::string complaint(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(WorkloadWords, UnknownOnesAreErrors) {
  WorkloadSpec spec;
  EXPECT_THAT(complaint([] { parse_access_pattern("randwriet"); }), HasSubstr("rw: expected read, write"));
  EXPECT_THAT(complaint([] { parse_distribution("zipf"); }), HasSubstr("zipf:NUMBER"));
  EXPECT_THAT(complaint([] { parse_distribution("zoned_abs:1/2"); }),
              HasSubstr("random_distribution: expected"));
  EXPECT_THAT(complaint([] { parse_distribution("zipf:x"); }), HasSubstr("a number"));
  EXPECT_THAT(complaint([&] { parse_block_sizes("4q", "", spec); }), HasSubstr("bs: expected a block size"));
  EXPECT_THAT(complaint([&] { parse_block_sizes("", "4k/50:8k/40", spec); }), HasSubstr("add up to 100"));
  EXPECT_THAT(complaint([&] { parse_block_sizes("", "4k/80:8k/40", spec); }), HasSubstr("add up to 100"));
  EXPECT_THAT(complaint([&] { parse_block_sizes("4k,4k,4k,4k", "", spec); }),
              HasSubstr("READ[,WRITE[,TRIM]]"));
}

TEST(Workload, ImpossibleSpecificationsAreErrors) {
  const auto error = [](const std::function<void(WorkloadSpec&)>& change) {
    WorkloadSpec spec = spec_of(AccessPattern::randrw, 10);
    change(spec);
    return complaint([&] { make_workload(spec); });
  };
  EXPECT_THAT(error([](WorkloadSpec& s) { s.size = 0; }), HasSubstr("size: expected"));
  EXPECT_THAT(error([](WorkloadSpec& s) { s.size = 2048; }), HasSubstr("bs: expected at most size"));
  EXPECT_THAT(error([](WorkloadSpec& s) { s.rwmixread = 101; }), HasSubstr("rwmixread"));
  EXPECT_THAT(error([](WorkloadSpec& s) { s.poisson = true; }), HasSubstr("rate_process"));
  EXPECT_THAT(error([](WorkloadSpec& s) { s.randommap = true; }), HasSubstr("randommap"));
  EXPECT_THAT(error([](WorkloadSpec& s) { s.random_distribution = parse_distribution("zipf:0"); }),
              HasSubstr("zipf"));
  EXPECT_THAT(error([](WorkloadSpec& s) { s.random_distribution = parse_distribution("pareto:1"); }),
              HasSubstr("pareto"));
  EXPECT_THAT(error([](WorkloadSpec& s) { s.random_distribution = parse_distribution("zoned:50/50:40/50"); }),
              HasSubstr("add up to 100"));
}

TEST(Workload, NoRequestsIsAWorkload) {
  EXPECT_TRUE(records_of(spec_of(AccessPattern::randread, 0)).empty());
}

} // namespace
} // namespace twinplane::platform::workload_test
