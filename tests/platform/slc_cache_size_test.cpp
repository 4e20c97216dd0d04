// Does the size of an SLC-mode cache follow the data of a whole drive, under the eyes of the monitor?
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "firmware/ftl/features/slc_cache/slc_cache.h"
#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::slc_cache_size_test {
namespace {

// 32 blocks per plane: 6 of them at first, 2 to 16 later on.
constexpr const char* kDrive = R"(
[geometry]
channels = 1
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 32
pages_per_block = 24
[nand]
cell = "tlc"
[bus]
monitor = true
[data]
mode = "full"
[ftl]
over_provisioning = "22%"
[slc_cache]
share = "20%"
least_share = "7%"
most_share = "50%"
[workload]
rw = "write"
bs = "16KiB"
)";

constexpr std::uint64_t kPlanes = 2;

class SlcCacheSize : public ::testing::TestWithParam<const char*> {
 protected:
  /// So many writes of a page each, in the order of addresses.
  static fw::FtlStatistics written(std::uint32_t pages, std::uint64_t of) {
    const platform::Summary s = run_workload(configure(
        kDrive, {std::string("ftl.policy=") + GetParam(), "workload.number_ios=" + std::to_string(pages),
                 "workload.size=" + std::to_string(of * 16) + "KiB"}));
    expect_consistent(s);
    EXPECT_EQ(s.nand.violations.monitor.value().total(), 0u);
    return s.ftl.counters;
  }
};

TEST_P(SlcCacheSize, GrowsInADriveThatHoldsLittle) {
  const fw::FtlStatistics s = written(2000, 64);
  EXPECT_GT(s.cached.size, kPlanes * 10);
  EXPECT_EQ(s.cached.size, kPlanes * 6 + s.regions[fw::kCache].grabs);
  EXPECT_EQ(s.regions[fw::kNative].grabs, 0u);
}

TEST_P(SlcCacheSize, GrowsFirstAndShrinksToTheLeastWhileTheDriveIsFilled) {
  const fw::FtlStatistics s = written(1190, 1190); // of 1198
  EXPECT_GT(s.regions[fw::kCache].grabs, 0u);
  EXPECT_EQ(s.cached.size, kPlanes * 2);
  EXPECT_EQ(s.cached.size, kPlanes * 6 + s.regions[fw::kCache].grabs - s.regions[fw::kNative].grabs);
}

INSTANTIATE_TEST_SUITE_P(Schemes, SlcCacheSize, ::testing::Values("slc_cache", "mga", "ipu", "pslc"),
                         parameter_name);

} // namespace
} // namespace twinplane::test::slc_cache_size_test
