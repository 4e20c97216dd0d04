// Does a run report what its requests saw between the end of the ramp and the last completion, and nothing of what
// came before and behind?
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "platform/config/error.h"
#include "platform/measure/measured_window.h"
#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"
#include "tests/support/record_list.h"

namespace twinplane::test::ramp_test {
namespace {

using platform::IoOp;

/// One die, one plane, and nothing but the flash takes time: pages are read in 50 us and a transfer.
constexpr const char* kOneDie = R"(
[geometry]
channels = 1
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 1
blocks_per_plane = 32
pages_per_block = 32
page_size = "4KiB"
spare_size = "0B"
[nand]
cell = "slc"
tR = "50us"
tPROG = "300us"
[bus]
interface = "flat"
[host]
mode = "closed"
iodepth = 1
[precondition]
mode = "fill"
fill = "100%"
)";

platform::Config one_die(const std::vector<std::string>& settings) {
  return configure(std::string(kTimeless) + kOneDie, settings);
}

std::uint64_t counted(const platform::Summary& s) {
  return s.host.read.count + s.host.write.count + s.host.trim.count + s.host.flush.count;
}

// Every read takes the same time, so the rate is the same with and without a ramp, and so is everything but
// the count.
TEST(Ramp, OfASteadyRunChangesOnlyTheCount) {
  const platform::Config config = one_die({"workload.number_ios=500", "workload.ramp_ios=120"});
  const platform::Summary s = run_workload(config);
  expect_consistent(s);
  EXPECT_EQ(s.workload.requests, 500u);
  EXPECT_EQ(s.host.read.count, 380u);
  EXPECT_EQ(s.host.read.bytes, 380u * 4096);
  EXPECT_EQ(s.host.read.latency.min, s.host.read.latency.max);
  const double one = s.host.read.latency.mean;
  EXPECT_NEAR(s.host.measured_ns, 380 * one, 1e-6 * one);
  EXPECT_NEAR(s.host.read.iops, 1e9 / one, 1e-6 * 1e9 / one);
  EXPECT_NEAR(s.host.queue_depth_mean, 1, 1e-9);
  EXPECT_EQ(s.ftl.counters.host_pages_read, 379u + 1) << "the next read is sent when the ramp is over";
}

// A transient: fifty slow writes and then reads.
TEST(Ramp, LeavesATransientOut) {
  std::vector<platform::IoRecord> records;
  for (std::uint32_t i = 0; i < 50; ++i) records.push_back(record(IoOp::write, i * 4096, 4096));
  for (std::uint32_t i = 0; i < 70; ++i) records.push_back(record(IoOp::read, i * 4096, 4096));
  platform::Simulation simulation(one_die({"workload.ramp_ios=50"}));
  simulation.prepare();
  RecordList list(records);
  simulation.run(list, "writes and reads");
  const platform::Summary s = simulation.summary();
  expect_consistent(s);
  EXPECT_EQ(s.host.write.count, 0u);
  EXPECT_EQ(s.host.read.count, 70u);
  EXPECT_LT(s.host.read.latency.max, 100e3) << "a read is no program";
  EXPECT_NEAR(s.host.measured_ns, 70 * s.host.read.latency.mean, 1);
  EXPECT_EQ(s.workload.writes, 50u) << "what the host sent is the whole run's";
  EXPECT_EQ(s.ftl.counters.host_pages_written, 0u);
  EXPECT_EQ(s.nand.programs(), 0u);
  EXPECT_EQ(s.nand.reads(), 70u);
  EXPECT_EQ(s.nand.program.all_units, 0u);
  ASSERT_TRUE(s.ramp.has_value());
  EXPECT_EQ(s.ramp->requests, 50u);
  EXPECT_NEAR(static_cast<double>(s.ramp->end) / 50 / 1e6, 300, 60) << "fifty programs, in us";
  const double busy = static_cast<double>(s.dies[0].busy) / static_cast<double>(s.counted_ps());
  EXPECT_NEAR(busy, 50e3 / s.host.read.latency.mean, 0.02) << "the array is busy for tR of each read";
  EXPECT_LT(s.channels[0].data_in, s.channels[0].data_out / 50) << "no page went in";
}

TEST(Ramp, WithoutOneNoRequestIsLeftOut) {
  const platform::Summary s = run_workload(one_die({"workload.number_ios=100"}));
  EXPECT_FALSE(s.ramp.has_value());
  EXPECT_EQ(s.counted_ps(), static_cast<TimePs>(s.host.measured_ns * 1e3 + 0.5))
      << "boot and shutdown are none";
  EXPECT_EQ(s.nand.reads(), 100u);
  ASSERT_TRUE(s.drain.has_value());
  EXPECT_EQ(s.drain->reads + s.drain->programs + s.drain->erases, 0u);
}

/// Writes are answered when buffered, and a quarter of them is in the buffer at the end.
platform::Summary buffered(std::uint64_t ramp) {
  return run_workload(one_die({"ftl.write_buffer=64", "ftl.write_ack=buffered", "workload.rw=write",
                               "host.iodepth=4", "precondition.mode=none", "workload.number_ios=256",
                               "workload.ramp_ios=" + std::to_string(ramp)}));
}

TEST(Window, EndsWithTheLastCompletion) {
  const platform::Summary s = buffered(0);
  expect_consistent(s);
  const platform::WriteVolume written = platform::write_volume(s.ftl.counters, s.ftl.sizes);
  EXPECT_EQ(written.host_bytes, 256u * 4096);
  ASSERT_EQ(s.rounds.size(), 1u);
  EXPECT_EQ(written.programmed, s.rounds[0].written.programmed) << "the round ends there, too";
  EXPECT_NEAR(written.amplification().value(), 0.75, 0.02);
  EXPECT_EQ(s.nand.program.all_units, s.nand.programs());
  EXPECT_LE(s.dies[0].busy, s.counted_ps());
  const double planes = static_cast<double>(s.dies[0].plane_busy) / static_cast<double>(s.counted_ps());
  EXPECT_NEAR(planes, s.utilisation.planes.mean, 1e-9) << "of the same time";
}

TEST(Window, TellsWhatFollowsApart) {
  const platform::Summary s = buffered(0);
  ASSERT_TRUE(s.drain.has_value());
  EXPECT_EQ(s.nand.programs() + s.drain->programs, 256u);
  EXPECT_EQ(platform::write_volume(s.ftl.counters, s.ftl.sizes).programmed_bytes() +
                s.drain->written.programmed_bytes(),
            256u * 4096);
  EXPECT_EQ(s.drain->left_by_host(), s.drain->written.programmed_bytes());
  EXPECT_GT(s.drain->time, s.drain->programs * us(300)) << "a page after another";
}

// What the buffer has at the window's begin is programmed in it, instead of what it has at the end.
TEST(Window, OfAFullBufferHasWhatAFullBufferLeaves) {
  const platform::Summary s = buffered(128);
  EXPECT_EQ(s.drain.value().left_by_host(), 0u);
  EXPECT_NEAR(platform::write_volume(s.ftl.counters, s.ftl.sizes).amplification().value(), 1, 0.03);
}

// What went wrong in the ramp is not hidden by it.
TEST(Ramp, FailuresInItCount) {
  std::vector<platform::IoRecord> records;
  for (std::uint32_t i = 0; i < 300; ++i) records.push_back(record(IoOp::write, i % 40 * 4096, 4096));
  for (std::uint32_t i = 0; i < 40; ++i) records.push_back(record(IoOp::read, i * 4096, 4096));
  platform::Simulation simulation(one_die({"workload.ramp_ios=300", "nand.fail.program=3%"}));
  simulation.prepare();
  RecordList list(records);
  simulation.run(list, "writes and reads");
  const platform::Summary s = simulation.summary();
  EXPECT_GT(s.nand.failed_programs, 0u);
  EXPECT_EQ(s.nand.programs(), 0u);
}

struct Case {
  const char* name;
  std::vector<std::string> settings;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

const Case kCases[] = {
    {"deep_queue", {"host.iodepth=64", "workload.rw=randrw"}},
    {"overload", {"host.mode=auto", "workload.rate_iops=1000000", "workload.rw=randrw"}},
    {"flushes", {"workload.rw=randwrite", "workload.fsync=7", "host.iodepth=8"}},
    {"trims", {"workload.rw=randtrim", "host.iodepth=8"}},
    {"buffer", {"ftl.write_buffer=16", "ftl.write_ack=buffered", "workload.rw=randrw", "host.iodepth=32"}},
    {"requests_of_many_commands", {"workload.bs=64KiB", "host.max_transfer=8KiB", "host.iodepth=4"}},
    {"two_rounds", {"host.rounds=2", "workload.rw=randrw", "host.iodepth=8"}},
};

class RampOf : public ::testing::TestWithParam<Case> {};

// Requests in flight when the ramp ends count with their whole latency: Little's law and the parts still
// hold.
TEST_P(RampOf, EveryRequestIsCountedOrRamp) {
  constexpr std::uint64_t kRamp = 333;
  std::vector<std::string> settings = {"workload.number_ios=900", "workload.ramp_ios=333"};
  // one_die() has an iodepth, which a workload with a rate refuses
  settings.insert(settings.end(), GetParam().settings.begin(), GetParam().settings.end());
  platform::Config config = one_die(settings);
  if (config.workload.rate_iops != 0) {
    config.host.mode = platform::HostMode::open;
    config.host.iodepth = platform::HostKeys().iodepth;
  }
  const platform::Summary s = run_workload(config);
  expect_consistent(s);
  EXPECT_EQ(counted(s) + kRamp, s.workload.requests);
  EXPECT_NEAR(s.host.littles_law.value_or(0), 1, 1e-9);
  ASSERT_EQ(s.rounds.size(), config.host.rounds);
  std::uint64_t in_rounds = 0;
  for (const platform::RoundSummary& r : s.rounds) in_rounds += r.reads + r.writes;
  EXPECT_EQ(in_rounds, s.workload.reads + s.workload.writes) << "rounds are of the whole run";
  std::uint64_t of_ramp = 0;
  for (const platform::RoundSummary& r : s.rounds) of_ramp += r.of_ramp;
  EXPECT_EQ(of_ramp, kRamp) << "and say what was of the ramp";
}

INSTANTIATE_TEST_SUITE_P(Loads, RampOf, ::testing::ValuesIn(kCases), parameter_name);

void expect_refused(std::uint64_t ramp) {
  const platform::Config config =
      one_die({"workload.number_ios=100", "workload.ramp_ios=" + std::to_string(ramp)});
  try {
    run_workload(config);
    ADD_FAILURE() << "a run without results";
  } catch (const platform::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("workload.ramp_ios"), std::string::npos) << error.what();
  }
}

TEST(Ramp, AsLongAsTheRunIsRefused) {
  expect_refused(100);
}

TEST(Ramp, BeyondTheRunIsRefused) {
  expect_refused(5000);
}

TEST(Ramp, MayLeaveOneRequest) {
  EXPECT_EQ(run_workload(one_die({"workload.number_ios=100", "workload.ramp_ios=99"})).host.read.count, 1u);
}

// Of equal marks nothing is left but gauges: no counter has been forgotten.
TEST(RampCounters, AreAllSubtracted) {
  fw::FtlStatistics s;
  std::uint64_t words[sizeof s / 8];
  for (std::uint64_t& word : words) word = 0x0101'0101'0101'0101;
  std::memcpy(static_cast<void*>(&s), words, sizeof s);
  s.read_only = true;
  const fw::FtlStatistics left = platform::counted_since(s, s);
  std::memcpy(words, static_cast<const void*>(&left), sizeof left);
  std::size_t not_zero = 0;
  for (const std::uint64_t word : words) not_zero += word != 0 ? 1 : 0;
  const std::size_t of_regions = (sizeof s.region + sizeof s.cached) / 8 + 1 /* hot_writes */;
  EXPECT_EQ(not_zero,
            1 /* read_only */ + kMaxPageTypes /* free_pages_by_type */ + 7u /* other gauges */ + of_regions);
}

} // namespace
} // namespace twinplane::test::ramp_test
