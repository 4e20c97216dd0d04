// Does a patrol (refresh.patrol_ms) that is given too little time for its pass have an eighth of each die's?
#include <gtest/gtest.h>

#include <string>

#include "tests/support/feature_keys.h"
#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::patrol_test {
namespace {

/// Dies on a channel each, whose buses take next to nothing.
constexpr const char* kDrive = R"(
[geometry]
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 64
pages_per_block = 48
[nand]
tR = "80us"
[bus]
interface = "flat"
ns_per_byte = "1ps"
[precondition]
mode = "fill"
fill = "100%"
[refresh]
patrol_ms = 1
[host]
mode = "open"
[workload]
rw = "randread"
rate_iops = 10
number_ios = 4
)";

class Patrol : public ::testing::TestWithParam<int> {};

TEST_P(Patrol, HasAnEighthOfTheTimeOfEachDie) {
  const platform::Summary s = run_workload(
      configure(std::string(kTimeless) + kDrive, {"geometry.channels=" + std::to_string(GetParam())}));
  const double seconds = static_cast<double>(s.time.simulated_ps) / 1e12;
  const double reads = static_cast<double>(feature_count(s.ftl.counters, "refresh.patrol_reads"));
  const double of_a_die = 1 / (8 * 80e-6);
  EXPECT_NEAR(reads / seconds, GetParam() * of_a_die, GetParam() * of_a_die * 0.1);
}

INSTANTIATE_TEST_SUITE_P(Dies, Patrol, ::testing::Values(1, 4, 16));

} // namespace
} // namespace twinplane::test::patrol_test
