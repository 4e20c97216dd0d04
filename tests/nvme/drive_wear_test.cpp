// Is the host told that the drive wears out (NVMe 1.4 sections 5.2, 5.14.1.2, 5.21.1.11)? Blocks are lost one
// by one, as their erases fail, until writes are refused.
#include <gtest/gtest.h>

#include "tests/nvme/drive_bench.h"

namespace twinplane::test::drive_wear_test {
namespace {

constexpr std::uint8_t kSpare = 1u << 0; // critical warnings, and bits of the feature that asks for events
constexpr std::uint8_t kReadOnly = 1u << 3;
constexpr std::uint32_t kHealthLog = 2;
constexpr std::uint32_t event(std::uint32_t info) { // of type SMART / health status
  return 1u | info << 8 | kHealthLog << 16;
}
constexpr std::uint32_t kReliability = event(0);
constexpr std::uint32_t kSpareEvent = event(2);
constexpr std::uint32_t kWritesAtMost = 20'000;
constexpr std::uint32_t kSectors = 2; // of 4 KiB: a page

struct WearBench : DriveBench {
  WearBench()
      : DriveBench(
            "[geometry]\nchannels=1\npages_per_block=12\n[ftl]\nover_provisioning=\"50%\"\n[nand]\n"
            "fail.erase=\"100%\"\n") {
    start();
    EXPECT_TRUE(host.create_pair(1, 16, 16));
  }
  /// An asynchronous event request, left with the drive.
  void ask() {
    nvme::Sqe sqe = admin(nvme::admin::async_event);
    sqe.cid = kEventCid;
    host.push(0, sqe);
    host.ring(0);
    host.pass(us(50));
  }
  /// The result of a request that has been completed; 0 when none was.
  std::uint32_t told() {
    host.pass(us(200));
    const auto entry = host.take(0);
    if (!entry) return 0;
    host.ring_head(0);
    EXPECT_EQ(entry->cid, kEventCid);
    EXPECT_EQ(entry->status >> 1, nvme::status::success);
    return entry->result;
  }
  void want(std::uint32_t warnings) {
    ASSERT_EQ(host.execute(0, admin(nvme::admin::set_features, 0x0B, warnings)), 0);
  }
  /// The critical warning and the available spare of the health log; reads it to its end.
  std::pair<std::uint8_t, std::uint8_t> health(bool retain = false) {
    const std::uint32_t cdw10 = 127u << 16 | (retain ? 1u << 15 : 0u) | kHealthLog;
    EXPECT_EQ(host.execute(0, admin(nvme::admin::get_log_page, cdw10, 0, ~0u)), 0);
    return {host.memory.load<std::uint8_t>(kData), host.memory.load<std::uint8_t>(kData + 3)};
  }
  int write() {
    lba = (lba + 16) % 256;
    return host.execute(1, io(nvme::io::write, lba, kSectors));
  }
  /// Writes until one is refused or, if asked to stop for it, an event has come, which is returned.
  std::uint32_t wear(bool until_event) {
    for (std::uint32_t i = 0; i < kWritesAtMost; ++i) {
      const int status = write();
      if (status == nvme::status::read_only_range) return told();
      EXPECT_EQ(status, 0);
      if (!until_event) continue;
      if (const std::uint32_t result = told_now()) return result;
    }
    ADD_FAILURE() << "the drive does not wear out";
    return 0;
  }

 private:
  static constexpr std::uint16_t kEventCid = 77;
  std::uint32_t told_now() {
    const auto entry = host.take(0);
    if (!entry) return 0;
    host.ring_head(0);
    return entry->result;
  }
  std::uint64_t lba = 0;
};

TEST(WornDrive, TellsOfLittleSpareAndThenThatItIsReadOnly) {
  WearBench bench;
  EXPECT_EQ(bench.health(), std::make_pair(std::uint8_t{0}, std::uint8_t{100}));
  bench.want(kSpare | kReadOnly);
  bench.ask();
  EXPECT_EQ(bench.told(), 0u) << "nothing has happened";
  EXPECT_EQ(bench.wear(true), kSpareEvent);
  EXPECT_EQ(bench.write(), 0) << "it is not the end yet";
  bench.ask();
  EXPECT_EQ(bench.wear(false), 0u) << "further ones wait until the log has been read";
  const auto [warning, spare] = bench.health(true);
  EXPECT_EQ(warning, kSpare | kReadOnly);
  EXPECT_LT(spare, 10);
  EXPECT_EQ(bench.told(), 0u) << "the host has asked to retain the event";
  bench.health();
  EXPECT_EQ(bench.told(), kReliability);
  bench.health();
  bench.ask();
  EXPECT_EQ(bench.write(), nvme::status::read_only_range);
  EXPECT_EQ(bench.told(), 0u) << "it is no news";
}

TEST(WornDrive, TellsNothingOfWhatTheHostDoesNotWantToKnow) {
  WearBench bench;
  bench.want(kReadOnly);
  bench.ask();
  EXPECT_EQ(bench.wear(true), kReliability) << "not of the spare";
  EXPECT_EQ(bench.health().first, kSpare | kReadOnly);
}

TEST(WornDrive, TellsWhoAsksAfterwards) {
  WearBench bench;
  bench.ask();
  EXPECT_EQ(bench.wear(true), 0u) << "events are off after a reset";
  EXPECT_EQ(bench.told(), 0u);
  bench.host.push(0, DriveBench::admin(nvme::admin::set_features, 0x0B, kReadOnly));
  bench.host.ring(0);
  bench.host.pass(us(200));
  ASSERT_TRUE(bench.host.take(0)) << "of the command";
  EXPECT_EQ(bench.told(), kReliability);
}

TEST(WornDrive, KeepsTheEventForARequestToCome) {
  WearBench bench;
  bench.want(kReadOnly);
  bench.wear(false);
  bench.ask();
  EXPECT_EQ(bench.told(), kReliability);
}

} // namespace
} // namespace twinplane::test::drive_wear_test
