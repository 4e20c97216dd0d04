// Do page data cross the flash bus no faster than DRAM takes and gives them, and does only the data wait?
#include <gtest/gtest.h>

#include "tests/hw/controller_bench.h"

namespace twinplane::test::controller_dram_test {
namespace {

/// One byte of the bus.
constexpr TimePs kStatus = (us(25) + 4095) / 4096;

/// A page takes 25 us on the bus and 100 us at the DRAM's port.
struct SlowDram {
  hw::BandwidthPort port{hw::Rate::bytes_per_second(40'960'000)};
  std::unique_ptr<ControllerBench> bench;

  explicit SlowDram(std::uint32_t chips, hw::FlashControllerConfig config = {}, std::uint32_t planes = 1) {
    config.dram_port = &port;
    config.data_in = data_only_bus().data_in;
    bench = std::make_unique<ControllerBench>("bench", small_geometry(chips, planes), data_only_bus(),
                                              slow_array(), config);
    for (std::uint32_t die = 0; die < chips; ++die) {
      for (std::uint32_t plane = 0; plane < planes; ++plane) bench->program_now({die, plane, 0, 0});
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bench->boot();
  }
  void read(std::uint32_t die, std::uint32_t plane = 0) {
    bench->put(bench->descriptor(FlashOp::read, {die, plane, 0, 0}));
  }
  void program(std::uint32_t die) { bench->put(bench->descriptor(FlashOp::program, {die, 0, 0, 1})); }
  /// By number of the operation.
  std::vector<TimePs> run() {
    bench->ring();
    sc_core::sc_start();
    std::vector<TimePs> at(bench->done.size());
    for (const Done& d : bench->done) {
      at[d.completion.cookie] = d.visible_at;
      const FlashCompletion& c = d.completion;
      EXPECT_EQ(c.bus_wait_ps + c.bus_ps + c.array_ps + c.ecc_ps, d.visible_at) << "operation " << c.cookie;
    }
    return at;
  }
};

TEST(ControllerDram, KeepsAPageThatWasReadUntilItIsInDram) {
  SlowDram drive(1);
  drive.read(0);
  EXPECT_EQ(drive.run(), std::vector<TimePs>{us(65 + 100)});
}

// The third page has nowhere to go before the first one is in DRAM.
TEST(ControllerDram, HasTwoBuffersForPagesOnTheirWayThere) {
  SlowDram drive(3);
  for (std::uint32_t die = 0; die < 3; ++die) drive.read(die);
  EXPECT_EQ(drive.run(), (std::vector<TimePs>{us(165), us(265), us(365)}));
  EXPECT_EQ(drive.bench->channel->free_at(), us(165 + 25)) << "no tenure is longer than the bus makes it";
  EXPECT_EQ(drive.bench->controller->dram_bytes(), 3 * 4096u);
}

TEST(ControllerDram, HoldsIndependentReadsOfPlanesToThem) {
  hw::FlashControllerConfig config;
  config.independent_reads = true;
  SlowDram drive(1, config, 3);
  for (std::uint32_t plane = 0; plane < 3; ++plane) drive.read(0, plane);
  EXPECT_EQ(drive.run(), (std::vector<TimePs>{us(165), us(265), us(365)}));
  EXPECT_EQ(drive.bench->channel->free_at(), us(165 + 25));
}

// ... and not earlier than its last byte.
TEST(ControllerDram, BeginsAProgramWhenItsDataCanFollow) {
  SlowDram drive(1);
  drive.program(0);
  EXPECT_EQ(drive.run(), std::vector<TimePs>{us(100 + 500) + kStatus});
}

// DRAM gives it its data from 75 us on, and the bus is free at 65 + 25.
TEST(ControllerDram, LeavesTheBusToOthersMeanwhile) {
  SlowDram drive(2);
  drive.program(0);
  drive.read(1);
  EXPECT_EQ(drive.run(), (std::vector<TimePs>{us(65 + 25 + 25 + 500) + kStatus, us(200)}));
}

// The host's data are booked for later: what is left before that is the flash's.
TEST(ControllerDram, SharesThePortWithTheHost) {
  SlowDram drive(1);
  drive.port.book(us(120), 4096); // 120 .. 220
  drive.read(0);                  // 65 .. 120, 220 .. 265
  EXPECT_EQ(drive.run(), std::vector<TimePs>{us(265)});
}

// Status before data: a completion does not wait for one that is posted before it.
TEST(ControllerDram, ReportsAProgramBeforeAReadThatStillWaits) {
  SlowDram drive(2);
  drive.port.book(us(130), 40'960); // 130 .. 1130
  drive.read(0);                    // 100 .. 130, 1130 .. 1200
  drive.program(1);                 // 0 .. 100
  drive.bench->ring();
  sc_core::sc_start(hw::to_sc_time(us(700))); // the program is done, the read still waits
  const TimePs program = us(65 + 25 + 25 + 500) + kStatus;
  const TimePs read = us(1130 + 100 - 30);
  const auto told = [&drive](TimePs at) {
    return drive.bench->read(reg::flash::completion_tail, at - hw::kernel_now());
  };
  ASSERT_EQ(told(us(700)), 1u);
  FlashCompletion first;
  std::memcpy(&first, drive.bench->dram.data() + 8192, sizeof first);
  EXPECT_EQ(first.cookie, 1u);
  EXPECT_EQ(first.bus_wait_ps + first.bus_ps + first.array_ps, program);
  EXPECT_EQ(told(read - 1), 1u);
  EXPECT_EQ(told(read), 2u);
}

TEST(ControllerDram, WithRoomForAllKeepsNothingWaiting) {
  hw::BandwidthPort ample(hw::Rate::bytes_per_second(40'960'000), true);
  hw::FlashControllerConfig config;
  config.dram_port = &ample;
  ControllerBench bench("bench", small_geometry(1), data_only_bus(), slow_array(), config);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.boot();
  bench.put(bench.descriptor(FlashOp::program, {0, 0, 0, 0}));
  bench.ring();
  sc_core::sc_start();
  ASSERT_EQ(bench.done.size(), 1u);
  EXPECT_EQ(bench.done[0].visible_at, us(25 + 500) + kStatus);
  EXPECT_EQ(ample.busy(bench.controller->dram_bytes()), us(100));
}

} // namespace
} // namespace twinplane::test::controller_dram_test
