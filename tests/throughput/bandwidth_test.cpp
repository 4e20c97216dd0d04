// Do reads and programs reach exactly what bus, array times and planes allow?
//
// Closed forms for n dies on one channel, one page each per turn (facts: queueing and bus oracles):
//   rate = min(1 / t_bus, n / t_die), t_bus all tenures of a page, t_die = t_bus + array time
// and for P planes of one die: P pages in P loads, P - 1 gaps of tDBSY, one array time.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/bus_oracle.h"
#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::bandwidth_test {
namespace {

constexpr std::uint64_t kPage = 8192;
constexpr TimePs kTDBSY = ns(500);

struct Drive {
  BusOracle bus = kFlatBus;
  std::uint32_t dies = 1; // each in a package of its own
  std::uint32_t planes = 1;
  TimePs tR = us(50);
  TimePs tPROG = us(200);
};

std::string text_of(const Drive& d) {
  return std::string(kTimeless) + "[geometry]\nchannels = 1\ndies_per_chip = 1\nblocks_per_plane = 64\n" +
         "pages_per_block = 64\npage_size = \"8KiB\"\nspare_size = \"0B\"\nchips_per_channel = " +
         std::to_string(d.dies) + "\nplanes_per_die = " + std::to_string(d.planes) +
         "\n[nand]\ncell = \"slc\"\ntDBSY = \"500ns\"\ntR = \"" + std::to_string(d.tR) + "ps\"\ntPROG = \"" +
         std::to_string(d.tPROG) + "ps\"\n[bus]\n" + d.bus.keys + "\n[workload]\nbs = \"8KiB\"\n";
}

double pages_per_second(const Drive& d, const std::vector<std::string>& settings) {
  const platform::Config config = configure(text_of(d), settings);
  const platform::Summary s = run_workload(config);
  expect_consistent(s);
  return s.host.read.iops + s.host.write.iops;
}

double read_rate(const Drive& d) {
  return pages_per_second(d, {"workload.rw=read", "workload.number_ios=3000", "host.iodepth=256",
                              "precondition.mode=fill", "precondition.fill=100%"});
}
double write_rate(const Drive& d) {
  return pages_per_second(d, {"workload.rw=randwrite", "workload.number_ios=3000", "host.iodepth=256"});
}

/// Bus time of one page of a one-plane die.
TimePs read_bus(const BusOracle& b) {
  return b.read_command(1, kTDBSY) + b.data_out(kPage, false) + b.after_read;
}
TimePs program_bus(const BusOracle& b) {
  return b.program_command(1, kPage, kTDBSY) + b.program_status(1) + b.after_read;
}

double limit(std::uint32_t dies, TimePs bus, TimePs array) {
  return 1e12 * std::min(1.0 / static_cast<double>(bus), dies / static_cast<double>(bus + array));
}

class Bandwidth : public ::testing::TestWithParam<BusOracle> {};

TEST_P(Bandwidth, OfReadsOfManyDiesIsTheBus) {
  Drive d{GetParam(), 16};
  const double expected = limit(d.dies, read_bus(d.bus), d.tR);
  ASSERT_DOUBLE_EQ(expected, 1e12 / static_cast<double>(read_bus(d.bus)));
  EXPECT_NEAR(read_rate(d) / expected, 1.0, 0.01);
}

TEST_P(Bandwidth, OfReadsOfOneDieIsTheArray) {
  Drive d{GetParam(), 1};
  d.tR = ms(1);
  EXPECT_NEAR(read_rate(d) / limit(1, read_bus(d.bus), d.tR), 1.0, 0.01);
}

/// Two dies whose data are ready together may stay together: the second transfer waits for the first,
/// and so does the next command of the first die. Between that and no waiting at all lies the truth.
TEST_P(Bandwidth, OfReadsOfTwoDiesIsTwiceTheArrayLessAtMostOneTransfer) {
  Drive d{GetParam(), 2};
  d.tR = ms(1);
  const double rate = read_rate(d);
  EXPECT_LE(rate, 1.01 * limit(2, read_bus(d.bus), d.tR));
  EXPECT_GE(rate, 0.99 * limit(2, read_bus(d.bus), d.tR + read_bus(d.bus)));
}

TEST_P(Bandwidth, OfProgramsOfManyDiesIsTheBus) {
  Drive d{GetParam(), 16};
  d.tPROG = 10 * program_bus(d.bus);
  EXPECT_NEAR(write_rate(d) / limit(d.dies, program_bus(d.bus), d.tPROG), 1.0, 0.01);
}

TEST_P(Bandwidth, OfProgramsOfOneDieIsTheArray) {
  Drive d{GetParam(), 1};
  d.tPROG = ms(1);
  EXPECT_NEAR(write_rate(d) / limit(1, program_bus(d.bus), d.tPROG), 1.0, 0.01);
}

INSTANTIATE_TEST_SUITE_P(Buses, Bandwidth, ::testing::ValuesIn(kBusOracles), parameter_name);

/// n* = 1 + tPROG / t_bus is 9.1 here: dies add bandwidth up to the ninth.
class ProgramInterleaving : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(ProgramInterleaving, FollowsTheClosedFormOnBothSidesOfTheTransition) {
  const Drive d{kFlatBus, GetParam()};
  EXPECT_NEAR(write_rate(d) / limit(d.dies, program_bus(d.bus), d.tPROG), 1.0, 0.01);
}

INSTANTIATE_TEST_SUITE_P(Dies, ProgramInterleaving, ::testing::Values(1, 2, 4, 8, 9, 10, 12, 16),
                         parameter_name);

/// One die whose planes work together.
class MultiPlaneSpeed : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(MultiPlaneSpeed, OfProgramsIsOneArrayTimeForAllPlanes) {
  const Drive d{kFlatBus, 1, GetParam()};
  const TimePs turn = d.bus.program_command(d.planes, kPage, kTDBSY) + d.tPROG +
                      d.bus.program_status(d.planes) + d.bus.after_read;
  EXPECT_NEAR(write_rate(d) * static_cast<double>(turn) / (1e12 * d.planes), 1.0, 0.01);
}

TEST_P(MultiPlaneSpeed, OfReadsIsOneArrayTimeForAllPlanes) {
  const Drive d{kFlatBus, 1, GetParam()};
  const TimePs turn = d.bus.read_command(d.planes, kTDBSY) + d.tR +
                      d.planes * (d.bus.data_out(kPage, d.planes > 1) + d.bus.after_read);
  EXPECT_NEAR(read_rate(d) * static_cast<double>(turn) / (1e12 * d.planes), 1.0, 0.01);
}

INSTANTIATE_TEST_SUITE_P(Planes, MultiPlaneSpeed, ::testing::Values(1, 2, 4, 8), parameter_name);

} // namespace
} // namespace twinplane::test::bandwidth_test
