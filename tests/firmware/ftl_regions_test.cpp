// Do drives of two regions keep every promise: which blocks serve what, in which mode, and how the border
// moves?
#include <gtest/gtest.h>

#include <string>

#include "tests/support/ftl_regions.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::ftl_regions_test {
namespace {

using fw::kCold;
using fw::kHot;

constexpr std::uint32_t kSectors = 4; // per page

const fw::BlockInfo& block_of(FtlBench& b, std::uint32_t lpn) {
  const Ppa a = b.place(lpn);
  return b.ftl().state.blocks.block(a.die * 2 + a.plane, a.block);
}

/// Writes pages of `sectors` each, one after the other.
void write_pages(FtlBench& b, fw::Random& random, std::uint32_t lpns, std::uint32_t writes,
                 std::uint32_t pages) {
  for (std::uint32_t i = 0; i < writes; ++i) {
    while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
    const std::uint32_t lpn = random.below(lpns - pages + 1);
    b.write(std::uint64_t{lpn} * kSectors, pages * kSectors);
    b.step();
    ASSERT_NO_FATAL_FAILURE(b.check_cheap());
  }
  b.settle();
}

TEST(Regions, AreRefusedByNameWhereTheyDoNotWork) {
  struct Refusal {
    const char* key;
    void (*spoil)(fw::FtlConfig&);
  };
  const Refusal refusals[] = {
      {"nand.cell: must not be", [](fw::FtlConfig& c) { c.geometry.cell = CellType::slc; }},
      {"ftl.slc_mode: must be", [](fw::FtlConfig& c) { c.slc_mode = true; }},
      {"ftl.block_allocation: must be", [](fw::FtlConfig& c) { c.block_allocation = "twin"; }},
      {"ftl.relocation: must be", [](fw::FtlConfig& c) { c.relocation = "ubs"; }},
      {"nand.program_order: must be", [](fw::FtlConfig& c) { c.program_order = ProgramOrder::strict; }},
      {"geometry.blocks_per_plane: must be", [](fw::FtlConfig& c) { c.gc_threshold_blocks = 11; }},
      {"ftl.hot_share", [](fw::FtlConfig& c) { c.region.hot_share = 0; }},
      {"ftl.hot_share", [](fw::FtlConfig& c) { c.region.hot_share = 1; }},
      {"broms.window", [](fw::FtlConfig& c) { c.region.window = 0; }},
      {"broms.hysteresis", [](fw::FtlConfig& c) { c.region.hysteresis = 1; }},
      {"ftl.frontier: must be",
       [](fw::FtlConfig& c) {
         c.regions = "combo_logs";
         c.frontier = fw::Frontier::shared;
       }},
      {"ftl.cold_log",
       [](fw::FtlConfig& c) {
         c.regions = "combo_logs";
         c.region.cold_log = 1;
       }},
      {"ftl.second_chances",
       [](fw::FtlConfig& c) {
         c.regions = "combo_logs";
         c.region.second_chances = 256;
       }},
      {"ftl.regions: unknown", [](fw::FtlConfig& c) { c.regions = "two"; }},
  };
  for (const Refusal& r : refusals) {
    FtlBenchConfig c = two_region_drive("broms");
    ASSERT_EQ(fw::check_config(c.ftl), nullptr);
    r.spoil(c.ftl);
    ASSERT_NE(fw::check_config(c.ftl), nullptr) << r.key;
    EXPECT_EQ(std::string(fw::check_config(c.ftl)).find(r.key), 0u) << fw::check_config(c.ftl);
  }
}

TEST(Regions, DivideAPlaneByBlocksOrByCapacity) {
  FtlBenchConfig c = two_region_drive("combo");
  c.ftl.geometry.blocks_per_plane = 50;
  const auto hot = [&c] {
    FtlBench b(c);
    EXPECT_EQ(b.error(), nullptr);
    b.check_cheap();
    return region_blocks(b, kHot) / 8;
  };
  c.ftl.region.hot_share = 0.3;
  EXPECT_EQ(hot(), 15u);
  c.ftl.region.share_of_capacity = true; // 2 * .3 / 1.3 = 46 % of the blocks
  EXPECT_EQ(hot(), 23u);
  c.ftl.region.hot_share = 0.001;
  EXPECT_EQ(hot(), 5u) << "threshold + 2";
  c.ftl.region.hot_share = 0.999;
  EXPECT_EQ(hot(), 45u) << "and so many are left";
}

/// The capacity counts a hot block half, and what each region keeps for its collection not at all.
TEST(Regions, ExportWhatTheirBlocksCanHold) {
  FtlBenchConfig c = two_region_drive("combo");
  c.ftl.over_provisioning = 0.01;
  FtlBench b(c);
  const std::uint32_t hot = region_blocks(b, kHot) / 8;
  const std::uint32_t plane = hot * 8 - (2 * 8 + 1) + (24 - hot) * 16 - (2 * 16 + 1);
  EXPECT_EQ(b.ftl().state.exported_pages, plane * 8);
}

class Pairings : public ::testing::TestWithParam<ProgramOrder> {};

TEST_P(Pairings, PutSmallWritesOnFastPagesAndLargeOnesOnAll) {
  FtlBenchConfig c = two_region_drive("combo");
  c.ftl.program_order = GetParam();
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr);
  const std::uint32_t hot_lpns = 150;
  for (std::uint32_t lpn = 0; lpn < hot_lpns; ++lpn) {
    b.write(std::uint64_t{lpn} * kSectors, kSectors);
    b.settle();
  }
  for (std::uint32_t lpn = 200; lpn < 500; lpn += 3) {
    b.write(std::uint64_t{lpn} * kSectors, 3 * kSectors);
    b.settle();
  }
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  std::uint32_t slow = 0;
  for (std::uint32_t lpn = 0; lpn < hot_lpns; ++lpn) {
    ASSERT_EQ(block_of(b, lpn).region, kHot);
    ASSERT_EQ(blocks.order().type(b.place(lpn).page), 0u);
  }
  for (std::uint32_t lpn = 200; lpn < 500; ++lpn) {
    ASSERT_EQ(block_of(b, lpn).region, kCold);
    slow += blocks.order().type(b.place(lpn).page);
  }
  EXPECT_GT(slow, 80u) << "the cold region uses slow pages, too";
  b.check_all(true);
}

