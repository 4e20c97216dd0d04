// Does the FTL keep every promise under random requests, whatever the decisions, in any interleaving
// of DMA and dies?
#include "tests/support/ftl_random.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::ftl_random_test {
namespace {

void run(FtlBenchConfig c, std::uint64_t seed, const Mix& mix = Mix()) {
  c.shuffle = true;
  c.seed = seed;
  FtlBench b(c);
  run_random(b, mix, seed);
  if (::testing::Test::HasFatalFailure()) return;
  EXPECT_GT(b.statistics().gc_blocks_erased, 0u);
  EXPECT_GT(b.statistics().rmw_reads, 0u);
}

TEST(FtlRandom, KeepsTheShadowThroughAMillionOperations) {
  Mix mix;
  mix.operations = 1'000'000;
  mix.check_every = 20'000;
  mix.max_sectors = 8;
  run(small_drive(), 1, mix);
}

TEST(FtlRandom, KeepsTheShadowThroughTheWriteBuffer) {
  for (const std::uint32_t pages : {1u, 4u, 40u}) {
    SCOPED_TRACE(pages);
    FtlBenchConfig c = small_drive();
    c.ftl.write_ack = fw::WriteAck::buffered;
    c.ftl.write_buffer_pages = pages;
    run(c, pages);
    if (HasFatalFailure()) return;
  }
}

TEST(FtlRandom, KeepsEveryByteInFullDataMode) {
  FtlBenchConfig c = small_drive();
  c.ftl.data_mode = DataMode::full;
  run(c, 3);
  c.ftl.write_ack = fw::WriteAck::buffered;
  c.ftl.write_buffer_pages = 20;
  run(c, 4);
}

TEST(FtlRandom, WorksWithoutData) {
  FtlBenchConfig c = small_drive();
  c.ftl.data_mode = DataMode::none;
  run(c, 5);
}

/// Room for the rings and about 24 transactions.
constexpr std::uint32_t kTinyDram = 4096 * 32 + 2560 + 64; // FtlBench's DMA ring for 32 slots, and a little

TEST(FtlRandom, KeepsTheShadowWithHardlyAnyTransactions) {
  FtlBenchConfig c = small_drive();
  c.dram_bytes = kTinyDram;
  run(c, 6);
}

TEST(FtlRandom, NeverSleepsWhenThereIsWork) {
  for (const bool shuffle : {false, true}) { // in order: flash before DMA, so buffers wait for DMA
    for (const bool buffered : {false, true}) {
      FtlBenchConfig c = small_drive();
      c.sleepy = true;
      c.shuffle = shuffle;
      c.dram_bytes = kTinyDram;
      if (buffered) {
        c.ftl.write_ack = fw::WriteAck::buffered;
        c.ftl.write_buffer_pages = 7;
      }
      FtlBench b(c);
      Mix mix;
      mix.burst = 20;
      run_random(b, mix, 7);
      mix.write_percent = 5;
      mix.trim_percent = 0;
      run_random(b, mix, 7);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(FtlRandom, NeedsNoMoreThanTheReserve) {
  for (const fw::Frontier frontier : {fw::Frontier::shared, fw::Frontier::separate}) {
    for (const char* allocation : {"F2", "F", "D", "P", "CWDP"}) {
      SCOPED_TRACE(allocation);
      FtlBenchConfig c = small_drive();
      c.ftl.over_provisioning = 0; // everything but the reserve is exported
      c.ftl.gc_threshold_blocks = 2;
      c.ftl.frontier = frontier;
      c.ftl.plane_allocation = allocation;
      const Mix mix = long_writes();
      c.ftl.scheduling = "fifo"; // collects without hurry, so that writes do run out of space
      FtlBench b(c);
      run_random(b, mix, 8);
      EXPECT_GT(b.statistics().blocked_on_space, 0u);
      if (HasFatalFailure()) return;
    }
  }
}

/// Depths: programs of a die wait for each other in its queue, in the order of their pages.
TEST(FtlRandom, KeepsTheShadowWithSeveralCommandsPerDie) {
  for (const char* allocation : {"F2", "F", "CWDP"}) {
    for (const std::uint32_t depth : {2u, 4u, fw::kMostDieQueueDepth}) {
      SCOPED_TRACE(std::string(allocation) + " " + std::to_string(depth));
      FtlBenchConfig c = small_drive();
      c.ftl.plane_allocation = allocation;
      c.ftl.gc_moves = depth == 4 ? fw::GcMoves::multi : fw::GcMoves::single;
      c.ftl.die_queue_depth = depth;
      c.shuffle = true;
      c.seed = depth;
      FtlBench b(c);
      Mix mix;
      mix.operations = 8000;
      mix.max_sectors = 30;
      run_random(b, mix, depth);
      if (HasFatalFailure()) return;
      EXPECT_GT(b.statistics().gc_blocks_erased, 0u);
      EXPECT_GE(b.hal().max_queued(), depth) << "the queue is used";
    }
  }
}

/// Dies that read plane by plane: reads of other planes join, nothing else does.
TEST(FtlRandom, KeepsTheShadowWithIndependentReads) {
  for (const char* scheduling : {"fifo", "read_first", "paq"}) {
    for (const char* allocation : {"F2", "CWDP"}) {
      for (const std::uint32_t depth : {1u, 2u}) {
        SCOPED_TRACE(std::string(scheduling) + " " + allocation + " " + std::to_string(depth));
        FtlBenchConfig c = small_drive();
        c.ftl.independent_reads = true;
        c.ftl.scheduling = scheduling;
        c.ftl.plane_allocation = allocation;
        c.ftl.die_queue_depth = depth;
        c.shuffle = true;
        c.seed = depth;
        FtlBench b(c);
        Mix mix;
        mix.operations = 6000;
        mix.write_percent = 30;
        mix.max_sectors = 20;
        mix.burst = 20;
        run_random(b, mix, depth);
        if (HasFatalFailure()) return;
        EXPECT_GT(b.hal().max_queued(), 1u) << "planes read beside each other";
        EXPECT_EQ(b.statistics().read_multi_commands, 0u);
        EXPECT_GT(b.statistics().gc_blocks_erased, 0u);
      }
    }
  }
}

TEST(FtlRandom, KeepsTheShadowWithSeveralCommandsPerDieAndTwinBlocks) {
  FtlBenchConfig c = small_drive();
  c.ftl.block_allocation = "twin";
  c.ftl.die_queue_depth = 4;
  Mix mix;
  mix.operations = 8000;
  mix.check_tables = true;
  run(c, 15, mix);
}

TEST(FtlRandom, NeedsNoMoreThanTheReserveWithSeveralCommandsPerDie) {
  FtlBenchConfig c = small_drive();
  c.ftl.over_provisioning = 0;
  c.ftl.gc_threshold_blocks = 2;
  c.ftl.die_queue_depth = 8;
  const Mix mix = long_writes();
  FtlBench b(c);
  run_random(b, mix, 16);
  EXPECT_GT(b.statistics().blocked_on_space, 0u);
}

class Decisions : public ::testing::TestWithParam<const char*> {};

class PlaneAllocations : public Decisions {};
TEST_P(PlaneAllocations, KeepTheShadow) {
  FtlBenchConfig c = small_drive();
  c.ftl.plane_allocation = GetParam();
  Mix mix;
  mix.operations = 8000;
  run(c, 11, mix);
}
INSTANTIATE_TEST_SUITE_P(Dynamic, PlaneAllocations,
                         ::testing::Values("F", "D", "F2", "D2", "C", "CD", "P", "DP", "CP2"),
                         parameter_name);
INSTANTIATE_TEST_SUITE_P(Static, PlaneAllocations, ::testing::Values("CWDP", "PDWC", "DPCW", "WCPD"),
                         parameter_name);

class Victims : public Decisions {};
TEST_P(Victims, KeepTheShadow) {
  FtlBenchConfig c = small_drive();
  c.ftl.victim = GetParam();
  run(c, 12);
}
INSTANTIATE_TEST_SUITE_P(Every, Victims, ::testing::Values("greedy", "rga", "fifo", "random", "cost_benefit"),
                         parameter_name);

class Schedulings : public Decisions {};
TEST_P(Schedulings, KeepTheShadowWithAndWithoutBac) {
  for (const char* allocation : {"F2", "F", "CWDP"}) {
    for (const bool bac : {true, false}) {
      SCOPED_TRACE(allocation);
      FtlBenchConfig c = small_drive();
      c.ftl.plane_allocation = allocation;
      c.ftl.scheduling = GetParam();
      c.ftl.gc_moves = fw::GcMoves::multi;
      c.ftl.bac = bac;
      Mix mix;
      mix.operations = 6000;
      run(c, 13, mix);
      if (HasFatalFailure()) return;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Every, Schedulings, ::testing::Values("fifo", "read_first", "paq"), parameter_name);

TEST(FtlRandom, KeepsTheShadowOnOddGeometries) {
  FtlBenchConfig c = small_drive();
  c.ftl.geometry.channels = 3;
  c.ftl.geometry.chips_per_channel = 3;
  c.ftl.geometry.dies_per_chip = 1;
  c.ftl.geometry.planes_per_die = 3;
  c.ftl.geometry.blocks_per_plane = 9;
  c.ftl.geometry.pages_per_block = 18;
  c.ftl.geometry.cell = CellType::tlc;
  c.ftl.over_provisioning = 0.45;
  c.ftl.gc_threshold_blocks = 2;
  for (const char* allocation : {"F", "F2", "PDWC"}) {
    c.ftl.plane_allocation = allocation;
    run(c, 14);
    if (HasFatalFailure()) return;
  }
}

TEST(FtlRandom, GivesTheSameRunForTheSameSeed) {
  std::uint64_t programs[2];
  for (std::uint64_t& p : programs) {
    FtlBenchConfig c = small_drive();
    c.ftl.victim = "rga";
    c.shuffle = true;
    FtlBench b(c);
    run_random(b, Mix(), 5);
    p = b.statistics().program_pages * 1'000'003 + b.hal().now_ps();
  }
  EXPECT_EQ(programs[0], programs[1]);
}

} // namespace
} // namespace twinplane::test::ftl_random_test
