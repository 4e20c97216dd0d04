// What do read retries do to a whole drive: which part of a read is theirs, what do they save, and is what
// they cannot save an error and never wrong data?
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "platform/session/run.h"
#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::read_retry_drive_test {
namespace {

/// 70 wrong bits in every codeword at level 0, half of them at level 1.
constexpr const char* kDrive = R"(
[geometry]
channels = 2
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 32
pages_per_block = 48
page_size = "16KiB"
[nand]
cell = "slc"
[nand.errors]
reading = "expected"
fresh = 0.008
worn = 0.008
[bus]
monitor = true
[controller.ecc]
code = "bch"
[ftl]
over_provisioning = "30%"
write_buffer = 0
[host]
mode = "closed"
iodepth = 1
[precondition]
mode = "fill"
fill = "100%"
[workload]
rw = "randread"
bs = "16KiB"
number_ios = 1000
)";

// A bus that takes 3 ns for every cycle and byte, one plane: a retry at level 1 is D5h, tFEAT, 00h-30h, tR,
// data out, decoding.
TEST(ReadRetryDrive, MakesTheRetryAPartOfTheLatency) {
  const platform::Summary s =
      run_workload(configure(std::string(kTimeless) + kDrive,
                             {"controller.read_retries=2", "geometry.planes_per_die=1", "bus.interface=flat",
                              "bus.ns_per_byte=3ns", "nand.tR_level=40us,90us", "workload.number_ios=50"}));
  const double errors = 0.008 * 8752 / 2;
  const double decoding = 500 + (96'800 - 500) * errors / 40; // ns
  const double again = 3 * (1 + 2 + 4) + 1000 + 3 * 7 + 40'000 + 3.0 * (16384 + 448) + decoding;
  EXPECT_NEAR(s.host.read.breakdown->retry, again, 0.01);
  EXPECT_NEAR(s.host.read.breakdown->ecc, 96'800, 0.01) << "the first decoding, which failed";
  expect_consistent(s);
  const platform::ReadErrors& e = s.reliability.by_type[0];
  EXPECT_EQ(e.retried, 50u);
  EXPECT_EQ(e.senses[0], 50u);
  EXPECT_EQ(e.senses[1], 0u);
  EXPECT_EQ(s.reliability.read_retries, 50u);
  EXPECT_EQ(s.reliability.uncorrectable, 0u);
}

// Each page needs one of seven levels, or none: as many levels as are tried, so many of them can be read.
TEST(ReadRetryDrive, FindsTheLevelsThatPagesNeed) {
  const std::vector<std::string> settings{"nand.errors.reading=off", "controller.ecc.code=fixed",
                                          "nand.fail.read=0.7",      "controller.read_retries=7",
                                          "workload.bs=4KiB",        "host.iodepth=16"};
  const platform::Summary s = run_workload(configure(kDrive, settings));
  EXPECT_EQ(s.workload.failed, 0u);
  EXPECT_NEAR(static_cast<double>(s.reliability.read_retries), 700, 4 * std::sqrt(1000 * 0.7 * 0.3));
  expect_consistent(s);
}

TEST(ReadRetryDrive, FailsReadsOfPagesThatNeedALevelItDoesNotTry) {
  const std::vector<std::string> settings{"nand.errors.reading=off", "controller.ecc.code=fixed",
                                          "nand.fail.read=0.7", "controller.read_retries=3"};
  const platform::Config config = configure(kDrive, settings);
  platform::Simulation simulation(config);
  const platform::Summary s = run_workload(simulation, config);
  const double failing = 0.7 * 4 / 7;
  EXPECT_NEAR(static_cast<double>(s.workload.failed), 1000 * failing,
              4 * std::sqrt(1000 * failing * (1 - failing)));
  EXPECT_EQ(s.host.verify_mismatches, 0u);
  EXPECT_EQ(platform::verdict(simulation, s), 0);
}

/// Ways to read, to program and to ask dies.
struct Way {
  const char* name;
  std::vector<std::string> settings;
};
void PrintTo(const Way& parameter, std::ostream* out) {
  *out << parameter_names::text_of(parameter);
}

const Way kWays[] = {
    {"plain", {}},
    {"tag", {"data.mode=tag"}},
    {"polling", {"bus.ready=poll"}},
    {"suspend", {"nand.suspend=true"}},
    {"cache", {"controller.cache_reads=true", "controller.cache_programs=true", "ftl.die_queue_depth=4"}},
    {"planes", {"nand.independent_plane_reads=true", "ftl.die_queue_depth=4"}},
    {"ldpc", {"controller.ecc.code=ldpc", "controller.read_retries=1", "controller.ecc.soft_corrects=50"}},
    {"buffer", {"ftl.write_ack=buffered", "ftl.write_buffer=64"}},
    {"large_codewords",
     {"controller.ecc.codeword=8KiB", "controller.ecc.corrects=245", "controller.ecc.soft_corrects=300"}},
};

class EveryWay : public ::testing::TestWithParam<Way> {};

// Flips in the data, a code that is often not enough, and retries that are often not enough either.
TEST_P(EveryWay, ReportsWhatCannotBeCorrectedAndNeverReturnsWrongData) {
  std::vector<std::string> settings{
      "controller.read_retries=2", "data.mode=full",           "nand.errors.reading=drawn",
      "nand.errors.worn=0.0036",   "nand.errors.fresh=0.0036", "nand.errors.retry=0.9",
      "nand.tR_level=30us",        "workload.rw=randrw",       "workload.bs=8KiB",
      "host.iodepth=16",           "workload.number_ios=3000"};
  settings.insert(settings.end(), GetParam().settings.begin(), GetParam().settings.end());
  const platform::Config config = configure(kDrive, settings);
  platform::Simulation simulation(config);
  const platform::Summary s = run_workload(simulation, config);
  EXPECT_EQ(s.host.verify_mismatches, 0u);
  EXPECT_GT(s.host.verify_checked, 1000u);
  EXPECT_GT(s.reliability.ecc_corrected, 500u);
  EXPECT_GT(s.reliability.read_retries, 50u);
  EXPECT_EQ(s.nand.violations.total(), 0u);
  EXPECT_EQ(platform::verdict(simulation, s), 0);
}

INSTANTIATE_TEST_SUITE_P(Ways, EveryWay, ::testing::ValuesIn(kWays), parameter_name);

} // namespace
} // namespace twinplane::test::read_retry_drive_test
