// Does collection that is paced leave write latency without cliffs, and at what price? A drive in the steady state of random
// writes, whose host could always write more.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/oracle_drive.h"

namespace twinplane::test::paced_collection_test {
namespace {

constexpr const char* kDrive = R"(
[geometry]
channels = 4
chips_per_channel = 1
dies_per_chip = 2
planes_per_die = 4
blocks_per_plane = 64
pages_per_block = 48
page_size = "16KiB"
[nand]
cell = "tlc"
one_pass = true
tR = "50us"
tPROG_wordline = "1400us"
tBERS = "5ms"
[bus]
interface = "nv-ddr3"
mode = 14
[ftl]
map_unit = "4KiB"
erase_unit = "die"
program_unit = "die"
gc_moves = "multi"
over_provisioning = "20%"
write_ack = "buffered"
write_buffer = 1024
[power]
hold_up = 100000
[host]
mode = "closed"
iodepth = 64
[precondition]
mode = "fill"
fill = "100%"
overwrite = "100%"
[workload]
rw = "randwrite"
bs = "4KiB"
number_ios = 100000
)";

class PacedCollection : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(PacedCollection, LeavesWritesNoCliffsAndDiesNoRest) {
  std::vector<std::string> settings = GetParam();
  settings.insert(settings.begin(), "ftl.scheduling=paced");
  const platform::Summary s = run_workload(configure(kDrive, settings));
  expect_consistent(s);
  const platform::LatencyNs& write = s.host.write.latency;
  EXPECT_LT(write.p99_9, 10 * write.mean);
  constexpr double kCollection =
      5e6 + 16 * 1.4e6; // ns: an erase, and moves to all wordlines of a superblock but few
  EXPECT_LT(write.max, kCollection / 2) << "no write waits from the beginning of a collection to its end";
  EXPECT_GT(s.utilisation.dies.mean, 0.85);
}

INSTANTIATE_TEST_SUITE_P(Drives, PacedCollection,
                         ::testing::Values(std::vector<std::string>{},
                                           std::vector<std::string>{"precondition.phase=random"},
                                           std::vector<std::string>{"ftl.frontier=shared"},
                                           std::vector<std::string>{"ftl.over_provisioning=14%"}));

// What pacing is for: a host that is served until there is no space waits for all of a collection.
TEST(CollectionByNeed, MakesWritesWaitForAllOfIt) {
  const platform::Summary s = run_workload(configure(kDrive, {"ftl.over_provisioning=14%"}));
  EXPECT_GT(s.host.write.latency.p99_9, 10 * s.host.write.latency.mean);
}

} // namespace
} // namespace twinplane::test::paced_collection_test
