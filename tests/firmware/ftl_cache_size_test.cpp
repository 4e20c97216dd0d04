// Does an SLC-mode cache whose size follows the data give and take blocks as it should, and keep every
// promise meanwhile? The accounts of both regions are held against a recount after every operation
// (check_cheap).
#include <functional>
#include <string>

#include "tests/support/ftl_cached.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::ftl_cache_size_test {
namespace {

/// 24 blocks per plane, of which the cache has 2 to 12; capacity is that of the least.
FtlBenchConfig sized_drive(const char* scheme) {
  FtlBenchConfig c = cached_drive(scheme);
  c.ftl.slc_cache.least_share = 0.08;
  c.ftl.slc_cache.most_share = 0.5;
  c.ftl.over_provisioning = 0.28;
  return c;
}

const fw::CacheExtent& extent(FtlBench& b) {
  return b.ftl().state.policy.cache->space.extent();
}

const fw::PlaneInfo& region(FtlBench& b, std::uint32_t plane, fw::Region r) {
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  return blocks.domain(blocks.domain_of(plane, r));
}

void each_plane(FtlBench& b, const std::function<void(std::uint32_t)>& look) {
  for (std::uint32_t p = 0; p < b.ftl().state.blocks.geometry().planes(); ++p) look(p);
}

void expect_between(FtlBench& b) {
  each_plane(b, [&](std::uint32_t p) {
    ASSERT_GE(region(b, p, fw::kCache).blocks, 2u);
    ASSERT_LE(region(b, p, fw::kCache).blocks, 12u);
  });
}

void write_all(FtlBench& b, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t lba = from; lba + 8 <= to; lba += 8) {
    while (b.free_slots() == 0) ASSERT_TRUE(b.step());
    b.write(lba, 8);
  }
  b.settle();
}

void trim_all(FtlBench& b, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t lba = from; lba + 64 <= to; lba += 64) {
    while (b.free_slots() == 0) ASSERT_TRUE(b.step());
    b.trim(lba, 64);
  }
  b.settle();
}

class CacheSize : public ::testing::TestWithParam<const char*> {};

TEST_P(CacheSize, IsTheLargestWhileTheDriveIsNearlyEmpty) {
  FtlBench b(sized_drive(GetParam()));
  ASSERT_EQ(b.error(), nullptr) << b.error();
  each_plane(b,
             [&](std::uint32_t p) { EXPECT_EQ(region(b, p, fw::kCache).blocks, 6u) << "slc_cache.share"; });
  for (int round = 0; round < 60; ++round) write_all(b, 0, b.sectors() / 16);
  each_plane(b, [&](std::uint32_t p) {
    EXPECT_GE(region(b, p, fw::kCache).blocks, 9u);
    EXPECT_EQ(region(b, p, fw::kCache).blocks, extent(b).wanted(p));
  });
  b.check_all(true);
}

TEST_P(CacheSize, IsTheLeastOfAFullDriveAndGrowsAgainWhenItIsTrimmed) {
  FtlBench b(sized_drive(GetParam()));
  for (int round = 0; round < 3; ++round) write_all(b, 0, b.sectors());
  each_plane(b, [&](std::uint32_t p) {
    EXPECT_LE(region(b, p, fw::kCache).blocks, extent(b).wanted(p));
    EXPECT_LE(region(b, p, fw::kCache).blocks, 3u);
  });
  EXPECT_GT(b.statistics().regions[fw::kNative].grabs, 0u);
  trim_all(b, b.sectors() / 16 / 64 * 64, b.sectors());
  for (int round = 0; round < 60; ++round) write_all(b, 0, b.sectors() / 16);
  each_plane(b, [&](std::uint32_t p) { EXPECT_GE(region(b, p, fw::kCache).blocks, 9u); });
  b.check_all(true);
}

// In the drive that has its size from the data, as many pages are the host's as if the cache had the least.
TEST_P(CacheSize, CostsNoMoreCapacityThanTheLeast) {
  FtlBenchConfig c = sized_drive(GetParam());
  c.ftl.over_provisioning = 0;
  FtlBenchConfig least = c;
  least.ftl.slc_cache.least_share = least.ftl.slc_cache.most_share = 0;
  least.ftl.slc_cache.share = 0.08;
  EXPECT_EQ(FtlBench(c).sectors(), FtlBench(least).sectors());
  const std::uint32_t sure = c.ftl.slc_cache.packed_eviction ? 15 : 16; // pages of a block
  EXPECT_EQ(FtlBench(c).sectors(), 8u * 8 * (22 * sure - 33)); // planes, sectors, but for the reserve
}

