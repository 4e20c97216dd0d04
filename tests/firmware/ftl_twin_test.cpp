// Twin block management: do twins stay twins, is nothing lost, and does the flash never refuse?
#include <string>

#include "tests/support/ftl_random.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::ftl_twin_test {
namespace {

FtlBenchConfig twin_drive(std::uint32_t planes) {
  FtlBenchConfig c = small_drive();
  c.ftl.geometry.planes_per_die = planes;
  c.ftl.block_allocation = "twin";
  c.ftl.frontier = fw::Frontier::shared;
  return c;
}

struct Variant {
  const char* allocation;
  fw::TbmGc gc;
  fw::GcMoves moves;
  fw::Frontier frontier;
  bool bac;
};

void run(FtlBenchConfig c, const Variant& v, std::uint64_t seed, const Mix& mix = Mix()) {
  SCOPED_TRACE(v.allocation);
  c.ftl.plane_allocation = v.allocation;
  c.ftl.tbm_gc = v.gc;
  c.ftl.gc_moves = v.moves;
  c.ftl.frontier = v.frontier;
  c.ftl.bac = v.bac;
  c.shuffle = true;
  c.seed = seed;
  FtlBench b(c);
  run_random(b, mix, seed);
  if (::testing::Test::HasFatalFailure()) return;
  EXPECT_GT(b.statistics().gc_blocks_erased, 0u);
  EXPECT_EQ(b.statistics().gc_blocks_erased, b.statistics().gc_invocations * c.ftl.geometry.planes_per_die);
}

class Twins : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(Twins, KeepTheShadowUnderEveryDecision) {
  std::uint64_t seed = 1;
  for (const char* allocation : {"F", "D", "F2"}) {
    for (const fw::TbmGc gc : {fw::TbmGc::paper, fw::TbmGc::simulator}) {
      for (const fw::GcMoves moves : {fw::GcMoves::single, fw::GcMoves::multi}) {
        for (const fw::Frontier frontier : {fw::Frontier::shared, fw::Frontier::separate}) {
          Mix mix;
          mix.operations = 1500 * GetParam();
          mix.check_every = 100;
          const Variant v{allocation, gc, moves, frontier, seed % 2 == 0};
          run(twin_drive(GetParam()), v, seed, mix);
          if (HasFatalFailure()) return;
          ++seed;
        }
      }
    }
  }
}

/// A drive that is small enough to be looked at after each of a million writes (once a week, else a quarter of them).
TEST_P(Twins, StayTwinsThroughManyPages) {
  for (const fw::TbmGc gc : {fw::TbmGc::paper, fw::TbmGc::simulator}) {
    FtlBenchConfig c = twin_drive(GetParam());
    c.ftl.geometry.channels = 1;
    c.ftl.geometry.blocks_per_plane = 8;
    c.ftl.geometry.pages_per_block = 8;
    c.ftl.geometry.sector_size = 4096;
    c.ftl.over_provisioning = 0.45;
    c.ftl.gc_threshold_blocks = 2;
    Mix mix;
    mix.operations = at_depth(1'000'000, 4) / GetParam();
    mix.check_every = 20'000;
    mix.check_tables = true;
    mix.max_sectors = GetParam();
    mix.write_percent = 100;
    const bool letter = gc == fw::TbmGc::paper;
    const Variant v{letter ? "D" : "F2", gc, letter ? fw::GcMoves::multi : fw::GcMoves::single,
                    fw::Frontier::shared, letter};
    run(c, v, GetParam(), mix);
    if (HasFatalFailure()) return;
  }
}

TEST(TwinDrive, FillsToTheLastPageAndGoesOn) {
  for (const fw::Frontier frontier : {fw::Frontier::shared, fw::Frontier::separate}) {
    FtlBenchConfig c = twin_drive(4);
    c.ftl.over_provisioning = 0; // everything but the reserve is exported
    c.ftl.gc_threshold_blocks = 2;
    c.ftl.frontier = frontier;
    c.ftl.scheduling = "fifo"; // collects without hurry, so that writes do run out of space
    const Mix mix = long_writes();
    FtlBench b(c);
    run_random(b, mix, 8);
    EXPECT_GT(b.statistics().blocked_on_space, 0u);
    if (HasFatalFailure()) return;
  }
}

TEST(TwinDrive, IsPreconditionedWithItsTwinsLevel) {
  FtlBench b(twin_drive(4));
  const auto pages = static_cast<std::uint32_t>(b.sectors() / 4);
  fw::Random random(3);
  for (std::uint32_t lpn = 0; lpn < pages; ++lpn) ASSERT_EQ(b.precondition(lpn), nullptr);
  for (std::uint32_t i = 0; i < 3 * pages; ++i) ASSERT_EQ(b.precondition(random.below(pages)), nullptr);
  b.check_all(true);
  run_random(b, Mix(), 4);
}

TEST(TwinDrive, IsAgedWithItsTwinsLevel) {
  FtlBench b(twin_drive(2));
  ASSERT_EQ(b.ftl().zero_time.age(0.5), nullptr);
  b.check_all(false);
  run_random(b, Mix(), 4);
}

TEST(TwinDrive, RefusesAPlaneThatIsBoundToTheAddress) {
  FtlBenchConfig c = twin_drive(2);
  c.ftl.plane_allocation = "DP";
  EXPECT_EQ(std::string(FtlBench(c).error()).find("ftl.plane_allocation: must not name P"), 0u);
}

INSTANTIATE_TEST_SUITE_P(Planes, Twins, ::testing::Values(2u, 3u, 4u, 8u), parameter_name);

} // namespace
} // namespace twinplane::test::ftl_twin_test
