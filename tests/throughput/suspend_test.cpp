// Does suspension free reads of the erases in front of them, and is everything still right?
#include "tests/support/oracle_drive.h"

namespace twinplane::test::suspend_test {
namespace {

/// Blocks of eight SLC pages: an erase of 10 ms for each eight programs of 200 us. Two LUNs behind each CE#.
constexpr const char* kEraseHeavy = R"(
[geometry]
channels = 1
chips_per_channel = 2
dies_per_chip = 2
planes_per_die = 2
blocks_per_plane = 32
pages_per_block = 8
page_size = "4KiB"
spare_size = "0B"
sector_size = "4KiB"
[nand]
cell = "slc"
tR = "25us"
tPROG = "200us"
tBERS = "10ms"
[bus]
monitor = true
[host]
iodepth = 4
[ftl]
over_provisioning = 0.3
[precondition]
mode = "fill"
fill = 1
overwrite = 0.5
[workload]
rw = "randrw"
rwmixread = 75
bs = "4KiB"
number_ios = 3000
)";

constexpr double kLimitNs = 1e6; // of the 99th percentile: tESPD, a read, and a few that came before

platform::Summary run_erase_heavy(const std::vector<std::string>& settings) {
  const platform::Summary s = run_workload(configure(kEraseHeavy, settings));
  expect_consistent(s);
  EXPECT_EQ(s.nand.violations.monitor.value().total(), 0u);
  EXPECT_GT(s.nand.erases_native, 100u) << "an erase-heavy load";
  EXPECT_GT(s.host.verify_checked, 2000u);
  return s;
}

TEST(SuspendForReads, WithoutItOneReadInAHundredWaitsForAnErase) {
  EXPECT_GT(run_erase_heavy({}).host.read.latency.p99, 5 * kLimitNs);
}

TEST(SuspendForReads, WithItTheNinetyNinthPercentileFallsToLessThanAFifth) {
  EXPECT_LT(run_erase_heavy({"nand.suspend=true"}).host.read.latency.p99, kLimitNs);
}

TEST(SuspendForReads, WhatIsSuspendedGoesOn) {
  const platform::Summary s = run_erase_heavy({"nand.suspend=true"});
  EXPECT_GT(s.nand.suspends, 100u);
  EXPECT_LE(s.nand.suspends - s.nand.resumes, 4u) << "at most one of each die at the end";
  EXPECT_EQ(s.nand.cache_reads + s.nand.cache_programs, 0u);
}

TEST(SuspendForReads, AControllerThatPollsDoesAsWell) {
  EXPECT_LT(run_erase_heavy({"nand.suspend=true", "bus.ready=poll"}).host.read.latency.p99, kLimitNs);
}

TEST(SuspendForReads, ProgramsAndErasesEndAlthoughReadsNeverStop) {
  const platform::Summary s =
      run_erase_heavy({"nand.suspend=true", "workload.rwmixread=95", "workload.number_ios=12000",
                       "host.iodepth=16", "controller.suspend_gain=0us"});
  // 16 suspends of an erase, each with 16 reads and the time to take effect
  EXPECT_LT(s.host.write.latency.max, 1e6 * (10 + 16 * (0.3 + 16 * 0.05)) * 2);
}

} // namespace
} // namespace twinplane::test::suspend_test
