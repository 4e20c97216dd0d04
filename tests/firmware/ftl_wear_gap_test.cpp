// Does static wear levelling keep the blocks of a plane together, and nothing else change?
#include <algorithm>

#include "tests/support/ftl_regions.h"
#include "tests/support/named_drives.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::ftl_wear_gap_test {
namespace {

struct Drive : NamedDrive {
  Drive(const NamedDrive& drive) : Drive(drive.name, drive.config) {}
  Drive(const char* its_name, const FtlBenchConfig& its_config, std::uint32_t its_slack = 4)
      : NamedDrive{its_name, its_config}, slack(its_slack) {}
  std::uint32_t slack; // erases: one block while others still wait for their turn, and those that are open
};

Drive page_types() {
  FtlBenchConfig c = small_drive();
  c.ftl.geometry.cell = CellType::tlc;
  c.ftl.geometry.pages_per_block = 24;
  c.ftl.program_order = ProgramOrder::relaxed;
  c.ftl.block_allocation = "pa";
  c.ftl.classifier = "QDS";
  c.ftl.over_provisioning = 0.45;
  return {"PageTypes", c};
}
Drive costs_and_benefits() {
  FtlBenchConfig c = small_drive();
  c.ftl.victim = "cost_benefit";
  return {"CostBenefit", c};
}

Drive hot_and_cold() {
  FtlBenchConfig c = two_region_drive("combo");
  c.ftl.over_provisioning = 0.55; // a region has room for a block full of valid pages
  return {"HotAndCold", c};
}

/// Each region is levelled, and a block that comes from the other one has worn as that one has.
Drive border_that_moves() {
  FtlBenchConfig c = two_region_drive("broms");
  c.ftl.over_provisioning = 0.55;
  return {"BorderThatMoves", c, 8};
}

/// Largest difference of erases between two units of a domain.
std::uint32_t widest_gap(FtlBench& b) {
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  std::uint32_t widest = 0;
  for (std::uint32_t domain = 0; domain < blocks.domains(); ++domain) {
    std::uint32_t least = ~0u;
    std::uint32_t most = 0;
    for (std::uint32_t block = 0; block < blocks.blocks_per_plane(); ++block) {
      if (!blocks.is_member(domain, block)) continue;
      const std::uint32_t erases = blocks.member(domain, block).erases;
      least = std::min(least, erases);
      most = std::max(most, erases);
    }
    widest = std::max(widest, most - least);
  }
  return widest;
}

/// Nine of ten sectors are written once; the rest over and over.
void wear(FtlBench& b) {
  for (std::uint64_t lba = 0; lba + 4 <= b.sectors(); lba += 4) {
    while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
    b.write(lba, 4);
  }
  Mix mix;
  mix.lbas = static_cast<std::uint32_t>(b.sectors() / 10);
  mix.write_percent = 100;
  mix.trim_percent = mix.zero_percent = mix.flush_percent = 0;
  mix.operations = 25000;
  run_random(b, mix, 3);
}

class WearGap : public ::testing::TestWithParam<Drive> {};

TEST_P(WearGap, KeepsTheBlocksOfAPlaneTogether) {
  for (const std::uint32_t gap : {2u, 8u}) {
    FtlBenchConfig c = GetParam().config;
    c.ftl.wear_gap = gap;
    FtlBench b(c);
    ASSERT_EQ(b.error(), nullptr) << b.error();
    ASSERT_NO_FATAL_FAILURE(wear(b));
    b.settle();
    b.check_all(true);
    const fw::FtlStatistics& s = b.statistics();
    EXPECT_GT(s.wear_collections, 0u);
    EXPECT_LE(s.wear_collections, s.gc_invocations);
    EXPECT_GT(s.pages_programmed[static_cast<std::uint32_t>(fw::ProgramCause::wear)], 0u);
    EXPECT_LE(widest_gap(b), gap + GetParam().slack) << "gap " << gap;
  }
}

TEST_P(WearGap, WithoutItColdDataKeepTheirBlocks) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  ASSERT_NO_FATAL_FAILURE(wear(b));
  EXPECT_GT(widest_gap(b), 16u);
  EXPECT_EQ(b.statistics().wear_collections, 0u);
  EXPECT_EQ(b.statistics().pages_programmed[static_cast<std::uint32_t>(fw::ProgramCause::wear)], 0u);
}

/// With as little space as the reserves of block allocation leave.
TEST_P(WearGap, FindsSpaceInAFullDrive) {
  FtlBenchConfig c = GetParam().config;
  c.ftl.over_provisioning = 0.01;
  c.ftl.wear_gap = 1;
  c.shuffle = true;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  ASSERT_NO_FATAL_FAILURE(wear(b));
  b.settle();
  b.check_all(true);
  EXPECT_FALSE(b.statistics().read_only);
}

INSTANTIATE_TEST_SUITE_P(Drives, WearGap,
                         ::testing::Values(conventional_drive(), twin_drive(), page_types(), copyback_drive(),
                                           costs_and_benefits(), hot_and_cold(), border_that_moves()),
                         parameter_name);

} // namespace
} // namespace twinplane::test::ftl_wear_gap_test
