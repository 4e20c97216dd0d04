// What twin blocks are for: multi-plane commands and the number of collections in the long run, and
// what they cost in write amplification. Uniform random writes over simulated flash.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/support/ftl_bench.h"
#include "tests/support/parameter_names.h"
#include "tests/support/waf_model.h"

namespace twinplane::test::ftl_twin_load_test {
namespace {

/// One page per request, 64 outstanding; the drive starts empty.
class Load {
 public:
  explicit Load(const FtlBenchConfig& config) : bench_(config), random_(7) {
    EXPECT_EQ(bench_.error(), nullptr) << bench_.error();
    pages_ = static_cast<std::uint32_t>(bench_.sectors());
  }
  static FtlBenchConfig drive(std::uint32_t planes, const char* allocation, bool twins) {
    FtlBenchConfig c;
    Geometry& g = c.ftl.geometry;
    g.channels = 2;
    g.planes_per_die = planes;
    g.page_size = 4096;
    g.sector_size = 4096;
    c.ftl.data_mode = DataMode::none;
    c.ftl.plane_allocation = allocation;
    c.ftl.block_allocation = twins ? "twin" : "conventional";
    c.ftl.victim = "rga";
    c.ftl.scheduling = "paq";
    c.ftl.frontier = fw::Frontier::shared;
    c.ftl.gc_threshold_blocks = 2;
    c.ftl.max_requests = 64;
    c.slot_sectors = 8;
    c.check_data = false;
    return c;
  }

  void fill() {
    for (std::uint32_t lpn = 0; lpn < pages_; ++lpn) {
      ASSERT_EQ(bench_.ftl().zero_time.write(lpn, nullptr), nullptr);
    }
  }
  /// Random writes of `count` pages each, `volume` times the capacity.
  void write(double volume, std::uint32_t count = 1) {
    for (auto n = static_cast<std::uint64_t>(volume * pages_ / count); n != 0; --n) {
      while (bench_.free_slots() == 0) bench_.run_until_interrupt();
      bench_.write(random_.below(pages_ / count) * count, count);
    }
  }
  /// Reads of `count` pages within the first `part` of the drive.
  void read(double volume, std::uint32_t count, double part = 1) {
    const auto places = static_cast<std::uint32_t>(part * pages_ / count);
    for (auto n = static_cast<std::uint64_t>(volume * pages_ / count); n != 0; --n) {
      while (bench_.free_slots() == 0) bench_.run_until_interrupt();
      bench_.read(random_.below(places) * count, count);
    }
  }
  /// In turn one write of `count` pages to the first half of the drive and `count` of one page to the second.
  void write_halves(double volume, std::uint32_t count) {
    const std::uint32_t places = pages_ / 2 / count;
    for (auto n = static_cast<std::uint64_t>(volume * pages_ / 2 / count); n != 0; --n) {
      while (bench_.free_slots() <= count) bench_.run_until_interrupt();
      bench_.write(random_.below(places) * count, count);
      for (std::uint32_t i = 0; i < count; ++i) bench_.write((places + random_.below(places)) * count + i, 1);
    }
  }
  /// Requests of `count` pages, `read_percent` of them reads, until `volume` capacities are written.
  void mix(double volume, std::uint32_t count, std::uint32_t read_percent) {
    for (auto left = static_cast<std::int64_t>(volume * pages_); left > 0;) {
      while (bench_.free_slots() == 0) bench_.run_until_interrupt();
      const std::uint32_t lpn = random_.below(pages_ / count) * count;
      if (random_.below(100) < read_percent) {
        bench_.read(lpn, count);
      } else {
        bench_.write(lpn, count);
        left -= count;
      }
    }
  }
  void restart_counters() {
    bench_.settle();
    bench_.ftl().state.statistics = fw::FtlStatistics();
  }
  /// Share of host pages programmed by multi-plane commands since restart_counters().
  double program_share() {
    bench_.settle();
    const fw::FtlStatistics& s = bench_.statistics();
    return static_cast<double>(s.program_multi_pages - s.gc_program_multi_pages) /
           static_cast<double>(s.program_pages - s.gc_program_pages);
  }
  double read_share() {
    bench_.settle();
    const fw::FtlStatistics& s = bench_.statistics();
    return static_cast<double>(s.read_multi_pages - s.gc_read_multi_pages) /
           static_cast<double>(s.read_pages - s.gc_read_pages);
  }
  FtlBench& bench() { return bench_; }

