// Does the transactor notice levels that no controller should produce?
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/pin_bench.h"

namespace twinplane::test::pin_faults_test {
namespace {

using hw::PinFault;

TEST(PinFaults, TwoTargetsAtOnceGetNothing) {
  expect_reports("twinplane.pins");
  PinBench bench(pins_part(timing::sdr(5), 2));
  bench.bus.select(0);
  bench.bus.select(1);
  bench.bus.command(0xFF);
  PinDriver::run(us(1));
  EXPECT_EQ(bench.faults(PinFault::two_targets), 1u);
  EXPECT_TRUE(bench.pins.rb_n[0].read());
  EXPECT_TRUE(bench.pins.rb_n[1].read());
}

TEST(PinFaults, BothStrobesLowLoseTheCycle) {
  expect_reports("twinplane.pins");
  PinBench bench(pins_part(timing::sdr(5)));
  bench.bus.select();
  bench.pins.re_n = false;
  bench.bus.command(0xFF);
  PinDriver::run(us(1));
  EXPECT_EQ(bench.faults(PinFault::strobes_overlap), 1u);
  EXPECT_TRUE(bench.pins.rb_n[0].read());
}

TEST(PinFaults, AWriteCycleWithoutDataIsLost) {
  expect_reports("twinplane.pins");
  PinBench bench(pins_part(timing::sdr(5)));
  bench.bus.select();
  bench.pins.cle = true;
  bench.pins.we_n = false;
  PinDriver::run(ns(50));
  bench.pins.we_n = true;
  PinDriver::run(us(1));
  EXPECT_EQ(bench.faults(PinFault::undriven), 1u);
  bench.pins.ale = true;
  bench.bus.run(ns(50));
  bench.pins.dq_host_oe = true;
  bench.pins.we_n = false;
  PinDriver::run(ns(50));
  bench.pins.we_n = true;
  PinDriver::run(us(1));
  EXPECT_EQ(bench.faults(PinFault::latches_overlap), 1u);
  EXPECT_EQ(bench.transactor.statistics().transactions, 0u);
}

TEST(PinFaults, TwoDriversOnDqAreContention) {
  expect_reports("twinplane.pins");
  PinBench bench(pins_part(timing::sdr(5)));
  bench.bus.select();
  bench.bus.command(0x70);
  PinDriver::run(bench.config.bus.tWHR);
  bench.pins.re_n = false; // and the controller still drives
  PinDriver::run(ns(100));
  EXPECT_EQ(bench.faults(PinFault::contention), 1u);
}

TEST(PinFaults, DataBeyondTheSpareAreaAreLost) {
  expect_reports("twinplane.pins");
  PinBench bench(pins_part(timing::sdr(5)));
  bench.bus.select();
  EXPECT_EQ(bench.program(0, byte_pattern(2048 + 64 + 3)), 0xE0);
  EXPECT_EQ(bench.faults(PinFault::overrun), 3u);
  EXPECT_EQ(bench.read(0, 2, 2048 + 63), (std::vector<std::uint8_t>{0xFF, 0xFF}));
  EXPECT_EQ(bench.faults(PinFault::overrun), 4u);
}

TEST(PinFaults, DataByWriteEnableIsLostOnADdrBus) {
  expect_reports("twinplane.pins");
  PinBench bench(pins_part(timing::nv_ddr(4)));
  bench.bus.select();
  bench.pins.dq_host_oe = true;
  bench.pins.we_n = false;
  PinDriver::run(ns(50));
  bench.pins.we_n = true;
  PinDriver::run(ns(50));
  EXPECT_EQ(bench.faults(PinFault::data_by_we), 1u);
}

} // namespace
} // namespace twinplane::test::pin_faults_test
