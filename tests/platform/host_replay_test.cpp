// Does a whole replay through the driver model and the NVMe front end add up?
#include <gtest/gtest.h>

#include <stdexcept>

#include "hw/host_if/host_interface.h"
#include "platform/host/replay_engine.h"
#include "tests/support/stub_firmware.h"

namespace twinplane::test {
namespace {

using platform::IoOp;
using platform::IoRecord;

class VectorSource final : public platform::IoSource {
 public:
  std::vector<IoRecord> records;
  std::size_t fail_at = ~std::size_t{0};
  bool next(IoRecord& record) override {
    if (position_ == fail_at) throw std::runtime_error("trace.csv:7: expected 5 fields, got 3");
    if (position_ == records.size()) return false;
    record = records[position_++];
    return true;
  }
  void rewind() override { position_ = 0; }
  std::uint64_t size_hint() const override { return records.size(); }

 private:
  std::size_t position_ = 0;
};

class Sink final : public platform::LatencySink {
 public:
  std::vector<platform::FinishedIo> done;
  std::uint64_t arrivals = 0;
  TimePs last = 0;
  bool monotone = true;
  void arrived(TimePs now) override {
    ++arrivals;
    step(now);
  }
  void record(const platform::FinishedIo& io) override {
    done.push_back(io);
    step(io.completed);
  }
  std::vector<std::size_t> rounds; // requests done at the end of each
  void round_done(TimePs /*now*/) override { rounds.push_back(done.size()); }

 private:
  void step(TimePs now) {
    monotone = monotone && now >= last;
    last = now;
  }
};

struct Settings {
  hw::HostInterfaceConfig device;
  platform::NvmeHostConfig host;
  platform::ReplayConfig replay;
};

struct Bench {
  hw::Dram dram{"dram", 64u << 20};
  hw::HostInterface front;
  StubFirmware firmware{"firmware", dram};
  platform::NvmeHost host;
  VectorSource source;
  platform::ReplayEngine engine;
  sc_core::sc_signal<bool> intx{"intx"};
  Sink sink;

