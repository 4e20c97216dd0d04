// Page types and multi-plane programs together (pa-twin): do the pages of a write pair in every type, do
// planes stay level, and are all promises of page-type allocation kept?
#include <algorithm>
#include <string>

#include "tests/support/ftl_random.h"

namespace twinplane::test::page_type_twin_test {
namespace {

constexpr std::uint32_t kTypes = 3;

/// small_drive() with TLC blocks of six wordlines, four planes per die and PAC only.
FtlBenchConfig twin_types(const char* classifier) {
  FtlBenchConfig c = small_drive();
  c.ftl.geometry.cell = CellType::tlc;
  c.ftl.geometry.planes_per_die = 4;
  c.ftl.geometry.pages_per_block = 18;
  c.ftl.program_order = ProgramOrder::relaxed;
  c.ftl.block_allocation = "pa-twin";
  c.ftl.plane_allocation = "F";
  c.ftl.relocation = "ubs";
  c.ftl.classifier = classifier;
  c.ftl.bac = false;
  c.ftl.over_provisioning = 0.35;
  return c;
}

/// The same on one die.
FtlBenchConfig one_die(const char* classifier) {
  FtlBenchConfig c = twin_types(classifier);
  c.ftl.geometry.channels = 1;
  c.ftl.geometry.dies_per_chip = 1;
  return c;
}

void write_alone(FtlBench& b, std::uint32_t lpn, std::uint32_t pages) {
  b.write(std::uint64_t{lpn} * 4, pages * 4);
  b.settle();
}

/// Pages written of each type in a plane.
std::uint32_t written(FtlBench& b, std::uint32_t plane, std::uint32_t type) {
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  std::uint32_t sum = 0;
  for (std::uint32_t block = 0; block < blocks.blocks_per_plane(); ++block) {
    for (std::uint32_t page = 0; page < blocks.pages_per_block(); ++page) {
      const Ppa at{plane / 4, plane % 4, block, page};
      if (b.hal().flash().page(at).programmed && blocks.order().type(page) == type) ++sum;
    }
  }
  return sum;
}

TEST(TypeTwins, EveryWriteOfAllPlanesIsOneCommandInEveryType) {
  FtlBench b(one_die("US"));
  for (std::uint32_t i = 0; i < 60; ++i) write_alone(b, 4 * i, 4);
  const fw::FtlStatistics& s = b.statistics();
  EXPECT_EQ(s.program_pages, 240u);
  EXPECT_EQ(s.program_multi_commands, 60u);
  EXPECT_EQ(s.program_multi_pages, 240u);
  for (std::uint32_t t = 0; t < kTypes; ++t) EXPECT_GT(s.programs_by_type[t], 60u);
}

TEST(TypeTwins, PlanesThatChooseForThemselvesPairLess) {
  FtlBenchConfig c = one_die("US");
  c.ftl.geometry.pages_per_block = 192; // in short blocks planes stand at equal pages by chance
  std::uint64_t pairs[2] = {};
  for (const bool twins : {false, true}) {
    c.ftl.block_allocation = twins ? "pa-twin" : "pa";
    FtlBench b(c);
    fw::Random random(1);
    for (std::uint32_t i = 0; i < 600; ++i) write_alone(b, 4 * i % 400, 1 + random.below(4));
    pairs[twins ? 1 : 0] = b.statistics().program_multi_pages;
  }
  EXPECT_GT(static_cast<double>(pairs[1]), 1.3 * static_cast<double>(pairs[0]));
}

TEST(TypeTwins, PlanesDifferByOnePageInEachType) {
  FtlBench b(one_die("UBS"));
  fw::Random random(2);
  for (std::uint32_t i = 0; i < 200; ++i) {
    write_alone(b, random.below(300), 1 + random.below(6));
    ASSERT_EQ(b.statistics().gc_blocks_erased, 0u);
    for (std::uint32_t t = 0; t < kTypes; ++t) {
      std::uint32_t least = ~0u, most = 0;
      for (std::uint32_t p = 0; p < 4; ++p) {
        least = std::min(least, written(b, p, t));
        most = std::max(most, written(b, p, t));
      }
      ASSERT_LE(most - least, 1u) << "write " << i << ", type " << t;
    }
  }
}

TEST(TypeTwins, StayLevelWhenDiesStartAtDifferentPages) {
  FtlBench b(twin_types("US"));
  ASSERT_EQ(b.ftl().zero_time.age(0.5), nullptr);
  ASSERT_EQ(b.ftl().zero_time.scatter(1), nullptr);
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  bool differ = false;
  for (std::uint32_t p = 0; p < blocks.geometry().planes(); ++p) {
    EXPECT_EQ(blocks.plane(p).space, blocks.plane(p / 4 * 4).space);
    differ = differ || blocks.plane(p).space != blocks.plane(0).space;
  }
  EXPECT_TRUE(differ);
}

/// The collector moves pages inside planes, one at a time: pairs get fewer, and the rules hold.
TEST(TypeTwins, KeepTheShadowThroughCollection) {
  std::uint64_t seed = 30;
  for (const char* classifier : {"none", "US", "LFS", "QDS+UBS", "papa"}) {
    for (const bool bac : {false, true}) {
      SCOPED_TRACE(std::string(classifier) + (bac ? " bac" : ""));
      FtlBenchConfig c = twin_types(classifier);
      c.ftl.bac = bac;
      c.ftl.gc_moves = bac ? fw::GcMoves::multi : fw::GcMoves::single;
      c.shuffle = true;
      FtlBench b(c);
      Mix mix;
      mix.operations = 12000;
      mix.max_sectors = 24;
      run_random(b, mix, ++seed);
      if (HasFatalFailure()) return;
      EXPECT_GT(b.statistics().gc_blocks_erased, 0u);
      EXPECT_GT(b.statistics().program_multi_commands, 0u);
    }
  }
}

TEST(TypeTwins, NeedNoMoreThanTheReserve) {
  for (const char* planes : {"F2", "F", "CW"}) {
    SCOPED_TRACE(planes);
    FtlBenchConfig c = twin_types("US");
    c.ftl.over_provisioning = 0;
    c.ftl.gc_threshold_blocks = 2;
    c.ftl.plane_allocation = planes;
    c.ftl.scheduling = "fifo";
    const Mix mix = long_writes();
    FtlBench b(c);
    run_random(b, mix, 41);
    if (HasFatalFailure()) return;
  }
}

} // namespace
} // namespace twinplane::test::page_type_twin_test
