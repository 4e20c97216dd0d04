// Does the host of a whole drive notice that programs fail now and then? Reads and writes of one megabyte,
// many at a time, so that most meet a page that is being written.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/oracle_drive.h"

namespace twinplane::test {
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
[nand]
fail.program = "0.5%"
[host]
mode = "closed"
iodepth = 32
[workload]
rw = "randrw"
size = "1MiB"
randommap = false
number_ios = 6000
)";

class FailedPrograms : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(FailedPrograms, EndNoRequestWithAnError) {
  const platform::Summary s = run_workload(configure(kDrive, GetParam()));
  EXPECT_GT(s.nand.failed_programs, 3u);
  EXPECT_EQ(s.workload.failed, 0u);
  EXPECT_EQ(s.host.verify_mismatches, 0u);
  EXPECT_GT(s.host.verify_checked, 2000u);
}

INSTANTIATE_TEST_SUITE_P(
    Acknowledged, FailedPrograms,
    ::testing::Values(std::vector<std::string>{"ftl.write_ack=programmed"},
                      std::vector<std::string>{"ftl.write_ack=buffered", "ftl.write_buffer=16"}),
    [](const auto& param) { return param.param.size() == 1 ? "Programmed" : "Buffered"; });

} // namespace
} // namespace twinplane::test
