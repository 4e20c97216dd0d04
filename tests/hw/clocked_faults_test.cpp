// Does the transactor notice levels on NV-DDR's wires that no controller should produce, and lose what the
// standard gives no meaning?
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/nv_ddr_driver.h"
#include "tests/support/pin_bench.h"

namespace twinplane::test::clocked_faults_test {
namespace {

using hw::PinFault;

struct Bench : DrivenBench<NvDdrDriver> {
  explicit Bench(std::uint32_t chips = 1) : DrivenBench(pins_part(timing::nv_ddr_clocked(5), chips)) {
    expect_reports("twinplane.pins");
  }
  /// The fault, and no other.
  void expect_only(PinFault fault, std::uint64_t count = 1) const {
    EXPECT_EQ(faults(fault), count);
    EXPECT_EQ(all_faults(), count);
  }
  /// The host takes DQS, as before data in.
  void drive_dqs_low() {
    pins.dqs_host = false;
    pins.dqs_host_oe = true;
    bus.wait(ns(50));
  }
};

TEST(ClockedFaults, TwoTargetsAtOnceGetNothing) {
  Bench bench(2);
  bench.bus.select(0);
  bench.bus.select(1);
  bench.bus.command(0xFF);
  bench.bus.wait(us(1));
  bench.expect_only(PinFault::two_targets);
  EXPECT_TRUE(bench.pins.rb_n[0].read());
  EXPECT_TRUE(bench.pins.rb_n[1].read());
}

TEST(ClockedFaults, ACommandOrAddressWhileThePackageDrivesIsLost) {
  Bench bench;
  bench.bus.select();
  bench.bus.turn_to_package();
  bench.bus.cycle(true, false);
  bench.bus.wait(ns(100));
  bench.bus.cycle(false, true);
  bench.expect_only(PinFault::turned_round, 2);
  EXPECT_EQ(bench.transactor.statistics().transactions, 0u);
}

TEST(ClockedFaults, ACommandThatNobodyDrivesIsLost) {
  Bench bench;
  bench.bus.select();
  bench.bus.cycle(true, false);
  bench.expect_only(PinFault::undriven);
  EXPECT_EQ(bench.transactor.statistics().transactions, 0u);
}

TEST(ClockedFaults, AStrobeThatNoClockAnnouncedIsLost) {
  Bench bench;
  bench.bus.select();
  bench.pins.dq_host_oe = true;
  bench.drive_dqs_low();
  for (const bool level : {true, false, true, false}) {
    bench.pins.dqs_host = level;
    bench.bus.idle();
  }
  bench.expect_only(PinFault::unannounced, 2);
  EXPECT_EQ(bench.transactor.statistics().bytes_in, 0u);
}

TEST(ClockedFaults, BytesThatDqsDoesNotBringAreMissed) {
  Bench bench;
  bench.bus.select();
  bench.bus.command(0x80);
  bench.bus.page_address(0);
  for (int i = 0; i < 4; ++i) bench.bus.cycle(true, true);
  bench.bus.wait(ns(100));
  bench.bus.command(0x10);
  bench.expect_only(PinFault::unstrobed);
  EXPECT_EQ(bench.transactor.statistics().bytes_in, 0u);
}

TEST(ClockedFaults, BytesThatDqsDoesNotBringAreMissedWhenTheSelectionEnds) {
  Bench bench;
  bench.bus.select();
  bench.bus.cycle(true, true);
  bench.bus.wait(ns(100));
  bench.bus.deselect();
  bench.expect_only(PinFault::unstrobed);
}

TEST(ClockedFaults, StrobesWithoutDataOnDqAreLost) {
  Bench bench;
  bench.bus.select();
  bench.drive_dqs_low();
  bench.bus.cycle(true, true);
  for (const bool level : {true, false}) {
    NvDdrDriver::run(ns(5));
    bench.pins.dqs_host = level;
  }
  bench.bus.idle();
  bench.expect_only(PinFault::undriven, 2);
  EXPECT_EQ(bench.transactor.statistics().bytes_in, 0u);
}

TEST(ClockedFaults, TwoDriversOnDqAreContention) {
  Bench bench;
  bench.bus.select();
  bench.bus.command(0x70);
  bench.pins.we_n = false;
  bench.pins.re_n = false; // and the controller still drives
  NvDdrDriver::run(ns(30));
  bench.expect_only(PinFault::contention);
}

TEST(ClockedFaults, TwoDriversOnDqsAreContention) {
  Bench bench;
  bench.bus.select();
  bench.bus.turn_to_package();
  bench.pins.dqs_host_oe = true;
  NvDdrDriver::run(ps(1));
  bench.expect_only(PinFault::contention);
}

TEST(ClockedFaults, DataBeyondTheSpareAreaAreLost) {
  Bench bench;
  bench.bus.select();
  EXPECT_EQ(bench.program(0, byte_pattern(2048 + 64 + 4)), 0xE0);
  bench.expect_only(PinFault::overrun, 4);
  EXPECT_EQ(bench.read(0, 2, 2048 + 64), (std::vector<std::uint8_t>{0xFF, 0xFF}));
  bench.expect_only(PinFault::overrun, 6);
}

TEST(ClockedFaults, LevelsThatChangeWithTheirEdgeAreTakenAsTheyWere) {
  Bench bench;
  bench.bus.select();
  bench.bus.command(0x80);
  bench.pins.we_n = false;
  bench.pins.ale = true;
  bench.pins.dq_host = 0x12;
  NvDdrDriver::run(ns(5));
  bench.pins.we_n = true;
  bench.pins.ale = false; // no hold time at all
  bench.pins.dq_host = 0x34;
  NvDdrDriver::run(ns(5));
  EXPECT_EQ(bench.transactor.statistics().addresses, 1u);
  EXPECT_EQ(bench.transactor.broken(hw::PinRule::tCALH), 1u);
  EXPECT_EQ(bench.transactor.broken(hw::PinRule::tCAH), 1u);
  bench.expect_only(PinFault::timing, 2);
}

TEST(ClockedFaults, BytesThatChangeWithTheirStrobeAreTakenAsTheyWere) {
  Bench bench;
  bench.bus.select();
  bench.bus.command(0x80);
  bench.bus.page_address(0);
  bench.bus.wait(ns(400));
  bench.pins.dq_host = 1;
  bench.pins.dqs_host = false;
  bench.pins.dqs_host_oe = true;
  bench.bus.wait(ns(20));
  bench.bus.cycle(true, true);
  NvDdrDriver::run(ns(5));
  for (const std::uint32_t next : {2, 3}) {
    bench.pins.dqs_host = next == 2;
    bench.pins.dq_host = next; // no hold time at all
    NvDdrDriver::run(ns(5));
  }
  NvDdrDriver::run(ns(10));
  bench.pins.dqs_host_oe = false;
  bench.bus.command(0x10);
  bench.bus.wait_ready();
  EXPECT_EQ(bench.transactor.broken(hw::PinRule::tDH), 2u);
  bench.expect_only(PinFault::timing, 2);
  EXPECT_EQ(bench.read(0, 2), (std::vector<std::uint8_t>{1, 2}));
}

TEST(ClockedFaults, AClockThatStandsWhileChipEnableIsLowIsTold) {
  Bench bench;
  bench.bus.select();
  bench.bus.command(0x70);
  NvDdrDriver::run(us(1));
  bench.bus.idle();
  bench.expect_only(PinFault::timing);
  EXPECT_EQ(bench.transactor.broken(hw::PinRule::tCK), 1u);
}

} // namespace
} // namespace twinplane::test::clocked_faults_test
