// Is a run's limit found, whichever resource it is, and does the throughput follow from that resource alone?
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::utilisation_test {
namespace {

/// Eight dies on a bus that hardly takes time; pages of 16 KiB, read in 50 us.
constexpr const char* kDrive = R"(
[geometry]
channels = 1
chips_per_channel = 8
dies_per_chip = 1
planes_per_die = 1
blocks_per_plane = 16
pages_per_block = 16
page_size = "16KiB"
spare_size = "0B"
[nand]
cell = "slc"
tR = "50us"
tPROG = "300us"
[bus]
interface = "flat"
ns_per_byte = "10ps"
[host]
mode = "closed"
iodepth = 64
[precondition]
mode = "fill"
fill = "100%"
[workload]
rw = "read"
bs = "16KiB"
number_ios = 4000
)";

struct Case {
  const char* resource;
  std::vector<std::string> settings;
  double us_per_request; // closed form
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.resource;
}

class Limit : public testing::TestWithParam<Case> {};

TEST_P(Limit, IsTheResourceThatHasNoTimeLeft) {
  const Case& c = GetParam();
  const platform::Summary s = run_workload(configure(std::string(kTimeless) + kDrive, c.settings));
  expect_consistent(s);
  const platform::Limit limit = platform::limit_of(s);
  EXPECT_EQ(limit.resource, c.resource);
  EXPECT_FALSE(limit.uneven);
  EXPECT_GT(limit.use, 0.96);
  EXPECT_LE(limit.use, 1.01);
  EXPECT_NEAR(s.host.read.iops + s.host.write.iops, 1e6 / c.us_per_request, 0.02 * 1e6 / c.us_per_request);
}

const Case kCases[] = {
    // eight dies, each occupied by tR and the way of its page over the bus
    {"dies", {}, (50 + 16384 * 0.00001) / 8},
    {"buses", {"bus.ns_per_byte=3ns"}, 16384 * 0.003},
    {"core", {"cpu.clock=1GHz", "cpu.cost.command_decode=100000"}, 100},
    // 64 packets of 256 + 26 bytes at 2.5 GT/s with 8b/10b
    {"link to host", {"pcie.ideal=false", "pcie.generation=1", "pcie.lanes=1"}, 64 * 282 * 0.004},
    {"link to device",
     {"pcie.ideal=false", "pcie.generation=1", "pcie.lanes=1", "workload.rw=write", "workload.number_ios=500",
      "precondition.mode=none"},
     64 * 282 * 0.004},
    // from the flash to it, from it to the host
    {"dram", {"dram.bandwidth=400MB/s"}, 2 * 16384 / 400.0},
    // the parity does not come along: ecc.parity_on_bus is off
    {"ecc", {"controller.ecc.code=bch", "controller.ecc.throughput=100MB/s"}, 16384 / 100.0},
};
INSTANTIATE_TEST_SUITE_P(Resources, Limit, testing::ValuesIn(kCases), parameter_name);

TEST(Limit, OfOneRequestAtATimeIsTheHost) {
  const platform::Summary s =
      run_workload(configure(std::string(kTimeless) + kDrive, {"host.iodepth=1", "workload.number_ios=200"}));
  EXPECT_EQ(platform::limit_of(s).resource, "host");
  EXPECT_NEAR(s.utilisation.dies.mean, 1.0 / 8, 0.01);
}

// Pages wait in front of an engine for longer than patience, though each takes it only 65 ms.
TEST(Limit, MayBeAnEngineWhoseQueueIsLongerThanPatience) {
  const std::vector<std::string> settings{
      "geometry.page_size=64KiB", "geometry.spare_size=0B",          "geometry.pages_per_block=6",
      "controller.ecc.code=bch",  "controller.ecc.throughput=1MB/s", "ftl.die_queue_depth=8",
      "workload.rw=randwrite"};
  const platform::Summary s = run_workload(configure("", settings));
  EXPECT_EQ(platform::limit_of(s).resource, "ecc");
  EXPECT_EQ(s.host.write.count, 10'000u);
}

// All requests go to one page.
TEST(Limit, OfOneBusyDieIsUneven) {
  const platform::Summary s = run_workload(
      configure(std::string(kTimeless) + kDrive, {"workload.rw=randread", "workload.size=16KiB"}));
  const platform::Limit limit = platform::limit_of(s);
  EXPECT_EQ(limit.resource, "dies");
  EXPECT_TRUE(limit.uneven);
  EXPECT_NEAR(s.utilisation.dies.mean, limit.use / 8, 1e-9);
}

// The boot of drive and host, or the ramp, is not in it: shares of the window are those of a steady run.
TEST(Limit, CountsNothingFromBeforeItsWindow) {
  const std::vector<std::string> settings{"host.iodepth=1", "workload.number_ios=300",
                                          "workload.ramp_ios=200"};
  const platform::Summary s = run_workload(configure(std::string(kTimeless) + kDrive, settings));
  const double busy = s.utilisation.dies.mean * 8 * s.host.measured_ns;
  EXPECT_NEAR(busy, 100 * 50'000, 50'000) << "100 reads count";
}

// Of what is under way at the last completion, moves and erases of collection, only the part before it
// counts: else the dies would have worked for longer than the window.
TEST(Limit, CountsNothingFromBehindItsWindow) {
  const std::vector<std::string> settings{"workload.rw=randwrite", "precondition.overwrite=100%",
                                          "workload.number_ios=20"};
  const platform::Summary s = run_workload(configure(kDrive, settings));
  EXPECT_GT(s.utilisation.dies.mean, 0.9) << "as good as always";
  EXPECT_LE(s.utilisation.dies.highest, 1);
  EXPECT_LE(s.utilisation.planes.highest, 1);
  for (const platform::DieSummary& die : s.dies) EXPECT_LE(die.busy, s.time.simulated_ps);
}

// No die is in use all the time, and requests wait for them nevertheless.
TEST(Limit, OfWhatTheSlowestWaitForIsThat) {
  platform::Utilisation u;
  u.dies = {0.7, 0.8};
  u.buses = {0.3, 0.3};
  platform::Load load;
  load.slowest = platform::BreakdownNs();
  load.slowest->die_wait = 30;
  load.slowest->bus_wait = 40;
  load.slowest->array = 30;
  EXPECT_EQ(platform::limit_of(u, load).resource, "dies");
  EXPECT_NEAR(platform::limit_of(u, load).waiting, 0.7, 1e-9);
  load.slowest->die_wait = load.slowest->bus_wait = 0;
  EXPECT_EQ(platform::limit_of(u, load).resource, "host");
  load.slowest->host_queue = 100;
  EXPECT_EQ(platform::limit_of(u, load).resource, "slots");
  load.arrives_by_itself = true;
  EXPECT_EQ(platform::limit_of(u, load).resource, "arrivals");
}

// No resource is in use all the time, for requests that have come are not begun with.
TEST(Limit, IsTheMemoryThatTheSlowestWaitFor) {
  platform::Utilisation u;
  u.dies = {0.4, 0.5};
  for (const bool arrive_by_themselves : {false, true}) {
    platform::Load load;
    load.arrives_by_itself = arrive_by_themselves;
    load.slowest = platform::BreakdownNs();
    load.slowest->host_wait = 1000;
    load.slowest->array = 20;
    load.slowest->page_buffer_wait = 80;
    EXPECT_EQ(platform::limit_of(u, load).resource, "page buffers");
    EXPECT_NEAR(platform::limit_of(u, load).waiting, 0.8, 1e-9);
    std::swap(load.slowest->page_buffer_wait, load.slowest->write_buffer_wait);
    EXPECT_EQ(platform::limit_of(u, load).resource, "write buffer");
    load.slowest->write_buffer_wait = 10;
    EXPECT_EQ(platform::limit_of(u, load).resource, arrive_by_themselves ? "arrivals" : "host");
  }
}

// A larger memory would be a longer queue before the resource that makes room in it.
TEST(Limit, IsWhatMakesRoomSlowlyAndNotTheMemory) {
  platform::Utilisation u;
  u.dies = {0.885, 0.89};
  platform::Load load;
  load.slowest = platform::BreakdownNs();
  load.slowest->array = 7;
  load.slowest->write_buffer_wait = 93;
  const platform::Limit limit = platform::limit_of(u, load);
  EXPECT_EQ(limit.resource, "dies");
  EXPECT_EQ(limit.memory, "write buffer");
  EXPECT_NEAR(limit.waiting, 0.93, 1e-9);
  EXPECT_NEAR(limit.use, 0.885, 1e-9);
  u.dies = {0.7, 0.7};
  EXPECT_EQ(platform::limit_of(u, load).resource, "write buffer");
}

// A die is in use while one of its planes is, and while it waits for the bus: what would be left of that with a bus
// without time is less than the bus's use.
TEST(Limit, IsNotADieThatWaitsForTheBus) {
  platform::Utilisation u;
  u.dies = {0.967, 0.98};
  u.buses = {0.917, 0.93};
  u.planes = {0.716, 0.73};
  u.arrays = 0.96;
  EXPECT_EQ(platform::limit_of(u, {}).resource, "dies") << "all planes, or none";
  u.reads_beside = 1;
  EXPECT_EQ(platform::limit_of(u, {}).resource, "buses") << "each plane for itself";
  u.buses = {0.5, 0.5};
  EXPECT_EQ(platform::limit_of(u, {}).resource, "host") << "other planes of the dies could work";
  u.reads_beside = 0;
  u.arrays = 0.4;
  EXPECT_EQ(platform::limit_of(u, {}).resource, "dies");
  u.buses = {0.91, 0.91};
  EXPECT_EQ(platform::limit_of(u, {}).resource, "buses");
}

double rate_of(const platform::Summary& s) {
  return s.host.read.mb_per_s + s.host.write.mb_per_s;
}

platform::Summary run_with(std::vector<std::string> settings, const std::vector<std::string>& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return run_workload(configure(std::string(kTimeless) + kDrive, settings));
}

// One run a process: each test is one side of a comparison with a law.
const std::vector<std::string> kPlaneReads = {
    "geometry.chips_per_channel=4", "geometry.planes_per_die=4", "nand.independent_plane_reads=true",
    "workload.rw=randread",         "host.iodepth=64",           "bus.ns_per_byte=250ps"};

// The bus takes 4.1 us of each read; the planes could do sixteen in 54 us.
TEST(LimitOfPlaneReads, IsTheBusThatTheyWaitFor) {
  const platform::Summary s = run_with(kPlaneReads, {});
  EXPECT_GT(s.utilisation.dies.mean, s.utilisation.buses.mean);
  EXPECT_GT(s.utilisation.buses.mean, 0.9);
  EXPECT_EQ(platform::limit_of(s).resource, "buses");
  EXPECT_GT(rate_of(s), 0.9 * 1e3 / 0.25) << "MB/s of the bus: no array time may gain more than a tenth";
}

const std::vector<std::string> kBuffered = {"workload.rw=write",      "precondition.mode=none",
                                            "ftl.write_ack=buffered", "workload.number_ios=1500",
                                            "host.iodepth=32",        "workload.ramp_ios=300"};
const double kOfDies = 8 * 16384 / 300.2; // MB/s

TEST(LimitOfABufferedDrive, IsTheDiesBehindALargeBuffer) {
  const platform::Summary s = run_with(kBuffered, {"ftl.write_buffer=64"});
  EXPECT_EQ(platform::limit_of(s).resource, "dies");
  EXPECT_GT(rate_of(s), 0.9 * kOfDies) << "a larger buffer may gain no more than a tenth";
}

TEST(LimitOfABufferedDrive, IsABufferThatLeavesDiesIdle) {
  const platform::Summary s = run_with(kBuffered, {"ftl.write_buffer=4"});
  EXPECT_EQ(platform::limit_of(s).resource, "write buffer");
  EXPECT_LT(rate_of(s), 0.7 * kOfDies) << "a larger buffer gains much";
}

TEST(Limit, OfNothingIsTheHost) {
  EXPECT_EQ(platform::limit_of(platform::Utilisation(), {}).resource, "host");
  EXPECT_EQ(platform::utilisation_of({}, {}, 0).core.mean, 0);
}

} // namespace
} // namespace twinplane::test::utilisation_test
