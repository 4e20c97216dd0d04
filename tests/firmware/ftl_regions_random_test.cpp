// Do drives of two regions keep every promise under random requests, with a border that moves at random,
// whatever else the drive does? The accounts of each plane are checked in every step, all data against the
// shadow.
#include <string>

#include "tests/support/ftl_regions.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::ftl_regions_random_test {
namespace {

/// Runs random operations, moving the border at random in between; returns how often it has moved.
std::uint64_t run_resizing(FtlBench& b, const Mix& mix, std::uint64_t seed) {
  fw::Random random(seed);
  std::uint64_t moves = 0;
  EXPECT_EQ(b.error(), nullptr) << b.error();
  for (std::uint64_t i = 0; i < mix.operations; ++i) {
    while (b.free_slots() == 0) {
      if (b.step()) continue;
      ADD_FAILURE() << "stuck";
      return moves;
    }
    Mix now = mix;
    now.max_sectors = i / 5000 % 2 == 0 ? 4 : mix.max_sectors; // hot times and cold times
    random_operation(b, random, now);
    if (random.below(2) == 0) b.step();
    if (random.below(40) == 0) moves += resize_at_random(b, random) ? 1 : 0;
    b.check_cheap();
    if (i % mix.check_every == 0) b.check_all(false);
    if (::testing::Test::HasFatalFailure()) return moves;
  }
  b.settle();
  b.check_all(true);
  return moves;
}

TEST(RegionsRandom, KeepTheShadowThroughManyOperations) {
  for (const char* regions : {"combo", "combo_logs", "broms"}) {
    SCOPED_TRACE(regions);
    FtlBenchConfig c = two_region_drive(regions);
    c.shuffle = true;
    c.ftl.region.cold_age = 3;
    Mix mix;
    mix.operations = at_depth(500'000, 4);
    mix.check_every = 20'000;
    mix.max_sectors = 12;
    FtlBench b(c);
    const std::uint64_t moves = run_resizing(b, mix, 21);
    if (HasFatalFailure()) return;
    EXPECT_GT(moves, at_depth(1000, 4));
    const fw::FtlStatistics& s = b.statistics();
    for (const fw::Region r : {fw::kHot, fw::kCold}) {
      EXPECT_GT(s.regions[r].collections, 1000u);
      EXPECT_GT(s.regions[r].erases, 1000u);
    }
    EXPECT_GT(s.misplaced_pages, 0u);
    EXPECT_EQ(s.regions[0].erases + s.regions[1].erases, s.gc_blocks_erased);
  }
}

/// A hot block holds a third of a cold one there, or a quarter.
TEST(RegionsRandom, KeepTheShadowWhereACellHasThreeOrFourBits) {
  for (const char* regions : {"combo", "combo_logs"}) {
    for (const CellType cell : {CellType::tlc, CellType::qlc}) {
      SCOPED_TRACE(regions);
      FtlBenchConfig c = two_region_drive(regions);
      c.shuffle = true;
      c.ftl.geometry.cell = cell;
      c.ftl.geometry.pages_per_block = 24;
      c.ftl.over_provisioning = 0.6;
      c.ftl.region.cold_age = 3;
      Mix mix;
      mix.operations = 30'000;
      mix.max_sectors = 12;
      FtlBench b(c);
      run_resizing(b, mix, 22);
      if (HasFatalFailure()) return;
      EXPECT_EQ(b.ftl().state.blocks.region_pages(fw::kHot), cell == CellType::tlc ? 8u : 6u);
      for (const fw::Region r : {fw::kHot, fw::kCold}) EXPECT_GT(b.statistics().regions[r].collections, 50u);
    }
  }
}

const Setting kSettings[] = {
    settings::nothing_else,
    {"dies first, relaxed order",
     [](FtlBenchConfig& c) {
       c.ftl.plane_allocation = "F";
       c.ftl.program_order = ProgramOrder::relaxed;
     }},
    settings::static_planes_plane_first,
    settings::shared_frontier,
    {"unequal blocks, multi-plane moves",
     [](FtlBenchConfig& c) {
       c.ftl.bac = false;
       c.ftl.gc_moves = fw::GcMoves::multi;
     }},
    settings::moves_of_several_planes,
    settings::write_buffer,
    settings::deep_queues,
    settings::suspension,
    settings::independent_reads,
    settings::best_of_random_victims,
    settings::late_data_interrupts_only,
    {"two pages of each type per wordline",
     [](FtlBenchConfig& c) { c.ftl.page_table = PageTable::even_odd; }},
    {"measured victims, pages that pay for their move",
     [](FtlBenchConfig& c) {
       c.ftl.region.measured_victims = true;
       c.ftl.region.horizon = 400;
       c.ftl.region.hysteresis = 0;
     }},
    settings::hardly_any_space,
};

class Regional : public ::testing::TestWithParam<const char*> {};

TEST_P(Regional, KeepTheShadowInEverySetting) {
  std::uint64_t seed = 30;
  for (const Setting& setting : kSettings) {
    SCOPED_TRACE(setting.name);
    FtlBenchConfig c = two_region_drive(GetParam());
    c.shuffle = true;
    c.seed = ++seed;
    setting.change(c);
    if (fw::check_config(c.ftl) != nullptr) { // the logs are frontiers, so these cannot be one
      EXPECT_STREQ(GetParam(), "combo_logs");
      EXPECT_STREQ(setting.name, settings::shared_frontier.name);
      continue;
    }
    Mix mix;
    mix.operations = 8000;
    mix.max_sectors = 24;
    FtlBench b(c);
    const bool resizes = c.ftl.over_provisioning != 0; // there the border must stay
    if (resizes) {
      run_resizing(b, mix, seed);
    } else {
      run_random(b, mix, seed);
    }
    if (HasFatalFailure()) return;
    EXPECT_FALSE(b.statistics().read_only);
    EXPECT_GT(b.statistics().gc_blocks_erased, 0u);
  }
}

TEST_P(Regional, KeepTheShadowWhileProgramsFail) {
  run_while_programs_fail(two_region_drive(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Each, Regional, ::testing::Values("combo", "combo_logs", "broms"), parameter_name);

} // namespace
} // namespace twinplane::test::ftl_regions_random_test
