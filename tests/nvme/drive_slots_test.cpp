// Can the host always reach a drive with few command slots, whatever fills them?
#include <gtest/gtest.h>

#include "tests/nvme/drive_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::drive_slots_test {
namespace {

/// By host.slots.
class FewSlots : public testing::TestWithParam<std::uint32_t> {
 protected:
  static std::string slots() { return "[host]\nslots = " + std::to_string(GetParam()) + "\n"; }
};

/// A completion queue of two entries takes one entry; `reads` others wait for the host, which takes none.
void fill_completion_queue(DriveBench& bench, std::uint32_t reads) {
  ASSERT_TRUE(bench.host.create_pair(1, 32, 2));
  for (std::uint32_t i = 0; i < reads; ++i) bench.host.push(1, DriveBench::io(nvme::io::read, i, 1));
  bench.host.ring(1);
  bench.host.pass(ms(5));
}

int identify(DriveBench& bench) {
  return bench.host.execute(0, DriveBench::admin(nvme::admin::identify, 1));
}

TEST_P(FewSlots, HeldByCompletionsThatNobodyTakesStillLetAdminCommandsIn) {
  DriveBench bench(slots());
  bench.start();
  fill_completion_queue(bench, 20);
  for (int i = 0; i < 10; ++i) ASSERT_EQ(identify(bench), 0);
  ASSERT_EQ(bench.host.execute(0, DriveBench::admin(nvme::admin::delete_sq, 1)), 0);
  EXPECT_EQ(bench.host.execute(0, DriveBench::admin(nvme::admin::delete_cq, 1)), 0);
  ASSERT_TRUE(bench.host.create_pair(1, 16, 16));
  EXPECT_EQ(bench.host.execute(1, DriveBench::io(nvme::io::read, 0, 1)), 0);
}

TEST_P(FewSlots, HeldByEventRequestsAndCompletionsStillLetAdminCommandsIn) {
  DriveBench bench(slots());
  bench.start();
  ASSERT_EQ(identify(bench), 0);
  const int allowed = *bench.host.memory.at(DriveBench::kData + 259) + 1; // AERL
  for (int i = 0; i < allowed; ++i) {
    nvme::Sqe entry = DriveBench::admin(nvme::admin::async_event);
    entry.cid = static_cast<std::uint16_t>(1000 + i);
    bench.host.push(0, entry);
  }
  bench.host.ring(0);
  bench.host.pass(ms(1));
  fill_completion_queue(bench, 20);
  for (int i = 0; i < 10; ++i) ASSERT_EQ(identify(bench), 0);
  EXPECT_EQ(bench.host.execute(0, DriveBench::admin(nvme::admin::delete_sq, 1)), 0);
}

TEST_P(FewSlots, HeldByCompletionsGoOnWhenTheHostTakesThem) {
  constexpr std::uint32_t kReads = 20;
  DriveBench bench(slots());
  bench.start();
  fill_completion_queue(bench, kReads);
  const hw::FrontEndStatistics before = bench.ssd.front_end().statistics();
  EXPECT_LE(before.fetched - before.completed, GetParam())
      << "a host that takes nothing is not served for ever";
  std::uint32_t taken = 0;
  for (int look = 0; look < 1000 && taken < kReads; ++look, bench.host.pass(us(50))) {
    while (bench.host.take(1)) ++taken;
    bench.host.ring_head(1);
  }
  EXPECT_EQ(taken, kReads);
}

TEST_P(FewSlots, HeldByAdminCompletionsAreFreedByTheAdminQueuesHead) {
  DriveBench bench(slots());
  bench.host.enable(4);
  ASSERT_TRUE(bench.host.wait_status(~0u, nvme::csts::rdy, ms(1000)));
  constexpr int kCommands = 30;
  int sent = 0;
  int taken = 0;
  for (int look = 0; look < 1000 && taken < kCommands; ++look) {
    for (; sent - taken < 3 && sent < kCommands; ++sent) // SQ and CQ are full
      bench.host.push(0, DriveBench::admin(nvme::admin::identify, 1));
    bench.host.ring(0);
    bench.host.pass(ms(1));
    while (bench.host.take(0)) ++taken;
    bench.host.ring_head(0);
  }
  EXPECT_EQ(taken, kCommands);
}

INSTANTIATE_TEST_SUITE_P(Of, FewSlots, testing::Values(2u, 3u, 4u, 5u, 8u), parameter_name);

} // namespace
} // namespace twinplane::test::drive_slots_test
