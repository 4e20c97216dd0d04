// Do drives with an SLC-mode cache keep every promise under random requests, whatever else the drive does?
// All data are held against the shadow, sector by sector, and tables against each other.
#include <string>

#include "tests/support/ftl_cached.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::ftl_cached_random_test {
namespace {

class CachedRandom : public ::testing::TestWithParam<const char*> {};

TEST_P(CachedRandom, KeepsTheShadowThroughManySmallUpdates) {
  FtlBenchConfig c = cached_drive(GetParam());
  c.shuffle = true;
  Mix mix;
  mix.operations = at_depth(1'000'000, 10);
  mix.check_every = 50'000;
  mix.max_sectors = 6;
  mix.write_percent = 80;
  mix.trim_percent = 1;
  mix.zero_percent = 1;
  mix.flush_percent = 0;
  FtlBench b(c);
  run_random(b, mix, 3);
  const fw::CacheCounters& s = b.statistics().cache;
  EXPECT_GT(s.collections, 1000u);
  EXPECT_GT(s.evicted_pages, 1000u);
  EXPECT_LE(b.hal().flash().most_programs(), c.ftl.slc_cache.partial_programs);
  EXPECT_FALSE(b.statistics().read_only);
}

struct Setting {
  const char* name;
  void (*change)(FtlBenchConfig& c);
};

const Setting kSettings[] = {
    {"plane first", [](FtlBenchConfig&) {}},
    {"an update writes all there is", [](FtlBenchConfig& c) { c.ftl.slc_cache.union_update = true; }},
    {"less than is free, reads are accesses",
     [](FtlBenchConfig& c) {
       c.ftl.slc_cache.at_most = false;
       c.ftl.slc_cache.any_access = true;
     }},
    {"whole pages go past the cache", [](FtlBenchConfig& c) { c.ftl.slc_cache.full_to_native = true; }},
    {"a full cache is passed", [](FtlBenchConfig& c) { c.ftl.slc_cache.direct_when_full = true; }},
    {"a full cache is passed, hardly any space",
     [](FtlBenchConfig& c) {
       c.ftl.slc_cache.direct_when_full = true;
       c.ftl.over_provisioning = 0;
     }},
    {"three cache blocks", [](FtlBenchConfig& c) { c.ftl.slc_cache.share = 0.1; }},
    {"two cache blocks", [](FtlBenchConfig& c) { c.ftl.slc_cache.share = 0.02; }},
    {"two programs per page", [](FtlBenchConfig& c) { c.ftl.slc_cache.partial_programs = 2; }},
    {"eight subpages", [](FtlBenchConfig& c) { c.ftl.geometry.subpages_per_page = 8; }},
    {"sixteen subpages",
     [](FtlBenchConfig& c) {
       c.ftl.geometry.page_size = 8192;
       c.ftl.geometry.subpages_per_page = 16;
     }},
    {"two subpages", [](FtlBenchConfig& c) { c.ftl.geometry.subpages_per_page = 2; }},
    {"three bits per cell",
     [](FtlBenchConfig& c) {
       c.ftl.geometry.cell = CellType::tlc;
       c.ftl.geometry.pages_per_block = 24;
     }},
    {"four bits per cell", [](FtlBenchConfig& c) { c.ftl.geometry.cell = CellType::qlc; }},
    {"wear levelling",
     [](FtlBenchConfig& c) {
       c.ftl.slc_cache.wear_gap = 2;
       c.ftl.slc_cache.endurance = 3;
     }},
    {"dies first", [](FtlBenchConfig& c) { c.ftl.plane_allocation = "F"; }},
    {"static planes", [](FtlBenchConfig& c) { c.ftl.plane_allocation = "PDWC"; }},
    {"static dies", [](FtlBenchConfig& c) { c.ftl.plane_allocation = "CWD"; }},
    {"shared native frontier", [](FtlBenchConfig& c) { c.ftl.frontier = fw::Frontier::shared; }},
    {"unequal blocks pair", [](FtlBenchConfig& c) { c.ftl.bac = false; }},
    {"no pairs", [](FtlBenchConfig& c) { c.ftl.pair = fw::Pairing::off; }},
    {"write buffer",
     [](FtlBenchConfig& c) {
       c.ftl.write_ack = fw::WriteAck::buffered;
       c.ftl.write_buffer_pages = 20;
     }},
    {"write buffer, an update writes all there is",
     [](FtlBenchConfig& c) {
       c.ftl.write_ack = fw::WriteAck::buffered;
       c.ftl.write_buffer_pages = 20;
       c.ftl.slc_cache.union_update = true;
     }},
    {"deep queues", [](FtlBenchConfig& c) { c.ftl.die_queue_depth = 4; }},
    {"suspension", [](FtlBenchConfig& c) { c.ftl.suspend = true; }},
    {"independent reads", [](FtlBenchConfig& c) { c.ftl.independent_reads = true; }},
    {"moves of several planes", [](FtlBenchConfig& c) { c.ftl.gc_moves = fw::GcMoves::multi; }},
    {"moves of several planes, unequal blocks pair",
     [](FtlBenchConfig& c) {
       c.ftl.gc_moves = fw::GcMoves::multi;
       c.ftl.bac = false;
     }},
    {"random victims", [](FtlBenchConfig& c) { c.ftl.victim = "rga"; }},
    {"any victim", [](FtlBenchConfig& c) { c.ftl.victim = "random"; }},
    {"oldest victims", [](FtlBenchConfig& c) { c.ftl.victim = "fifo"; }},
    {"victims by cost and benefit", [](FtlBenchConfig& c) { c.ftl.victim = "cost_benefit"; }},
    {"first in, first out", [](FtlBenchConfig& c) { c.ftl.scheduling = "fifo"; }},
    {"late data, interrupts only",
     [](FtlBenchConfig& c) {
       c.late_data = true;
       c.sleepy = true;
     }},
    {"newest first", [](FtlBenchConfig& c) { c.newest_first = true; }},
    {"programs last", [](FtlBenchConfig& c) { c.programs_last = true; }},
    {"whole sectors", [](FtlBenchConfig& c) { c.ftl.data_mode = DataMode::full; }},
    {"hardly any space",
     [](FtlBenchConfig& c) {
       c.ftl.over_provisioning = 0;
       c.ftl.gc_threshold_blocks = 2;
     }},
    {"hardly any space, static planes",
     [](FtlBenchConfig& c) {
       c.ftl.over_provisioning = 0;
       c.ftl.gc_threshold_blocks = 2;
       c.ftl.plane_allocation = "CWDP";
     }},
};

TEST_P(CachedRandom, KeepsTheShadowInEverySetting) {
  run_in_every_setting(cached_drive(GetParam()), kSettings, 30, [](FtlBench& b, const FtlBenchConfig&) {
    EXPECT_GT(b.statistics().gc_blocks_erased, 0u);
  });
}

TEST_P(CachedRandom, ReportsWhatCannotBeReadAndNeverWrongData) {
  run_while_reads_fail(cached_drive(GetParam()), {51, 52, 53});
}

TEST_P(CachedRandom, ReadsAndProgramsMovesOfSeveralPlanesTogether) {
  FtlBenchConfig c = cached_drive(GetParam());
  c.ftl.bac = false;
  for (const fw::GcMoves moves : {fw::GcMoves::single, fw::GcMoves::multi}) {
    c.ftl.gc_moves = moves;
    Mix mix;
    mix.operations = 30'000;
    FtlBench b(c);
    run_random(b, mix, 5);
    if (HasFatalFailure()) return;
    const fw::FtlStatistics& s = b.statistics();
    EXPECT_GT(s.gc_read_pages, 1000u);
    EXPECT_GT(s.gc_program_pages, 1000u);
    EXPECT_EQ(s.gc_read_multi_pages != 0, moves == fw::GcMoves::multi);
    EXPECT_EQ(s.gc_program_multi_pages != 0, moves == fw::GcMoves::multi);
  }
}

// A packed write is placed in parts, and what it could not read is lost from the first one on.
TEST_P(CachedRandom, ReportsWhatAnUpdateCouldNotReadBeforeAllOfItIsWritten) {
  for (const std::uint64_t seed : {61, 62, 63, 64}) {
    FtlBenchConfig c = cached_drive(GetParam());
    c.shuffle = true;
    c.seed = seed;
    c.ftl.slc_cache.union_update = true;
    if (seed % 2 == 0) {
      c.ftl.write_ack = fw::WriteAck::buffered;
      c.ftl.write_buffer_pages = 11;
    }
    FtlBench b(c);
    b.hal().flash().fail_reads(30, seed);
    Mix mix;
    mix.operations = 20000;
    mix.max_sectors = 12;
    mix.lbas = 800;
    run_random(b, mix, seed);
    if (HasFatalFailure()) return;
    EXPECT_GT(b.failed_reads(), 0u);
  }
}

TEST_P(CachedRandom, KeepsTheShadowWhileProgramsFail) {
  run_while_programs_fail(cached_drive(GetParam()));
}

// Further programs of a page wait behind the one that fails.
TEST_P(CachedRandom, KeepsTheShadowWhileProgramsFailInDeepQueues) {
  FtlBenchConfig c = cached_drive(GetParam());
  c.ftl.die_queue_depth = 4;
  run_while_programs_fail(c);
}

INSTANTIATE_TEST_SUITE_P(Each, CachedRandom,
                         ::testing::Values("slc_cache", "mga", "packed", "ipu", "packed_slc_cache",
                                           "packed_ipu"),
                         parameter_name);

} // namespace
} // namespace twinplane::test::ftl_cached_random_test
