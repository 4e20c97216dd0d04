// Is space made while the host is away, as much as was asked for, and only then?
#include "tests/support/feature_keys.h"
#include "tests/support/ftl_cached.h"
#include "tests/support/named_drives.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::ftl_idle_collection_test {
namespace {

constexpr std::uint64_t kAfterUs = 1000;
constexpr std::uint32_t kFreeBlocks = 5;

FtlBenchConfig collecting(FtlBenchConfig c, std::uint32_t least_gain = 10) {
  set_feature(c.ftl, "idle_collection.after_us", kAfterUs);
  set_feature(c.ftl, "idle_collection.free_blocks", kFreeBlocks);
  set_feature(c.ftl, "idle_collection.least_gain", least_gain);
  c.ftl.over_provisioning = 0.45;
  return c;
}
NamedDrive collecting(const NamedDrive& drive) {
  return {drive.name, collecting(drive.config)};
}

std::uint64_t times(FtlBench& b) {
  return feature_count(b.statistics(), "idle_collection.times");
}

/// Until nothing is left to be done, and the host stays away.
void stay_away(FtlBench& b) {
  b.turn();
  const std::uint64_t before = times(b);
  do { // writes that have waited for others may have left their alarm
    ASSERT_TRUE(b.hal().wait_for_timer()) << "the firmware waits for nothing";
    b.turn();
  } while (times(b) == before);
  while (b.step()) {
  }
}

void write_over(FtlBench& b, std::uint64_t seed) {
  Mix mix;
  mix.operations = 4000;
  mix.write_percent = 100;
  mix.trim_percent = mix.zero_percent = mix.flush_percent = 0;
  ASSERT_NO_FATAL_FAILURE(run_random(b, mix, seed));
}

std::uint32_t fewest_free(FtlBench& b) {
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  std::uint32_t fewest = ~0u;
  for (std::uint32_t site = 0; site < blocks.sites(); ++site)
    fewest = std::min(fewest, blocks.domain(site).free_blocks);
  return fewest;
}

class IdleDrive : public ::testing::TestWithParam<NamedDrive> {};

TEST_P(IdleDrive, MakesAsManyBlocksAsAskedFor) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  ASSERT_NO_FATAL_FAILURE(write_over(b, 1));
  EXPECT_LT(fewest_free(b), kFreeBlocks) << "before";
  const std::uint64_t collections = b.statistics().gc_invocations;
  ASSERT_NO_FATAL_FAILURE(stay_away(b));
  EXPECT_EQ(times(b), 1u);
  EXPECT_EQ(fewest_free(b), kFreeBlocks);
  EXPECT_GT(b.statistics().gc_invocations, collections);
  b.settle();
  b.check_all(true);
}

TEST_P(IdleDrive, KeepsItsDataUnderALoadWithPauses) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  Mix mix;
  mix.operations = 500;
  for (std::uint64_t burst = 1; burst <= 12; ++burst) {
    ASSERT_NO_FATAL_FAILURE(run_random(b, mix, burst));
    ASSERT_NO_FATAL_FAILURE(stay_away(b));
  }
  EXPECT_EQ(times(b), 12u);
  b.settle();
  b.check_all(true);
}

INSTANTIATE_TEST_SUITE_P(Drives, IdleDrive,
                         ::testing::Values(collecting(conventional_drive()), collecting(twin_drive()),
                                           collecting(unit_drive()), collecting(copyback_drive())),
                         parameter_name);

TEST(IdleCollection, LeavesBlocksThatGainTooLittle) {
  FtlBench b(collecting(small_drive(), 100));
  ASSERT_EQ(b.error(), nullptr) << b.error();
  ASSERT_NO_FATAL_FAILURE(write_over(b, 1));
  const std::uint64_t moved = b.statistics().gc_pages_moved;
  ASSERT_NO_FATAL_FAILURE(stay_away(b));
  EXPECT_EQ(times(b), 1u);
  EXPECT_EQ(b.statistics().gc_pages_moved, moved) << "only blocks without valid pages are erased";
}

