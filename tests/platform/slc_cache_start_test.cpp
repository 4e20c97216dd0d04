// Where is what a drive with an SLC-mode cache holds before the run?
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::slc_cache_start_test {
namespace {

constexpr const char* kDrive = R"(
[geometry]
channels = 1
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 64
pages_per_block = 32
[nand]
cell = "mlc"
[ftl]
over_provisioning = "40%"
[slc_cache]
share = "12%"
[precondition]
mode = "fill"
fill = "90%"
[workload]
rw = "randread"
number_ios = 100
)";

class SlcCacheStart : public ::testing::TestWithParam<const char*> {};

TEST_P(SlcCacheStart, FindsWhatWasStoredLongAgoInNativeBlocks) {
  const platform::Summary s = run_workload(configure(kDrive, {std::string("ftl.policy=") + GetParam()}));
  EXPECT_EQ(s.ftl.counters.cached.valid, 0u);
  EXPECT_GT(s.ftl.counters.valid_pages, 1000u);
  EXPECT_EQ(s.host.verify_mismatches, 0u);
}

TEST_P(SlcCacheStart, FindsWhatWasOverwrittenSinceInTheCache) {
  const platform::Summary s =
      run_workload(configure(kDrive, {std::string("ftl.policy=") + GetParam(), "precondition.overwrite=2%"}));
  EXPECT_GT(s.ftl.counters.cached.valid, 0u);
  EXPECT_EQ(s.host.verify_mismatches, 0u);
}

INSTANTIATE_TEST_SUITE_P(Schemes, SlcCacheStart, ::testing::Values("slc_cache", "mga", "ipu", "pslc"),
                         parameter_name);

} // namespace
} // namespace twinplane::test::slc_cache_start_test
