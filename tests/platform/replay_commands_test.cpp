// Which commands does a replay make of its requests?
#include "tests/platform/replay_bench.h"

namespace twinplane::test::replay_commands_test {
namespace {

TEST(HostReplay, AsksForForceUnitAccessWhereTheTraceDoes) {
  ReplaySettings settings;
  settings.replay.iodepth = 1;
  ReplayBench bench(settings);
  for (std::uint32_t i = 0; i < 4; ++i) {
    bench.add(IoOp::write, 4096 * i, 4096);
    bench.source.records.back().fua = i % 2 == 1;
  }
  std::vector<bool> forced;
  bench.firmware.on_command = [&](const StubFirmware::Seen& command) {
    if (command.entry.sqid != 0) forced.push_back((command.sqe.cdw12 >> 30 & 1) != 0);
    return false;
  };
  bench.run();
  EXPECT_EQ(forced, (std::vector<bool>{false, true, false, true}));
  EXPECT_EQ(bench.engine.statistics().failed, 0u);
}

TEST(HostReplay, SplitsRequestsAtTheLargestTransfer) {
  ReplayBench bench({});
  bench.add(IoOp::write, 0, 300 * 1024); // 128 + 128 + 44 KiB
  bench.add(IoOp::read, 100, 4096);      // crosses a sector border: two sectors
  bench.run();
  EXPECT_EQ(bench.engine.statistics().commands, 4u);
  EXPECT_EQ(bench.engine.statistics().requests, 2u);
  EXPECT_EQ(bench.engine.statistics().bytes_written, 300u * 1024);
  EXPECT_EQ(bench.engine.statistics().bytes_read, 8192u);
}

/// Sectors of 4 KiB. What the host has not discarded stays, as in the block layer.
TEST(HostReplay, WidensReadsAndWritesToSectorsAndShrinksTrims) {
  ReplaySettings settings;
  settings.replay.iodepth = 1;
  ReplayBench bench(settings);
  bench.add(IoOp::write, 0, 5 * 4096);
  bench.add(IoOp::write, 4096 + 512, 512);      // sector 1
  bench.add(IoOp::read, 4096 - 512, 1024);      // sectors 0 and 1
  bench.add(IoOp::trim, 512, 3 * 4096);         // of sectors 0 to 3: 1 and 2
  bench.add(IoOp::trim, 4 * 4096 - 512, 1024);  // none
  bench.add(IoOp::trim, 4 * 4096 + 1024, 1024); // none
  bench.add(IoOp::trim, 4 * 4096, 4096);        // 4
  bench.add(IoOp::flush, 0, 0);
  bench.run();
  const std::vector<platform::FinishedIo>& done = bench.sink.done;
  ASSERT_EQ(done.size(), 8u);
  EXPECT_EQ(bench.engine.statistics().commands, 6u);
  EXPECT_EQ(done[3].offset, 4096u);
  EXPECT_EQ(done[3].bytes, 8192u);
  EXPECT_EQ(done[4].bytes + done[5].bytes, 0u);
  EXPECT_EQ(done[6].offset, 4u * 4096);
  const platform::Unaligned& u = bench.engine.statistics().unaligned;
  EXPECT_EQ(u.widened, 2u);
  EXPECT_EQ(u.widened_bytes, 3584u + 7168u);
  EXPECT_EQ(u.shrunk_trims, 3u);
  EXPECT_EQ(u.shrunk_bytes, 4096u + 2048u);
  EXPECT_EQ(u.empty_trims, 2u);
}

TEST(HostReplay, FoldsRequestsIntoTheDrive) {
  ReplaySettings settings;
  settings.replay.iodepth = 1;
  ReplayBench bench(settings);
  const std::uint64_t capacity = bench.firmware.capacity * 4096;
  bench.add(IoOp::write, capacity * 3 + 4096, 4096);
  bench.add(IoOp::write, capacity - 4096, 8192); // wraps to sector 0
  bench.add(IoOp::read, 0, 8192);
  bench.run();
  ASSERT_EQ(bench.sink.done.size(), 3u);
  EXPECT_EQ(bench.sink.done[0].offset, 4096u);
  EXPECT_EQ(bench.host.shadow()->mismatches(), 0u);
  EXPECT_EQ(bench.engine.statistics().commands, 4u);
}

} // namespace
} // namespace twinplane::test::replay_commands_test
