// Do reads of single planes of one die overlap their array times, wait only for the bus, and keep out of the
// way of everything else? Oracle: the closed form, on a bus where only data take time.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/hw/controller_bench.h"

namespace twinplane::test::controller_plane_reads_test {
namespace {

constexpr TimePs kTransfer = us(25);
constexpr TimePs kRead = us(60);
constexpr std::uint32_t kPlanes = 4;

class ControllerPlaneReads : public ::testing::Test {
 protected:
  ControllerPlaneReads() { config.independent_reads = true; }

  void boot(std::uint32_t pages = 8) {
    array.tR = {kRead, kRead, kRead, kRead};
    bench = std::make_unique<ControllerBench>("bench", small_geometry(1, kPlanes), data_only_bus(kTransfer),
                                              array, config);
    for (std::uint32_t plane = 0; plane < kPlanes; ++plane) {
      for (std::uint32_t page = 0; page < pages; ++page) bench->program_now({0, plane, 2, page});
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bench->boot();
  }
  void read(std::uint32_t plane, std::uint32_t page) {
    bench->put(bench->descriptor(FlashOp::read, {0, plane, 2, page}));
  }
  void run(std::size_t operations) {
    bench->ring();
    sc_core::sc_start();
    ASSERT_EQ(bench->done.size(), operations);
    EXPECT_EQ(bench->violations(), 0u);
    for (const Done& d : bench->done) {
      EXPECT_EQ(d.completion.result, 0);
      const TimePs waited = d.completion.bus_wait_ps + ns(d.completion.suspend_wait_ns);
      EXPECT_EQ(d.completion.bus_ps + d.completion.array_ps + waited, d.visible_at);
    }
  }
  void expect_done(std::size_t index, std::uint32_t cookie, TimePs at) const {
    EXPECT_EQ(bench->done[index].completion.cookie, cookie) << index;
    EXPECT_EQ(bench->done[index].visible_at, at) << index;
  }
  std::uint64_t overlapped() const { return bench->controller->statistics().independent_reads; }

  hw::FlashControllerConfig config;
  ArrayTiming array;
  std::unique_ptr<ControllerBench> bench;
};

TEST_F(ControllerPlaneReads, OverlapAndWaitForTheBusOnly) {
  boot();
  for (std::uint32_t plane = 0; plane < kPlanes; ++plane) read(plane, 2 * plane);
  run(kPlanes);
  for (std::uint32_t i = 0; i < kPlanes; ++i) expect_done(i, i, kRead + (i + 1) * kTransfer);
  EXPECT_EQ(overlapped(), kPlanes - 1);
  EXPECT_EQ(bench->packages[0]->statistics().independent_reads, kPlanes - 1);
}

TEST_F(ControllerPlaneReads, OffTheyRunOneAfterAnother) {
  config.independent_reads = false;
  boot();
  for (std::uint32_t plane = 0; plane < kPlanes; ++plane) read(plane, 2 * plane);
  run(kPlanes);
  for (std::uint32_t i = 0; i < kPlanes; ++i) expect_done(i, i, (i + 1) * (kRead + kTransfer));
}

TEST_F(ControllerPlaneReads, OfOnePlaneKeepTheirOrderAndLetOthersPass) {
  boot();
  read(0, 0); // cookie 0
  read(0, 1);
  read(1, 3); // passes 1
  run(3);
  expect_done(0, 0, kRead + kTransfer);
  expect_done(1, 2, kRead + 2 * kTransfer);
  // Its command follows the data out of its plane; the next data out of the die comes after the command.
  expect_done(2, 1, kRead + kTransfer + kRead + kTransfer);
}

TEST_F(ControllerPlaneReads, AProgramWaitsForThemAndTheReadsBehindItWaitForIt) {
  boot();
  read(0, 0);
  read(1, 1);
  bench->put(bench->descriptor(FlashOp::program, {0, 2, 3, 0}));
  read(3, 0);
  run(4);
  const TimePs reads = kRead + 2 * kTransfer;
  expect_done(0, 0, kRead + kTransfer);
  expect_done(1, 1, reads);
  const TimePs program = reads + kTransfer + array.tPROG[0];
  EXPECT_EQ(bench->done[2].completion.cookie, 2u);
  EXPECT_GE(bench->done[2].visible_at, program);
  EXPECT_EQ(bench->done[3].completion.cookie, 3u);
  EXPECT_GE(bench->done[3].visible_at, program + kRead + kTransfer);
}

TEST_F(ControllerPlaneReads, AGroupOfPlanesRunsByItself) {
  boot();
  read(0, 0);
  bench->put(bench->descriptor(FlashOp::read, {0, 2, 2, 5}, flash_flag::more));
  bench->put(bench->descriptor(FlashOp::read, {0, 3, 2, 5}));
  read(1, 0);
  run(4);
  EXPECT_EQ(overlapped(), 0u);
  EXPECT_EQ(bench->packages[0]->statistics().multiplane_read.units, 2u);
  EXPECT_EQ(bench->done[3].completion.cookie, 3u);
}

TEST_F(ControllerPlaneReads, APollingControllerAsksEachPlane) {
  config.poll_status = true;
  boot();
  for (std::uint32_t plane = 0; plane < kPlanes; ++plane) read(plane, plane);
  run(kPlanes);
  EXPECT_LT(bench->done[kPlanes - 1].visible_at, kRead + kPlanes * (kTransfer + config.poll_interval));
  EXPECT_EQ(overlapped(), kPlanes - 1);
}

TEST_F(ControllerPlaneReads, ReadsBetweenASuspendedProgramAndItsEndAreCarriedOut) {
  config.suspend.enabled = true;
  config.suspend.gain = us(50);
  boot();
  bench->put(bench->descriptor(FlashOp::program, {0, 2, 3, 0}));
  read(0, 0);
  read(1, 1);
  run(3);
  EXPECT_EQ(bench->controller->statistics().suspends, 1u);
  EXPECT_EQ(bench->done[2].completion.cookie, 0u);
  EXPECT_EQ(overlapped(), 0u);
}

struct NeverTold final : hw::PowerGrant::Client {
  void power_from(std::uint32_t, TimePs) override {}
};

/// The core goes on while a program waits for power, until it is far ahead: what it sends then does not begin before.
TEST_F(ControllerPlaneReads, BeginNoneBeforeItsDoorbell) {
  constexpr TimePs kSent = us(9000);
  hw::PowerGrant grant(200);
  NeverTold other;
  const hw::PowerGrant::Asker die_elsewhere{grant.add_client(other, 1), 0};
  config.power = {&grant, 100, 100, 100, 1, 0, 0};
  boot();
  grant.draw(die_elsewhere, 0, kNever, 200);
  bench->put(bench->descriptor(FlashOp::program, {0, 2, 3, 0}));
  read(0, 0);
  bench->ring();
  read(1, 1);
  bench->ring(kSent);
  sc_core::sc_start(hw::to_sc_time(us(100)));
  ASSERT_TRUE(bench->done.empty()) << "there was no power";
  grant.close(die_elsewhere, us(100));
  grant.settle(us(100), us(100));
  sc_core::sc_start();
  ASSERT_EQ(bench->done.size(), 3u);
  ASSERT_LT(bench->done[1].visible_at, kSent);
  expect_done(2, 2, kSent + kRead + kTransfer);
  EXPECT_EQ(bench->done[2].completion.bus_wait_ps, 0u);
}

} // namespace
} // namespace twinplane::test::controller_plane_reads_test
