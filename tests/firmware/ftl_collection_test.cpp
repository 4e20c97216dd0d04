// Which block is reclaimed, and does reclamation always find a way?
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/ftl_random.h"

namespace twinplane::test::ftl_collection_test {
namespace {

constexpr std::uint32_t kPages = 16; // per block

/// One plane of 16 blocks whose first blocks are filled page by page.
FtlBenchConfig one_plane(const char* victim) {
  FtlBenchConfig c = small_drive();
  c.ftl.geometry.channels = 1;
  c.ftl.geometry.dies_per_chip = 1;
  c.ftl.geometry.planes_per_die = 1;
  c.ftl.geometry.sector_size = 4096;
  c.ftl.gc_threshold_blocks = 2;
  c.ftl.victim = victim;
  return c;
}

/// Fills `blocks` blocks with the LPNs 0, 1, 2 ... and lets everything settle.
void fill(FtlBench& b, std::uint32_t blocks) {
  for (std::uint32_t i = 0; i < blocks; ++i) {
    b.write(std::uint64_t{i} * kPages, kPages);
    b.settle();
  }
}

/// Trims `count` pages of the n-th block filled.
void invalidate(FtlBench& b, std::uint32_t n, std::uint32_t count) {
  b.trim(std::uint64_t{n} * kPages, count);
  b.settle();
}

std::uint32_t select(FtlBench& b) {
  return b.ftl().state.policy.victim->select(0);
}

TEST(Greedy, TakesTheBlockWithTheFewestValidPages) {
  FtlBench b(one_plane("greedy"));
  fill(b, 6);
  invalidate(b, 1, 3);
  invalidate(b, 4, 7);
  invalidate(b, 2, 5);
  EXPECT_EQ(select(b), 4u);
  invalidate(b, 2, 8);
  EXPECT_EQ(select(b), 2u);
}

TEST(Greedy, TakesTheOneThatIsInThatStateLongestAmongEquals) {
  FtlBench b(one_plane("greedy"));
  fill(b, 6);
  invalidate(b, 3, 4);
  invalidate(b, 0, 4);
  EXPECT_EQ(select(b), 3u);
}

TEST(Fifo, TakesTheBlockClosedFirstThatHasSomethingToReclaim) {
  FtlBench b(one_plane("fifo"));
  fill(b, 6);
  invalidate(b, 4, 15);
  EXPECT_EQ(select(b), 4u);
  invalidate(b, 2, 1);
  EXPECT_EQ(select(b), 2u);
}

TEST(CostBenefit, PrefersAgeAmongEquallyEmptyBlocksAndEmptinessAmongEquallyOld) {
  FtlBench b(one_plane("cost_benefit"));
  fill(b, 6);
  invalidate(b, 1, 4);
  invalidate(b, 5, 4);
  EXPECT_EQ(select(b), 1u);
  invalidate(b, 4, 15); // one valid page left: worth more than the age of block 1
  EXPECT_EQ(select(b), 4u);
}

TEST(RandomVictim, TakesEveryReclaimableBlockAndNoOther) {
  FtlBench b(one_plane("random"));
  fill(b, 6);
  for (const std::uint32_t n : {0u, 2u, 5u}) invalidate(b, n, 2);
  std::vector<std::uint32_t> drawn(16);
  for (int i = 0; i < 600; ++i) ++drawn[select(b)];
  for (std::uint32_t n = 0; n < 16; ++n) EXPECT_EQ(drawn[n] != 0, n == 0 || n == 2 || n == 5) << n;
}

TEST(RandomizedGreedy, OfManyChoicesIsGreedyAndOfTwoIsNot) {
  std::uint32_t hits[2] = {};
  for (const std::uint32_t d : {2u, 64u}) {
    FtlBenchConfig c = one_plane("rga");
    c.ftl.victim_d = d;
    FtlBench b(c);
    fill(b, 8);
    for (std::uint32_t n = 0; n < 8; ++n) invalidate(b, n, n + 1);
    for (int i = 0; i < 1000; ++i) hits[d == 2 ? 0 : 1] += select(b) == 7 ? 1 : 0;
  }
  EXPECT_EQ(hits[1], 1000u);
  EXPECT_NEAR(hits[0], 250.0, 50.0); // block 7 is one of two distinct ones of eight with probability 1/4
}

TEST(Collection, MovesOnlyWhatIsStillValid) {
  FtlBenchConfig c = one_plane("greedy");
  c.ftl.frontier = fw::Frontier::shared;
  FtlBench b(c);
  fill(b, 11);
  invalidate(b, 3, kPages - 1);
  for (std::uint32_t i = 0; b.statistics().gc_blocks_erased == 0; ++i) {
    ASSERT_LT(i, 200u);
    if (i % 11 == 3) continue;
    b.write(i % 11 * kPages + i / 11, 1); // each of the other blocks loses a page in turn
    b.settle();
  }
  EXPECT_EQ(b.statistics().gc_pages_moved, 1u);
  EXPECT_EQ(b.statistics().gc_victim_valid_pages, 1u);
  b.check_all(true);
}

TEST(Collection, ErasesAnEmptyBlockWithoutMovingAnything) {
  FtlBench b(one_plane("greedy"));
  fill(b, 11);
  for (std::uint32_t pass = 0; pass < 3; ++pass) fill(b, 11); // whole blocks turn invalid
  EXPECT_GT(b.statistics().gc_blocks_erased, 10u);
  EXPECT_EQ(b.statistics().gc_pages_moved, 0u);
  EXPECT_EQ(b.statistics().program_pages, b.statistics().host_pages_written);
}

TEST(Collection, FillsTheDriveToTheLastPageAndGoesOn) {
  for (const char* allocation : {"F2", "F", "CWDP"}) {
    for (const fw::Frontier frontier : {fw::Frontier::shared, fw::Frontier::separate}) {
      FtlBenchConfig c = small_drive();
      c.ftl.over_provisioning = 0;
      c.ftl.gc_threshold_blocks = 2;
      c.ftl.plane_allocation = allocation;
      c.ftl.frontier = frontier;
      FtlBench b(c);
      ASSERT_EQ(b.error(), nullptr) << b.error();
      for (std::uint32_t pass = 0; pass < 3; ++pass) {
        for (std::uint64_t lba = 0; lba < b.sectors(); lba += 4) {
          while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
          b.write(lba, 4);
        }
      }
      b.settle();
      b.check_all(true);
      EXPECT_EQ(b.statistics().valid_pages, b.sectors() / 4);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Collection, ErasesTwinBlocksTogether) {
  FtlBenchConfig c = small_drive();
  FtlBench b(c);
  const std::uint64_t stripe = 64;
  for (std::uint32_t pass = 0; pass < 3; ++pass) {
    for (std::uint64_t lba = 0; lba + stripe <= b.sectors(); lba += stripe) {
      while (b.free_slots() < 30) ASSERT_TRUE(b.step());
      b.write(lba, stripe); // planes stay in step: twins become empty together
    }
  }
  b.settle();
  EXPECT_GT(b.statistics().erase_multi_commands, 0u);
}

} // namespace
} // namespace twinplane::test::ftl_collection_test
