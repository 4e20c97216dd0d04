// What becomes of the commands of a submission queue that is deleted while its completions wait (NVMe 1.4
// section 5.6)?
#include <gtest/gtest.h>

#include "tests/nvme/drive_bench.h"

namespace twinplane::test::drive_queues_test {
namespace {

namespace bar0 = nvme::bar;

constexpr std::uint32_t kCommands = 8;

/// A completion queue of two entries, and eight reads: one is posted, the others wait.
struct FullQueueBench : DriveBench {
  FullQueueBench() { start(); }

  void send() {
    ASSERT_TRUE(host.create_pair(1, 16, 2));
    for (std::uint32_t i = 0; i < kCommands; ++i) host.push(1, io(nvme::io::read, i, 1));
    host.ring(1);
  }
  int remove_sq() { return host.execute(0, admin(nvme::admin::delete_sq, 1)); }
  int remove_cq() { return host.execute(0, admin(nvme::admin::delete_cq, 1)); }
  /// Entries that come while the host takes them, for 1 ms.
  std::size_t drain() {
    std::size_t entries = 0;
    for (int i = 0; i < 20; ++i, host.pass(us(50))) {
      while (host.take(1)) ++entries;
      host.ring_head(1);
    }
    return entries;
  }
};

constexpr TimePs kMoments[] = {1,      ns(300), us(1),   us(3),
                               us(30), us(70),  us(120), ms(2)}; // after the doorbell

TEST(DeletedQueues, PostNothingAfterTheDeletionHasCompleted) {
  FullQueueBench bench;
  for (const TimePs moment : kMoments) {
    SCOPED_TRACE(moment);
    bench.send();
    bench.host.pass(moment);
    EXPECT_EQ(bench.remove_sq(), 0);
    EXPECT_LE(bench.drain(), 1u) << "more than what fitted before";
    EXPECT_EQ(bench.remove_cq(), 0);
  }
}

TEST(DeletedQueues, LeaveNothingToAQueueCreatedAnew) {
  FullQueueBench bench;
  for (const TimePs moment : kMoments) {
    SCOPED_TRACE(moment);
    bench.send();
    bench.host.pass(moment);
    EXPECT_EQ(bench.remove_sq(), 0);
    EXPECT_EQ(bench.host.execute(0, bench.host.create_sq(1, 8, 1)), 0);
    EXPECT_LE(bench.drain(), 1u) << "no doorbell was rung";
    for (int i = 0; i < 20; ++i) EXPECT_EQ(bench.host.execute(1, DriveBench::io(nvme::io::read, 0, 1)), 0);
    EXPECT_EQ(bench.host.last.sq_head, 20u % 8);
    EXPECT_EQ(bench.remove_sq(), 0);
    EXPECT_EQ(bench.remove_cq(), 0);
  }
}

TEST(DeletedQueues, CanGoTogetherWithTheCreationOfTheNextInOneBurst) {
  FullQueueBench bench;
  bench.send(); // on their way to the drive
  bench.host.push(0, DriveBench::admin(nvme::admin::delete_sq, 1));
  bench.host.push(0, bench.host.create_sq(1, 16, 1));
  bench.host.ring(0);
  bench.host.pass(ms(2));
  EXPECT_TRUE(bench.host.take(0));
  const auto created = bench.host.take(0);
  ASSERT_TRUE(created);
  if (created->status >> 1 != 0) return; // refused while the deletion waits for its commands
  EXPECT_LE(bench.drain(), 1u) << "no doorbell was rung since";
}

} // namespace
} // namespace twinplane::test::drive_queues_test
