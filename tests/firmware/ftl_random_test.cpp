// Does the FTL keep every promise under random requests, in any interleaving of DMA and dies?
#include <gtest/gtest.h>

#include "tests/support/ftl_bench.h"

namespace twinplane::test {
namespace {

FtlBenchConfig small_drive() {
  FtlBenchConfig c;
  c.ftl.geometry.channels = 2;
  c.ftl.geometry.chips_per_channel = 1;
  c.ftl.geometry.dies_per_chip = 2;
  c.ftl.geometry.planes_per_die = 2;
  c.ftl.geometry.blocks_per_plane = 16;
  c.ftl.geometry.pages_per_block = 16;
  c.ftl.geometry.page_size = 4096;
  c.ftl.geometry.sector_size = 1024;
  c.ftl.over_provisioning = 0.3;
  c.ftl.max_requests = 32;
  c.slot_sectors = 64;
  return c;
}

struct Mix {
  std::uint64_t operations = 20000;
  std::uint32_t max_sectors = 12;
  std::uint32_t check_every = 500;
};

void random_operation(FtlBench& b, fw::Random& random, const Mix& mix) {
  const std::uint32_t sectors = 1 + random.below(mix.max_sectors);
  const std::uint64_t lba = random.below(static_cast<std::uint32_t>(b.sectors() - sectors));
  const std::uint32_t dice = random.below(100);
  if (dice < 55) {
    b.write(lba, sectors, dice < 2);
  } else if (dice < 90) {
    b.read(lba, sectors);
  } else if (dice < 95) {
    b.trim(lba, sectors);
  } else if (dice < 98) {
    b.write_zeroes(lba, sectors);
  } else {
    b.flush();
  }
}

void run_random(FtlBench& b, const Mix& mix, std::uint64_t seed) {
  ASSERT_EQ(b.error(), nullptr) << b.error();
  fw::Random random(seed);
  for (std::uint64_t i = 0; i < mix.operations; ++i) {
    while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
    random_operation(b, random, mix);
    if (random.below(2) == 0) b.step();
    ASSERT_NO_FATAL_FAILURE(b.check_cheap());
    if (i % mix.check_every == 0) {
      ASSERT_NO_FATAL_FAILURE(b.check_all(false));
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
  b.settle();
  ASSERT_NO_FATAL_FAILURE(b.check_all(true));
  EXPECT_GT(b.statistics().gc_blocks_erased, 0u);
}

TEST(FtlRandom, KeepsTheShadowInOrderOfEvents) {
  FtlBench b(small_drive());
  run_random(b, Mix(), 1);
}

TEST(FtlRandom, KeepsTheShadowInShuffledEvents) {
  FtlBenchConfig c = small_drive();
  c.shuffle = true;
  FtlBench b(c);
  run_random(b, Mix(), 2);
}

TEST(FtlRandom, KeepsTheShadowThroughTheWriteBuffer) {
  for (const std::uint32_t pages : {1u, 4u, 40u}) {
    FtlBenchConfig c = small_drive();
    c.shuffle = true;
    c.ftl.write_ack = fw::WriteAck::buffered;
    c.ftl.write_buffer_pages = pages;
    FtlBench b(c);
    run_random(b, Mix(), pages);
    if (HasFatalFailure()) return;
    EXPECT_GT(b.statistics().buffer_write_hits, 0u);
  }
}

} // namespace
} // namespace twinplane::test
