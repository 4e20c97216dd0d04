// Do failing and bad blocks cost blocks, but never data? Every read is checked against the host's shadow.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::bad_blocks_test {
namespace {

constexpr const char* kDrive = R"(
[geometry]
channels = 2
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 64
pages_per_block = 48
page_size = "8KiB"
spare_size = "448B"
[ftl]
over_provisioning = "40%"
[precondition]
mode = "fill"
fill = "100%"
overwrite = "100%"
[host]
queue_size = 128
[workload]
rw = "randrw"
number_ios = 6000
)";

struct Case {
  const char* name;
  bool programs, erases; // that fail
  std::vector<std::string> settings;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

const Case kCases[] = {
    {"factory_bad", false, false, {"nand.factory_bad=5%"}},
    {"failing_erases", false, true, {"nand.fail.erase=10%"}},
    {"failing_programs", true, false, {"nand.fail.program=0.2%"}},
    {"failing_programs_of_whole_pages", true, false, {"nand.fail.program=0.2%", "workload.bs=8KiB"}},
    {"failing_programs_of_a_buffer",
     true,
     false,
     {"nand.fail.program=0.2%", "ftl.write_buffer=32", "ftl.write_ack=buffered"}},
    {"all_at_once", true, true, {"nand.factory_bad=3%", "nand.fail.program=0.1%", "nand.fail.erase=5%"}},
};

class BadBlocks : public ::testing::TestWithParam<Case> {};

TEST_P(BadBlocks, LoseNoData) {
  const platform::Config config = configure(kDrive, GetParam().settings);
  const platform::Summary s = run_workload(config);
  expect_consistent(s);
  EXPECT_GT(s.host.verify_checked, 0u);
  EXPECT_EQ(s.nand.failed_programs > 0, GetParam().programs);
  EXPECT_EQ(s.nand.failed_erases > 0, GetParam().erases);
}

/// One plane, and one program in a hundred fails: most blocks are lost before they have been used ten times.
TEST(WornOut, ADriveThatHasNoSpaceLeftIsReadOnly) {
  const platform::Config config =
      configure(kDrive, {"geometry.channels=1", "geometry.planes_per_die=1", "nand.fail.program=1%",
                         "precondition.overwrite=0%", "workload.rw=randwrite", "workload.bs=8KiB"});
  const platform::Summary s = run_workload(config);
  expect_consistent(s);
  EXPECT_TRUE(s.ftl.counters.read_only);
  EXPECT_GT(s.workload.failed, 0u);
  EXPECT_GT(s.host.write.count, s.workload.failed);
}

INSTANTIATE_TEST_SUITE_P(Drives, BadBlocks, ::testing::ValuesIn(kCases), parameter_name);

} // namespace
} // namespace twinplane::test::bad_blocks_test
