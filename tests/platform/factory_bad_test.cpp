// Can a drive with factory-bad blocks be written in full, however little over-provisioning is set? The
// capacity that it exports is what its good blocks hold.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::factory_bad_test {
namespace {

constexpr const char* kDrive = R"(
[geometry]
channels = 1
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 201
pages_per_block = 24
[ftl]
over_provisioning = "1%"
[nand]
factory_bad = "1%"
program_order = "relaxed"
[workload]
rw = "write"
bs = "64KiB"
number_ios = 3600
)";

class FactoryBad : public ::testing::TestWithParam<const char*> {};

TEST_P(FactoryBad, DriveIsWrittenInFullAndAgain) {
  const platform::Config config = configure(kDrive, {GetParam()});
  platform::Simulation simulation(config);
  const platform::Summary s = run_workload(simulation, config);
  expect_consistent(s);
  EXPECT_EQ(s.workload.failed, 0u);
  EXPECT_FALSE(s.ftl.counters.read_only);
  EXPECT_GT(s.workload.bytes_written, simulation.exported_bytes());
  EXPECT_LT(simulation.exported_bytes(), std::uint64_t{199} * 2 * 24 * config.geometry.page_size);
  EXPECT_GT(simulation.exported_bytes(), std::uint64_t{185} * 2 * 24 * config.geometry.page_size);
}

INSTANTIATE_TEST_SUITE_P(Allocations, FactoryBad,
                         ::testing::Values("ftl.plane_allocation=F2", "ftl.plane_allocation=CWDP",
                                           "ftl.policy=d+tbm", "ftl.block_allocation=pa"),
                         parameter_name);

} // namespace
} // namespace twinplane::test::factory_bad_test
