// Does a drive that has worn out answer every command? Writes that no space is left for are refused at the
// end of a firmware turn, and what waited for those goes on there, with no interrupt to follow.
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/oracle_drive.h"
#include "tests/support/record_list.h"

namespace twinplane::test::read_only_test {
namespace {

// The third write waits for space when the drive gives up, and the trims wait for its pages: more of them
// than the firmware has buffers for their ranges.
TEST(ReadOnlyDrive, AnswersTrimsThatWaitForABuffer) {
  const platform::Config config = configure(R"(
[geometry]
channels = 1
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 5
pages_per_block = 6
page_size = "4096B"
[ftl]
over_provisioning = "44%"
[nand]
fail.program = "100%"
)");
  std::vector<platform::IoRecord> records;
  for (int i = 0; i < 3; ++i) records.push_back(record(platform::IoOp::write, 0, 131072));
  for (std::uint64_t page = 0; page < 20; ++page) {
    records.push_back(record(platform::IoOp::trim, page * 4096, 4096));
  }
  RecordList source(records);
  platform::Simulation simulation(config);
  simulation.prepare();
  ASSERT_NO_THROW(simulation.run(source, "list"));
  const platform::Summary s = simulation.summary();
  EXPECT_TRUE(s.ftl.counters.read_only);
  EXPECT_EQ(s.workload.requests, records.size());
}

} // namespace
} // namespace twinplane::test::read_only_test