INSTANTIATE_TEST_SUITE_P(Orders, Pairings, ::testing::Values(ProgramOrder::ascending, ProgramOrder::relaxed),
                         parameter_name);

/// A block is whatever its region is after its next erase: fast pages in one life, all in the next.
TEST(Regions, UseABlockFastOrFullyByTheEraseBefore) {
  FtlBenchConfig c = two_region_drive("combo");
  FtlBench b(c);
  fw::Random random(3);
  std::vector<std::uint8_t> modes(c.ftl.geometry.blocks(), 0);
  for (std::uint32_t i = 0; i < 6000; ++i) {
    while (b.free_slots() == 0) b.step();
    const std::uint32_t pages = i % 3 == 0 ? 6u : 1u;
    b.write(random.below(250) * std::uint64_t{kSectors}, pages * kSectors);
    b.step();
    resize_at_random(b, random);
    const fw::BlockTable& blocks = b.ftl().state.blocks;
    for (std::uint32_t n = 0; n < modes.size(); ++n) {
      const fw::BlockInfo& info = blocks.block(n / 24, n % 24);
      if (info.written == blocks.region_pages(info.region)) modes[n] |= 1u << info.region;
    }
  }
  b.settle();
  std::uint32_t both = 0;
  for (const std::uint8_t m : modes) both += m == 3 ? 1 : 0;
  EXPECT_GT(both, modes.size() / 4) << "blocks that were filled in both modes";
  b.check_all(true);
}

/// Small writes everywhere: more than the hot region holds goes on in the cold one, without endless
/// collection.
TEST(Regions, LetTheOtherOneHelpWhenOneIsFullOfValidData) {
  for (const bool small : {true, false}) {
    SCOPED_TRACE(small ? "hot" : "cold");
    FtlBenchConfig c = two_region_drive("combo");
    c.ftl.over_provisioning = 0.3;
    if (!small) c.ftl.region.hot_share = 0.7;
    FtlBench b(c);
    ASSERT_EQ(b.error(), nullptr);
    fw::Random random(5);
    const std::uint32_t pages = small ? 1 : 4;
    ASSERT_NO_FATAL_FAILURE(write_pages(b, random, b.ftl().state.exported_pages, 12000 / pages, pages));
    const fw::FtlStatistics& s = b.statistics();
    EXPECT_GT(s.regions[kHot].host_pages, 1000u);
    EXPECT_GT(s.regions[kCold].host_pages, 1000u) << "what does not fit goes to the other region";
    EXPECT_LT(s.gc_pages_moved, 12 * s.host_pages_written);
    b.check_all(true);
  }
}

/// Data that were written once in small requests leave the hot region; those that are written again stay.
TEST(Regions, MoveMisplacedDataAway) {
  for (const double age : {0.0, 2.0}) {
    FtlBenchConfig c = two_region_drive("combo");
    c.ftl.region.cold_age = age;
    FtlBench b(c);
    fw::Random random(5);
    for (std::uint32_t lpn = 400; lpn < 700; ++lpn) {
      b.write(std::uint64_t{lpn} * kSectors, kSectors);
      b.settle();
    }
    ASSERT_NO_FATAL_FAILURE(write_pages(b, random, 100, 12000, 1));
    std::uint32_t hot_written_once = 0;
    std::uint32_t hot_written_often = 0;
    for (std::uint32_t lpn = 400; lpn < 700; ++lpn)
      hot_written_once += block_of(b, lpn).region == kHot ? 1 : 0;
    for (std::uint32_t lpn = 0; lpn < 100; ++lpn)
      hot_written_often += block_of(b, lpn).region == kHot ? 1 : 0;
    EXPECT_EQ(hot_written_often, 100u);
    if (age == 0.0) {
      EXPECT_EQ(hot_written_once, 300u);
      EXPECT_EQ(b.statistics().misplaced_pages, 0u);
    } else {
      EXPECT_LT(hot_written_once, 100u);
      EXPECT_GE(b.statistics().misplaced_pages, 300u - hot_written_once);
      EXPECT_LT(b.statistics().misplaced_pages, 330u) << "each once";
    }
    b.check_all(true);
  }
}