  explicit Bench(const Settings& settings)
      : front("front", settings.device),
        host("host", settings.host),
        engine("engine", settings.replay, host, source) {
    host.bar.bind(front.bar);
    front.dma.bind(host.memory);
    front.dram.bind(dram.port);
    front.irq.bind(firmware.irq);
    front.intx.bind(intx);
    firmware.mmio.bind(front.device);
    firmware.service_time = us(20);
    engine.bind(sink);
  }
  void add(IoOp op, std::uint64_t offset, std::uint32_t length, std::uint64_t arrival_ns = 0) {
    IoRecord record;
    record.arrival_ns = arrival_ns;
    record.op = op;
    record.offset = offset;
    record.length = length;
    source.records.push_back(record);
  }
  void run(double seconds = 10) { sc_core::sc_start(sc_core::sc_time(seconds, sc_core::SC_SEC)); }
};

/// A small repeatable mix: every sector of a hot region is written, read, trimmed many times.
void add_mix(Bench& bench, std::uint32_t requests) {
  std::uint32_t state = 12345;
  const auto random = [&state] { return state = state * 1664525u + 1013904223u; };
  for (std::uint32_t i = 0; i < requests; ++i) {
    const std::uint32_t kind = random() >> 24;
    const IoOp op = kind < 128   ? IoOp::write
                    : kind < 240 ? IoOp::read
                    : kind < 250 ? IoOp::trim
                                 : IoOp::flush;
    const std::uint64_t sector = (random() >> 16) % 256;
    const std::uint32_t length = ((random() >> 20) % 96 + 1) * 4096;
    bench.add(op, sector * 4096, op == IoOp::flush ? 0 : length, i * 1000);
  }
}

TEST(HostReplay, EndsAtOnceWithoutRequests) {
  Bench bench({});
  bench.run();
  EXPECT_TRUE(bench.engine.finished());
  EXPECT_EQ(bench.engine.error(), "");
  EXPECT_EQ(bench.engine.statistics().requests, 0u);
  EXPECT_NE(bench.firmware.events & reg::host_event::shutdown, 0u) << "the drive was shut down in order";
}

/// CAP.TO (10 s) is about becoming ready; how long a shutdown may take, Identify says.
TEST(HostReplay, WaitsForAShutdownAsLongAsIdentifySays) {
  Bench bench({});
  bench.firmware.rtd3e = 20'000'000;
  bench.firmware.shutdown_time = ms(15'000);
  bench.run(30);
  EXPECT_EQ(bench.engine.error(), "");
  EXPECT_GT(sc_core::sc_time_stamp(), sc_core::sc_time(15, sc_core::SC_SEC));
}

TEST(HostReplay, ReportsAShutdownThatTakesLongerThanIdentifySays) {
  Bench bench({});
  bench.firmware.rtd3e = 2'000'000;
  bench.firmware.shutdown_time = ms(3'000);
  bench.run();
  EXPECT_EQ(bench.engine.error(), "the drive does not shut down within RTD3E");
}

TEST(HostReplay, VerifiesEveryReadOfAMixedClosedLoop) {
  Settings settings;
  settings.host.queues = 3;
  settings.host.trim_unit = 1;
  Bench bench(settings);
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

/// fio's thinktime: the drive is idle for the pause, whatever the depth.
TEST(HostReplay, PausesInAClosedLoopWhenAllIsDone) {
  Settings settings;
  settings.replay.iodepth = 8;
  Bench bench(settings);
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

TEST(HostReplay, AsksForForceUnitAccessWhereTheTraceDoes) {
  Settings settings;
  settings.replay.iodepth = 1;
  Bench bench(settings);
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

TEST(HostReplay, ReportsALostWrite) {
  Settings settings;
  settings.replay.iodepth = 1;
  Bench bench(settings);
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
  Settings settings;
  settings.replay.iodepth = 1;
  Bench bench(settings);
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

TEST(HostReplay, KeepsLittlesLawAtTheHost) {
  Settings settings;
  settings.replay.iodepth = 8;
  Bench bench(settings);
  for (std::uint32_t i = 0; i < 4000; ++i) bench.add(IoOp::read, i % 512 * 4096, 4096);
  bench.run();
  const auto& s = bench.engine.statistics();
  const double mean = static_cast<double>(s.latency_sum) / static_cast<double>(s.finished_at - s.started_at);
  EXPECT_NEAR(mean, 8.0, 0.08);
}

TEST(HostReplay, KeepsArrivalTimesInOpenLoop) {
  Settings settings;
  settings.replay.open_loop = true;
  settings.replay.time_scale = 2;
  settings.replay.rounds = 2;
  settings.replay.round_gap = us(500);
  Bench bench(settings);
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
  Settings settings;
  settings.replay.open_loop = true;
  settings.host.queue_size = 3; // two commands at a time
  Bench bench(settings);
  for (std::uint32_t i = 0; i < 6; ++i) bench.add(IoOp::write, i * 4096, 4096, 0);
  bench.run();
  ASSERT_EQ(bench.sink.done.size(), 6u);
  EXPECT_EQ(bench.engine.statistics().max_queued, 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(bench.sink.done[i].arrival, bench.engine.statistics().started_at);
    EXPECT_GE(bench.sink.done[i].completed - bench.sink.done[i].arrival, (i / 2 + 1) * us(20));
  }
}

TEST(HostReplay, SplitsRequestsAtTheLargestTransfer) {
  Bench bench({});
  bench.add(IoOp::write, 0, 300 * 1024); // 128 + 128 + 44 KiB
  bench.add(IoOp::read, 100, 4096);      // crosses a sector border: two sectors
  bench.run();
  EXPECT_EQ(bench.engine.statistics().commands, 4u);
  EXPECT_EQ(bench.engine.statistics().requests, 2u);
  EXPECT_EQ(bench.engine.statistics().bytes_written, 300u * 1024);
  EXPECT_EQ(bench.engine.statistics().bytes_read, 8192u);
}

TEST(HostReplay, FoldsRequestsIntoTheDrive) {
  Settings settings;
  settings.replay.iodepth = 1;
  Bench bench(settings);
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

TEST(HostReplay, RefusesRequestsBeyondTheDriveWithoutRemapping) {
  Settings settings;
  settings.replay.remap_modulo = false;
  settings.replay.source_name = "some.trace";
  Bench bench(settings);
  bench.add(IoOp::write, 0, 4096);
  bench.add(IoOp::write, bench.firmware.capacity * 4096 - 4096, 8192);
  bench.run();
  EXPECT_FALSE(bench.engine.finished());
  EXPECT_EQ(bench.engine.error(),
            "some.trace: request 2 (offset 268431360, 8192 bytes) ends beyond the drive's 268435456 bytes; "
            "host.remap = \"modulo\" folds such requests into the drive");
}

TEST(HostReplay, StopsWithTheReadersMessageOnMalformedInput) {
  Bench bench({});
  bench.add(IoOp::write, 0, 4096);
  bench.source.fail_at = 1;
  bench.run();
  EXPECT_EQ(bench.engine.error(), "trace.csv:7: expected 5 fields, got 3");
}

TEST(HostReplay, StopsAfterTheRequestLimit) {
  Settings settings;
  settings.replay.max_requests = 7;
  settings.replay.rounds = 3;
  Bench bench(settings);
  for (std::uint32_t i = 0; i < 5; ++i) bench.add(IoOp::write, i * 4096, 4096);
  bench.run();
  EXPECT_EQ(bench.engine.statistics().requests, 7u);
}

TEST(HostReplay, TellsWhenEachRoundIsDone) {
  Settings settings;
  settings.replay.rounds = 3;
  settings.replay.iodepth = 4;
  Bench bench(settings);
  for (std::uint32_t i = 0; i < 10; ++i) bench.add(IoOp::write, i * 4096, 4096);
  bench.run();
  EXPECT_EQ(bench.sink.rounds, (std::vector<std::size_t>{10, 20, 30}));
}

TEST(HostReplay, TellsRoundsOfTheLengthAskedFor) {
  Settings settings;
  settings.replay.rounds = 3;
  settings.replay.report_round = 12;
  Bench bench(settings);
  for (std::uint32_t i = 0; i < 10; ++i) bench.add(IoOp::write, i * 4096, 4096);
  bench.run();
  EXPECT_EQ(bench.sink.rounds, (std::vector<std::size_t>{12, 24, 30}));
}

TEST(HostReplay, ReplaysWholeRoundsUntilTheVolumeAskedForIsWritten) {
  Settings settings;
  settings.replay.drive_writes = 12.0 / (1 << 16); // sectors of the drive; a round writes five
  Bench bench(settings);
  for (std::uint32_t i = 0; i < 10; ++i) bench.add(i % 2 == 0 ? IoOp::write : IoOp::read, i * 4096, 4096);
  bench.run();
  EXPECT_EQ(bench.engine.statistics().writes, 15u);
  EXPECT_EQ(bench.sink.rounds.size(), 3u);
}

TEST(HostReplay, RefusesAVolumeThatNoRoundBringsNearer) {
  Settings settings;
  settings.replay.drive_writes = 1;
  Bench bench(settings);
  bench.add(IoOp::read, 0, 4096);
  bench.run();
  EXPECT_EQ(bench.engine.error(),
            "workload: a round without writes never reaches the volume of host.drive_writes");
}

TEST(HostReplay, NeedsOneKernelEventPerBatchOfCompletions) {
  Settings settings;
  settings.device.pcie.ideal = true;
  settings.replay.iodepth = 16;
  Bench bench(settings);
  for (std::uint32_t i = 0; i < 1600; ++i) bench.add(IoOp::read, i * 4096, 4096);
  bench.run();
  const auto& s = bench.host.statistics();
  EXPECT_EQ(s.completed, 1600u);
  EXPECT_LT(s.activations, 1600u / 16 + 40) << "16 completions of one instant share a wake-up";
  EXPECT_LE(bench.front.statistics().activations, 1u) << "one when MSI-X is enabled, none for completions";
}

TEST(HostReplay, VerifiesTagsInsideFullSectors) {
  Settings settings;
  settings.device.data_mode = settings.host.data_mode = DataMode::full;
  Bench bench(settings);
  bench.firmware.data_mode = DataMode::full;
  bench.firmware.capacity = 4096;
  add_mix(bench, 2000);
  bench.run();
  EXPECT_EQ(bench.host.shadow()->mismatches(), 0u);
  EXPECT_EQ(bench.engine.statistics().failed, 0u);
}

TEST(HostReplay, RunsWithoutDataForPureTiming) {
  Settings settings;
  settings.device.data_mode = settings.host.data_mode = DataMode::none;
  Bench bench(settings);
  bench.firmware.data_mode = DataMode::none;
  add_mix(bench, 2000);
  bench.run();
  EXPECT_EQ(bench.engine.statistics().requests, 2000u);
  EXPECT_EQ(bench.engine.statistics().failed, 0u);
  EXPECT_EQ(bench.host.shadow(), nullptr);
}

} // namespace
} // namespace twinplane::test
