// Does a drive reach the limits that `twinplane check` prints, and never pass them? Each part in turn is the one
// that limits: the others take no time, or next to none.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "platform/measure/limits.h"
#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::upper_limits_test {
namespace {

/// Two channels with two dies of two planes each; page types alike, so that any mix is the mean.
constexpr const char* kDrive = R"(
[geometry]
channels = 2
chips_per_channel = 1
dies_per_chip = 2
planes_per_die = 2
blocks_per_plane = 64
pages_per_block = 48
page_size = "16KiB"
spare_size = "1952B"
[nand]
cell = "tlc"
tR = "200us"
tPROG = "600us"
[bus]
interface = "nv-ddr3"
mode = 8
[host]
mode = "closed"
iodepth = 128
max_transfer = "256KiB"
queues = 4
[precondition]
mode = "fill"
fill = "100%"
[ftl]
over_provisioning = "40%"
die_queue_depth = 2
[workload]
bs = "64KiB"
number_ios = 3000
ramp_ios = 600
)";

struct Case {
  const char* name;
  const char* rw;
  std::vector<std::string> settings;
  double platform::Throughput::*part;
  double at_least; // of the limit
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

const std::vector<std::string> kFastArrays = {"nand.tR=1us", "nand.tPROG=1us", "geometry.dies_per_chip=8"};

std::vector<std::string> with(std::vector<std::string> some, const std::vector<std::string>& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

using T = platform::Throughput;
const Case kCases[] = {
    {"buses_reading", "read", kFastArrays, &T::buses, 0.95},
    {"buses_reading_with_spare_area", "read", with(kFastArrays, {"bus.spare_area=true"}), &T::buses, 0.95},
    // commands for several planes would hold the bus for tDBSY
    {"buses_reading_single_planes",
     "randread",
     {"nand.independent_plane_reads=true", "nand.tDBSY=5us", "nand.tR=1us", "geometry.dies_per_chip=8",
      "workload.bs=16KiB", "host.iodepth=512"},
     &T::buses,
     0.95},
    {"buses_polling", "read", with(kFastArrays, {"bus.ready=poll", "bus.poll_interval=100ns"}), &T::buses,
     0.8},
    {"buses_programming", "write", kFastArrays, &T::buses, 0.9},
    {"dies_reading", "read", {}, &T::dies, 0.9},
    {"dies_reading_from_the_cache_register",
     "read",
     {"controller.cache_reads=true", "ftl.die_queue_depth=4"},
     &T::dies,
     0.85},
    {"dies_reading_parts_of_pages", "randread", {"workload.bs=4KiB", "host.iodepth=512"}, &T::dies, 0.4},
    {"dies_programming", "write", {}, &T::dies, 0.9},
    {"dies_programming_from_the_cache_register",
     "write",
     {"controller.cache_programs=true", "ftl.die_queue_depth=4"},
     &T::dies,
     0.85},
    {"dies_programming_wordlines_of_all_planes",
     "write",
     {"nand.one_pass=true", "nand.tPROG_wordline=1800us", "precondition.mode=none", "ftl.program_unit=die"},
     &T::dies,
     0.93},
    {"dies_programming_wordlines_of_four_planes",
     "write",
     {"nand.one_pass=true", "nand.cell=qlc", "nand.tPROG_wordline=6ms", "precondition.mode=none",
      "nand.tR=200us", "geometry.planes_per_die=4", "geometry.dies_per_chip=1"},
     &T::dies,
     0.97},
    {"dies_programming_superblocks",
     "write",
     {"nand.one_pass=true", "nand.tPROG_wordline=1800us", "precondition.mode=none", "ftl.program_unit=die",
      "ftl.erase_unit=die"},
     &T::dies,
     0.99},
    {"dies_programming_superblocks_of_four_planes",
     "write",
     {"nand.one_pass=true", "nand.cell=qlc", "nand.tPROG_wordline=6ms", "precondition.mode=none",
      "nand.tR=200us", "geometry.planes_per_die=4", "geometry.dies_per_chip=1", "ftl.program_unit=die",
      "ftl.erase_unit=die"},
     &T::dies,
     0.99},
    {"dies_programming_units_of_pages",
     "randwrite",
     {"nand.one_pass=true", "nand.tPROG_wordline=1800us", "precondition.mode=none", "ftl.program_unit=die",
      "ftl.erase_unit=die", "ftl.map_unit=4KiB", "workload.bs=4KiB", "host.iodepth=512",
      "workload.number_ios=20000", "workload.ramp_ios=2000"},
     &T::dies,
     0.97},
    {"core_reading", "read",
     with(kFastArrays, {"cpu.cost.command_decode=700", "cpu.cost.map_lookup=500", "cpu.cost.flash_submit=800",
                        "cpu.cost.flash_complete=300", "cpu.cost.dma_submit=13", "cpu.clock=100MHz"}),
     &T::core, 0.97},
    {"core_writing", "write",
     with(kFastArrays, {"cpu.cost.command_decode=700", "cpu.cost.map_lookup=500", "cpu.cost.flash_submit=800",
                        "cpu.cost.flash_complete=300", "cpu.cost.dma_submit=13", "cpu.clock=100MHz"}),
     &T::core, 0.97},
};

class UpperLimit : public ::testing::TestWithParam<Case> {};

TEST_P(UpperLimit, IsReachedAndNeverPassed) {
  const Case& c = GetParam();
  const bool reads = std::string(c.rw).find("read") != std::string::npos;
  const platform::Config config =
      configure(std::string(kTimeless) + kDrive, with(c.settings, {std::string("workload.rw=") + c.rw}));
  const platform::Limits limits = platform::limits_of(config);
  const T& of = reads ? limits.reads : limits.writes;
  const platform::Summary s = run_workload(config);
  expect_consistent(s);
  const double found = (reads ? s.host.read : s.host.write).mb_per_s * 1e6;
  const double limit = of.*c.part;
  EXPECT_LE(found, limit * 1.01) << "MB/s: " << limit / 1e6;
  EXPECT_GE(found, limit * c.at_least) << "MB/s: " << limit / 1e6;
}

// The share of pages that several planes have been given at once, and how many planes, whatever a pass programs.
class Superblocks : public ::testing::TestWithParam<const char*> {};

TEST_P(Superblocks, AreProgrammedByCommandsForAllPlanes) {
  const platform::Summary s = run_workload(configure(
      std::string(kTimeless) + kDrive,
      {std::string("nand.one_pass=") + GetParam(), "nand.tPROG_wordline=1800us", "precondition.mode=none",
       "ftl.program_unit=die", "ftl.erase_unit=die", "workload.rw=write", "workload.ramp_ios=0"}));
  const platform::MultiPlane& m = s.nand.program;
  EXPECT_GE(m.units * 50, m.all_units * 49);
  EXPECT_EQ(m.planes, 2 * m.commands);
}

INSTANTIATE_TEST_SUITE_P(OnePass, Superblocks, ::testing::Values("false", "true"));

INSTANTIATE_TEST_SUITE_P(Parts, UpperLimit, ::testing::ValuesIn(kCases), parameter_name);

TEST(UpperLimits, OfAnImageNameNoCore) {
  platform::Config config;
  config.cpu.firmware = "firmware.elf";
  EXPECT_EQ(platform::limits_of(config).core_read.cycles, 0u);
}

TEST(UpperLimits, OfOnePassProgrammingAreOfWholeWordlines) {
  const std::vector<std::string> cached = {"ftl.policy=slc_cache", "nand.cell=tlc",
                                           "nand.tPROG_wordline=900us"};
  const platform::Limits separate = platform::limits_of(configure(kDrive, cached));
  const platform::Limits at_once =
      platform::limits_of(configure(kDrive, with(cached, {"nand.one_pass=true"})));
  EXPECT_GT(at_once.writes.dies, 1.5 * separate.writes.dies) << "three pages in 900 us, not in 1800 us";
  EXPECT_GT(at_once.slc_writes, 0);
}

// The cache's limit is one of its own: writes that fill its pages come near it, and so do those that take a page each.
class LimitOfACache : public ::testing::TestWithParam<const char*> {};

TEST_P(LimitOfACache, IsOfThePagesThatWritesFill) {
  const platform::Config config = configure(
      std::string(kTimeless) + kDrive,
      {std::string("ftl.policy=") + GetParam(), "geometry.subpages_per_page=4", "slc_cache.share=50%",
       "nand.slc.tPROG=300us", "precondition.mode=none", "workload.rw=randwrite", "workload.bs=4KiB",
       "workload.number_ios=3000", "workload.ramp_ios=300", "host.iodepth=512"});
  const double limit = platform::limits_of(config).slc_writes;
  const double found = run_workload(config).host.write.mb_per_s * 1e6;
  EXPECT_LE(found, limit * 1.01) << "MB/s: " << limit / 1e6;
  EXPECT_GE(found, limit * 0.9) << "MB/s: " << limit / 1e6;
}

// Programs of the cache move what a write has of a page, or a page that several writes fill.
class BusLimitOfACache : public ::testing::TestWithParam<const char*> {};

TEST_P(BusLimitOfACache, IsOfWhatItsProgramsMove) {
  const platform::Config config = configure(
      std::string(kTimeless) + kDrive,
      {std::string("ftl.policy=") + GetParam(), "geometry.subpages_per_page=4", "slc_cache.share=50%",
       "nand.slc.tPROG=1us", "geometry.dies_per_chip=8", "precondition.mode=none", "workload.rw=randwrite",
       "workload.bs=4KiB", "workload.number_ios=8000", "workload.ramp_ios=800", "host.iodepth=512"});
  const double limit = platform::limits_of(config).slc_buses;
  const double found = run_workload(config).host.write.mb_per_s * 1e6;
  EXPECT_LE(found, limit * 1.01) << "MB/s: " << limit / 1e6;
  EXPECT_GE(found, limit * 0.9) << "MB/s: " << limit / 1e6;
}

INSTANTIATE_TEST_SUITE_P(Schemes, BusLimitOfACache, ::testing::Values("slc_cache", "pslc", "mga", "ipu"),
                         parameter_name);

INSTANTIATE_TEST_SUITE_P(Schemes, LimitOfACache, ::testing::Values("slc_cache", "pslc"), parameter_name);

} // namespace
} // namespace twinplane::test::upper_limits_test
