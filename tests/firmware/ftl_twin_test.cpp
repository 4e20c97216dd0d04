// Twin block management: do twins stay twins, is nothing lost, and does the flash never refuse?
#include "tests/support/ftl_random.h"

namespace twinplane::test {
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
    for (const fw::TbmGc gc : {fw::TbmGc::letter, fw::TbmGc::sharp}) {
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

INSTANTIATE_TEST_SUITE_P(Planes, Twins, ::testing::Values(2u, 3u, 4u, 8u));

} // namespace
} // namespace twinplane::test