 private:
  FtlBench bench_;
  fw::Random random_;
  std::uint32_t pages_ = 0;
};

// --- multi-plane programs ---

FtlBenchConfig large_blocks(std::uint32_t planes, const char* allocation, bool twins) {
  FtlBenchConfig c = Load::drive(planes, allocation, twins);
  c.ftl.geometry.blocks_per_plane = 32;
  c.ftl.geometry.pages_per_block = 256;
  c.ftl.over_provisioning = 0.2;
  return c;
}

struct Shares {
  double pristine, late;
};

/// Before the first collection, and over the last capacity of `volume` capacities written.
Shares program_shares(const FtlBenchConfig& config, double volume) {
  Load load(config);
  Shares s{};
  load.write(0.8);
  EXPECT_EQ(load.bench().statistics().gc_invocations, 0u);
  s.pristine = load.program_share();
  load.write(volume - 1.8);
  load.restart_counters();
  load.write(1);
  s.late = load.program_share();
  std::printf("%s %s P=%u: %.4f, then %.4f\n", static_cast<const char*>(config.ftl.plane_allocation),
              static_cast<const char*>(config.ftl.block_allocation), config.ftl.geometry.planes_per_die,
              s.pristine, s.late);
  return s;
}

class Planes : public ::testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Of, Planes, ::testing::Values(2u, 4u), parameter_name);

TEST_P(Planes, OfAPristineDriveAreProgrammedTogetherAndOfAUsedOneHardlyEver) {
  for (const bool bac : {false, true}) {
    FtlBenchConfig c = large_blocks(GetParam(), "D", false);
    c.ftl.bac = bac;
    const Shares s = program_shares(c, 4);
    EXPECT_GT(s.pristine, 0.95);
    EXPECT_LT(s.late, s.pristine * (GetParam() == 2 ? 0.05 : 0.12));
  }
}

TEST_P(Planes, AreProgrammedTogetherWithTwinBlocksHoweverLongTheDriveIsUsed) {
  for (const char* allocation : {"D", "F2"}) {
    for (const fw::TbmGc gc : {fw::TbmGc::paper, fw::TbmGc::simulator}) {
      FtlBenchConfig c = large_blocks(GetParam(), allocation, true);
      c.ftl.tbm_gc = gc;
      const Shares s = program_shares(c, 10);
      EXPECT_GT(s.pristine, 0.95);
      EXPECT_GT(s.late, s.pristine * 0.9);
    }
  }
}

struct Mixed {
  std::uint32_t depth, pages, read_percent;
  double kept; // of the pristine share, at least
};

TEST_P(Planes, AreProgrammedTogetherWithTwinBlocksWhenThereIsLessToChooseFrom) {
  const std::uint32_t planes = GetParam();
  for (const Mixed& m : {Mixed{16, 1, 0, 0.9}, Mixed{16, planes, 70, 0.9}, Mixed{64, 1, 70, 0.75}}) {
    for (const char* allocation : {"D", "F2"}) {
      FtlBenchConfig c = large_blocks(planes, allocation, true);
      c.ftl.geometry.channels = 1;
      c.ftl.geometry.dies_per_chip = 2;
      c.ftl.max_requests = m.depth;
      Load load(c);
      load.mix(0.8, m.pages, m.read_percent);
      const double pristine = load.program_share();
      load.mix(3, m.pages, m.read_percent);
      load.restart_counters();
      load.mix(0.5, m.pages, m.read_percent);
      const double late = load.program_share();
      std::printf("%s P=%u depth %u, %u pages, %u %% reads: %.4f, then %.4f\n", allocation, planes, m.depth,
                  m.pages, m.read_percent, pristine, late);
      EXPECT_GT(late, pristine * m.kept);
    }
  }
}

TEST_P(Planes, DoTheSameWithTwinBlocksWhetherOrNotTheDieAsksForEqualBlocks) {
  std::uint64_t seen[2];
  for (const bool bac : {false, true}) {
    FtlBenchConfig c = large_blocks(GetParam(), "F2", true);
    c.ftl.bac = bac;
    Load load(c);
    load.write(3);
    load.bench().settle();
    seen[bac ? 1 : 0] = load.bench().hal().now_ps() + load.bench().statistics().program_multi_pages;
  }
  EXPECT_EQ(seen[0], seen[1]);
}

/// A request that is as large as a stripe of every die of a chip is read as it was written. One plane
/// at a time, a moved pair may be separated by a host write in between.
TEST_P(Planes, AreReadTogetherWithTwinBlocksWhenRequestsSpanThem) {
  for (const char* allocation : {"D", "F2"}) {
    for (const fw::GcMoves moves : {fw::GcMoves::single, fw::GcMoves::multi}) {
      FtlBenchConfig c = large_blocks(GetParam(), allocation, true);
      c.ftl.geometry.channels = 1;
      c.ftl.geometry.dies_per_chip = 2;
      c.ftl.gc_moves = moves;
      c.slot_sectors = 16;
      const std::uint32_t pages = 2 * GetParam();
      Load load(c);
      load.write(0.8, pages);
      load.restart_counters();
      load.read(0.3, pages);
      const double pristine = load.read_share();
      load.write(4, pages);
      load.restart_counters();
      load.read(0.3, pages);
      const double late = load.read_share();
      std::printf("%s P=%u %s reads: %.4f, then %.4f\n", allocation, GetParam(),
                  moves == fw::GcMoves::single ? "single" : "multi", pristine, late);
      EXPECT_GT(late, pristine * 0.9);
    }
  }
}

/// One half of the drive is written in stripes, the other one page by page: its pages lie alone in the
/// victims and would fit between those of a stripe, which are programmed plane by plane.
TEST_P(Planes, StayTogetherWhenTheirPagesAreMovedOneByOne) {
  FtlBenchConfig c = large_blocks(GetParam(), "F2", true);
  c.ftl.geometry.channels = 1;
  c.ftl.geometry.pages_per_block = 64;
  c.ftl.frontier = fw::Frontier::separate;
  Load load(c);
  load.write_halves(6, GetParam());
  load.restart_counters();
  load.read(0.2, GetParam(), 0.5);
  const double share = load.read_share();
  std::printf("P=%u reads: %.4f\n", GetParam(), share);
  EXPECT_GT(share, 0.8); // 0.49 of two planes and 0.72 of four when others may come between
}

// --- collections, write amplification ---

/// One die, filled, warmed up and then counted over `measured` capacities.
fw::FtlStatistics steady_state(FtlBenchConfig c, double rho, double warm_up, double measured) {
  Geometry& g = c.ftl.geometry;
  g.channels = 1;
  constexpr double kReserve = 2.5; // the open unit, and one or two free ones
  c.ftl.over_provisioning = 1 - rho * (g.blocks_per_plane - kReserve) / g.blocks_per_plane;
  Load load(c);
  load.fill();
  load.write(warm_up);
  load.restart_counters();
  load.write(measured);
  load.bench().settle();
  load.bench().check_all(true);
  return load.bench().statistics();
}

TEST_P(Planes, AreCollectedInOneGoSoThatThereIsOnePthOfTheCollections) {
  double collections[2];
  for (const bool twins : {false, true}) {
    FtlBenchConfig c = Load::drive(GetParam(), "F2", twins);
    c.ftl.geometry.blocks_per_plane = 512;
    c.ftl.geometry.pages_per_block = 64;
    c.ftl.victim = "greedy";
    const fw::FtlStatistics s = steady_state(c, 0.7, 1.5, 1);
    collections[twins ? 1 : 0] = static_cast<double>(s.gc_invocations);
    EXPECT_EQ(s.gc_blocks_erased, s.erase_blocks);
    if (twins) {
      EXPECT_EQ(s.erase_multi_blocks, s.erase_blocks);
    }
  }
  std::printf("P=%u: %.0f collections, then %.0f\n", GetParam(), collections[0], collections[1]);
  EXPECT_NEAR(collections[1] * GetParam() / collections[0], 1.0, 0.03);
}

/// The d-choices law holds with blocks of P times as many pages (facts C10.4). With 16 pages per block
/// at utilisation 0.9 that is 5 % and more away from the law of single blocks.
TEST_P(Planes, CostTheWriteAmplificationOfBlocksAsLargeAsAllTwinsTogether) {
  for (const std::uint32_t d : {0u, 10u}) {
    FtlBenchConfig c = Load::drive(GetParam(), "F2", true);
    c.ftl.geometry.blocks_per_plane = 1200;
    c.ftl.geometry.pages_per_block = 16;
    c.ftl.victim = d == 0 ? "greedy" : "rga";
    c.ftl.victim_d = d == 0 ? 10 : d;
    const fw::FtlStatistics s = steady_state(c, 0.9, 3, 2);
    const double found = static_cast<double>(s.program_pages) / static_cast<double>(s.host_pages_written);
    const double theory = write_amplification(0.9, 16 * GetParam(), d);
    const double of_single = write_amplification(0.9, 16, d);
    std::printf("P=%u d=%u: %.4f, theory %.4f (%+.2f %%), single blocks %.4f\n", GetParam(), d, found, theory,
                (found / theory - 1) * 100, of_single);
    EXPECT_NEAR(found / theory, 1.0, 0.02);
    EXPECT_GT(theory / of_single, 1.04);
  }
}

TEST(TwinWafModel, AgreesWithThePublishedTableAtTheLargestBlocks) {
  EXPECT_NEAR(write_amplification(0.9, 64, 0), 4.8213, 2e-3);
  EXPECT_NEAR(write_amplification(0.9, 256, 0), 5.0832, 2e-3);
  EXPECT_NEAR(write_amplification(0.9, 384, 10), 5.2533, 2e-3);
}

} // namespace
} // namespace twinplane::test::ftl_twin_load_test
