// Does a write wait no longer than ftl.pack_timeout for others of its wordline, with nothing else to happen meanwhile?
#include <gtest/gtest.h>

#include <string>

#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::pack_timeout_test {
namespace {

/// Writes come one by one, half a millisecond apart; each finds another one under way, whose program takes longer.
constexpr const char* kDrive = R"(
[geometry]
channels = 4
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 64
pages_per_block = 48
page_size = "16KiB"
[nand]
cell = "tlc"
one_pass = true
tPROG_wordline = "1ms"
[ftl]
map_unit = "4KiB"
erase_unit = "die"
program_unit = "die"
over_provisioning = "40%"
[host]
mode = "open"
[workload]
rw = "randwrite"
bs = "4KiB"
rate_iops = 2000
number_ios = 400
)";
constexpr double kProgramMs = 1.0;
constexpr double kTransferMs = 0.1; // of a wordline, at most

class PackTimeout : public ::testing::TestWithParam<int> {};

TEST_P(PackTimeout, IsTheLongestThatAWriteWaitsForOthers) {
  const platform::Summary s = run_workload(
      configure(std::string(kTimeless) + kDrive, {"ftl.pack_timeout=" + std::to_string(GetParam()) + "us"}));
  const double longest_ms = s.host.write.latency.max / 1e6;
  EXPECT_GE(longest_ms, kProgramMs + GetParam() / 1e3);
  EXPECT_LE(longest_ms, kProgramMs + GetParam() / 1e3 + kTransferMs);
}

INSTANTIATE_TEST_SUITE_P(Microseconds, PackTimeout, ::testing::Values(50, 100, 300));

} // namespace
} // namespace twinplane::test::pack_timeout_test
