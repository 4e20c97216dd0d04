// Does the host of a whole drive notice that programs fail now and then? Reads and writes of one megabyte,
// many at a time, so that most meet a page that is being written.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/oracle_drive.h"

namespace twinplane::test::failed_programs_test {
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

/// A move of a page that could not be programmed fails as well: the map leads back to a write that waits for what had
/// replaced it.
TEST(DriveWithoutProgrammableCells, AnswersEveryRequest) {
  const std::vector<std::string> settings{"geometry.pages_per_block=4",
                                          "geometry.page_size=4KiB",
                                          "nand.cell=mlc",
                                          "nand.program_order=relaxed",
                                          "nand.fail.program=100%",
                                          "controller.read_retries=7",
                                          "cpu.cost.flash_submit=100000",
                                          "ftl.policy=f+tbm+bac",
                                          "ftl.block_allocation=pa-twin",
                                          "ftl.age_limit=1ns",
                                          "energy.peak_limit=65.010",
                                          "host.mode=closed",
                                          "host.iodepth=2",
                                          "workload.rw=rw",
                                          "workload.bs=512B",
                                          "workload.offset=203776B",
                                          "workload.seed=457019",
                                          "run.seed=986430"};
  const platform::Summary s =
      run_workload(configure("[geometry]\nplanes_per_die = 2\nsector_size = \"512B\"\n", settings));
  EXPECT_GT(s.workload.failed, 0u);
  EXPECT_EQ(s.host.verify_mismatches, 0u);
}

/// Metadata that must be written before a victim may be erased never are.
TEST(DriveWithoutProgrammableCells, BecomesReadOnlyWhereErasesWaitForMetadata) {
  const std::vector<std::string> settings{"geometry.channels=1",
                                          "geometry.dies_per_chip=1",
                                          "geometry.blocks_per_plane=36",
                                          "geometry.pages_per_block=10",
                                          "nand.cell=mlc",
                                          "nand.fail.program=100%",
                                          "ftl.policy=mga",
                                          "ftl.die_queue_depth=2",
                                          "slc_cache.share=45%",
                                          "slc_cache.most_share=55%",
                                          "host.mode=closed",
                                          "host.iodepth=256",
                                          "workload.rw=randwrite",
                                          "workload.bssplit=4k/50:32k/50",
                                          "workload.number_ios=600"};
  const platform::Summary s = run_workload(configure("[geometry]\nplanes_per_die = 2\n", settings));
  EXPECT_GT(s.workload.failed, 0u);
  EXPECT_EQ(s.host.verify_mismatches, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Acknowledged, FailedPrograms,
    ::testing::Values(std::vector<std::string>{"ftl.write_ack=programmed"},
                      std::vector<std::string>{"ftl.write_ack=buffered", "ftl.write_buffer=16"}),
    [](const auto& param) { return param.param.size() == 1 ? "Programmed" : "Buffered"; });

} // namespace
} // namespace twinplane::test::failed_programs_test
