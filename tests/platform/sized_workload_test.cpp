// random_distribution=sized: does each size of request stay in its own space, and is the rest left alone?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "platform/config/error.h"
#include "platform/workload/workload.h"

namespace twinplane::platform::sized_workload_test {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kSpace = 1000 * 16384;

WorkloadSpec spec_of(const char* distribution, const char* split, std::uint64_t requests) {
  WorkloadSpec spec;
  spec.rw = AccessPattern::randwrite;
  spec.size = kSpace;
  spec.offset = 1 << 20;
  spec.number_ios = requests;
  spec.random_distribution = parse_distribution(distribution);
  parse_block_sizes("", split, spec);
  return spec;
}

TEST(SizedWorkload, EachSizeStaysInItsOwnSpaceAndTheRestIsLeftAlone) {
  const auto source = make_workload(spec_of("sized:4k/10:16k/60", "4k/50:16k/50", 50'000));
  std::set<std::uint64_t> small, large;
  IoRecord record;
  while (source->next(record)) {
    const std::uint64_t at = record.offset - (1 << 20);
    (record.length == 4096 ? small : large).insert(at);
    ASSERT_EQ(at % record.length, 0u);
    ASSERT_LE(at + record.length, record.length == 4096 ? kSpace / 10 : kSpace / 10 * 7);
  }
  EXPECT_EQ(small.size(), 400u) << "every one of them";
  EXPECT_EQ(large.size(), 600u);
  EXPECT_EQ(*large.begin(), kSpace / 10);
}

TEST(SizedWorkload, ASpaceMayBeSkewed) {
  const auto source = make_workload(spec_of("sized:4k/10:16k/90/1", "4k/50:16k/50", 200'000));
  std::vector<double> hits(1000);
  double small = 0, first_small = 0, large = 0, most = 0;
  IoRecord record;
  while (source->next(record)) {
    const std::uint64_t at = record.offset - (1 << 20);
    if (record.length == 4096) {
      ++small;
      first_small += at == 0 ? 1 : 0;
    } else {
      ++large;
      most = std::max(most, ++hits[at / 16384]);
    }
  }
  double harmonic = 0;
  for (int k = 1; k <= 900; ++k) harmonic += 1.0 / k;
  EXPECT_NEAR(most / large, 1 / harmonic, 0.01) << "zipf";
  EXPECT_NEAR(first_small / small, 1 / 400.0, 0.001) << "even";
}

TEST(SizedWorkload, TheSameSeedGivesTheSameRequests) {
  const WorkloadSpec spec = spec_of("sized:4k/10:16k/90/0.9", "4k/50:16k/50", 1000);
  const auto a = make_workload(spec), b = make_workload(spec);
  IoRecord x, y;
  while (a->next(x)) {
    ASSERT_TRUE(b->next(y));
    ASSERT_EQ(x.offset, y.offset);
  }
}

std::string complaint(const char* distribution, const char* split) {
  try {
    make_workload(spec_of(distribution, split, 1));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(SizedWorkload, WhatCannotBeMetIsAnError) {
  EXPECT_THAT(complaint("sized:4k/10:16k/90", "4k/50:8k/50"), HasSubstr("a space for requests of 8192"));
  EXPECT_THAT(complaint("sized:4k/20:16k/90", "4k/50:16k/50"), HasSubstr("add up to 100 at most"));
  EXPECT_THAT(complaint("sized:4k/0:16k/90", "4k/50:16k/50"), HasSubstr("above 0"));
  EXPECT_THAT(complaint("sized:4k/10:4k/90", "4k/100"), HasSubstr("one space for each size"));
  EXPECT_THAT(complaint("sized:4k/0.01:16k/90", "4k/50:16k/50"), HasSubstr("room for a request of 4096"));
  EXPECT_THAT(complaint("sized:4k/10/0.9/3", "4k/100"), HasSubstr("sized:BYTES/SIZE[/THETA]"));
  EXPECT_THAT(complaint("sized:4k/10/-1", "4k/100"), HasSubstr("zipf:THETA"));
  EXPECT_THAT(complaint("sized", "4k/100"), HasSubstr("sized:BYTES/SIZE"));
}

} // namespace
} // namespace twinplane::platform::sized_workload_test
