// Does the controller let reads pass programs and erases, when it is worth it, as far as the die allows,
// and does it finish what it interrupted? Oracle: sums of data sheet times on a bus where only data
// take time.
#include <gtest/gtest.h>

#include "tests/hw/controller_bench.h"

namespace twinplane::test::controller_suspend_test {
namespace {

constexpr TimePs kTransfer = us(25);
constexpr TimePs kTR = us(65);
constexpr TimePs kStatusByte = kTransfer / 4096; // rounded down; a few status bytes are the tolerance
constexpr TimePs kFewBytes = 8 * (kStatusByte + 1);

ArrayTiming array_times() {
  ArrayTiming t;
  t.tR = {kTR, kTR, kTR, kTR};
  t.tPROG = {us(2000), us(2000), us(2000), us(2000)};
  t.tBERS = ms(5);
  t.tDBSY = 0;
  return t;
}

class ControllerSuspend : public ::testing::Test {
 protected:
  ControllerSuspend() { config.suspend.enabled = true; }

  /// Elaborates, and programs page 0 of the first four blocks.
  void boot() {
    bench = std::make_unique<ControllerBench>("bench", small_geometry(1), data_only_bus(kTransfer), array,
                                              config);
    for (std::uint32_t block = 0; block < 4; ++block) bench->program_now({0, 0, block, 0});
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bench->boot();
  }
  /// Hands over operations at `at`; cookies count from 0.
  void submit(TimePs at, std::initializer_list<FlashDescriptor> descriptors) {
    if (at != 0) sc_core::sc_start(hw::to_sc_time(at) - sc_core::sc_time_stamp());
    for (const FlashDescriptor& d : descriptors) bench->put(d);
    bench->ring();
  }
  FlashDescriptor erase(std::uint32_t block) const {
    return bench->descriptor(FlashOp::erase, {0, 0, block, 0});
  }
  FlashDescriptor read(std::uint32_t block) const {
    return bench->descriptor(FlashOp::read, {0, 0, block, 0});
  }
  FlashDescriptor program(std::uint32_t block, std::uint32_t page) const {
    return bench->descriptor(FlashOp::program, {0, 0, block, page});
  }
  /// Runs to the end; nothing failed or was refused, all times add up.
  void finish(std::size_t operations) {
    sc_core::sc_start();
    ASSERT_EQ(bench->done.size(), operations);
    EXPECT_EQ(bench->violations(), 0u);
    for (const Done& d : bench->done)
      EXPECT_EQ(d.completion.result & ~flash_result::blank, 0) << d.completion.cookie;
  }
  const Done& done(std::uint32_t cookie) const {
    for (const Done& d : bench->done) {
      if (d.completion.cookie == cookie) return d;
    }
    ADD_FAILURE() << "no completion of " << cookie;
    return bench->done.front();
  }
  void expect_time(std::uint32_t cookie, TimePs expected) const {
    EXPECT_GE(done(cookie).visible_at, expected) << cookie;
    EXPECT_LE(done(cookie).visible_at, expected + kFewBytes) << cookie;
  }

