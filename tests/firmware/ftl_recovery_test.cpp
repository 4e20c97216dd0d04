// Does the firmware find every acknowledged write again, whenever the supply fails?
//
// Cuts come at random moments of a random load; of the commands that the dies have been given some are
// complete, one of each die under way, the others not begun. Each sector is judged after each recovery, the
// tables are compared with the cells, and the load goes on from there.
#include "firmware/ftl/write_stamp.h"
#include "tests/support/ftl_random.h"

namespace twinplane::test {
namespace {

struct Drive {
  const char* name;
  FtlBenchConfig config;
  bool hold_up = false; // what is under way at the cut is completed
};

FtlBenchConfig busy_drive() {
  FtlBenchConfig c = small_drive();
  c.shuffle = true;
  return c;
}

FtlBenchConfig tlc_drive() {
  FtlBenchConfig c = busy_drive();
  c.ftl.geometry.cell = CellType::tlc;
  c.ftl.geometry.pages_per_block = 24;
  return c;
}

Drive conventional() {
  return {"Conventional", busy_drive()};
}
Drive shared_frontier() {
  FtlBenchConfig c = busy_drive();
  c.ftl.frontier = fw::Frontier::shared;
  return {"SharedFrontier", c};
}
Drive queued() {
  FtlBenchConfig c = busy_drive();
  c.ftl.die_queue_depth = 3;
  c.programs_last = true;
  return {"QueuedPrograms", c};
}
Drive copybacks() {
  FtlBenchConfig c = busy_drive();
  c.ftl.copybacks = 2;
  return {"Copybacks", c};
}
Drive suspends() {
  FtlBenchConfig c = busy_drive();
  c.ftl.suspend = true;
  return {"Suspend", c};
}
Drive tlc() {
  return {"Tlc", tlc_drive(), true};
}
Drive tlc_in_slc_mode() {
  FtlBenchConfig c = tlc_drive();
  c.ftl.slc_mode = true;
  c.ftl.over_provisioning = 0.8;
  return {"TlcInSlcMode", c};
}
Drive twins() {
  FtlBenchConfig c = busy_drive();
  c.ftl.block_allocation = "twin";
  c.ftl.gc_moves = fw::GcMoves::multi;
  return {"Twins", c};
}
Drive sharp_twins() {
  Drive d = twins();
  d.config.ftl.tbm_gc = fw::TbmGc::sharp;
  d.config.ftl.frontier = fw::Frontier::shared;
  return {"SharpTwins", d.config};
}
Drive page_types() {
  FtlBenchConfig c = tlc_drive();
  c.ftl.program_order = ProgramOrder::relaxed;
  c.ftl.block_allocation = "pa";
  c.ftl.classifier = "QDS";
  c.ftl.over_provisioning = 0.45;
  return {"PageTypes", c, true};
}
Drive page_type_twins() {
  Drive d = page_types();
  d.config.ftl.block_allocation = "pa-twin";
  return {"PageTypeTwins", d.config, true};
}

class Recovery : public ::testing::TestWithParam<Drive> {};

TEST_P(Recovery, KeepsWhatWasAnsweredOverManyCuts) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  Mix mix;
  mix.trim_percent = mix.zero_percent = 0;
  fw::Random random(2611);
  std::uint64_t unreadable = 0;
  for (int cut = 0; cut < 150; ++cut) {
    for (std::uint32_t i = random.below(400); i != 0; --i) {
      while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
      random_operation(b, random, mix);
      if (random.below(2) == 0) b.step();
      if (HasFatalFailure()) return;
    }
    b.cut_power(GetParam().hold_up, random);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
    unreadable += b.ftl().recovery.counters().pages_unreadable;
    if (random.below(2) == 0) b.settle(); // else collection is under way again
    b.check_all(b.ftl().idle());
    if (HasFatalFailure()) FAIL() << "cut " << cut;
  }
  b.settle();
  b.check_all(true);
  EXPECT_GT(b.statistics().erases, 0u);
  EXPECT_EQ(unreadable != 0, !GetParam().hold_up);
}

/// A page of a block that is being erased is what a write under way replaces.
bool erases_what_is_replaced(FtlBench& b) {
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  return b.ftl().state.pool.any_replaces([&](const fw::Transaction& t) {
    return blocks.block(blocks.plane_of(t.source), blocks.block_of(t.source)).state ==
           fw::BlockState::erasing;
  });
}

/// A page that an unanswered write replaces may be the only one left when the supply fails: its block is not
/// erased before. Blocks of two pages, all of which are written all the time, are collected as soon as they
/// can. With hold-up energy there is no need to wait.
TEST(RecoveryOfReplacedPages, AreKeptUntilTheNewIsThere) {
  for (const bool hold_up : {false, true}) {
    FtlBenchConfig c = busy_drive();
    c.ftl.geometry.planes_per_die = 1;
    c.ftl.geometry.blocks_per_plane = 24;
    c.ftl.geometry.pages_per_block = 2;
    c.ftl.gc_threshold_blocks = 23;
    c.ftl.hold_up_pages = hold_up ? 1024 : 0;
    FtlBench b(c);
    ASSERT_EQ(b.error(), nullptr) << b.error();
    Mix mix;
    mix.write_percent = 100;
    mix.trim_percent = mix.zero_percent = mix.flush_percent = 0;
    mix.max_sectors = 4;
    mix.lbas = 8;
    fw::Random random(5);
    std::uint32_t too_early = 0;
    for (int i = 0; i < 60000; ++i) {
      while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
      random_operation(b, random, mix);
      b.step();
      too_early += erases_what_is_replaced(b) ? 1 : 0;
    }
    EXPECT_GT(b.statistics().erases, 1000u);
    EXPECT_EQ(too_early != 0, hold_up);
  }
}

/// With as little space as the reserves of block allocation leave, and every page written.
TEST_P(Recovery, FindsSpaceAgainInAFullDrive) {
  FtlBenchConfig c = GetParam().config;
  if (!c.ftl.slc_mode) c.ftl.over_provisioning = 0.01;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  for (std::uint32_t lpn = 0; lpn < b.ftl().state.exported_pages; ++lpn) {
    while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
    b.write(std::uint64_t{lpn} * 4, 4);
  }
  Mix mix;
  mix.write_percent = 100;
  mix.trim_percent = mix.zero_percent = mix.flush_percent = 0;
  fw::Random random(23);
  for (int cut = 0; cut < 60; ++cut) {
    for (std::uint32_t i = random.below(120); i != 0; --i) {
      while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
      random_operation(b, random, mix);
      if (random.below(2) == 0) b.step();
      if (HasFatalFailure()) return;
    }
    b.cut_power(GetParam().hold_up, random);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
    ASSERT_FALSE(b.statistics().read_only) << "cut " << cut;
  }
  b.settle();
  b.check_all(true);
}

/// A load that fills some blocks and begins others, then a cut with nothing under way.
void write_and_cut(FtlBench& b, std::uint64_t seed) {
  fw::Random random(seed);
  Mix mix;
  mix.trim_percent = mix.zero_percent = 0;
  run_random(b, mix, seed);
  b.cut_power(false, random);
}

/// Of each block that is not full one page is read in vain: the first blank one, or where types have runs of
/// their own, the first blank one of each run that has been begun.
TEST_P(Recovery, ReadsEachWrittenPageAndTheFirstBlankOnes) {
  FtlBench b(GetParam().config);
  ASSERT_NO_FATAL_FAILURE(write_and_cut(b, 7));
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  const PageOrderTable& order = blocks.order();
  const std::uint32_t runs = GetParam().config.ftl.program_order == ProgramOrder::relaxed ? order.types() : 1;
  std::uint64_t written = 0;
  std::uint64_t blank = 0;
  for (std::uint32_t die = 0; die < blocks.geometry().dies(); ++die) {
    for (std::uint32_t plane = 0; plane < blocks.geometry().planes_per_die; ++plane) {
      for (std::uint32_t block = 0; block < blocks.blocks_per_plane(); ++block) {
        for (std::uint32_t run = 0; run < runs; ++run) {
          std::uint32_t pages = 0;
          const std::uint32_t all = blocks.pages_per_block() / runs;
          const auto page = [&](std::uint32_t n) {
            return runs == 1 ? n : order.page(n, static_cast<PageType>(run));
          };
          while (pages < all && b.hal().flash().page({die, plane, block, page(pages)}).programs != 0) ++pages;
          written += pages;
          blank += pages < all ? 1 : 0;
          if (pages == 0) break;
        }
      }
    }
  }
  const fw::RecoveryCounters& c = b.ftl().recovery.counters();
  EXPECT_EQ(c.pages_found, written);
  EXPECT_EQ(c.pages_read, written + blank);
  EXPECT_EQ(c.pages_unreadable, 0u) << "nothing was under way";
  EXPECT_EQ(c.units_closed, 0u);
}

/// What is written next goes where it would have gone without the cut: no block is left half empty.
TEST_P(Recovery, GoesOnInTheBlocksThatWereOpen) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  for (std::uint32_t lpn = 0; lpn < 19; ++lpn) b.write(std::uint64_t{lpn} * 4, 4);
  b.settle();
  const std::uint64_t free = b.statistics().free_blocks;
  fw::Random random(1);
  b.cut_power(false, random);
  EXPECT_EQ(b.statistics().free_blocks, free);
  b.write(0, 4);
  b.settle();
  b.check_all(true);
  const std::uint32_t planes = b.ftl().state.blocks.geometry().planes();
  EXPECT_GE(b.statistics().free_blocks + planes, free);
  EXPECT_EQ(b.ftl().recovery.counters().units_closed, 0u);
}

/// Stamps count on over the end of their 32 bits.
TEST_P(Recovery, TellsNewFromOldAcrossTheWrapOfStamps) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  b.ftl().state.write_sequence = 0xFFFFFF00u;
  for (std::uint64_t seed = 1; seed < 6; ++seed) ASSERT_NO_FATAL_FAILURE(write_and_cut(b, seed));
  EXPECT_LT(b.ftl().state.write_sequence, 0xFFFFFF00u);
}

TEST_P(Recovery, FindsNothingInADriveThatWasNeverWritten) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  fw::Random random(1);
  b.cut_power(false, random);
  const fw::RecoveryCounters& c = b.ftl().recovery.counters();
  EXPECT_EQ(c.pages_read, b.ftl().state.blocks.geometry().blocks());
  EXPECT_EQ(c.units_found, 0u);
  b.check_all(true);
}

INSTANTIATE_TEST_SUITE_P(Drives, Recovery,
                         ::testing::Values(conventional(), shared_frontier(), queued(), copybacks(),
                                           suspends(), tlc(), tlc_in_slc_mode(), twins(), sharp_twins(),
                                           page_types(), page_type_twins()),
                         [](const auto& drive) { return drive.param.name; });

} // namespace
} // namespace twinplane::test
