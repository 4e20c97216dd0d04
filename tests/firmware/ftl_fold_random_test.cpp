// Does a drive that programs native pages by whole wordlines, in one pass, keep every promise under random
// requests? All data are held against the shadow, the flash judges each pass, and passes fail as a whole.
#include <string>
#include <tuple>

#include "tests/support/ftl_cached.h"

namespace twinplane::test::ftl_fold_random_test {
namespace {

class FoldRandom : public ::testing::TestWithParam<std::tuple<const char*, CellType>> {
 protected:
  FoldRandom() : c(cached_drive(std::get<0>(GetParam()))) {
    const CellType cell = std::get<1>(GetParam());
    c.ftl.geometry.cell = cell;
    c.ftl.geometry.pages_per_block = 24;
    c.ftl.page_table = PageTable::wordline;
    c.ftl.pass_pages = static_cast<std::uint32_t>(cell);
    c.shuffle = true;
  }
  /// What must hold of every run.
  static void expect_whole_wordlines(FtlBench& b, std::uint32_t fold) {
    const fw::FtlStatistics& s = b.statistics();
    std::uint64_t types[kMaxPageTypes] = {};
    for (std::uint32_t t = 0; t < kMaxPageTypes; ++t) types[t] = s.programs_by_type[t];
    for (std::uint32_t t = 1; t < fold; ++t) EXPECT_EQ(types[t], s.wordline_passes) << "page type " << t;
    EXPECT_GT(s.wordline_passes, 0u);
  }

  FtlBenchConfig c;
};

TEST_P(FoldRandom, KeepsTheShadowThroughManySmallUpdates) {
  Mix mix;
  mix.operations = at_depth(200'000, 4);
  mix.check_every = 50'000;
  mix.max_sectors = 6;
  mix.write_percent = 80;
  mix.trim_percent = 1;
  mix.zero_percent = 1;
  mix.flush_percent = 0;
  FtlBench b(c);
  run_random(b, mix, 3);
  const fw::CacheCounters& s = b.statistics().cache;
  EXPECT_GT(s.collections, at_depth(1000, 4));
  EXPECT_GT(s.evicted_pages, at_depth(1000, 4));
  EXPECT_LT(b.statistics().padded_pages, b.statistics().wordline_passes) << "most wordlines are full";
  EXPECT_FALSE(b.statistics().read_only);
  expect_whole_wordlines(b, c.ftl.pass_pages);
}

const Setting kSettings[] = {
    settings::an_update_writes_all_there_is,
    settings::a_full_cache_is_passed,
    settings::three_cache_blocks,
    settings::two_cache_blocks,
    settings::whole_pages_go_past_the_cache,
    {"whole pages go past the cache into a shared native frontier",
     [](FtlBenchConfig& c) {
       c.ftl.slc_cache.full_to_native = true;
       c.ftl.frontier = fw::Frontier::shared;
     }},
    settings::eight_subpages,
    settings::sixteen_subpages,
    settings::wear_levelling_of_the_cache,
    {"a size that moves",
     [](FtlBenchConfig& c) {
       c.ftl.slc_cache.least_share = 0.1;
       c.ftl.slc_cache.most_share = 0.4;
     }},
    settings::dies_first,
    settings::static_planes_plane_first,
    settings::shared_frontier,
    settings::unequal_blocks_pair,
    settings::moves_of_several_planes,
    settings::moves_of_several_planes_unequal_blocks_pair,
    settings::best_of_random_victims,
    settings::any_victim,
    {"oldest victims, hardly any space",
     [](FtlBenchConfig& c) {
       c.ftl.victim = "fifo";
       c.ftl.over_provisioning = 0;
       c.ftl.gc_threshold_blocks = 2;
     }},
    settings::victims_by_cost_and_benefit,
    settings::write_buffer,
    settings::deep_queues,
    settings::suspension,
    settings::independent_reads,
    settings::first_in_first_out,
    settings::newest_first,
    settings::programs_last,
    settings::whole_sectors,
    settings::hardly_any_space,
    settings::hardly_any_space_static_planes,
};

TEST_P(FoldRandom, KeepsTheShadowInEverySetting) {
  run_in_every_setting(c, kSettings, 130, [](FtlBench& b, const FtlBenchConfig& changed) {
    EXPECT_GT(b.statistics().gc_blocks_erased, 0u);
    expect_whole_wordlines(b, changed.ftl.pass_pages);
  });
}

// Pages that go past the cache wait for the same wordline: it is padded only when there are fewer of them.
TEST_P(FoldRandom, FillsWordlinesWithWhatTheHostSendsPastTheCache) {
  c.ftl.slc_cache.full_to_native = true;
  c.ftl.plane_allocation = "PDWC"; // so that those of a plane wait for it
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  write_every_page(b);
  b.settle();
  b.check_all(true);
  const fw::FtlStatistics& s = b.statistics();
  EXPECT_EQ(s.cache.native_host_pages, b.ftl().state.exported_pages);
  const std::uint32_t fold = c.ftl.pass_pages;
  EXPECT_LT(3 * s.padded_pages, fold * s.wordline_passes);
  expect_whole_wordlines(b, fold);
}

TEST_P(FoldRandom, KeepsTheShadowWhilePassesOfTheHostFail) {
  c.ftl.slc_cache.full_to_native = true;
  run_while_programs_fail(c);
}

TEST_P(FoldRandom, ReportsWhatCannotBeReadAndNeverWrongData) {
  run_while_reads_fail(c, {51, 52});
}

// A pass that fails has lost all its pages: each of them is written again, or reported.
TEST_P(FoldRandom, KeepsTheShadowWhilePassesFail) {
  run_while_programs_fail(c);
}

TEST_P(FoldRandom, KeepsTheShadowWhilePassesFailInDeepQueues) {
  c.ftl.die_queue_depth = 4;
  run_while_programs_fail(c);
}

INSTANTIATE_TEST_SUITE_P(Each, FoldRandom,
                         ::testing::Combine(::testing::ValuesIn(kCacheSchemes),
                                            ::testing::Values(CellType::tlc, CellType::qlc)),
                         [](const auto& drive) {
                           const bool tlc = std::get<1>(drive.param) == CellType::tlc;
                           return std::string(std::get<0>(drive.param)) + (tlc ? "_tlc" : "_qlc");
                         });

} // namespace
} // namespace twinplane::test::ftl_fold_random_test
