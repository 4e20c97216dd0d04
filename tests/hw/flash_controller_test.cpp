// Does the controller book the bus when the data is ready, keep dies busy in parallel, and report
// what happened when it happened?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/hw/controller_bench.h"

namespace twinplane::test::flash_controller_test {
namespace {

TEST(FlashControllerBooking, EightReadsOfEightDiesEndAfterOneArrayTimeAndEightTransfers) {
  ControllerBench bench("bench", small_geometry(8), data_only_bus(), slow_array());
  for (std::uint32_t die = 0; die < 8; ++die) bench.program_now({die, 0, 0, 0});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.boot();
  for (std::uint32_t die = 0; die < 8; ++die) bench.put(bench.descriptor(FlashOp::read, {die, 0, 0, 0}));
  bench.ring();
  sc_core::sc_start();
  ASSERT_EQ(bench.done.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(bench.done[i].visible_at, us(65 + 25 * (i + 1))) << i;
}

TEST(FlashControllerBooking, AProgramUsesTheBusDuringAnotherDiesRead) {
  ControllerBench bench("bench", small_geometry(2), data_only_bus(), slow_array());
  bench.program_now({0, 0, 0, 0});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.boot();
  bench.put(bench.descriptor(FlashOp::read, {0, 0, 0, 0}));
  bench.put(bench.descriptor(FlashOp::program, {1, 0, 0, 0}));
  bench.ring();
  sc_core::sc_start();
  ASSERT_EQ(bench.done.size(), 2u);
  EXPECT_EQ(bench.done[0].visible_at, us(65 + 25));          // the read is not delayed
  EXPECT_GE(bench.done[1].visible_at, us(25 + 500));         // data in ran inside the read's tR
  EXPECT_LE(bench.done[1].visible_at, us(25 + 500) + us(1)); // plus the status read
}

TEST(FlashControllerBooking, TheBreakdownAddsUpToTheTimeFromDoorbellToCompletion) {
  ControllerBench bench("bench", small_geometry(4), *find_bus_timing("nv-ddr3", 10), slow_array());
  for (std::uint32_t die = 0; die < 4; ++die) bench.program_now({die, 0, 0, 0});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.boot();
  for (std::uint32_t die = 0; die < 4; ++die) bench.put(bench.descriptor(FlashOp::read, {die, 0, 0, 0}));
  for (std::uint32_t die = 0; die < 4; ++die) bench.put(bench.descriptor(FlashOp::program, {die, 0, 0, 1}));
  bench.put(bench.descriptor(FlashOp::erase, {0, 0, 1, 0}));
  const TimePs doorbell = hw::kernel_now();
  bench.ring();
  sc_core::sc_start();
  ASSERT_EQ(bench.done.size(), 9u);
  for (const Done& d : bench.done) {
    const FlashCompletion& c = d.completion;
    EXPECT_EQ(doorbell + c.bus_wait_ps + c.bus_ps + c.array_ps + c.ecc_ps, d.visible_at) << c.cookie;
    EXPECT_EQ(c.result, 0);
  }
}

// A core far ahead of the bus: the first read is done at 90 us, the doorbell of the second rings at 1 ms.
TEST(FlashControllerBooking, NothingStartsBeforeItsDoorbellHoweverFarAheadTheCoreIs) {
  ControllerBench bench("bench", small_geometry(1), data_only_bus(), slow_array());
  bench.program_now({0, 0, 0, 0});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.boot();
  bench.put(bench.descriptor(FlashOp::read, {0, 0, 0, 0}));
  bench.ring();
  bench.put(bench.descriptor(FlashOp::read, {0, 0, 0, 0}));
  bench.ring(ms(1));
  sc_core::sc_start();
  ASSERT_EQ(bench.done.size(), 2u);
  EXPECT_EQ(bench.done[0].visible_at, us(65 + 25));
  EXPECT_EQ(bench.done[1].visible_at, ms(1) + us(65 + 25));
  EXPECT_EQ(bench.done[1].completion.bus_wait_ps, 0u);
}

TEST(FlashControllerBooking, PollingFindsTheEndOfTheProgramAtThePollAfterIt) {
  ControllerBench bench("bench", small_geometry(1), data_only_bus(), slow_array(), true);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.boot();
  bench.put(bench.descriptor(FlashOp::program, {0, 0, 0, 0}));
  bench.ring();
  sc_core::sc_start();
  ASSERT_EQ(bench.done.size(), 1u);
  EXPECT_GE(bench.done[0].visible_at, us(525));
  EXPECT_LE(bench.done[0].visible_at, us(525) + us(2)); // one poll interval and one status read
  EXPECT_GT(bench.channel->statistics().tenures, 100u); // it did poll
}

TEST(FlashControllerData, WhatIsProgrammedIsReadBack) {
  ControllerBench bench("bench", small_geometry(1, 2), *find_bus_timing("nv-ddr2", 8), slow_array());
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.boot();
  for (std::uint32_t plane = 0; plane < 2; ++plane) {
    std::memset(bench.dram.data() + bench.buffer(0, plane), static_cast<int>(0x11 * (plane + 1)), kTagBytes);
    FlashDescriptor d =
        bench.descriptor(FlashOp::program, {0, plane, 3, 0}, plane == 0 ? flash_flag::more : std::uint8_t{0});
    d.oob = 700 + plane;
    bench.put(d);
  }
  bench.ring();
  sc_core::sc_start();
  for (std::uint32_t plane = 0; plane < 2; ++plane) {
    std::memset(bench.dram.data() + bench.buffer(0, plane), 0, kTagBytes);
    bench.put(
        bench.descriptor(FlashOp::read, {0, plane, 3, 0}, plane == 0 ? flash_flag::more : std::uint8_t{0}));
  }
  bench.ring();
  sc_core::sc_start();
  ASSERT_EQ(bench.done.size(), 4u);
  for (std::uint32_t plane = 0; plane < 2; ++plane) {
    EXPECT_EQ(bench.dram.data()[bench.buffer(0, plane)], 0x11 * (plane + 1));
    EXPECT_EQ(bench.done[2 + plane].completion.oob, 700 + plane);
    EXPECT_EQ(bench.done[2 + plane].completion.result, 0);
  }
  EXPECT_EQ(bench.packages[0]->statistics().multiplane_program.commands, 1u);
  EXPECT_EQ(bench.packages[0]->statistics().multiplane_read.commands, 1u);
}

TEST(FlashControllerData, AReadOfAnErasedPageSaysBlank) {
  ControllerBench bench("bench", small_geometry(1), data_only_bus(), slow_array());
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.boot();
  bench.put(bench.descriptor(FlashOp::read, {0, 0, 0, 0}));
  bench.ring();
  sc_core::sc_start();
  ASSERT_EQ(bench.done.size(), 1u);
  EXPECT_EQ(bench.done[0].completion.result, flash_result::blank);
}

TEST(FlashControllerRings, ACompletionIsNotVisibleBeforeItsTime) {
  ControllerBench bench("bench", small_geometry(1), data_only_bus(), slow_array());
  bench.program_now({0, 0, 0, 0});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.boot();
  bench.put(bench.descriptor(FlashOp::read, {0, 0, 0, 0}));
  bench.ring();
  sc_core::sc_start(hw::to_sc_time(us(70))); // data out has begun, the completion is written
  EXPECT_EQ(bench.done.size(), 1u);
  EXPECT_EQ(bench.read(reg::flash::completion_tail), 0u);
  EXPECT_EQ(bench.read(reg::flash::completion_tail, us(20) - 1), 0u);
  EXPECT_EQ(bench.read(reg::flash::completion_tail, us(20)), 1u);
}

TEST(FlashControllerRings, ADescriptorForAChipThatIsNotThereFailsWithoutUsingTheBus) {
  ControllerBench bench("bench", small_geometry(1), data_only_bus(), slow_array());
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.boot();
  FlashDescriptor d = bench.descriptor(FlashOp::read, {0, 0, 0, 0});
  d.chip = 7;
  bench.put(d);
  bench.ring(); // answered at once
  ASSERT_EQ(bench.done.size(), 1u);
  EXPECT_EQ(bench.done[0].completion.result, flash_result::fail);
  EXPECT_EQ(bench.channel->statistics().tenures, 0u);
}

} // namespace
} // namespace twinplane::test::flash_controller_test