  hw::FlashControllerConfig config;
  ArrayTiming array = array_times();
  std::unique_ptr<ControllerBench> bench;
};

TEST_F(ControllerSuspend, AReadWaitsForTheSuspensionOnlyAndTheEraseLosesNoTime) {
  boot();
  submit(0, {erase(5)});
  submit(ms(1), {read(0)});
  finish(2);
  const TimePs in_between = kTR + kTransfer;
  expect_time(1, ms(1) + array.tESPD + in_between);
  expect_time(0, array.tBERS + in_between);
  EXPECT_EQ(done(0).completion.array_ps, array.tBERS);
  EXPECT_EQ(bench->packages[0]->statistics().suspends, 1u);
  EXPECT_EQ(bench->controller->statistics().suspends, 1u);
  EXPECT_EQ(bench->packages[0]->erase_count(0, 0, 5), 1u);
}

/// The whole time of its operation is in its completion, and what it has waited for the suspension apart.
TEST_F(ControllerSuspend, AReadIsToldHowLongItHasWaitedForIt) {
  boot();
  submit(0, {erase(5)});
  submit(ms(1), {read(0), read(1)});
  finish(3);
  for (const std::uint32_t cookie : {1u, 2u}) {
    const FlashCompletion& c = done(cookie).completion;
    const TimePs waited = c.suspend_wait_ns * ns(1);
    EXPECT_GE(waited + ns(1), array.tESPD) << cookie;
    EXPECT_LE(waited, array.tESPD + kFewBytes) << cookie;
    EXPECT_EQ(ms(1) + waited + c.bus_wait_ps + c.bus_ps + c.array_ps + c.ecc_ps, done(cookie).visible_at);
  }
  EXPECT_LE(done(1).completion.bus_wait_ps, kFewBytes);
  EXPECT_GE(done(2).completion.bus_wait_ps, kTR) << "behind the other read";
  EXPECT_EQ(done(0).completion.suspend_wait_ns, 0u);
}

/// It comes while the suspension is under way: only the rest of it is its own.
TEST_F(ControllerSuspend, AReadThatComesLaterWaitsForTheRestOfIt) {
  boot();
  submit(0, {erase(5)});
  submit(ms(1), {read(0)});
  submit(ms(1) + array.tESPD / 2, {read(1)});
  finish(3);
  const TimePs waited = done(2).completion.suspend_wait_ns * ns(1);
  EXPECT_GE(waited + ns(1), array.tESPD / 2);
  EXPECT_LE(waited, array.tESPD / 2 + kFewBytes);
}

TEST_F(ControllerSuspend, AProgramIsSuspendedToo) {
  boot();
  submit(0, {program(5, 0)});
  submit(us(500), {read(0)});
  finish(2);
  expect_time(1, us(500) + array.tPSPD + kTR + kTransfer);
  expect_time(0, kTransfer + us(2000) + kTR + kTransfer);
  EXPECT_EQ(done(0).completion.array_ps, us(2000));
}

TEST_F(ControllerSuspend, ReadsThatCameWithTheEraseGoFirstTogether) {
  boot();
  submit(0, {erase(5), read(0), read(1), read(2)});
  finish(4);
  for (std::uint32_t i = 1; i < 4; ++i) expect_time(i, array.tESPD + i * (kTR + kTransfer));
  expect_time(0, array.tBERS + 3 * (kTR + kTransfer));
  EXPECT_EQ(bench->controller->statistics().suspends, 1u);
  EXPECT_EQ(bench->controller->statistics().reads_in_between, 3u);
}

TEST_F(ControllerSuspend, AReadOfTheErasedBlockWaits) {
  boot();
  submit(0, {erase(0)});
  submit(ms(1), {read(0)});
  finish(2);
  expect_time(0, array.tBERS);
  expect_time(1, array.tBERS + kTR + kTransfer);
}

TEST_F(ControllerSuspend, AReadNeverPassesTheProgramOfItsPage) {
  boot();
  submit(0, {erase(5), program(4, 0), read(4), read(1)});
  finish(4);
  expect_time(3, array.tESPD + kTR + kTransfer);
  EXPECT_GT(done(2).visible_at, done(1).visible_at);
  EXPECT_EQ(done(2).completion.result & flash_result::blank, 0);
}

TEST_F(ControllerSuspend, NothingIsSuspendedForLessThanTheGain) {
  config.suspend.gain = ms(2);
  boot();
  submit(0, {erase(5)});
  submit(ms(3), {read(0)});
  finish(2);
  expect_time(0, array.tBERS);
  expect_time(1, array.tBERS + kTR + kTransfer);
}

TEST_F(ControllerSuspend, AnEraseThatEndsBeforeItIsSuspendedIsDone) {
  config.suspend.gain = 0;
  boot();
  submit(0, {erase(5)});
  submit(array.tBERS - array.tESPD / 2, {read(0)});
  finish(2);
  expect_time(0, array.tBERS);
  expect_time(1, array.tBERS + kTR + kTransfer);
  EXPECT_EQ(bench->controller->statistics().suspends, 0u);
}

TEST_F(ControllerSuspend, AnOperationIsSuspendedOnlySoOften) {
  config.suspend.most_per_operation = 2;
  boot();
  submit(0, {erase(5)});
  for (const std::uint32_t i : {1u, 2u, 3u}) submit(ms(i), {read(0)});
  finish(4);
  const TimePs in_between = kTR + kTransfer;
  expect_time(1, ms(1) + array.tESPD + in_between);
  expect_time(2, ms(2) + array.tESPD + in_between);
  expect_time(0, array.tBERS + 2 * in_between);
  expect_time(3, array.tBERS + 3 * in_between);
}

TEST_F(ControllerSuspend, SoManyReadsRunBeforeItGoesOn) {
  config.suspend.reads_at_a_time = 2;
  config.suspend.most_per_operation = 1;
  boot();
  submit(0, {erase(5), read(0), read(1), read(2)});
  finish(4);
  expect_time(2, array.tESPD + 2 * (kTR + kTransfer));
  expect_time(0, array.tBERS + 2 * (kTR + kTransfer));
  expect_time(3, array.tBERS + 3 * (kTR + kTransfer));
}

TEST_F(ControllerSuspend, PollingFindsTheSuspensionAtThePollAfterIt) {
  config.poll_status = true;
  boot();
  submit(0, {erase(5)});
  submit(ms(1), {read(0)});
  finish(2);
  const TimePs soonest = ms(1) + array.tESPD + kTR + kTransfer;
  EXPECT_GE(done(1).visible_at, soonest);
  EXPECT_LE(done(1).visible_at, soonest + 3 * config.poll_interval + kFewBytes);
}

TEST_F(ControllerSuspend, IsOffUnlessAsked) {
  config.suspend.enabled = false;
  boot();
  submit(0, {erase(5)});
  submit(ms(1), {read(0)});
  finish(2);
  expect_time(0, array.tBERS);
  expect_time(1, array.tBERS + kTR + kTransfer);
}

} // namespace
} // namespace twinplane::test::controller_suspend_test