TEST_P(CacheSize, StaysWhereLeastAndMostAreTheShare) {
  FtlBench b(cached_drive(GetParam()));
  for (int round = 0; round < 3; ++round) write_all(b, 0, b.sectors());
  each_plane(b, [&](std::uint32_t p) { EXPECT_EQ(region(b, p, fw::kCache).blocks, 6u); });
  EXPECT_EQ(b.statistics().regions[fw::kCache].grabs + b.statistics().regions[fw::kNative].grabs, 0u);
}

/// The line at its ends, in blocks.
TEST_P(CacheSize, FallsWithTheDataOfThePlane) {
  FtlBenchConfig c = sized_drive(GetParam());
  c.ftl.geometry.channels = 1;
  c.ftl.geometry.dies_per_chip = 1;
  c.ftl.geometry.planes_per_die = 1;
  FtlBench b(c);
  EXPECT_EQ(extent(b).wanted(0), 11u) << "with the page that comes next";
  std::uint32_t last = 12;
  const bool packed = c.ftl.slc_cache.packed_eviction;
  const std::uint64_t room = (24 - 2 - 4) * (packed ? 15 : 16);
  const bool subpages = b.ftl().state.policy.cache->scheme().packs();
  const std::uint32_t units = subpages ? 4 : 1; // of a page
  const fw::UnitMap& map = b.ftl().state.units->map;
  for (std::uint64_t lba = 0; lba + 8 <= b.sectors(); lba += 8) {
    b.write(lba, 8);
    b.settle();
    const std::uint64_t pages = lba / 8 + 1;
    const std::uint64_t native =
        packed ? (pages * 4 - map.cached(0) + 3) / 4 : region(b, 0, fw::kNative).valid;
    const std::uint64_t cached = units == 1 ? region(b, 0, fw::kCache).valid
                                 : packed   ? map.cached(0)
                                            : (pages - native) * units;
    const std::uint64_t data = native + cached + units;
    const std::uint64_t line = data >= room ? 2 : 2 + 10 * (room - data) / room;
    ASSERT_EQ(extent(b).wanted(0), line);
    ASSERT_LE(region(b, 0, fw::kCache).blocks, std::max<std::uint64_t>(line, 6)) << "grown beyond the line";
    if (pages % 32 == 0) {
      ASSERT_LE(line, last);
      last = static_cast<std::uint32_t>(line);
    }
  }
  EXPECT_EQ(extent(b).wanted(0), 2u);
  EXPECT_EQ(region(b, 0, fw::kCache).blocks, 2u);
}

/// Valid subpages in native blocks of a drive with one plane, by the map.
std::uint64_t native_subpages(FtlBench& b) {
  const fw::UnitMap& map = b.ftl().state.units->map;
  std::uint64_t sum = 0;
  for (std::uint32_t lpn = 0; lpn < b.ftl().state.exported_pages; ++lpn)
    sum += fw::bits_set(map.in_native(lpn));
  return sum;
}

// Packed pages keep about one valid subpage each: a quarter of the data is left, and the cache may have its
// place.
TEST(CacheSizePacked, CountsNativeDataBySubpage) {
  FtlBenchConfig c = sized_drive("packed");
  c.ftl.geometry.channels = 1;
  c.ftl.geometry.dies_per_chip = 1;
  c.ftl.geometry.planes_per_die = 1;
  FtlBench b(c);
  const std::uint32_t pages = b.ftl().state.exported_pages;
  for (std::uint32_t i = 0; i < 4 * pages; ++i) {
    b.write(std::uint64_t{i % pages} * 8 + i / pages * 2, 2);
    b.settle();
  }
  EXPECT_EQ(extent(b).wanted(0), 2u);
  for (std::uint32_t lpn = 0; lpn < pages; ++lpn) {
    if (lpn % 4 != 0) b.trim(std::uint64_t{lpn} * 8, 8);
    b.settle();
  }
  const std::uint64_t data = (native_subpages(b) + 3) / 4;
  EXPECT_GT(region(b, 0, fw::kNative).valid, 2 * data) << "torn apart";
  const std::uint64_t room = (24 - 2 - 4) * 15;
  const std::uint64_t used = data + b.ftl().state.units->map.cached(0) + 4;
  EXPECT_EQ(extent(b).wanted(0), 2 + 10 * (room - used) / room);
  for (int round = 0; round < 60; ++round) write_all(b, 0, b.sectors() / 16);
  EXPECT_GT(region(b, 0, fw::kCache).blocks, 2u);
  b.check_all(true);
}

