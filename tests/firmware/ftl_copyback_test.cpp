// Does the collector move pages by copyback as its policy says, and keep all data whatever fails? The
// simulated flash refuses copies that leave their plane, and more in a row than the policy has.
#include "hw/spec/reliability.h"
#include "tests/support/ftl_regions.h"

namespace twinplane::test::ftl_copyback_test {
namespace {

FtlBenchConfig copying_drive(std::uint32_t copybacks) {
  FtlBenchConfig c = small_drive();
  c.ftl.copybacks = copybacks;
  c.shuffle = true;
  return c;
}

const Mix kMix = [] {
  Mix mix;
  mix.operations = 40000;
  return mix;
}();

TEST(Copybacks, AreNotMadeUnlessThePolicyHasThem) {
  FtlBench b(copying_drive(0));
  run_random(b, kMix, 1);
  EXPECT_GT(b.statistics().gc_pages_moved, 1000u);
  EXPECT_EQ(b.hal().flash().copybacks(), 0u);
}

TEST(Copybacks, MoveEveryPageWithoutALimit) {
  FtlBench b(copying_drive(kAnyCopybacks));
  run_random(b, kMix, 1);
  EXPECT_GT(b.statistics().gc_pages_moved, 1000u);
  EXPECT_EQ(b.statistics().gc_copybacks, b.statistics().gc_pages_moved);
  EXPECT_EQ(b.hal().flash().copybacks(), b.statistics().gc_pages_moved);
}

// Half of the data lie still and are moved again and again: of limit + 1 moves of a page one is not a
// copyback.
TEST(Copybacks, GoThroughTheControllerOnceBehindTheLimit) {
  for (const std::uint32_t limit : {1u, 3u}) {
    FtlBench b(copying_drive(limit));
    for (std::uint64_t lba = 0; lba + 4 <= b.sectors(); lba += 4) {
      b.write(lba, 4);
      b.settle();
    }
    Mix mix = kMix;
    mix.operations = 60000;
    mix.trim_percent = mix.zero_percent = 0;
    run_random(b, mix, 2);
    EXPECT_EQ(b.hal().flash().most_copies(), limit);
    const double share =
        static_cast<double>(b.statistics().gc_copybacks) / static_cast<double>(b.statistics().gc_pages_moved);
    EXPECT_LT(share, 1.0);
    EXPECT_GE(share, limit / (limit + 1.0)) << "pages are written anew between their moves, too";
  }
}

TEST(Copybacks, KeepTheShadowWhileProgramsFail) {
  for (const std::uint32_t copybacks : {2u, kAnyCopybacks}) {
    run_while_programs_fail(copying_drive(copybacks));
    if (HasFatalFailure()) return;
  }
}

TEST(Copybacks, AreMadeAgainFromTheVictimWhenOneFails) {
  FtlBench b(copying_drive(kAnyCopybacks));
  b.expect_wear();
  b.hal().flash().fail_programs(20, 3);
  Mix mix = kMix;
  mix.operations = 3000;
  run_random(b, mix, 3);
  EXPECT_GT(b.statistics().flash_failures, 20u);
}

// What the look at a page finds unreadable goes through the controller, as far as it can be read.
TEST(Copybacks, ReportWhatCannotBeReadAndNeverWrongData) {
  for (const std::uint64_t seed : {5, 6, 7}) {
    FtlBenchConfig c = copying_drive(2);
    c.seed = seed;
    FtlBench b(c);
    b.hal().flash().fail_reads(2, seed);
    run_random(b, kMix, seed);
    if (HasFatalFailure()) return;
    EXPECT_GT(b.failed_reads(), 0u);
  }
}

/// Each page of a set is read once more by itself where the look at it says that it cannot be copied as it is: of twins of
/// eight planes these are more at a time than moves may be begun.
TEST(Copybacks, ReadThePagesOfASetOneByOneWhenNoneCanBeCopied) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    FtlBenchConfig c = copying_drive(kAnyCopybacks);
    c.ftl.geometry.channels = c.ftl.geometry.dies_per_chip = 1;
    c.ftl.geometry.planes_per_die = 8;
    c.ftl.block_allocation = "twin";
    c.ftl.over_provisioning = 0.4;
    c.ftl.page_buffers = 128;
    c.seed = seed;
    FtlBench b(c);
    ASSERT_EQ(b.error(), nullptr) << b.error();
    b.hal().flash().fail_reads(900, seed, true);
    Mix mix;
    mix.operations = 4000;
    run_random(b, mix, seed);
    if (HasFatalFailure()) return;
    EXPECT_GT(b.statistics().gc_pages_moved, 100u);
  }
}

