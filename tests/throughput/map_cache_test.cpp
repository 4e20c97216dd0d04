// Does the core wait for the map as a cache of that size makes it wait?
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::map_cache_test {
namespace {

constexpr const char* kDrive = R"(
[geometry]
channels = 1
chips_per_channel = 2
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 128
pages_per_block = 128
page_size = "4KiB"
spare_size = "0B"
[nand]
cell = "slc"
tR = "20us"
[host]
mode = "closed"
iodepth = 1
[precondition]
mode = "fill"
fill = "100%"
[workload]
rw = "randread"
bs = "4KiB"
number_ios = 20000
)";

/// Lines of 64 bytes come 60 ns and 64 bytes at 10 TB/s later.
constexpr TimePs kMiss = ns(60) + memory_time(64);

struct Case {
  std::uint64_t size;
  std::uint32_t ways;
};
std::string name_of(const Case& c) {
  return std::to_string(c.size / 1024) + "KiB_" + std::to_string(c.ways) + "_ways";
}
void PrintTo(const Case& parameter, std::ostream* out) {
  *out << parameter_names::text_of(parameter);
}
class MapCache : public testing::TestWithParam<Case> {};

// Each line is as likely as any other, so what is in the cache does not matter, but how much of the map: C /
// M. Until then the first access to each line of the cache misses.
TEST_P(MapCache, HitsWithItsShareOfTheMapInUniformReads) {
  const Case c = GetParam();
  const platform::Config config = configure(
      std::string(kTimeless) + kDrive,
      {"cpu.cache_size=" + std::to_string(c.size) + "B", "cpu.cache_ways=" + std::to_string(c.ways)});
  platform::Simulation simulation(config);
  const platform::Summary s = run_workload(simulation, config);
  expect_consistent(s);
  ASSERT_TRUE(s.cache);
  constexpr double kReads = 20000;
  EXPECT_EQ(s.cache->hits + s.cache->misses, kReads) << "one access of each read";
  const double map = 4.0 * static_cast<double>(simulation.exported_bytes() / 4096);
  const double share = static_cast<double>(c.size) / map;
  const double expected = (kReads - static_cast<double>(c.size) / 64) * share;
  EXPECT_NEAR(static_cast<double>(s.cache->hits), expected, 4 * std::sqrt(expected * (1 - share)));
  EXPECT_EQ(s.cache->waited, s.cache->misses * kMiss);
  EXPECT_EQ(s.cache->written_back, 0u);
}
INSTANTIATE_TEST_SUITE_P(Sizes, MapCache,
                         testing::Values(Case{16384, 1}, Case{65536, 1}, Case{65536, 8}, Case{131072, 2}),
                         parameter_name);

TEST(MapCache, AsLargeAsTheMapMissesEachLineOnce) {
  const platform::Config config =
      configure(std::string(kTimeless) + kDrive, {"cpu.cache_size=1MiB", "workload.number_ios=60000"});
  const platform::Summary s = run_workload(config);
  ASSERT_TRUE(s.cache);
  const double lines = 4 * 128 * 128 * 0.85 * 4 / 64;
  EXPECT_NEAR(static_cast<double>(s.cache->misses), lines, 0.02 * lines);
}

TEST(MapCache, WritesBackWhatWritesHaveChanged) {
  const platform::Config config = configure(
      std::string(kTimeless) + kDrive,
      {"cpu.cache_size=4KiB", "workload.rw=randwrite", "workload.number_ios=4000", "host.iodepth=8"});
  const platform::Summary s = run_workload(config);
  expect_consistent(s);
  ASSERT_TRUE(s.cache);
  EXPECT_GT(s.cache->written_back, 3000u) << "nearly every write meets another line";
  EXPECT_LE(s.cache->written_back, s.cache->misses);
}

// The die is idle: nothing but the look-up keeps the page from it.
TEST(MapCache, KeepsPagesFromTheirDiesForItsMisses) {
  const platform::Config config =
      configure(std::string(kTimeless) + kDrive, {"cpu.cache_size=16KiB", "workload.number_ios=2000"});
  const platform::Summary s = run_workload(config);
  ASSERT_TRUE(s.cache);
  const platform::BreakdownNs& b = *s.host.read.breakdown;
  EXPECT_NEAR(b.die_wait * 2000, static_cast<double>(s.cache->waited) / 1e3, 2000 * 0.01);
}

TEST(MapCache, IsOffByDefault) {
  const platform::Summary s =
      run_workload(configure(std::string(kTimeless) + kDrive, {"workload.number_ios=10"}));
  EXPECT_FALSE(s.cache);
}

} // namespace
} // namespace twinplane::test::map_cache_test
