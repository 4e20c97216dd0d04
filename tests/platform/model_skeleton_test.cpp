// Does one request live its whole life, from the doorbell to the cells and back?
#include <gtest/gtest.h>

#include "tests/platform/model_bench.h"

namespace twinplane::test::model_skeleton_test {
namespace {

using platform::HostCommand;
using platform::IoOp;

constexpr const char* kSmall = R"(
[geometry]
channels = 2
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 16
pages_per_block = 16
page_size = "4KiB"
spare_size = "128B"
[nand]
cell = "slc"
tR = "50us"
tPROG = "300us"
tBERS = "2ms"
[host]
queue_size = 64
)";

HostCommand command(IoOp op, std::uint64_t lba, std::uint32_t sectors) {
  HostCommand c;
  c.op = op;
  c.lba = lba;
  c.sectors = sectors;
  return c;
}

TEST(Skeleton, AWriteReachesTheCellsAndAReadBringsItBack) {
  ModelBench bench("bench", config_from(kSmall));
  bench.start();
  ASSERT_TRUE(bench.ready) << bench.failure << bench.ssd.firmware().boot_error();
  auto done = bench.run({command(IoOp::write, 5, 1)});
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, 0);
  EXPECT_GT(done[0].completed - done[0].submitted, us(300));
  done = bench.run({command(IoOp::read, 5, 1)});
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, 0);
  EXPECT_GT(done[0].completed - done[0].submitted, us(50));
  EXPECT_EQ(bench.host.shadow()->checked(), 1u);
  EXPECT_EQ(bench.host.shadow()->mismatches(), 0u);
  std::uint64_t programs = 0;
  std::uint64_t reads = 0;
  for (const auto& package : bench.ssd.packages()) {
    programs += package->statistics().programs[0];
    reads += package->statistics().reads[0];
  }
  EXPECT_EQ(programs, 1u);
  EXPECT_EQ(reads, 1u);
}

TEST(Skeleton, TwoWritesToTwinPlanesLeaveAsOneMultiPlaneProgram) {
  ModelBench bench("bench", config_from(kSmall));
  bench.start();
  ASSERT_TRUE(bench.ready);
  const auto done = bench.run({command(IoOp::write, 0, 2)});
  ASSERT_EQ(done.size(), 1u);
  std::uint64_t commands = 0;
  for (const auto& package : bench.ssd.packages())
    commands += package->statistics().multiplane_program.commands;
  EXPECT_EQ(commands, 1u);
}

} // namespace
} // namespace twinplane::test::model_skeleton_test