void partition(FtlBenchConfig& c, const char* regions) {
  const FtlBenchConfig two = two_region_drive(regions);
  const std::uint32_t copybacks = c.ftl.copybacks;
  c.ftl = two.ftl;
  c.ftl.copybacks = copybacks;
}

const Setting kSettings[] = {
    {"static planes", [](FtlBenchConfig& c) { c.ftl.plane_allocation = "CWDP"; }},
    {"page types",
     [](FtlBenchConfig& c) {
       c.ftl.geometry.cell = CellType::tlc;
       c.ftl.geometry.pages_per_block = 24;
       c.ftl.block_allocation = "pa";
       c.ftl.program_order = ProgramOrder::relaxed;
       c.ftl.over_provisioning = 0.5;
     }},
    {"twins",
     [](FtlBenchConfig& c) {
       c.ftl.block_allocation = "twin";
       c.ftl.tbm_gc = fw::TbmGc::simulator;
     }},
    {"twins of the letter", [](FtlBenchConfig& c) { c.ftl.block_allocation = "twin"; }},
    {"page types of twins",
     [](FtlBenchConfig& c) {
       c.ftl.geometry.cell = CellType::tlc;
       c.ftl.geometry.pages_per_block = 24;
       c.ftl.block_allocation = "pa-twin";
       c.ftl.program_order = ProgramOrder::relaxed;
       c.ftl.over_provisioning = 0.5;
     }},
    {"hot and cold", [](FtlBenchConfig& c) { partition(c, "combo"); }},
    {"logs", [](FtlBenchConfig& c) { partition(c, "combo_logs"); }},
    {"a border that moves", [](FtlBenchConfig& c) { partition(c, "broms"); }},
    settings::shared_frontier,
    settings::write_buffer,
    settings::deep_queues_suspension,
    {"reads that pass what they depend on",
     [](FtlBenchConfig& c) {
       c.ftl.die_queue_depth = 4;
       c.reads_first = true;
     }},
    settings::independent_reads,
    settings::best_of_random_victims,
    {"newest first",
     [](FtlBenchConfig& c) {
       c.newest_first = true;
       c.shuffle = false;
     }},
    settings::programs_last,
    settings::late_data_interrupts_only,
    settings::whole_sectors,
    settings::no_spare_capacity,
};

TEST(Copybacks, KeepTheShadowInEverySetting) {
  std::uint64_t seed = 30;
  OneIn third(3); // not always the failing ones
  for (const Setting& setting : kSettings) {
    for (const bool fails : {false, true}) {
      ++seed;
      if (!third.runs()) continue;
      SCOPED_TRACE(setting.name);
      FtlBenchConfig c = copying_drive(2);
      c.seed = seed;
      setting.change(c);
      if (fails) c.ftl.over_provisioning = 0.6;
      FtlBench b(c);
      if (fails) {
        b.expect_wear();
        b.hal().flash().fail_programs(2, seed);
      }
      Mix mix;
      mix.operations = 12000;
      run_random(b, mix, seed);
      if (HasFatalFailure()) return;
      EXPECT_GT(b.hal().flash().copybacks(), 0u);
    }
  }
}

} // namespace
} // namespace twinplane::test::ftl_copyback_test