TEST(IdleCollection, ChoosesNoVictimOnceTheHostIsBack) {
  FtlBench b(collecting(small_drive()));
  ASSERT_EQ(b.error(), nullptr) << b.error();
  ASSERT_NO_FATAL_FAILURE(write_over(b, 1));
  b.turn();
  ASSERT_TRUE(b.hal().wait_for_timer());
  b.turn(); // victims have been chosen
  const std::uint64_t collections = b.statistics().gc_invocations;
  b.read(0, 1);
  while (b.step()) {
    if (b.free_slots() == 32) b.read(0, 1); // the host is never away
    if (b.ftl().collector.jobs.active() == 0) break;
  }
  EXPECT_EQ(b.statistics().gc_invocations, collections);
}

TEST(IdleCollection, EmptiesACache) {
  FtlBenchConfig c = collecting(cached_drive("slc_cache"));
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  ASSERT_NO_FATAL_FAILURE(write_over(b, 1));
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  const auto closed = [&] {
    std::uint32_t count = 0;
    for (std::uint32_t p = 0; p < blocks.geometry().planes(); ++p) {
      for (std::uint32_t block = 0; block < blocks.blocks_per_plane(); ++block) {
        const fw::BlockInfo& info = blocks.block(p, block);
        count += info.region == fw::kCache && info.state == fw::BlockState::closed ? 1 : 0;
      }
    }
    return count;
  };
  EXPECT_GT(closed(), 8u) << "before";
  ASSERT_NO_FATAL_FAILURE(stay_away(b));
  EXPECT_EQ(closed(), 0u);
  b.settle();
  b.check_all(true);
}

// The host writes whole pages in a row: as many as the cache holds go there, the others past it, and nothing is moved
// for them. When the host has been away there is room again.
TEST(IdleCollection, EmptiesACacheThatTheHostGoesPast) {
  FtlBenchConfig c = collecting(cached_drive("slc_cache"));
  c.ftl.slc_cache.direct_when_full = true;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  const std::uint32_t cache =
      6 * b.ftl().state.blocks.region_pages(fw::kCache) * c.ftl.geometry.planes(); // six blocks of each plane
  const std::uint32_t half = b.ftl().state.exported_pages / 2;
  ASSERT_GT(half, cache) << "most pages go past it";
  const std::uint32_t shift = b.ftl().state.sectors_shift;
  const auto write = [&](std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t lpn = first; lpn < first + count; ++lpn) {
      while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
      b.write(std::uint64_t{lpn} << shift, 1u << shift);
    }
    while (b.free_slots() != c.ftl.max_requests) ASSERT_TRUE(b.step()) << "stuck";
  };
  const fw::CacheCounters& counted = b.statistics().cache;
  ASSERT_NO_FATAL_FAILURE(write(0, half));
  EXPECT_EQ(counted.collections, 0u);
  EXPECT_EQ(counted.native_host_pages, half - cache);
  ASSERT_NO_FATAL_FAILURE(stay_away(b));
  EXPECT_GT(counted.collections, 0u);
  const std::uint64_t past = counted.native_host_pages;
  ASSERT_NO_FATAL_FAILURE(write(half, cache / 2));
  EXPECT_EQ(counted.native_host_pages, past) << "there is room in the cache again";
  b.settle();
  b.check_all(true);
}

TEST(IdleCollection, DoesNothingUnlessAKeySaysSo) {
  FtlBench b(small_drive());
  ASSERT_EQ(b.error(), nullptr) << b.error();
  EXPECT_FALSE(b.ftl().state.hooks.any_awake());
  EXPECT_FALSE(b.hal().wait_for_timer());
}

} // namespace
} // namespace twinplane::test::ftl_idle_collection_test
