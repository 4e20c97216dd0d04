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

const Setting kSettings[] = {
    settings::nothing_else,
    settings::an_update_writes_all_there_is,
    {"less than is free, reads are accesses",
     [](FtlBenchConfig& c) {
       c.ftl.slc_cache.at_most = false;
       c.ftl.slc_cache.any_access = true;
     }},
    settings::whole_pages_go_past_the_cache,
    settings::a_full_cache_is_passed,
    settings::a_full_cache_is_passed_no_spare_capacity,
    settings::three_cache_blocks,
    settings::two_cache_blocks,
    {"two programs per page", [](FtlBenchConfig& c) { c.ftl.slc_cache.partial_programs = 2; }},
    settings::eight_subpages,
    settings::sixteen_subpages,
    {"two subpages", [](FtlBenchConfig& c) { c.ftl.geometry.subpages_per_page = 2; }},
    settings::three_bits_per_cell,
    settings::four_bits_per_cell,
    settings::wear_levelling_of_the_cache,
    settings::dies_first,
    settings::static_planes_plane_first,
    settings::static_dies,
    settings::shared_frontier,
    settings::unequal_blocks_pair,
    settings::no_pairs,
    settings::write_buffer,
    {"write buffer, an update writes all there is",
     [](FtlBenchConfig& c) {
       c.ftl.write_ack = fw::WriteAck::buffered;
       c.ftl.write_buffer_pages = 20;
       c.ftl.slc_cache.union_update = true;
     }},
    settings::deep_queues,
    settings::suspension,
    settings::independent_reads,
    settings::moves_of_several_planes,
    settings::moves_of_several_planes_unequal_blocks_pair,
    settings::best_of_random_victims,
    settings::any_victim,
    settings::oldest_victims,
    settings::victims_by_cost_and_benefit,
    settings::first_in_first_out,
    settings::late_data_interrupts_only,
    settings::newest_first,
    settings::programs_last,
    settings::whole_sectors,
    settings::hardly_any_space,
    settings::hardly_any_space_static_planes,
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

INSTANTIATE_TEST_SUITE_P(Each, CachedRandom, ::testing::ValuesIn(kCacheSchemes), parameter_name);

} // namespace
} // namespace twinplane::test::ftl_cached_random_test
