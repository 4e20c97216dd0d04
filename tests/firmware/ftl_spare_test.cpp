// What do bad blocks cost: of the spare that the SMART page tells, and of the units of twin blocks?
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/ftl_bench.h"

namespace twinplane::test::ftl_spare_test {
namespace {

constexpr std::uint32_t kPlanes = 2;
constexpr std::uint32_t kBlocks = 40;

FtlBenchConfig worn_config(const char* allocation, bool bac) {
  FtlBenchConfig c;
  c.ftl.geometry.planes_per_die = kPlanes;
  c.ftl.geometry.blocks_per_plane = kBlocks;
  c.ftl.geometry.pages_per_block = 16;
  c.ftl.over_provisioning = 0.5;
  c.ftl.block_allocation = allocation;
  c.ftl.bac = bac;
  c.ftl.max_requests = 32;
  return c;
}

std::uint32_t lost_units(FtlBench& bench) {
  const fw::BlockTable& blocks = bench.ftl().state.blocks;
  std::uint32_t lost = 0;
  for (std::uint32_t d = 0; d < blocks.domains(); ++d) {
    for (std::uint32_t b = 0; b < blocks.blocks_per_plane(); ++b) {
      lost += blocks.unit(d, b).state == fw::BlockState::bad ? 1 : 0;
    }
  }
  return lost;
}

/// Writes while one program in five hundred fails, then until what has failed is retired.
void wear(FtlBench& bench) {
  bench.hal().flash().fail_programs(2, 7);
  fw::Random random(3);
  for (int i = 0; i < 6000; ++i) {
    while (bench.free_slots() == 0) {
      ASSERT_TRUE(bench.step()) << "stuck";
    }
    bench.write(random.below(static_cast<std::uint32_t>(bench.sectors() - 4)), 1 + random.below(4));
    if (i == 1500) bench.hal().flash().fail_programs(0, 7);
    if (i % 512 == 0) {
      ASSERT_NO_FATAL_FAILURE(bench.check_all(false));
    }
  }
  bench.settle();
  ASSERT_NO_FATAL_FAILURE(bench.check_all(true));
}

TEST(Spare, IsWhatOverProvisioningLeavesBesideTheReserves) {
  FtlBench bench(worn_config("conventional", true));
  ASSERT_EQ(bench.error(), nullptr);
  const fw::FtlStatistics& s = bench.statistics();
  const std::uint64_t exported = bench.ftl().state.exported_pages;
  EXPECT_EQ(exported, kPlanes * kBlocks * 16 / 2u);
  EXPECT_EQ(s.spare_blocks_at_boot, (kPlanes * kBlocks * 16 - exported - kPlanes * (2 * 16 + 1)) / 16);
  EXPECT_EQ(s.retired_blocks, 0u);
}

TEST(Spare, ShrinksByEveryRetiredBlock) {
  FtlBench bench(worn_config("conventional", true));
  ASSERT_NO_FATAL_FAILURE(wear(bench));
  EXPECT_GT(lost_units(bench), 3u);
  EXPECT_EQ(bench.statistics().retired_blocks, lost_units(bench));
  EXPECT_EQ(bench.statistics().erases, bench.hal().flash().erases());
}

TEST(Spare, ABadBlockCostsItsTwinsWhereBlockNumbersMustBeEqual) {
  FtlBench bench(worn_config("twin", true));
  ASSERT_NO_FATAL_FAILURE(wear(bench));
  EXPECT_GT(lost_units(bench), 3u);
  EXPECT_EQ(bench.statistics().retired_blocks, kPlanes * lost_units(bench));
}

// The plane with most bad blocks decides how many units are lost, not their number in all planes.
TEST(Spare, ABadBlockOfAUnitIsReplacedWhereBlockNumbersMayDiffer) {
  FtlBench bench(worn_config("twin", false));
  ASSERT_NO_FATAL_FAILURE(wear(bench));
  const fw::BlockTable& blocks = bench.ftl().state.blocks;
  std::uint32_t replaced = 0;
  for (std::uint32_t p = 0; p < kPlanes; ++p) {
    std::vector<std::uint32_t> used;
    for (std::uint32_t b = 0; b < kBlocks; ++b) {
      if (blocks.unit(0, b).state == fw::BlockState::bad) continue;
      replaced += blocks.block_in_die(p, b) != b ? 1 : 0;
      used.push_back(blocks.block_in_die(p, b));
    }
    std::sort(used.begin(), used.end());
    EXPECT_EQ(std::adjacent_find(used.begin(), used.end()), used.end()) << "one block behind two numbers";
  }
  EXPECT_GT(replaced, 0u);
  EXPECT_GT(bench.statistics().retired_blocks, lost_units(bench));
  EXPECT_GE(bench.statistics().retired_blocks, lost_units(bench) + replaced);
}

/// Boot replaces marked blocks of the units that it looks at for copies of lower pages, and does not take these
/// units. They are used as all others are: in native mode.
TEST(Spare, AUnitThatBootHasRepairedIsANativeOne) {
  std::uint32_t repaired = 0;
  for (std::uint64_t seed = 1; seed < 30; ++seed) {
    FtlBenchConfig c = worn_config("twin", false);
    c.ftl.geometry.cell = CellType::tlc;
    c.ftl.geometry.pages_per_block = 24;
    c.ftl.marked_blocks = true;
    c.ftl.lower_pages = fw::LowerPageProtection::backup;
    c.marked_percent = 20;
    c.seed = seed;
    FtlBench bench(c);
    ASSERT_EQ(bench.error(), nullptr) << bench.error();
    const fw::BlockTable& blocks = bench.ftl().state.blocks;
    for (std::uint32_t b = 0; b < kBlocks; ++b) {
      for (std::uint32_t p = 0; p < kPlanes; ++p) {
        if (blocks.block(p, b).state == fw::BlockState::free) {
          EXPECT_EQ(blocks.block(p, b).slc_mode, 0u) << "block " << b << " of plane " << p;
        }
      }
      const bool other = blocks.block_in_die(0, b) != b || blocks.block_in_die(1, b) != b;
      repaired += other && blocks.unit(0, b).state == fw::BlockState::free ? 1 : 0;
    }
  }
  EXPECT_GT(repaired, 10u);
}

} // namespace
} // namespace twinplane::test::ftl_spare_test
