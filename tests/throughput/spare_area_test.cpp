// Are data phases longer by exactly the bytes that cross the bus with the data?
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "platform/config/loader.h"
#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::spare_area_test {
namespace {

/// 16 KiB pages of four sectors; a byte takes 3 ns.
constexpr const char* kDrive = R"(
[geometry]
channels = 1
chips_per_channel = 2
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 16
pages_per_block = 16
page_size = "16KiB"
spare_size = "1872B"
[nand]
cell = "slc"
[bus]
interface = "flat"
ns_per_byte = "3ns"
[host]
mode = "closed"
iodepth = 8
[precondition]
mode = "fill"
fill = "100%"
[workload]
number_ios = 100
)";

struct Case {
  const char* what;
  std::vector<std::string> settings;
  std::uint64_t sector; // bytes on the bus
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.what;
}

class SpareArea : public testing::TestWithParam<Case> {
 protected:
  platform::ChannelSummary run(std::vector<std::string> settings) {
    const std::vector<std::string>& more = GetParam().settings;
    settings.insert(settings.end(), more.begin(), more.end());
    const platform::Summary s = run_workload(configure(std::string(kTimeless) + kDrive, settings));
    expect_consistent(s);
    EXPECT_EQ(s.nand.read.all_units + s.nand.program.all_units, 100u);
    return s.channels[0];
  }
};

TEST_P(SpareArea, TakesItsBytesWhenPagesAreRead) {
  EXPECT_EQ(run({"workload.rw=read", "workload.bs=16KiB"}).data_out, 100 * 4 * GetParam().sector * ns(3));
}

TEST_P(SpareArea, TakesAPartOfThemWithPartOfAPage) {
  EXPECT_EQ(run({"workload.rw=randread", "workload.bs=4KiB"}).data_out, 100 * GetParam().sector * ns(3));
}

TEST_P(SpareArea, TakesItsBytesWhenPagesAreProgrammed) {
  EXPECT_EQ(run({"workload.rw=write", "workload.bs=16KiB", "precondition.mode=none"}).data_in,
            100 * 4 * GetParam().sector * ns(3));
}

const Case kCases[] = {
    {"all of it", {}, 4096 + 1872 / 4},
    {"parity alone", {"controller.ecc.parity_on_bus=true"}, 4096 + 4 * 70},
    {"nothing", {"bus.spare_area=false"}, 4096},
    {"none there", {"geometry.spare_size=0B"}, 4096},
    {"an even number for each sector", {"geometry.spare_size=30B"}, 4096 + 6},
};
INSTANTIATE_TEST_SUITE_P(Bus, SpareArea, testing::ValuesIn(kCases), parameter_name);

TEST(SpareAreaKey, IsOnByDefault) {
  EXPECT_TRUE(platform::default_config().bus.spare_area);
}

} // namespace
} // namespace twinplane::test::spare_area_test
