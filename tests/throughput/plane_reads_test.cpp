// Do random reads of one die with n planes that read independently run at min(n / (tR + transfer), 1 /
// transfer), through the whole drive, and does everything stay correct under mixed loads?
#include <algorithm>

#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::plane_reads_test {
namespace {

constexpr double kReads = 12000;
constexpr double kNsPerByte = 3;
constexpr double kCommand = 7 * kNsPerByte;                     // 00h a5 30h
constexpr double kDataOut = 7 * kNsPerByte + 4096 * kNsPerByte; // 06h a5 E0h, a page
constexpr double kTR = 65000;

/// Pages of one sector; every plane has reads waiting nearly always. With a depth of two the next read of a
/// plane waits in the controller, whose commands go before data: no plane idles during the data of another.
constexpr const char* kOneDie = R"(
[geometry]
channels = 1
chips_per_channel = 1
dies_per_chip = 1
blocks_per_plane = 32
pages_per_block = 64
page_size = "4KiB"
spare_size = "0B"
sector_size = "4KiB"
[nand]
cell = "slc"
tR = "65us"
[bus]
interface = "flat"
ns_per_byte = 3
monitor = true
[host]
iodepth = 256
[ftl]
over_provisioning = 0.4
scheduling = "paq"
die_queue_depth = 2
[precondition]
mode = "fill"
fill = 1
[workload]
rw = "randread"
bs = "4KiB"
number_ios = 12000
)";

double ns_per_read(const std::vector<std::string>& settings) {
  const platform::Summary s = run_workload(configure(std::string(kTimeless) + kOneDie, settings));
  expect_consistent(s);
  EXPECT_EQ(s.nand.violations.monitor.value().total(), 0u);
  EXPECT_EQ(static_cast<double>(s.host.read.count), kReads);
  return s.host.measured_ns / kReads;
}

class PlaneReads : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(PlaneReads, GiveAllPlanesOfADieTheirOwnArrayTime) {
  const double planes = GetParam();
  const double expected = std::max((kCommand + kTR + kDataOut) / planes, kCommand + kDataOut);
  const std::string geometry = "geometry.planes_per_die=" + std::to_string(GetParam());
  // Where array and bus take about the same, planes now and then wait for each other's data.
  EXPECT_NEAR(ns_per_read({geometry, "nand.independent_plane_reads=true"}), expected, expected * 0.03);
}

INSTANTIATE_TEST_SUITE_P(Planes, PlaneReads, ::testing::Values(1u, 2u, 4u, 8u), parameter_name);

TEST(PlaneReadsOff, ADieTakesOneReadAfterAnother) {
  const double expected = kCommand + kTR + kDataOut;
  // Few enough wait for a multi-plane command to find partners.
  EXPECT_NEAR(ns_per_read({"geometry.planes_per_die=4", "host.iodepth=4"}), expected, expected * 0.02);
}

/// Mixed loads with garbage collection, with what may come together with independent reads.
struct Mixed {
  const char* name;
  std::vector<std::string> settings;
};

void PrintTo(const Mixed& mixed, std::ostream* out) {
  *out << mixed.name;
}

class MixedPlaneReads : public ::testing::TestWithParam<Mixed> {};

TEST_P(MixedPlaneReads, BreakNoRuleAndReturnWhatWasWritten) {
  std::vector<std::string> settings{"nand.independent_plane_reads=true",
                                    "geometry.planes_per_die=4",
                                    "geometry.dies_per_chip=2",
                                    "workload.rw=randrw",
                                    "workload.number_ios=6000",
                                    "host.iodepth=32",
                                    "ftl.over_provisioning=0.25",
                                    "geometry.blocks_per_plane=16",
                                    "bus.interface=nv-ddr3",
                                    "bus.mode=10"};
  settings.insert(settings.end(), GetParam().settings.begin(), GetParam().settings.end());
  const platform::Summary s = run_workload(configure(std::string(kTimeless) + kOneDie, settings));
  expect_consistent(s);
  EXPECT_EQ(s.nand.violations.monitor.value().total(), 0u);
  EXPECT_GT(s.host.write.count, 1000u);
  EXPECT_GT(s.ftl.counters.gc_blocks_erased, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Loads, MixedPlaneReads,
    ::testing::Values(
        Mixed{"plain", {}}, Mixed{"polling", {"bus.ready=poll"}}, Mixed{"fifo", {"ftl.scheduling=fifo"}},
        Mixed{"read_first_static", {"ftl.scheduling=read_first", "ftl.plane_allocation=CWDP"}},
        Mixed{"shallow", {"ftl.die_queue_depth=1"}}, Mixed{"deep", {"ftl.die_queue_depth=4"}},
        Mixed{"suspending", {"nand.suspend=true", "controller.suspend_gain=100us"}},
        Mixed{"caching",
              {"ftl.die_queue_depth=4", "controller.cache_reads=true", "controller.cache_programs=true"}},
        Mixed{"multi_moves", {"ftl.gc_moves=multi", "nand.bac=false"}}),
    parameter_name);

} // namespace
} // namespace twinplane::test::plane_reads_test
