// Are requests sent when they should be, and do times and events of a replay add up?
#include "tests/platform/replay_bench.h"

namespace twinplane::test::replay_timing_test {
namespace {

/// fio's thinktime: the drive is idle for the pause, whatever the depth.
TEST(HostReplay, PausesInAClosedLoopWhenAllIsDone) {
  ReplaySettings settings;
  settings.replay.iodepth = 8;
  ReplayBench bench(settings);
  constexpr TimePs kPause = ms(1);
  for (std::uint32_t i = 0; i < 20; ++i) {
    bench.add(IoOp::write, i * 4096, 4096);
    if (i != 0 && i % 5 == 0) bench.source.records.back().pause_ns = kPause / ns(1);
  }
  bench.run();
  const std::vector<platform::FinishedIo>& done = bench.sink.done;
  ASSERT_EQ(done.size(), 20u);
  EXPECT_TRUE(bench.engine.finished());
  for (std::size_t i = 5; i < 20; i += 5) {
    EXPECT_EQ(done[i].arrival, done[i - 1].completed + kPause) << i;
    EXPECT_LT(done[i + 4].arrival, done[i].completed) << "within a burst requests are outstanding together";
  }
}

TEST(HostReplay, KeepsLittlesLawAtTheHost) {
  ReplaySettings settings;
  settings.replay.iodepth = 8;
  ReplayBench bench(settings);
  for (std::uint32_t i = 0; i < 4000; ++i) bench.add(IoOp::read, i % 512 * 4096, 4096);
  bench.run();
  const auto& s = bench.engine.statistics();
  const double mean = static_cast<double>(s.latency_sum) / static_cast<double>(s.finished_at - s.started_at);
  EXPECT_NEAR(mean, 8.0, 0.08);
}

TEST(HostReplay, KeepsArrivalTimesInOpenLoop) {
  ReplaySettings settings;
  settings.replay.open_loop = true;
  settings.replay.time_scale = 2;
  settings.replay.rounds = 2;
  settings.replay.round_gap = us(500);
  ReplayBench bench(settings);
  bench.add(IoOp::write, 0, 4096, 0);
  bench.add(IoOp::write, 4096, 4096, 100'000);
  bench.add(IoOp::read, 0, 4096, 300'000);
  bench.run();
  ASSERT_EQ(bench.sink.done.size(), 6u);
  const TimePs start = bench.engine.statistics().started_at;
  const TimePs expected[] = {0, us(200), us(600), us(1100), us(1300), us(1700)};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(bench.sink.done[i].arrival - start, expected[i]);
    EXPECT_EQ(bench.sink.done[i].submitted, bench.sink.done[i].arrival) << "an idle drive is not waited for";
  }
}

TEST(HostReplay, CountsLatencyFromArrivalWhenQueuesAreFull) {
  ReplaySettings settings;
  settings.replay.open_loop = true;
  settings.host.queue_size = 3; // two commands at a time
  ReplayBench bench(settings);
  for (std::uint32_t i = 0; i < 6; ++i) bench.add(IoOp::write, i * 4096, 4096, 0);
  bench.run();
  ASSERT_EQ(bench.sink.done.size(), 6u);
  EXPECT_EQ(bench.engine.statistics().max_queued, 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(bench.sink.done[i].arrival, bench.engine.statistics().started_at);
    EXPECT_GE(bench.sink.done[i].completed - bench.sink.done[i].arrival, (i / 2 + 1) * us(20));
  }
}

TEST(HostReplay, NeedsOneKernelEventPerBatchOfCompletions) {
  ReplaySettings settings;
  settings.device.pcie.ideal = true;
  settings.replay.iodepth = 16;
  ReplayBench bench(settings);
  for (std::uint32_t i = 0; i < 1600; ++i) bench.add(IoOp::read, i * 4096, 4096);
  bench.run();
  const auto& s = bench.host.statistics();
  EXPECT_EQ(s.completed, 1600u);
  EXPECT_LT(s.activations, 1600u / 16 + 40) << "16 completions of one instant share a wake-up";
  EXPECT_LE(bench.front.statistics().activations, 1u) << "one when MSI-X is enabled, none for completions";
}

} // namespace
} // namespace twinplane::test::replay_timing_test
