// Does all that a real drive keeps in DRAM lie in the device's, and is what the drive says it needs exactly
// that?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "platform/config/dram_needs.h"
#include "tests/support/config_text.h"
#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::dram_needs_test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kDrive = R"(
[geometry]
channels = 2
chips_per_channel = 2
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 64
pages_per_block = 48
page_size = "16KiB"
spare_size = "0B"
[host]
mode = "closed"
[workload]
rw = "randrw"
bs = "16KiB"
number_ios = 300
)";

class DramNeeds : public testing::TestWithParam<std::vector<std::string>> {
 protected:
  platform::Config drive() const { return configure(kDrive, GetParam()); }
};

/// With `bytes` of DRAM.
platform::Config with_size(platform::Config config, std::uint64_t bytes) {
  config.dram.size = bytes;
  return config;
}

TEST_P(DramNeeds, AreEnough) {
  const auto needs = platform::dram_needs(drive());
  ASSERT_TRUE(needs);
  platform::Simulation simulation(with_size(drive(), needs->total()));
  const platform::Summary s = run_workload(simulation, drive());
  EXPECT_TRUE(simulation.ssd().firmware().booted());
  EXPECT_EQ(s.host.read.count + s.host.write.count, 300u);
  expect_consistent(s);
}

/// Not even a program that builds its drive without the loader gets one with less.
TEST_P(DramNeeds, AreAskedOfEveryDrive) {
  sc_core::sc_report_handler::set_handler([](const sc_core::sc_report&, const sc_core::sc_actions&) {});
  const auto needs = platform::dram_needs(drive());
  ASSERT_TRUE(needs);
  try {
    platform::Simulation simulation(with_size(drive(), needs->total() - platform::DramNeeds::kAlignment));
    FAIL() << "it was taken";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("dram.size"));
    EXPECT_THAT(error.what(), HasSubstr("is too small: this drive needs"));
  }
}

TEST_P(DramNeeds, HoldTheFirmwaresState) {
  platform::Simulation simulation(drive());
  simulation.prepare();
  const platform::TlmHal& hal = simulation.ssd().hal();
  const auto* const state =
      reinterpret_cast<const std::uint8_t*>(&simulation.ssd().firmware().firmware().ftl().statistics());
  EXPECT_GE(state, hal.memory());
  EXPECT_LT(state, hal.memory() + hal.memory_bytes());
}

const std::vector<std::string> kDrives[] = {
    {},
    {"data.mode=full", "ftl.write_buffer=8MiB", "ftl.write_ack=buffered"},
    {"ftl.policy=f+tbm", "nand.cell=mlc"},
    {"ftl.policy=ipu", "geometry.subpages_per_page=4", "nand.partial_programs=4",
     "ftl.over_provisioning=25%"},
    {"host.slots=64", "ftl.die_queue_depth=4", "data.mode=none"},
};
INSTANTIATE_TEST_SUITE_P(Drives, DramNeeds, testing::ValuesIn(kDrives), parameter_name);

TEST(DramSize, FollowsFromTheCapacity) {
  const platform::Config one = configure(kDrive, {"geometry.blocks_per_plane=4096"});
  const platform::Config two = configure(kDrive, {"geometry.blocks_per_plane=8192"});
  const double pages = 8.0 * 4096 * 48 * 0.85;
  const auto of_one = platform::dram_needs(one);
  const auto of_two = platform::dram_needs(two);
  ASSERT_TRUE(of_one && of_two);
  EXPECT_NEAR(static_cast<double>(of_one->map), 4 * pages, 100) << "four bytes for each logical page";
  EXPECT_NEAR(static_cast<double>(of_two->map), 8 * pages, 100);
  EXPECT_EQ(of_one->for_hardware(), of_two->for_hardware());
  EXPECT_LT(platform::dram_bytes(one, of_one) - of_one->total(), 1u << 20);
}

TEST(DramSize, ThatIsTooSmallSaysHowMuchIsNeeded) {
  const std::string drive = std::string(kDrive) + "[dram]\nsize = \"1MiB\"\n";
  const auto needs = platform::dram_needs(configure(kDrive));
  ASSERT_TRUE(needs);
  EXPECT_THAT(complaint(drive), HasSubstr("dram.size"));
  EXPECT_THAT(complaint(drive), HasSubstr("1MiB is too small: this drive needs " + text_of(*needs)));
  EXPECT_THAT(text_of(*needs), HasSubstr("map 0.1MiB"));
  EXPECT_EQ(configure(kDrive, {"dram.size=" + std::to_string(needs->total()) + "B"}).dram.size,
            needs->total());
}

// Which blocks are bad is known when the firmware looks at them: as much is kept as if none were.
TEST(DramSize, CountsBlocksThatMayBeBad) {
  const platform::Config bad = configure(kDrive, {"nand.factory_bad=2%"});
  const auto needs = platform::dram_needs(bad);
  ASSERT_TRUE(needs);
  EXPECT_EQ(needs->total(), platform::dram_needs(configure(kDrive))->total());
  platform::Simulation simulation(bad);
  expect_consistent(run_workload(simulation, bad));
  EXPECT_TRUE(simulation.ssd().firmware().booted());
}

// Tables may lie beyond what 32-bit addresses reach; what is not touched takes no memory.
TEST(DramSize, MayBeLarge) {
  platform::Simulation simulation(configure(kDrive, {"dram.size=64GiB"}));
  const platform::Summary s = run_workload(simulation, configure(kDrive));
  EXPECT_EQ(simulation.ssd().hal().memory_bytes(), std::uint64_t{64} << 30);
  expect_consistent(s);
}

} // namespace
} // namespace twinplane::test::dram_needs_test
