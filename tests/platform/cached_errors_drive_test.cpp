// What does a whole drive with an SLC-mode cache lose where single codewords of its pages cannot be
// corrected?
#include <gtest/gtest.h>

#include <string>

#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::cached_errors_drive_test {
namespace {

/// Every update reads the rest of its logical page, and so does whatever moves it. A codeword of 8752 bits
/// has more than 40 wrong ones about once in 10,000 times.
constexpr const char* kDrive = R"(
[geometry]
channels = 1
chips_per_channel = 1
dies_per_chip = 2
planes_per_die = 2
blocks_per_plane = 48
pages_per_block = 32
page_size = "16KiB"
[data]
mode = "full"
[nand]
cell = "mlc"
[nand.errors]
reading = "drawn"
fresh = 0.0025
worn = 0.0025
partial = 0
neighbour = 0
upper_pages = 1
[bus]
monitor = true
[controller.ecc]
code = "bch"
[ftl]
over_provisioning = "40%"
write_buffer = 0
[slc_cache]
share = "12%"
update = "union"
[precondition]
mode = "fill"
fill = "60%"
[workload]
rw = "randrw"
rwmixread = 30
bs = "4KiB"
number_ios = 8000
)";

class CachedErrors : public ::testing::TestWithParam<const char*> {};

// One bad codeword costs one sector of a page of four: as many sectors as pages, but for the few pages with
// two.
TEST_P(CachedErrors, LoseOneSectorForACodewordThatCannotBeCorrected) {
  const platform::Summary s = run_workload(configure(kDrive, {std::string("ftl.policy=") + GetParam()}));
  const std::uint64_t lost = s.ftl.counters.lost_sectors;
  EXPECT_GT(lost, 10u);
  EXPECT_LE(lost, s.reliability.uncorrectable + s.reliability.uncorrectable / 10);
  EXPECT_GE(s.ftl.counters.flash_failures, s.reliability.uncorrectable);
  EXPECT_GT(s.workload.failed, 0u);
  EXPECT_EQ(s.host.verify_mismatches, 0u);
  expect_consistent(s);
}

INSTANTIATE_TEST_SUITE_P(Schemes, CachedErrors, ::testing::Values("slc_cache", "mga", "ipu", "pslc"),
                         parameter_name);

} // namespace
} // namespace twinplane::test::cached_errors_drive_test
