// Does a replay notice data that are wrong, and none that are right?
#include "tests/platform/replay_bench.h"

namespace twinplane::test::replay_data_test {
namespace {

TEST(HostReplay, VerifiesEveryReadOfAMixedClosedLoop) {
  ReplaySettings settings;
  settings.host.queues = 3;
  settings.host.trim_unit = 1;
  ReplayBench bench(settings);
  add_mix(bench, 20000);
  bench.run();
  const auto& s = bench.engine.statistics();
  EXPECT_EQ(bench.engine.error(), "");
  EXPECT_EQ(s.requests, 20000u);
  EXPECT_EQ(s.failed, 0u);
  EXPECT_EQ(bench.sink.done.size(), 20000u);
  EXPECT_TRUE(bench.sink.monotone);
  EXPECT_EQ(bench.host.shadow()->checked() * 4096, s.bytes_read);
  EXPECT_EQ(bench.host.shadow()->mismatches(), 0u) << bench.host.shadow()->reports().front();
  const auto device = bench.front.statistics();
  EXPECT_EQ(device.firmware_faults, 0u);
  EXPECT_GE(device.bytes_in, s.bytes_written);
}

TEST(HostReplay, ReportsALostWrite) {
  ReplaySettings settings;
  settings.replay.iodepth = 1;
  ReplayBench bench(settings);
  bench.add(IoOp::write, 0, 4096);
  bench.add(IoOp::read, 0, 4096);
  bench.firmware.on_command = [&](const StubFirmware::Seen& command) {
    if (command.entry.sqid == 0 || command.sqe.opcode != nvme::io::write) return false;
    bench.firmware.complete(command.entry.slot);
    bench.firmware.kick();
    return true;
  };
  bench.run();
  EXPECT_EQ(bench.host.shadow()->mismatches(), 1u);
  ASSERT_EQ(bench.host.shadow()->reports().size(), 1u);
  EXPECT_EQ(bench.host.shadow()->reports()[0],
            "sector 0: reads as never written; expected one of its own 1 newest writes up to 2");
}

TEST(HostReplay, NoticesReadDataThatNeverArrived) {
  ReplaySettings settings;
  settings.replay.iodepth = 1;
  ReplayBench bench(settings);
  bench.add(IoOp::write, 0, 4096);
  bench.add(IoOp::read, 0, 4096);
  bench.firmware.on_command = [&](const StubFirmware::Seen& command) {
    if (command.entry.sqid == 0 || command.sqe.opcode != nvme::io::read) return false;
    bench.firmware.complete(command.entry.slot);
    bench.firmware.kick();
    return true;
  };
  bench.run();
  EXPECT_EQ(bench.host.shadow()->mismatches(), 1u)
      << "the tag left in the buffer by the write must not verify";
}

TEST(HostReplay, VerifiesTagsInsideFullSectors) {
  ReplaySettings settings;
  settings.device.data_mode = settings.host.data_mode = DataMode::full;
  ReplayBench bench(settings);
  bench.firmware.data_mode = DataMode::full;
  bench.firmware.capacity = 4096;
  add_mix(bench, 2000);
  bench.run();
  EXPECT_EQ(bench.host.shadow()->mismatches(), 0u);
  EXPECT_EQ(bench.engine.statistics().failed, 0u);
}

TEST(HostReplay, RunsWithoutDataForPureTiming) {
  ReplaySettings settings;
  settings.device.data_mode = settings.host.data_mode = DataMode::none;
  ReplayBench bench(settings);
  bench.firmware.data_mode = DataMode::none;
  add_mix(bench, 2000);
  bench.run();
  EXPECT_EQ(bench.engine.statistics().requests, 2000u);
  EXPECT_EQ(bench.engine.statistics().failed, 0u);
  EXPECT_EQ(bench.host.shadow(), nullptr);
}

} // namespace
} // namespace twinplane::test::replay_data_test
