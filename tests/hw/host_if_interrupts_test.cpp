// Is the host interrupted when, and only when, it should be?
#include <gtest/gtest.h>

#include "tests/support/front_end_bench.h"

namespace twinplane::test::host_if_interrupts_test {
namespace {

using Bench = FrontEndBench;

struct Ready : Bench {
  explicit Ready(const hw::HostInterfaceConfig& config = Bench::ideal()) : Bench(config) {
    enable();
    create_pair(1, 16);
    create_pair(2, 16);
  }
  /// One command through pair `id`, completed at once.
  void round(std::uint32_t id) {
    push(id, io(nvme::io::flush, 7, 1), 16);
    ring(id);
    run(us(1));
    firmware.complete(firmware.seen.back().entry.slot);
    firmware.kick();
  }
};

TEST(Msix, SendsTheVectorsMessage) {
  Ready bench;
  bench.round(2);
  ASSERT_EQ(bench.host.messages.size(), 1u);
  EXPECT_EQ(bench.host.messages[0].data, 0x102u);
  EXPECT_EQ(bench.read32(nvme::bar::msix_table + 16 * 2 + 8), 0x102u);
  bench.run(us(1));
  EXPECT_FALSE(bench.intx.read());
}

TEST(Msix, MaskedVectorsStayPendingUntilUnmasked) {
  Ready bench;
  bench.set_vector(1, true);
  bench.round(1);
  bench.round(1);
  EXPECT_EQ(bench.host.messages.size(), 0u);
  EXPECT_EQ(bench.read32(nvme::bar::msix_pba), 1u << 1);
  bench.write32(nvme::bar::msix_table + 16 * 1 + 12, 0);
  EXPECT_EQ(bench.host.messages.size(), 1u) << "one message however many were pending";
  EXPECT_EQ(bench.read32(nvme::bar::msix_pba), 0u);
}

TEST(Msix, FunctionMaskHoldsAllVectors) {
  Ready bench;
  bench.write32(nvme::bar::msix_control, 0xC000);
  bench.round(1);
  bench.round(2);
  EXPECT_EQ(bench.host.messages.size(), 0u);
  bench.write32(nvme::bar::msix_control, 0x8000);
  EXPECT_EQ(bench.host.messages.size(), 2u);
}

TEST(Msix, QueuesWithoutInterruptsStaySilent) {
  Ready bench;
  bench.firmware.queue(reg::queue_op::create_cq, 3, Bench::kCq + 0x3000, 16, 0, 3u << 16);
  bench.firmware.queue(reg::queue_op::create_sq, 3, Bench::kSq + 0x3000, 16, 3);
  bench.round(3);
  EXPECT_EQ(bench.cqe(3, 0).status & 1, 1u);
  EXPECT_EQ(bench.host.messages.size(), 0u);
}

TEST(Coalescing, WaitsForTheThreshold) {
  Ready bench;
  bench.firmware.write(reg::host::coalescing, 2 | 10u << 8); // three entries or 1 ms
  bench.round(1);
  bench.round(1);
  EXPECT_EQ(bench.host.messages.size(), 0u);
  bench.round(1);
  EXPECT_EQ(bench.host.messages.size(), 1u);
}

TEST(Coalescing, GivesUpWaitingAfterItsTime) {
  Ready bench;
  bench.firmware.write(reg::host::coalescing, 200 | 3u << 8); // 300 us
  bench.round(1);
  const TimePs posted = bench.now();
  bench.round(1);
  bench.run(ms(1));
  ASSERT_EQ(bench.host.messages.size(), 1u);
  EXPECT_EQ(bench.host.messages[0].at, posted + us(300));
}

TEST(Coalescing, NeverDelaysTheAdminQueue) {
  Ready bench;
  bench.firmware.write(reg::host::coalescing, 200 | 100u << 8);
  bench.round(0);
  ASSERT_EQ(bench.host.messages.size(), 1u);
  EXPECT_EQ(bench.host.messages[0].data, 0x100u);
}

struct PinBench : Ready {
  static hw::HostInterfaceConfig with_pin() {
    hw::HostInterfaceConfig config = Bench::ideal();
    config.msix_enabled = false;
    return config;
  }
  PinBench() : Ready(with_pin()) {}
};

TEST(Intx, IsHighWhileEntriesAreNotTaken) {
  PinBench bench;
  EXPECT_FALSE(bench.intx.read());
  bench.round(1);
  bench.round(1);
  bench.run(ns(1));
  EXPECT_TRUE(bench.intx.read());
  EXPECT_EQ(bench.host.messages.size(), 0u);
  bench.ring_head(1, 1);
  bench.run(ns(1));
  EXPECT_TRUE(bench.intx.read()) << "one entry is left";
  bench.ring_head(1, 2);
  bench.run(ns(1));
  EXPECT_FALSE(bench.intx.read());
}

TEST(Intx, HonoursTheMaskRegisters) {
  PinBench bench;
  bench.write32(nvme::bar::intms, 1u << 1);
  bench.round(1);
  bench.run(ns(1));
  EXPECT_FALSE(bench.intx.read());
  EXPECT_EQ(bench.read32(nvme::bar::intmc), 1u << 1);
  bench.write32(nvme::bar::intmc, 1u << 1);
  bench.run(ns(1));
  EXPECT_TRUE(bench.intx.read());
  bench.write32(nvme::bar::intms, 1u << 1);
  bench.run(ns(1));
  EXPECT_FALSE(bench.intx.read());
}

TEST(Intx, FallsWhenMsixIsEnabledAndRisesAgainWithoutIt) {
  PinBench bench;
  bench.round(1);
  bench.run(ns(1));
  EXPECT_TRUE(bench.intx.read());
  bench.write32(nvme::bar::msix_control, 0x8000);
  bench.run(ns(1));
  EXPECT_FALSE(bench.intx.read()) << "a function with MSI-X enabled must not use INTx";
  bench.write32(nvme::bar::msix_control, 0);
  bench.run(ns(1));
  EXPECT_TRUE(bench.intx.read()) << "the entry is still not taken";
}

TEST(Msix, SendsNothingGatheredOnceItIsDisabled) {
  Ready bench;
  bench.firmware.write(reg::host::coalescing, 200 | 1u << 8); // 100 us
  bench.round(1);
  bench.write32(nvme::bar::msix_control, 0);
  bench.run(us(200));
  EXPECT_EQ(bench.host.messages.size(), 0u);
  bench.write32(nvme::bar::msix_control, 0x8000);
  bench.run(us(1));
  EXPECT_EQ(bench.host.messages.size(), 1u) << "was pending";
}

TEST(Intx, RisesWhenTheEntryIsVisible) {
  hw::HostInterfaceConfig config;
  config.msix_enabled = false;
  config.pcie.latency = us(2);
  Bench bench(config);
  bench.enable();
  bench.create_pair(1, 16);
  const std::uint16_t slot = bench.send(Bench::io(nvme::io::flush, 1, 1));
  bench.firmware.complete(slot);
  bench.firmware.kick();
  bench.run(us(2));
  EXPECT_FALSE(bench.intx.read()) << "still on the link";
  bench.run(us(1));
  EXPECT_TRUE(bench.intx.read());
}

TEST(Intx, GivesWayToMsix) {
  PinBench bench;
  bench.round(1);
  bench.run(ns(1));
  EXPECT_TRUE(bench.intx.read());
  bench.write32(nvme::bar::msix_control, 0x8000);
  bench.round(1);
  EXPECT_EQ(bench.host.messages.size(), 1u);
}

} // namespace
} // namespace twinplane::test::host_if_interrupts_test
