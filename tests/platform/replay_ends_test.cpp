// How does a replay end: at once, with the last round, at a limit, at a malformed record, with a shutdown?
#include "tests/platform/replay_bench.h"

namespace twinplane::test::replay_ends_test {
namespace {

TEST(HostReplay, EndsAtOnceWithoutRequests) {
  ReplayBench bench({});
  bench.run();
  EXPECT_TRUE(bench.engine.finished());
  EXPECT_EQ(bench.engine.error(), "");
  EXPECT_EQ(bench.engine.statistics().requests, 0u);
  EXPECT_NE(bench.firmware.events & reg::host_event::shutdown, 0u) << "the drive was shut down in order";
}

/// CAP.TO (10 s) is about becoming ready; how long a shutdown may take, Identify says.
TEST(HostReplay, WaitsForAShutdownAsLongAsIdentifySays) {
  ReplayBench bench({});
  bench.firmware.rtd3e = 20'000'000;
  bench.firmware.shutdown_time = ms(15'000);
  bench.run(30);
  EXPECT_EQ(bench.engine.error(), "");
  EXPECT_GT(sc_core::sc_time_stamp(), sc_core::sc_time(15, sc_core::SC_SEC));
}

TEST(HostReplay, NotesAShutdownThatTakesLongerThanIdentifySays) {
  ReplayBench bench({});
  bench.firmware.rtd3e = 2'000'000;
  bench.firmware.shutdown_time = ms(3'000);
  bench.run();
  EXPECT_EQ(bench.engine.error(), "");
  EXPECT_EQ(bench.host.statistics().shutdown_promised, ms(2'000));
  EXPECT_GE(bench.host.statistics().shutdown, ms(3'000));
}

TEST(HostReplay, WaitsForAShutdownNotForEver) {
  ReplayBench bench({});
  bench.firmware.rtd3e = 20'000;
  bench.firmware.shutdown_time = ms(1'500);
  bench.run();
  EXPECT_EQ(bench.engine.error(), "the drive does not shut down within 64 times RTD3E");
}

TEST(HostReplay, RefusesRequestsBeyondTheDriveWithoutRemapping) {
  ReplaySettings settings;
  settings.replay.remap_modulo = false;
  settings.replay.source_name = "some.trace";
  ReplayBench bench(settings);
  bench.add(IoOp::write, 0, 4096);
  bench.add(IoOp::write, bench.firmware.capacity * 4096 - 4096, 8192);
  bench.run();
  EXPECT_FALSE(bench.engine.finished());
  EXPECT_EQ(bench.engine.error(),
            "some.trace: request 2 (offset 268431360, 8192 bytes) ends beyond the drive's 268435456 bytes; "
            "host.remap = \"modulo\" folds such requests into the drive");
}

constexpr const char* kClockEnds =
    " comes more than 212 days of simulated time after power-on, and the clock of a run ends then (2^64 ps): "
    "expected fewer rounds (host.rounds, host.drive_writes) or shorter times (host.time_scale, "
    "workload.rate_iops, workload.thinktime)";

/// 2^64 ps are 213.5 days: what is later must not come at another time.
TEST(HostReplay, StopsAtAnArrivalThatTheClockDoesNotReach) {
  ReplaySettings settings;
  settings.replay.open_loop = true;
  settings.replay.time_scale = 1e8;
  ReplayBench bench(settings);
  bench.add(IoOp::write, 0, 4096, 0);
  bench.add(IoOp::write, 0, 4096, 1'000'000'000);
  bench.run();
  EXPECT_EQ(bench.engine.error(), std::string("workload: request 2") + kClockEnds);
}

TEST(HostReplay, StopsAtTheRoundThatTheClockDoesNotReach) {
  ReplaySettings settings;
  settings.replay.open_loop = true;
  settings.replay.rounds = 40;
  ReplayBench bench(settings);
  constexpr std::uint64_t kDays = 10 * 24 * 3600 * 1'000'000'000ull;
  bench.add(IoOp::write, 0, 4096, 0);
  bench.add(IoOp::write, 0, 4096, kDays);
  sc_core::sc_start(); // as a run: a duration of that length is no sc_time
  EXPECT_EQ(bench.engine.error(), std::string("workload: request 44") + kClockEnds);
  EXPECT_EQ(bench.sink.done.size(), 41u) << "two were under way";
}

TEST(HostReplay, StopsAtAPauseThatTheClockDoesNotReach) {
  ReplayBench bench({});
  bench.add(IoOp::write, 0, 4096);
  bench.add(IoOp::write, 0, 4096);
  bench.source.records.back().pause_ns = ~std::uint64_t{0};
  bench.run();
  EXPECT_EQ(bench.engine.error(), std::string("workload: request 2") + kClockEnds);
}

TEST(HostReplay, StopsWithTheReadersMessageOnMalformedInput) {
  ReplayBench bench({});
  bench.add(IoOp::write, 0, 4096);
  bench.source.fail_at = 1;
  bench.run();
  EXPECT_EQ(bench.engine.error(), "trace.csv:7: expected 5 fields, got 3");
}

TEST(HostReplay, StopsAfterTheRequestLimit) {
  ReplaySettings settings;
  settings.replay.max_requests = 7;
  settings.replay.rounds = 3;
  ReplayBench bench(settings);
  for (std::uint32_t i = 0; i < 5; ++i) bench.add(IoOp::write, i * 4096, 4096);
  bench.run();
  EXPECT_EQ(bench.engine.statistics().requests, 7u);
}

TEST(HostReplay, TellsWhenEachRoundIsDone) {
  ReplaySettings settings;
  settings.replay.rounds = 3;
  settings.replay.iodepth = 4;
  ReplayBench bench(settings);
  for (std::uint32_t i = 0; i < 10; ++i) bench.add(IoOp::write, i * 4096, 4096);
  bench.run();
  EXPECT_EQ(bench.sink.rounds, (std::vector<std::size_t>{10, 20, 30}));
}

TEST(HostReplay, TellsRoundsOfTheLengthAskedFor) {
  ReplaySettings settings;
  settings.replay.rounds = 3;
  settings.replay.report_round = 12;
  ReplayBench bench(settings);
  for (std::uint32_t i = 0; i < 10; ++i) bench.add(IoOp::write, i * 4096, 4096);
  bench.run();
  EXPECT_EQ(bench.sink.rounds, (std::vector<std::size_t>{12, 24, 30}));
}

TEST(HostReplay, ReplaysWholeRoundsUntilTheVolumeAskedForIsWritten) {
  ReplaySettings settings;
  settings.replay.drive_writes = 12.0 / (1 << 16); // sectors of the drive; a round writes five
  ReplayBench bench(settings);
  for (std::uint32_t i = 0; i < 10; ++i) bench.add(i % 2 == 0 ? IoOp::write : IoOp::read, i * 4096, 4096);
  bench.run();
  EXPECT_EQ(bench.engine.statistics().writes, 15u);
  EXPECT_EQ(bench.sink.rounds.size(), 3u);
}

TEST(HostReplay, RefusesAVolumeThatNoRoundBringsNearer) {
  ReplaySettings settings;
  settings.replay.drive_writes = 1;
  ReplayBench bench(settings);
  bench.add(IoOp::read, 0, 4096);
  bench.run();
  EXPECT_EQ(bench.engine.error(),
            "workload: a round without writes never reaches the volume of host.drive_writes");
}

} // namespace
} // namespace twinplane::test::replay_ends_test