/// Phases of a 24th of the operations: all of the drive, a 16th of it after a trim of the rest, a third of it.
void run_phases(FtlBench& b, std::uint32_t operations, std::uint64_t seed) {
  ASSERT_EQ(b.error(), nullptr) << b.error();
  fw::Random random(seed);
  const std::uint64_t parts[] = {b.sectors(), b.sectors() / 16, b.sectors() / 3};
  const std::uint32_t phase = operations / 24 + 1;
  Mix mix;
  mix.max_sectors = 8;
  mix.write_percent = 80;
  mix.trim_percent = mix.zero_percent = mix.flush_percent = 1;
  for (std::uint32_t i = 0; i < operations; ++i) {
    if (i % phase == 0) {
      mix.lbas = static_cast<std::uint32_t>(parts[i / phase % 3]);
      if (i / phase % 3 == 1) trim_all(b, mix.lbas / 64 * 64, b.sectors());
      if (i / phase % 3 == 0) write_all(b, 0, b.sectors());
      b.check_all(false);
    }
    while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
    random_operation(b, random, mix);
    if (random.below(2) == 0) b.step();
    b.check_cheap();
    expect_between(b);
    if (::testing::Test::HasFatalFailure()) return;
  }
  b.settle();
  b.check_all(true);
}

TEST_P(CacheSize, KeepsItsAccountsThroughManyOperations) {
  FtlBenchConfig c = sized_drive(GetParam());
  c.shuffle = true;
  FtlBench b(c);
  run_phases(b, at_depth(250'000, 3), 7);
  EXPECT_GT(b.statistics().regions[fw::kCache].grabs, at_depth(100, 3));
  EXPECT_GT(b.statistics().regions[fw::kNative].grabs, at_depth(100, 3));
  EXPECT_FALSE(b.statistics().read_only);
  EXPECT_EQ(b.failed_reads() + b.failed_writes(), 0u);
}

const Setting kSettings[] = {
    settings::no_spare_capacity,
    settings::a_full_cache_is_passed,
    settings::a_full_cache_is_passed_no_spare_capacity,
    settings::hardly_any_space_static_planes,
    settings::an_update_writes_all_there_is,
    settings::whole_pages_go_past_the_cache,
    settings::three_bits_per_cell,
    settings::four_bits_per_cell,
    {"wear levelling", [](FtlBenchConfig& c) { c.ftl.slc_cache.wear_gap = 2; }},
    settings::shared_frontier,
    settings::write_buffer,
    settings::deep_queues_suspension,
    {"dies first, unequal blocks pair",
     [](FtlBenchConfig& c) {
       c.ftl.plane_allocation = "F";
       c.ftl.bac = false;
     }},
    {"grows only", [](FtlBenchConfig& c) { c.ftl.slc_cache.least_share = 0; }},
    {"collects late", [](FtlBenchConfig& c) { c.ftl.slc_cache.gc_threshold = 0; }},
    {"collects early", [](FtlBenchConfig& c) { c.ftl.slc_cache.gc_threshold = 0.9; }},
    settings::programs_last,
};

TEST_P(CacheSize, KeepsTheShadowInEverySetting) {
  std::uint64_t seed = 70;
  OneIn half(2);
  for (const Setting& setting : kSettings) {
    ++seed;
    if (!half.runs()) continue;
    SCOPED_TRACE(setting.name);
    FtlBenchConfig c = sized_drive(GetParam());
    c.shuffle = true;
    c.seed = seed;
    setting.change(c);
    FtlBench b(c);
    run_phases(b, at_depth(24000, 3), seed);
    if (HasFatalFailure()) return;
    EXPECT_FALSE(b.statistics().read_only);
    EXPECT_EQ(b.failed_reads() + b.failed_writes(), 0u);
    EXPECT_GT(b.statistics().regions[fw::kCache].grabs, 0u);
  }
}

TEST_P(CacheSize, KeepsTheShadowWhileProgramsFail) {
  run_while_programs_fail(sized_drive(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Each, CacheSize, ::testing::ValuesIn(kCacheSchemes), parameter_name);

} // namespace
} // namespace twinplane::test::ftl_cache_size_test
