// Where did a request's time go? Its parts add up to its latency, whatever the host does to the drive, and
// the wait before the doorbell is what queueing theory says.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"
#include "tests/support/record_list.h"

namespace twinplane::test::breakdown_test {
namespace {

using platform::IoOp;

constexpr const char* kDrive = R"(
[geometry]
channels = 2
chips_per_channel = 1
dies_per_chip = 2
planes_per_die = 2
blocks_per_plane = 32
pages_per_block = 48
page_size = "8KiB"
spare_size = "448B"
[ftl]
over_provisioning = "25%"
[precondition]
mode = "fill"
fill = "100%"
[workload]
rw = "randrw"
number_ios = 3000
)";

struct Case {
  const char* name;
  bool overload; // more arrives than the queues take
  std::vector<std::string> settings;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

const std::string kOpen = "host.mode=open";
const std::string kFast = "workload.rate_iops=1000000";

const Case kCases[] = {
    {"closed", false, {"host.mode=closed"}},
    {"closed_with_pauses",
     false,
     {"host.mode=closed", "workload.thinktime=1ms", "workload.thinktime_blocks=50"}},
    {"open_without_a_wait", false, {kOpen, "workload.rate_iops=500", "workload.number_ios=500"}},
    {"mix_beyond_the_queue", true, {kOpen, kFast, "host.queue_size=8"}},
    {"reads_beyond_the_queue", true, {kOpen, kFast, "host.queue_size=8", "workload.rw=randread"}},
    {"writes_beyond_the_queue", true, {kOpen, kFast, "host.queue_size=8", "workload.rw=randwrite"}},
    {"trims_beyond_the_queue", true, {kOpen, kFast, "host.queue_size=2", "workload.rw=randtrim"}},
    {"flushes_beyond_the_queue", true, {kOpen, kFast, "host.queue_size=8", "workload.fsync=5"}},
    {"all_at_once", true, {kOpen, "host.queue_size=2"}},
    {"several_queues", true, {kOpen, kFast, "host.queues=5", "host.queue_size=4"}},
    {"several_queues_of_unlike_rank",
     true,
     {kOpen, kFast, "host.queues=8", "host.queue_size=16", "host.arbitration=weighted"}},
    {"full_slots", false, {kOpen, kFast, "host.slots=4", "host.queue_size=4096"}},
    {"requests_of_many_commands",
     true,
     {kOpen, kFast, "workload.bs=128KiB", "workload.number_ios=300", "host.max_transfer=8KiB",
      "host.queue_size=8"}},
    {"requests_of_many_commands_closed",
     false,
     {"host.mode=closed", "workload.bs=128KiB", "workload.number_ios=300", "host.max_transfer=8KiB"}},
    {"write_buffer",
     true,
     {kOpen, kFast, "host.queue_size=8", "ftl.write_buffer=32", "ftl.write_ack=buffered",
      "workload.fsync=9"}},
    {"few_page_buffers",
     false,
     {"host.mode=closed", "host.iodepth=64", "workload.bs=64KiB", "workload.number_ios=1000",
      "ftl.page_buffers=64"}},
    {"a_full_write_buffer",
     false,
     {"host.mode=closed", "ftl.write_buffer=16", "ftl.write_ack=buffered", "workload.bs=32KiB",
      "workload.number_ios=1000"}},
    {"suspends", true, {kOpen, kFast, "host.queue_size=32", "nand.suspend=true"}},
    {"reads_by_plane", true, {kOpen, kFast, "host.queue_size=32", "nand.independent_plane_reads=true"}},
    {"cache_commands",
     true,
     {kOpen, kFast, "host.queue_size=32", "controller.cache_reads=true", "controller.cache_programs=true",
      "workload.bs=64KiB", "workload.number_ios=500"}},
    {"polled_status", true, {kOpen, kFast, "host.queue_size=32", "bus.ready=poll"}},
    {"failing_cells",
     true,
     {kOpen, kFast, "host.queue_size=32", "nand.fail.program=1%", "nand.fail.read=3%",
      "workload.number_ios=1500"}},
    {"slow_core", true, {kOpen, kFast, "host.queue_size=32", "cpu.clock=50MHz"}},
};

class Parts : public ::testing::TestWithParam<Case> {};

TEST_P(Parts, OfARequestAddUpToItsLatency) {
  const platform::Summary s = run_workload(configure(kDrive, GetParam().settings));
  double wait = 0, mean = 0;
  for (const platform::HostDirection* d : {&s.host.read, &s.host.write, &s.host.trim, &s.host.flush}) {
    expect_parts_of_the_mean("one of read, write, trim, flush", *d);
    if (!d->breakdown) continue;
    wait += d->breakdown->host_wait * static_cast<double>(d->count);
    mean += d->latency.mean * static_cast<double>(d->count);
  }
  if (GetParam().overload) {
    EXPECT_GT(wait, mean / 2) << "most of the time in an overload is the host's";
  } else {
    EXPECT_EQ(wait, 0) << "no request has waited for its doorbell";
  }
}

INSTANTIATE_TEST_SUITE_P(Loads, Parts, ::testing::ValuesIn(kCases), parameter_name);

const platform::HostDirection& reads_of(const platform::Summary& s) {
  return s.host.read;
}
const platform::HostDirection& writes_of(const platform::Summary& s) {
  return s.host.write;
}

/// A wait that used to be the firmware's own time, or the bus's.
struct Wait {
  const char* name;
  std::vector<std::string> settings;
  const platform::HostDirection& (*whose)(const platform::Summary&);
  double platform::BreakdownNs::*part;
  double least; // share of the mean latency
};

void PrintTo(const Wait& w, std::ostream* out) {
  *out << w.name;
}

const Wait kWaits[] = {
    {"page_buffer",
     {"workload.rw=randwrite", "workload.bs=64KiB", "host.iodepth=64", "ftl.page_buffers=64"},
     writes_of,
     &platform::BreakdownNs::page_buffer_wait,
     0.7}, // 512 pages at 36 buffers
    {"write_buffer",
     {"workload.rw=randwrite", "ftl.write_buffer=16", "ftl.write_ack=buffered"},
     writes_of,
     &platform::BreakdownNs::write_buffer_wait,
     0.5},
    {"suspend",
     {"nand.suspend=true", "nand.tPSPD=1ms", "nand.tPROG=20ms", "controller.suspend_gain=2ms",
      "workload.rwmixread=90", "host.iodepth=4"},
     reads_of,
     &platform::BreakdownNs::suspend_wait,
     0.2},
};

class Waits : public ::testing::TestWithParam<Wait> {};

TEST_P(Waits, HaveTheirNameInTheBreakdown) {
  const platform::Summary s = run_workload(configure(kDrive, GetParam().settings));
  const platform::HostDirection& d = GetParam().whose(s);
  expect_parts_of_the_mean("that waits", d);
  EXPECT_GT((*d.breakdown).*GetParam().part, GetParam().least * d.latency.mean);
  EXPECT_LT(d.breakdown->firmware, 0.1 * d.latency.mean) << "what is left to the core";
  EXPECT_NE(summary_table(s).find("time goes to"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Waits, ::testing::ValuesIn(kWaits), parameter_name);

// Writes have taken all page buffers that they may have, and reads find some.
TEST(PageBuffers, OfReadsAreNotTakenByWrites) {
  const platform::Summary s =
      run_workload(configure(kDrive, {"workload.rw=randrw", "workload.bssplit=4k/100,128k/100",
                                      "host.iodepth=48", "ftl.page_buffers=64"}));
  EXPECT_GT(s.host.write.breakdown->page_buffer_wait, s.host.write.latency.mean / 2);
  EXPECT_LT(s.host.read.breakdown->page_buffer_wait, s.host.read.latency.mean / 20);
  EXPECT_EQ(platform::limit_of(s).resource, "dies") << "which have work all the time";
}

/// One die, one plane, and nothing but the flash takes time: every read of a page takes as long as any other.
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
[bus]
interface = "flat"
[host]
queue_size = 2
)";

platform::Config one_die(const std::vector<std::string>& settings) {
  return configure(std::string(kTimeless) + kOneDie, settings);
}

// A queue of one entry, n requests at once: the i-th waits for i reads.
TEST(HostWait, OfABurstIsHalfOfItsLength) {
  constexpr std::uint32_t kRequests = 101;
  const platform::Summary s =
      run_workload(one_die({"precondition.mode=fill", "precondition.fill=100%", "host.mode=open",
                            "workload.number_ios=" + std::to_string(kRequests)}));
  const double one = s.host.read.latency.min;
  ASSERT_TRUE(s.host.read.breakdown);
  EXPECT_NEAR(s.host.read.breakdown->host_wait, one * (kRequests - 1) / 2, 1e-6 * one);
  EXPECT_NEAR(s.host.read.breakdown->array, 50'000, 1e-6);
}

/// Two commands: one reads a page that holds data, the other one that does not and is done long before.
platform::HostDirection read_two(std::uint64_t first_page) {
  const platform::Config config =
      one_die({"host.queue_size=8", "host.max_transfer=4KiB", "host.mode=closed", "host.iodepth=1"});
  platform::Simulation simulation(config);
  simulation.prepare();
  RecordList records({record(IoOp::write, 4096, 4096), record(IoOp::read, first_page * 4096, 8192)});
  simulation.run(records, "two pages");
  return simulation.summary().host.read;
}

// The breakdown is that of the command that finishes last, not of the one that was sent last.
TEST(Breakdown, IsThatOfTheLastCommandWhenTheSecondIsSlow) {
  const platform::HostDirection d = read_two(0);
  expect_parts_of_the_mean("read", d);
  EXPECT_NEAR(d.breakdown->array, 50'000, 1e-6);
}

TEST(Breakdown, IsThatOfTheLastCommandWhenTheFirstIsSlow) {
  const platform::HostDirection d = read_two(1);
  expect_parts_of_the_mean("read", d);
  EXPECT_NEAR(d.breakdown->array, 50'000, 1e-6);
}

} // namespace
} // namespace twinplane::test::breakdown_test