TEST(Broms, GivesBlocksToWhoeverIsWritten) {
  for (const bool hot : {true, false}) {
    SCOPED_TRACE(hot ? "hot" : "cold");
    FtlBenchConfig c = two_region_drive("broms");
    c.ftl.geometry.blocks_per_plane = 48;
    c.ftl.over_provisioning = 0.5;
    FtlBench b(c);
    fw::Random random(7);
    const std::uint32_t before = region_blocks(b, kHot);
    // data that fill both regions well, then writes to one of them only
    ASSERT_NO_FATAL_FAILURE(write_pages(b, random, 900, 900, 1));
    ASSERT_NO_FATAL_FAILURE(write_pages(b, random, 2600, 3000, 4));
    ASSERT_NO_FATAL_FAILURE(write_pages(b, random, hot ? 900 : 2600, hot ? 30000 : 8000, hot ? 1 : 4));
    const std::uint32_t after = region_blocks(b, kHot);
    if (hot) {
      EXPECT_GT(after, before + 8);
      EXPECT_GT(b.statistics().regions[kHot].grabs, b.statistics().regions[kCold].grabs);
    } else {
      EXPECT_LT(after, before - 8);
      EXPECT_GT(b.statistics().regions[kCold].grabs, b.statistics().regions[kHot].grabs);
    }
    EXPECT_EQ(after - before, static_cast<std::uint32_t>(b.statistics().regions[kHot].grabs -
                                                         b.statistics().regions[kCold].grabs));
    b.check_all(true);
  }
}

/// The exported capacity stays possible: only so many blocks become hot, whatever is predicted.
TEST(Broms, KeepsRoomForAllThatTheHostMayWrite) {
  FtlBenchConfig c = two_region_drive("broms");
  c.ftl.over_provisioning = 0.36;
  FtlBench b(c);
  fw::Random random(9);
  ASSERT_NO_FATAL_FAILURE(write_pages(b, random, 300, 30000, 1));
  EXPECT_GT(b.statistics().regions[kHot].grabs, 0u) << "it has grown";
  const std::uint32_t exported = b.ftl().state.exported_pages;
  const std::uint32_t reserve = 8 * (2 * (8 + 16) + 2);
  EXPECT_GE(region_blocks(b, kHot) * 8 + region_blocks(b, kCold) * 16, exported + reserve);
  for (std::uint32_t lpn = 0; lpn < exported; lpn += 4) { // and all of it can be written
    while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
    b.write(std::uint64_t{lpn} * kSectors, 4 * kSectors);
  }
  b.settle();
  EXPECT_FALSE(b.statistics().read_only);
  b.check_all(true);
}

/// A border that has found its place stays there. A block is 2 % of such a plane, so that is what it must
/// save.
TEST(Broms, DoesNotGoToAndFro) {
  FtlBenchConfig c = two_region_drive("broms");
  c.ftl.geometry.blocks_per_plane = 48;
  c.ftl.over_provisioning = 0.5;
  c.ftl.region.window = 4096;
  c.ftl.region.hysteresis = 0.02;
  FtlBench b(c);
  fw::Random random(11);
  const auto mixed = [&](std::uint32_t rounds) {
    for (std::uint32_t i = 0; i < rounds; ++i) {
      ASSERT_NO_FATAL_FAILURE(write_pages(b, random, 600, 60, 1));
      while (b.free_slots() == 0) b.step();
      for (std::uint32_t n = 0; n < 15; ++n) {
        while (b.free_slots() == 0) b.step();
        b.write((700 + random.below(1800)) * std::uint64_t{kSectors}, 4 * kSectors);
      }
    }
  };
  mixed(400);
  const fw::FtlStatistics first = b.statistics();
  mixed(400);
  const fw::FtlStatistics& s = b.statistics();
  const std::uint64_t moves =
      s.regions[kHot].grabs + s.regions[kCold].grabs - first.regions[kHot].grabs - first.regions[kCold].grabs;
  const std::uint64_t collections = s.gc_invocations - first.gc_invocations;
  EXPECT_LT(moves * 50, collections) << "moves of the border " << moves << ", collections " << collections;
}

} // namespace
} // namespace twinplane::test::ftl_regions_test
