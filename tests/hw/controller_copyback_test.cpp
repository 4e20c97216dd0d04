// Does a copyback descriptor move a page inside its plane, with commands that the monitor has no objection
// to, in the time of a read and a program and without data on the bus, and does nothing come between the two?
#include <gtest/gtest.h>

#include "tests/hw/retry_bench.h"

namespace twinplane::test::controller_copyback_test {
namespace {

const TimePs kStatus = data_only_bus().data_out.of(1);
constexpr TimePs kMove = us(65 + 500);

class ControllerCopyback : public ControllerRetry {
 protected:
  ControllerCopyback() {
    config.read_retries = 0;
    part = hw::NandConfig();
  }
  FlashDescriptor copy(const Ppa& from, const Ppa& to) const {
    FlashDescriptor d = bench->descriptor(FlashOp::copyback, to);
    d.buffer = bench->rows.row(0, from.plane, from.block, from.page);
    d.sector_mask = 0;
    return d;
  }
  const hw::FlashControllerStatistics& statistics() const { return bench->controller->statistics(); }
};

TEST_F(ControllerCopyback, TakesAReadAndAProgramAndNoBusTime) {
  boot(small_geometry(1));
  submit({copy({0, 0, 0, 2}, {0, 0, 3, 0})});
  finish(1);
  EXPECT_EQ(commands.text, "10") << "behind 35h";
  const FlashCompletion& c = done(0).completion;
  EXPECT_EQ(done(0).visible_at, kMove + kStatus);
  EXPECT_EQ(c.array_ps, kMove);
  EXPECT_EQ(c.bus_ps, kStatus);
  EXPECT_EQ(total(c), done(0).visible_at);
  EXPECT_EQ(c.result, 0);
  EXPECT_EQ(statistics().copybacks, 1u);
  EXPECT_EQ(statistics().page_bytes_in, 0u);
  EXPECT_EQ(statistics().programs + statistics().reads, 0u);
}

TEST_F(ControllerCopyback, LeavesTheSameDataInBothPages) {
  config.data_mode = DataMode::full;
  boot(small_geometry(1));
  submit({copy({0, 0, 0, 1}, {0, 0, 3, 0}), read({0, 0, 3, 0})});
  finish(2);
  EXPECT_EQ(done(1).completion.result, 0);
  const std::uint8_t* const data = bench->dram.data() + bench->buffer(0, 0);
  for (std::uint32_t i = 0; i < 4096; ++i) ASSERT_EQ(data[i], 0x5A) << i;
}

TEST_F(ControllerCopyback, StoresTheWordThatComesWithIt) {
  boot(small_geometry(1));
  FlashDescriptor d = copy({0, 0, 0, 1}, {0, 0, 3, 0});
  d.oob = 0x1234;
  submit({d, read({0, 0, 3, 0}), read({0, 0, 0, 1})});
  finish(3);
  EXPECT_EQ(done(1).completion.oob, 0x1234u);
  EXPECT_NE(done(2).completion.oob, 0x1234u) << "that of its source is as it was";
}

TEST_F(ControllerCopyback, GivesThePlaneBackWhenItIsDone) {
  config.suspend.enabled = true; // a read would pass a program
  config.cache_reads = config.cache_programs = true;
  boot(small_geometry(1));
  submit({copy({0, 0, 0, 0}, {0, 0, 3, 0})});
  submit({read({0, 0, 0, 1})}, us(100)); // of another block, during tPROG
  finish(2);
  EXPECT_EQ(commands.text, "10 30 out");
  EXPECT_EQ(done(1).visible_at, kMove + kStatus + us(65 + 25) + kDecoding);
  EXPECT_EQ(statistics().suspends, 0u);
}

TEST_F(ControllerCopyback, PollsBetweenItsTwoHalves) {
  config.poll_status = true;
  boot(small_geometry(1));
  submit({copy({0, 0, 0, 0}, {0, 0, 3, 0})});
  finish(1);
  EXPECT_EQ(done(0).completion.result, 0);
  EXPECT_GE(done(0).visible_at, kMove);
  EXPECT_LE(done(0).visible_at, kMove + 2 * config.poll_interval);
}

TEST_F(ControllerCopyback, RunsInTwoDiesAtATime) {
  boot(small_geometry(2));
  submit({copy({0, 0, 0, 0}, {0, 0, 3, 0}), copy({1, 0, 0, 0}, {1, 0, 3, 0})});
  finish(2);
  for (const std::uint32_t i : {0u, 1u}) EXPECT_EQ(done(i).visible_at, kMove + (i + 1) * kStatus);
}

TEST_F(ControllerCopyback, WaitsForIndependentReadsOfOtherPlanes) {
  config.independent_reads = true;
  boot(small_geometry(1, 2));
  submit({read({0, 1, 0, 0}), copy({0, 0, 0, 0}, {0, 0, 3, 0}), read({0, 1, 0, 1})});
  finish(3);
  EXPECT_EQ(done(1).visible_at, us(65 + 25) + kMove + kStatus);
}

TEST_F(ControllerCopyback, AddsUpTheErrorsThatNobodyCorrects) {
  part = noisy(10, {1, 1, 1, 1, 1, 1, 1, 1});
  boot(small_geometry(1));
  submit({copy({0, 0, 0, 0}, {0, 0, 3, 0}), copy({0, 0, 3, 0}, {0, 0, 4, 0}), read({0, 0, 4, 0})});
  finish(3);
  EXPECT_NEAR(counted().bit_errors, 3 * 10 * 4, 1e-4) << "of four codewords, at three places";
}

TEST_F(ControllerCopyback, FailsWhereThePartTakesNoFurtherOne) {
  expect_reports("twinplane.nand");
  part.copybacks = 1;
  boot(small_geometry(1));
  submit({copy({0, 0, 0, 0}, {0, 0, 3, 0}), copy({0, 0, 3, 0}, {0, 0, 4, 0})});
  sc_core::sc_start();
  ASSERT_EQ(bench->done.size(), 2u);
  EXPECT_EQ(done(0).completion.result, 0);
  EXPECT_EQ(done(1).completion.result, flash_result::fail);
  EXPECT_EQ(findings.text(), "sequence");
}

TEST_F(ControllerCopyback, IsTakenAloneAndInNativeModeOnly) {
  boot(small_geometry(1, 2));
  FlashDescriptor first = copy({0, 0, 0, 0}, {0, 0, 3, 0});
  first.flags = flash_flag::more;
  FlashDescriptor slc = copy({0, 0, 0, 0}, {0, 0, 3, 0});
  slc.flags = flash_flag::slc_mode;
  submit({first, copy({0, 1, 0, 0}, {0, 1, 3, 0}), slc, copy({0, 0, 0, 0}, {0, 0, 3, 0})});
  finish(4);
  EXPECT_EQ(done(3).completion.result, 0);
  for (const std::uint32_t i : {0u, 1u, 2u}) EXPECT_EQ(done(i).completion.result, flash_result::fail);
  EXPECT_EQ(statistics().rejected_descriptors, 3u);
  EXPECT_EQ(commands.text, "10");
}

} // namespace
} // namespace twinplane::test::controller_copyback_test
