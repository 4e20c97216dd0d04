// Does garbage collection cost what theory says? Uniform random page writes, one plane, host and
// collector in one frontier, utilisation counted without the open block and the free reserve.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "tests/support/ftl_random.h"
#include "tests/support/parameter_names.h"
#include "tests/support/waf_model.h"

namespace twinplane::test::ftl_waf_test {
namespace {

struct Row {
  std::uint32_t pages_per_block;
  double rho;
  double d2, d10, greedy;
};

/// The published mean-field figures (facts C10.3).
constexpr Row kTable[] = {
    {64, 0.7, 2.4132, 1.8796, 1.8333},  {64, 0.8, 3.5330, 2.6754, 2.5993},
    {64, 0.9, 6.8516, 5.0002, 4.8213},  {256, 0.7, 2.4282, 1.9058, 1.8652},
    {256, 0.8, 3.5677, 2.7341, 2.6684}, {256, 0.9, 6.9884, 5.2264, 5.0832},
};

TEST(WafModel, AgreesWithThePublishedTable) {
  for (const Row& row : kTable) {
    EXPECT_NEAR(write_amplification(row.rho, row.pages_per_block, 2), row.d2, 2e-3);
    EXPECT_NEAR(write_amplification(row.rho, row.pages_per_block, 10), row.d10, 2e-3);
    EXPECT_NEAR(write_amplification(row.rho, row.pages_per_block, 0), row.greedy, 2e-3);
  }
}

TEST(WafModel, IsOneOverFreeShareForRandomVictims) {
  EXPECT_NEAR(write_amplification(0.8, 64, 1), 5.0, 0.01);
}

struct Load {
  double rho;
  std::uint32_t pages_per_block;
  const char* victim;
  std::uint32_t d;
  std::uint32_t units = 1; // of a page; then a block has a page for so many of those above
  std::uint32_t dies = 1;  // of a superblock; then a block has so many times fewer pages
};

/// A drive of one plane for the load.
FtlBenchConfig drive_of(const Load& load) {
  FtlBenchConfig c;
  Geometry& g = c.ftl.geometry;
  g.planes_per_die = 1;
  g.blocks_per_plane = load.dies == 1 ? 1024 : 256;
  g.dies_per_chip = load.dies;
  g.pages_per_block = load.pages_per_block / load.units / load.dies;
  g.page_size = load.units * g.sector_size;
  c.ftl.map_units = g.subpages_per_page = load.units;
  c.ftl.data_mode = DataMode::none;
  c.ftl.victim = load.victim;
  if (load.d != 0) c.ftl.victim_d = load.d;
  c.ftl.frontier = fw::Frontier::shared;
  if (load.dies != 1) {
    c.ftl.erase_unit = fw::EraseUnit::drive;
    c.ftl.plane_allocation = "CWD"; // as much on each
  }
  c.ftl.gc_threshold_blocks = load.units == 1 ? 2 : 3;
  c.ftl.max_requests = 32;
  c.slot_sectors = 1;
  c.check_data = false;
  const double kReserve =
      load.units == 1 ? 2.5 : 3.5; // the open block, and one or two free ones, or one more
  c.ftl.over_provisioning = 1 - load.rho * (g.blocks_per_plane - kReserve) / g.blocks_per_plane;
  return c;
}

/// Write amplification measured over `measured` drive writes after `warm_up` drive writes.
double measure(const Load& load, double warm_up, double measured) {
  FtlBench b(drive_of(load));
  EXPECT_EQ(b.error(), nullptr) << b.error();
  const auto sectors = static_cast<std::uint32_t>(b.sectors());
  for (std::uint32_t lpn = 0; lpn < sectors / load.units; ++lpn)
    EXPECT_EQ(b.ftl().zero_time.write(lpn, nullptr), nullptr);
  fw::Random random(7);
  const auto random_writes = [&](double drive_writes) {
    for (auto n = static_cast<std::uint64_t>(drive_writes * sectors); n != 0; --n) {
      while (b.free_slots() == 0) b.run_until_interrupt();
      b.write(random.below(sectors), 1);
    }
    b.settle();
  };
  random_writes(warm_up);
  b.ftl().state.statistics = fw::FtlStatistics();
  random_writes(measured);
  const fw::FtlStatistics& s = b.statistics();
  b.check_all(true);
  return static_cast<double>(s.program_pages * load.units) / static_cast<double>(s.host_sectors_written);
}

/// The same of packed writes in no time.
double measure_untimed(const Load& load) {
  FtlBench b(drive_of(load));
  EXPECT_EQ(b.error(), nullptr) << b.error();
  fw::ZeroTimeWriter& writer = b.ftl().zero_time;
  const auto units = static_cast<std::uint32_t>(b.sectors());
  for (std::uint32_t lpn = 0; lpn < units / load.units; ++lpn) EXPECT_EQ(writer.write(lpn, nullptr), nullptr);
  fw::Random random(7);
  const auto random_writes = [&](std::uint32_t drive_writes) {
    for (std::uint32_t n = drive_writes * (units / load.units); n != 0; --n)
      EXPECT_EQ(writer.write_packed(draw_different(random, units, load.units).data(), nullptr), nullptr);
  };
  random_writes(2);
  const fw::FtlStatistics before = b.statistics();
  random_writes(1);
  b.check_all(true);
  const auto host = static_cast<std::size_t>(fw::ProgramCause::host);
  const auto gc = static_cast<std::size_t>(fw::ProgramCause::gc);
  const auto of = [&](std::size_t cause) {
    return static_cast<double>(b.statistics().pages_programmed[cause] - before.pages_programmed[cause]);
  };
  return (of(host) + of(gc)) / of(host);
}

void expect_theory(const Load& load, bool untimed = false) {
  const double theory = write_amplification(load.rho, load.pages_per_block, load.d);
  const double found = untimed ? measure_untimed(load) : measure(load, load.d == 2 ? 4.0 : 2.0, 1.0);
  std::printf("%s d=%u b=%u units=%u rho=%.1f: %.4f, theory %.4f (%+.2f %%)\n", load.victim, load.d,
              load.pages_per_block, load.units, load.rho, found, theory, (found / theory - 1) * 100);
  EXPECT_NEAR(found / theory, 1.0, 0.02);
}

class Waf : public ::testing::TestWithParam<std::pair<std::uint32_t, double>> {};

TEST_P(Waf, OfGreedyFollowsTheory) {
  expect_theory({GetParam().second, GetParam().first, "greedy", 0});
}
TEST_P(Waf, OfTwoChoicesFollowsTheory) {
  expect_theory({GetParam().second, GetParam().first, "rga", 2});
}
TEST_P(Waf, OfTenChoicesFollowsTheory) {
  expect_theory({GetParam().second, GetParam().first, "rga", 10});
}

/// Units that are packed into pages cost what pages of blocks with as many of them would, in blocks that are large: the
/// last page of a victim's moves is not full.
class UnitWaf : public ::testing::TestWithParam<double> {};

TEST_P(UnitWaf, IsThatOfPagesOfTheirSize) {
  expect_theory({GetParam(), 1024, "greedy", 0, 4});
}

TEST_P(UnitWaf, IsTheSameInNoTime) {
  expect_theory({GetParam(), 1024, "greedy", 0, 4}, true);
}

/// A superblock costs what a block of its size would, which is more than its dies would cost by themselves. Data stay in
/// their die, so the dies must have about as much of them, counted in blocks.
TEST(SuperblockWaf, IsThatOfABlockOfItsSize) {
  for (const double rho : {0.8, 0.9}) {
    expect_theory({rho, 512, "greedy", 0, 1, 4});
    expect_theory({rho, 512, "rga", 2, 1, 4});
  }
  EXPECT_GT(write_amplification(0.9, 512, 0), 1.1 * write_amplification(0.9, 32, 0));
}

INSTANTIATE_TEST_SUITE_P(Uniform, UnitWaf, ::testing::Values(0.7, 0.8, 0.9), parameter_name);

INSTANTIATE_TEST_SUITE_P(Uniform, Waf,
                         ::testing::Values(std::pair{64u, 0.7}, std::pair{64u, 0.8}, std::pair{64u, 0.9},
                                           std::pair{256u, 0.7}, std::pair{256u, 0.8}, std::pair{256u, 0.9}),
                         parameter_name);

} // namespace
} // namespace twinplane::test::ftl_waf_test
