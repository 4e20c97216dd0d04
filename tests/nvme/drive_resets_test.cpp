// Does a whole drive come up again after what hosts do to CC, however early?
#include <gtest/gtest.h>

#include "tests/nvme/drive_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::drive_resets_test {
namespace {

namespace bar0 = nvme::bar;
constexpr std::uint32_t kOff = DriveHost::kCc;
constexpr std::uint32_t kOn = DriveHost::kCc | nvme::cc::en;
constexpr std::uint32_t kBad = kOn | 1u << 7; // 8 KiB pages
constexpr std::uint32_t kShutdown = kOn | 1u << 14;
const char* const kNoLatency = "[pcie]\nlatency = \"0ps\"\n";

/// What the host writes to CC, and the status it must end with.
struct Sequence {
  const char* name;
  std::vector<std::uint32_t> cc;
  std::uint32_t status;
};
const Sequence kSequences[] = {
    {"good enable after a bad one", {kBad, kOff, kOn}, nvme::csts::rdy},
    {"toggle, off at last", {kOn, kOff, kOn, kOff}, 0},
    {"toggle, on at last", {kOn, kOff, kOn, kOff, kOn}, nvme::csts::rdy},
    {"bad enable taken back", {kBad, kOff}, 0},
    {"shutdown and reset", {kOn, kShutdown, kOff}, 0},
    {"bad enable after a good one", {kOn, kOff, kBad, kOff, kOn}, nvme::csts::rdy},
};

/// By the drive's configuration.
class DriveResets : public testing::TestWithParam<const char*> {};

TEST_P(DriveResets, LeaveTheStatusThatTheLastWriteAsksForHoweverSoonItComes) {
  DriveBench bench(GetParam());
  for (const TimePs pause : {TimePs{0}, ns(200), us(1), us(100)}) {
    for (const Sequence& sequence : kSequences) {
      SCOPED_TRACE(sequence.name + std::string(", ns between writes: ") + std::to_string(pause / 1000));
      bench.start();
      bench.host.write(bar0::cc, kOff);
      ASSERT_TRUE(bench.host.wait_status(~0u, 0, ms(100)));
      for (const std::uint32_t cc : sequence.cc) {
        bench.host.write(bar0::cc, cc);
        if (pause != 0) bench.host.pass(pause);
      }
      bench.host.pass(ms(1));
      ASSERT_EQ(bench.host.read(bar0::csts), sequence.status);
      bench.host.write(bar0::cc, kOff);
      ASSERT_TRUE(bench.host.wait_status(~0u, 0, ms(100)));
      bench.start();
      EXPECT_EQ(bench.host.execute(0, DriveBench::admin(nvme::admin::identify, 1)), 0);
      bench.host.write(bar0::cc, kOff);
      ASSERT_TRUE(bench.host.wait_status(~0u, 0, ms(100)));
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Cc, DriveResets, testing::Values("", kNoLatency), parameter_name);

TEST(DriveReset, NeverShowsReadyAfterABadEnable) {
  DriveBench bench(kNoLatency);
  bench.host.write(bar0::aqa, 15u << 16 | 15);
  bench.host.write(bar0::asq, static_cast<std::uint32_t>(HostMemory::kPage));
  bench.host.write(bar0::acq, static_cast<std::uint32_t>(4 * HostMemory::kPage));
  bench.host.write(bar0::cc, kBad);
  EXPECT_EQ(bench.host.read(bar0::csts), nvme::csts::cfs);
  bench.host.write(bar0::cc, kOff);
  for (int look = 0; look < 1000; ++look) {
    ASSERT_EQ(bench.host.read(bar0::csts), 0u) << look << " ns after the reset";
    bench.host.pass(ns(1));
  }
}

TEST(DriveReset, DuringAShutdownUnderLoadLeavesNothingBehind) {
  DriveBench bench;
  for (const TimePs pause : {ns(1), ns(100), us(1), us(100), ms(1)}) {
    bench.start();
    ASSERT_TRUE(bench.host.create_pair(1, 32, 32));
    for (std::uint16_t i = 0; i < 16; ++i) bench.host.push(1, DriveBench::io(nvme::io::write, i, 1));
    bench.host.ring(1);
    bench.host.pass(us(3));
    bench.host.write(bar0::cc, kShutdown);
    bench.host.pass(pause);
    bench.host.write(bar0::cc, kOff);
    bench.host.pass(ms(100));
    EXPECT_EQ(bench.host.read(bar0::csts), 0u) << pause << " ps after the shutdown";
  }
}

/// Links so slow that commands are on their way for longer than any fixed wait.
class SlowLinks : public testing::TestWithParam<const char*> {};

TEST_P(SlowLinks, AreWaitedForByAReset) {
  DriveBench bench(std::string("[pcie]\n") + GetParam());
  bench.start();
  ASSERT_TRUE(bench.host.create_pair(1, 64, 64));
  for (std::uint64_t lba = 0; lba < 4; ++lba) {
    ASSERT_EQ(bench.host.execute(1, DriveBench::io(nvme::io::write, lba, 1)), 0);
  }
  for (int i = 0; i < 8; ++i) bench.host.push(1, DriveBench::io(nvme::io::read, 2, 1));
  bench.host.ring(1);
  bench.host.write(bar0::cc, kOff);
  ASSERT_TRUE(bench.host.wait_status(~0u, 0, ms(1000)));
  bench.start();
  ASSERT_TRUE(bench.host.create_pair(1, 64, 64));
  for (int i = 0; i < 8; ++i) EXPECT_EQ(bench.host.execute(1, DriveBench::io(nvme::io::read, 2, 1)), 0);
}
INSTANTIATE_TEST_SUITE_P(Of, SlowLinks,
                         testing::Values("latency = \"20us\"\n", "latency = \"200us\"\n",
                                         "latency = \"1ms\"\ngeneration = 1\nlanes = 1\n"),
                         parameter_name);

TEST(DrivePin, FallsWhenMsixIsEnabledWhileACompletionWaits) {
  DriveBench bench;
  bench.host.write(bar0::msix_control, 0);
  bench.host.set_vectors(5);
  bench.start();
  bench.host.push(0, DriveBench::admin(nvme::admin::identify, 1));
  bench.host.ring(0);
  bench.host.pass(us(500));
  EXPECT_TRUE(bench.intx.read());
  bench.host.write(bar0::msix_control, 0x8000);
  bench.host.pass(us(10));
  EXPECT_FALSE(bench.intx.read());
  ASSERT_TRUE(bench.host.take(0));
  bench.host.ring_head(0);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(bench.host.execute(0, DriveBench::admin(nvme::admin::identify, 1)), 0);
  bench.host.pass(ms(1));
  EXPECT_FALSE(bench.intx.read());
}

} // namespace
} // namespace twinplane::test::drive_resets_test
