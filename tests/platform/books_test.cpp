// Do the books balance? Whatever the workload and the drive, host, link, firmware, bus and dies count the
// same things, reads bring back what was written, and Little's law holds at the host.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::books_test {
namespace {

constexpr const char* kDrive = R"(
[geometry]
channels = 2
chips_per_channel = 1
dies_per_chip = 2
planes_per_die = 2
blocks_per_plane = 32
pages_per_block = 48
page_size = "8KiB"
spare_size = "448B"
[ftl]
over_provisioning = "25%"
[host]
queue_size = 128
[workload]
number_ios = 4000
)";

struct Case {
  const char* name;
  std::vector<std::string> settings;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

const std::string kFilled = "precondition.mode=fill";
const std::string kFull = "precondition.fill=100%";
const std::string kWorn = "precondition.overwrite=100%";

const Case kCases[] = {
    {"reads_of_an_empty_drive", {"workload.rw=randread"}},
    {"sequential_reads", {"workload.rw=read", "workload.bs=64KiB", kFilled}},
    {"random_reads", {"workload.rw=randread", kFilled}},
    {"sequential_writes", {"workload.rw=write", "workload.bs=64KiB", "workload.number_ios=400"}},
    {"random_pages", {"workload.rw=randwrite", "workload.bs=8KiB"}},
    {"half_pages", {"workload.rw=randwrite", kFilled}},
    {"mix", {"workload.rw=randrw", "workload.rwmixread=70", kFilled}},
    {"mix_under_collection", {"workload.rw=randrw", kFilled, kFull, kWorn}},
    {"writes_under_collection", {"workload.rw=randwrite", "workload.bs=8KiB", kFilled, kFull, kWorn}},
    {"trims", {"workload.rw=randtrim", "workload.bs=16KiB", kFilled}},
    {"small_sectors",
     {"geometry.sector_size=512B", "workload.rw=randrw", "workload.bssplit=512/30:3k/40:9k/30", kFilled}},
    {"small_sectors_under_collection",
     {"geometry.sector_size=512B", "workload.rw=randrw", "workload.bs=1536B", kFilled, kFull, kWorn}},
    {"requests_of_many_commands",
     {"workload.rw=rw", "workload.bs=1MiB", "workload.number_ios=100", "host.max_transfer=64KiB", kFilled}},
    {"four_queues", {"host.queues=4", "workload.rw=randrw", "host.iodepth=64", kFilled}},
    {"weighted_queues",
     {"host.queues=4", "host.arbitration=weighted", "workload.rw=randrw", "host.iodepth=200", kFilled}},
    {"depth_one", {"host.iodepth=1", "workload.rw=randrw", kFilled}},
    {"open_loop",
     {"host.mode=open", "workload.rate_iops=3000", "workload.rate_process=poisson", "workload.rw=randrw",
      kFilled}},
    {"overload", {"host.mode=open", "workload.rate_iops=50000", "workload.rw=randrw", kFilled}},
    {"flushes", {"workload.rw=randwrite", "workload.fsync=7"}},
    {"acknowledged_by_the_buffer",
     {"ftl.write_buffer=64", "ftl.write_ack=buffered", "workload.rw=randrw", "workload.size=4MiB",
      "workload.fsync=100", kFilled}},
    {"buffer_under_collection",
     {"ftl.write_buffer=32", "ftl.write_ack=buffered", "workload.rw=randwrite", kFilled, kFull, kWorn}},
    {"polled_status", {"bus.ready=poll", "workload.rw=randrw", kFilled}},
    {"static_planes", {"ftl.plane_allocation=CWDP", "workload.rw=randrw", kFilled, kFull, kWorn}},
    {"no_pairs", {"ftl.pair=off", "workload.rw=randrw", kFilled, kFull, kWorn}},
    {"pairs_of_neighbours", {"ftl.pair=next", "workload.rw=randrw", kFilled, kFull, kWorn}},
    {"free_pairs_and_moves",
     {"nand.bac=false", "ftl.gc_moves=multi", "workload.rw=randrw", kFilled, kFull, kWorn}},
    {"shared_frontier", {"ftl.frontier=shared", "workload.rw=randrw", kFilled, kFull, kWorn}},
    {"no_data", {"data.mode=none", "workload.rw=randrw", kFilled, kFull, kWorn}},
    {"all_data", {"data.mode=full", "workload.rw=randrw", "workload.number_ios=1000", kFilled}},
    {"two_rounds", {"host.rounds=2", "workload.rw=randrw", kFilled}},
    {"twin_blocks", {"ftl.policy=d+tbm", "workload.rw=randrw", kFilled, kFull, kWorn}},
    {"twin_blocks_with_bac",
     {"ftl.policy=f2+tbm+bac", "ftl.gc_moves=multi", "workload.rw=randrw", kFilled, kFull, kWorn}},
    {"twin_blocks_of_the_simulator",
     {"ftl.policy=f+tbm", "ftl.tbm_gc=simulator", "workload.rw=randrw", kFilled, kFull, kWorn}},
};

class Books : public ::testing::TestWithParam<Case> {};

TEST_P(Books, Balance) {
  const platform::Config config = configure(kDrive, GetParam().settings);
  const platform::Summary s = run_workload(config);
  expect_consistent(s);
  EXPECT_EQ(s.workload.requests, config.host.rounds * (config.workload.number_ios + s.workload.flushes));
  EXPECT_EQ(s.accounts.size(), 8u);
  EXPECT_EQ(s.workload.reads + s.workload.writes + s.workload.trims + s.workload.flushes,
            s.workload.requests);
  EXPECT_EQ(s.host.flush.count, s.workload.flushes);
  EXPECT_EQ(s.host.trim.count, s.workload.trims);
  ASSERT_EQ(s.rounds.size(), config.host.rounds);
  std::uint64_t reads = 0, writes = 0, pages = 0;
  for (const platform::RoundSummary& r : s.rounds) {
    reads += r.reads;
    writes += r.writes;
    pages += r.program.all_units;
  }
  EXPECT_EQ(reads, s.host.read.count);
  EXPECT_EQ(writes, s.host.write.count);
  EXPECT_LE(pages, s.nand.program.all_units) << "what follows the last request belongs to no round";
  EXPECT_EQ(s.host.littles_law.has_value(), s.host.queue_depth_mean > 0);
  if (config.data != DataMode::none) {
    EXPECT_EQ(s.host.verify_checked * config.geometry.sector_size, s.workload.bytes_read);
  }
}

INSTANTIATE_TEST_SUITE_P(Workloads, Books, ::testing::ValuesIn(kCases), parameter_name);

} // namespace
} // namespace twinplane::test::books_test
