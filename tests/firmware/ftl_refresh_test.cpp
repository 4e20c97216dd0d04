// Are data written once more before they are lost, and does nothing else change?
#include "tests/support/feature_keys.h"
#include "tests/support/ftl_cached.h"
#include "tests/support/ftl_regions.h"
#include "tests/support/named_drives.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::ftl_refresh_test {
namespace {

constexpr std::uint64_t kReads = 40;

NamedDrive superblocks() {
  FtlBenchConfig c = small_drive();
  c.ftl.geometry.cell = CellType::tlc;
  c.ftl.geometry.pages_per_block = 24;
  c.ftl.over_provisioning = 0.45;
  c.ftl.page_table = PageTable::wordline;
  c.ftl.pass_pages = 3;
  c.ftl.erase_unit = fw::EraseUnit::die;
  c.ftl.plane_allocation = "F";
  return {"Superblocks", c};
}
NamedDrive hot_and_cold() {
  FtlBenchConfig c = two_region_drive("combo");
  c.ftl.over_provisioning = 0.55;
  return {"HotAndCold", c};
}
NamedDrive lower_pages() {
  return {"LowerPages", tlc_with_copies()};
}
NamedDrive all_dies() {
  FtlBenchConfig c = superblocks().config;
  c.ftl.erase_unit = fw::EraseUnit::drive;
  return {"AllDies", c};
}

std::uint64_t refreshed(FtlBench& b) {
  return feature_count(b.statistics(), "refresh.blocks");
}

/// Of the flash's page that has the sector.
Ppa place_of(FtlBench& b, std::uint64_t lba) {
  Ppa page;
  std::uint32_t sector = 0;
  EXPECT_TRUE(b.place_sector(lba, page, sector));
  return page;
}

void write_all(FtlBench& b) {
  ASSERT_EQ(b.error(), nullptr) << b.error();
  write_every_page(b);
  b.settle();
}

class RefreshedDrive : public ::testing::TestWithParam<NamedDrive> {};

TEST_P(RefreshedDrive, MovesDataOfABlockThatIsReadTooOften) {
  FtlBenchConfig c = GetParam().config;
  set_feature(c.ftl, "refresh.reads", kReads);
  FtlBench b(c);
  ASSERT_NO_FATAL_FAILURE(write_all(b));
  const Ppa before = place_of(b, 0);
  for (std::uint64_t n = 1; n < kReads; ++n) {
    b.read(0, 1);
    b.settle();
  }
  EXPECT_TRUE(place_of(b, 0) == before) << "before the limit";
  EXPECT_EQ(refreshed(b), 0u);
  b.read(0, 1);
  b.settle();
  EXPECT_FALSE(place_of(b, 0) == before);
  EXPECT_EQ(refreshed(b), 1u);
  b.check_all(true);
}

TEST_P(RefreshedDrive, KeepsItsDataUnderARandomLoadAndOverPowerCuts) {
  FtlBenchConfig c = GetParam().config;
  set_feature(c.ftl, "refresh.reads", kReads / 4);
  set_feature(c.ftl, "refresh.patrol_ms", 2);
  c.ftl.hold_up_pages = c.ftl.lower_pages == fw::LowerPageProtection::none ? 1024 : c.ftl.hold_up_pages;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  Mix mix;
  mix.operations = 6000;
  if (!b.statistics().metadata_kept) mix.trim_percent = 0; // trims may be undone then
  for (std::uint64_t life = 1; life <= 3; ++life) {
    ASSERT_NO_FATAL_FAILURE(run_random(b, mix, life));
    EXPECT_GT(refreshed(b), 3u);
    EXPECT_GT(feature_count(b.statistics(), "refresh.patrol_reads"), 20u);
    b.commit();
    b.settle();
    fw::Random random(life);
    if (c.ftl.hold_up_pages != 0) {
      b.cut_power_held_up(random);
    } else {
      b.cut_power(false, random);
    }
    ASSERT_FALSE(HasFatalFailure());
    b.settle();
    b.check_all(true);
  }
}

INSTANTIATE_TEST_SUITE_P(Drives, RefreshedDrive,
                         ::testing::Values(conventional_drive(), twin_drive(), unit_drive(), superblocks(),
                                           copyback_drive(), hot_and_cold(), lower_pages(), all_dies()),
                         parameter_name);

/// Valid pages of full blocks.
std::uint64_t patrolled_pages(FtlBench& b) {
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  std::uint64_t pages = 0;
  for (std::uint32_t p = 0; p < blocks.geometry().planes(); ++p) {
    for (std::uint32_t block = 0; block < blocks.blocks_per_plane(); ++block) {
      const fw::BlockInfo& info = blocks.block(p, block);
      if (info.state == fw::BlockState::closed) pages += info.valid;
    }
  }
  return pages;
}

TEST(Patrol, ReadsEachValidPageOnceInAPass) {
  FtlBenchConfig c = small_drive();
  set_feature(c.ftl, "refresh.patrol_ms", 1000); // 1024 or 2048 pages: about a millisecond apart
  FtlBench b(c);
  ASSERT_NO_FATAL_FAILURE(write_all(b));
  const std::uint64_t pages = patrolled_pages(b);
  const auto passes = [&] { return feature_count(b.statistics(), "refresh.patrol_passes"); };
  const auto reads = [&] { return feature_count(b.statistics(), "refresh.patrol_reads"); };
  const auto run_to_pass = [&](std::uint64_t pass) {
    while (passes() < pass) {
      if (b.step()) continue;
      ASSERT_TRUE(b.hal().wait_for_timer()) << "no patrol";
      b.turn();
    }
  };
  ASSERT_NO_FATAL_FAILURE(run_to_pass(1));
  const std::uint64_t first = reads();
  const std::uint64_t begin_ps = b.hal().now_ps();
  ASSERT_NO_FATAL_FAILURE(run_to_pass(2));
  EXPECT_NEAR(static_cast<double>(reads() - first), static_cast<double>(pages),
              static_cast<double>(c.ftl.geometry.planes()));
  EXPECT_LE(b.hal().now_ps() - begin_ps, 1'010'000'000'000u) << "the time of a pass, and some of its rests";
  b.settle();
  b.check_all(true);
}

TEST(Patrol, LooksAtLostPagesWithoutEnd) {
  FtlBenchConfig c = small_drive();
  set_feature(c.ftl, "refresh.patrol_ms", 100);
  set_feature(c.ftl, "refresh.corrected_bits", 1);
  FtlBench b(c);
  ASSERT_NO_FATAL_FAILURE(write_all(b));
  b.spoil(0, 4);
  b.settle();
  for (int i = 0; i < 10'000; ++i) {
    if (b.step()) continue;
    ASSERT_TRUE(b.hal().wait_for_timer());
    b.turn();
  }
  EXPECT_GT(feature_count(b.statistics(), "refresh.patrol_passes"), 1u);
  EXPECT_EQ(refreshed(b), 0u) << "another place does not bring the data back";
}

// Collection keeps space for what cuts may tear as long as a victim is moved, in small drives more than they have.
TEST(Refresh, LeavesTimeToTheHostWhereItsWritesWaitForCollections) {
  FtlBenchConfig c = small_drive();
  c.ftl.geometry.cell = CellType::tlc;
  c.ftl.geometry.pages_per_block = 27;
  c.ftl.geometry.blocks_per_plane = 12;
  c.ftl.lower_pages = fw::LowerPageProtection::wordline;
  c.ftl.over_provisioning = 0.6;
  c.ftl.gc_threshold_blocks = 3;
  set_feature(c.ftl, "refresh.reads", 1);
  set_feature(c.ftl, "refresh.patrol_ms", 1);
  FtlBench b(c);
  ASSERT_NO_FATAL_FAILURE(write_all(b));
  const std::uint64_t begin_ps = b.hal().now_ps();
  Mix mix;
  mix.operations = 500;
  ASSERT_NO_FATAL_FAILURE(run_random(b, mix, 5));
  EXPECT_LT(b.hal().now_ps() - begin_ps, 3'000'000'000'000u);
}

// Data of a cache go to native blocks, of mga each part of a page to another one: a block of it is not collected while
// these have no room.
TEST(Refresh, LeavesNativeBlocksOfACacheTheRoomThatTheyNeed) {
  for (const char* const scheme : {"mga", "ipu", "slc_cache", "packed_mga", "packed_pslc"}) {
    SCOPED_TRACE(scheme);
    FtlBenchConfig c = cached_drive(scheme);
    set_feature(c.ftl, "refresh.reads", 2);
    set_feature(c.ftl, "refresh.patrol_ms", 1);
    FtlBench b(c);
    ASSERT_NO_FATAL_FAILURE(write_all(b));
    Mix mix;
    mix.operations = 20'000;
    ASSERT_NO_FATAL_FAILURE(run_random(b, mix, 6));
    EXPECT_FALSE(b.statistics().read_only);
    EXPECT_GT(refreshed(b), 100u);
  }
}

TEST(Refresh, DoesNothingUnlessAKeySaysSo) {
  FtlBench b(small_drive());
  ASSERT_EQ(b.error(), nullptr) << b.error();
  EXPECT_FALSE(b.ftl().state.hooks.wants(fw::Hook::read));
  EXPECT_FALSE(b.ftl().state.hooks.wants(fw::Hook::victim));
  EXPECT_FALSE(b.hal().wait_for_timer());
}

} // namespace
} // namespace twinplane::test::ftl_refresh_test
