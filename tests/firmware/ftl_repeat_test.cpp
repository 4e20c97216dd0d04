// Does the host notice that a program has failed? It is repeated elsewhere, and until then the data are in
// the controller's memory: no read and no write may end with an error, in whatever order flash commands
// complete. Oracle for the data: the shadow of FtlBench.
#include <cstring>

#include "tests/support/ftl_random.h"

namespace twinplane::test::ftl_repeat_test {
namespace {

constexpr std::uint32_t kSectors = 4; // per page of the small drive

/// programs_last: a die answers the read behind a program first. Our flash controller does not; nothing
/// relies on it.
enum class Order { first_come, newest_first, shuffled, programs_last };

struct Drive {
  const char* name;
  void (*change)(FtlBenchConfig& c);
};

void PrintTo(Order order, std::ostream* out) {
  *out << static_cast<int>(order);
}
void PrintTo(const Drive& d, std::ostream* out) {
  *out << d.name;
}

const Drive kDrives[] = {
    {"write_through", [](FtlBenchConfig&) {}},
    {"late_data", [](FtlBenchConfig& c) { c.late_data = true; }},
    {"sleepy_core", [](FtlBenchConfig& c) { c.sleepy = true; }},
    {"bound", [](FtlBenchConfig& c) { c.ftl.plane_allocation = "CWDP"; }},
    {"deep_queues", [](FtlBenchConfig& c) { c.ftl.die_queue_depth = 4; }},
    {"twin",
     [](FtlBenchConfig& c) {
       c.ftl.block_allocation = "twin";
       c.ftl.gc_moves = fw::GcMoves::multi;
     }},
    {"plane_reads",
     [](FtlBenchConfig& c) {
       c.ftl.independent_reads = true;
       c.ftl.suspend = true;
     }},
    {"buffered",
     [](FtlBenchConfig& c) {
       c.ftl.write_ack = fw::WriteAck::buffered;
       c.ftl.write_buffer_pages = 8;
     }},
    {"buffered_late_data",
     [](FtlBenchConfig& c) {
       c.ftl.write_ack = fw::WriteAck::buffered;
       c.ftl.write_buffer_pages = 8;
       c.late_data = true;
       c.sleepy = true;
     }},
};

using Case = std::tuple<Drive, Order>;

class Repeat : public ::testing::TestWithParam<Case> {
 protected:
  FtlBenchConfig drive(std::uint64_t seed) const {
    FtlBenchConfig c = small_drive();
    c.ftl.geometry.blocks_per_plane = 32;
    c.ftl.over_provisioning = 0.5;
    std::get<0>(GetParam()).change(c);
    c.newest_first = std::get<1>(GetParam()) == Order::newest_first;
    c.shuffle = std::get<1>(GetParam()) == Order::shuffled;
    c.programs_last = std::get<1>(GetParam()) == Order::programs_last;
    c.seed = seed;
    return c;
  }
};

// Reads and writes of twelve pages, whole and in part: most of them meet others under way.
TEST_P(Repeat, IsNotNoticedByReadsAndWritesOfTheSamePages) {
  std::uint64_t failures = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    FtlBench b(drive(seed));
    b.hal().flash().fail_programs(15, seed);
    Mix mix;
    mix.operations = 400;
    mix.max_sectors = 8;
    mix.lbas = 12 * kSectors;
    ASSERT_NO_FATAL_FAILURE(run_random(b, mix, seed));
    EXPECT_EQ(b.failed_reads(), 0u);
    EXPECT_EQ(b.failed_writes(), 0u);
    failures += b.statistics().flash_failures;
  }
  EXPECT_GT(failures, 100u);
}

// Most programs are moves of the collector.
TEST_P(Repeat, IsNotNoticedWhileTheCollectorMovesThePages) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    FtlBench b(drive(seed));
    const auto pages = static_cast<std::uint32_t>(b.sectors() / kSectors);
    for (std::uint32_t lpn = 0; lpn < pages; ++lpn) ASSERT_EQ(b.precondition(lpn), nullptr);
    b.hal().flash().fail_programs(3, seed);
    Mix mix;
    mix.operations = 6000;
    mix.write_percent = 40;
    mix.max_sectors = 8;
    ASSERT_NO_FATAL_FAILURE(run_random(b, mix, seed));
    EXPECT_EQ(b.failed_reads(), 0u);
    EXPECT_EQ(b.failed_writes(), 0u);
    EXPECT_GT(b.statistics().gc_pages_moved, 500u);
    EXPECT_GT(b.statistics().flash_failures, 5u);
    EXPECT_FALSE(b.statistics().read_only);
  }
}

// A read for the firmware itself (compare) of a sector that the buffer gets only by the write that fails,
// while further data of the page are on their way into the buffer.
TEST(DeviceRead, WaitsForDataOnTheirWayIntoTheBuffer) {
  FtlBenchConfig c = small_drive();
  c.ftl.write_ack = fw::WriteAck::buffered;
  c.ftl.write_buffer_pages = 16;
  c.ftl.die_queue_depth = 4;
  c.late_data = true;
  FtlBench b(c);
  ASSERT_EQ(b.precondition(0), nullptr);
  b.write(0, 1);
  b.settle();
  b.hal().flash().fail_program(1);
  b.flush();
  while (b.statistics().program_pages == 0) ASSERT_TRUE(b.step());
  fw::Request read;
  read.slot = static_cast<std::uint16_t>(c.ftl.max_requests - 1); // of no other request
  read.lba = 2;
  read.sectors = 2;
  read.device_buffer = b.hal().dram_size() - 2 * kTagBytes;
  b.begin_foreign(read);
  b.write(1, 1);
  b.settle();
  ASSERT_TRUE(b.foreign_done());
  EXPECT_GE(b.statistics().flash_failures, 2u) << "of the program and of the read";
  EXPECT_EQ(read.status, nvme::status::success);
  SectorTag tags[2];
  std::memcpy(tags, b.hal().dram() + read.device_buffer, sizeof tags);
  for (std::uint64_t i = 0; i < 2; ++i) EXPECT_EQ(tags[i].lba, 2 + i);
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  const char* const orders[] = {"first_come", "newest_first", "shuffled", "programs_last"};
  return std::string(std::get<0>(info.param).name) + "_" + orders[static_cast<int>(std::get<1>(info.param))];
}

INSTANTIATE_TEST_SUITE_P(Drives, Repeat,
                         ::testing::Combine(::testing::ValuesIn(kDrives),
                                            ::testing::Values(Order::first_come, Order::newest_first,
                                                              Order::shuffled, Order::programs_last)),
                         name_of);

} // namespace
} // namespace twinplane::test::ftl_repeat_test
