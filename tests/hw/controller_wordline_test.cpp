// Does the flash controller program a wordline in one pass, in the time of its loads and one program, with
// nothing in between, and does it report a pass that fails for each of its pages?
#include <gtest/gtest.h>

#include "tests/hw/retry_bench.h"

namespace twinplane::test::controller_wordline_test {
namespace {

constexpr TimePs kPass = us(2100);
constexpr TimePs kLoad = us(7);
const TimePs kStatus = data_only_bus().data_out.of(1);

class ControllerWordline : public ControllerRetry {
 protected:
  ControllerWordline() {
    config.read_retries = 0;
    part = hw::NandConfig();
    part.one_pass = true;
    part.page_table = PageTable::wordline;
    array.tPROG_wordline = kPass;
    array.tDCBSYW = kLoad;
  }
  static Geometry geometry(std::uint32_t chips = 1, std::uint32_t planes = 1) {
    Geometry g = small_geometry(chips, planes);
    g.cell = CellType::tlc;
    g.pages_per_block = 24;
    return g;
  }
  /// The bench programs pages 0 to 3 of block 0 untimed.
  void pass(const Ppa& first, std::uint32_t planes = 1, std::uint32_t pages = 3) {
    for (std::uint32_t i = 0; i < pages; ++i) {
      for (std::uint32_t p = 0; p < planes; ++p) {
        std::uint8_t flags = p + 1 < planes ? flash_flag::more : 0;
        if (i + 1 < pages) flags |= flash_flag::load;
        bench->put(bench->descriptor(FlashOp::program, {first.die, p, first.block, first.page + i}, flags));
      }
    }
  }
  static TimePs transfer() { return data_only_bus().data_in.of(4096); }
};

TEST_F(ControllerWordline, TakesItsLoadsAndOneProgramTime) {
  boot(geometry());
  pass({0, 0, 3, 0});
  bench->ring();
  finish(3);
  EXPECT_EQ(commands.text, "1A 1A 10");
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(bench->done[i].visible_at, 3 * transfer() + 2 * kLoad + kPass + kStatus);
    EXPECT_EQ(bench->done[i].completion.cookie, i);
    EXPECT_EQ(bench->done[i].completion.result, 0);
    EXPECT_EQ(bench->done[i].completion.array_ps, 2 * kLoad + kPass);
    EXPECT_EQ(total(bench->done[i].completion), bench->done[i].visible_at);
  }
  EXPECT_EQ(bench->controller->statistics().programs, 3u);
}

/// W pages per W transfers, W - 1 loads and one program: the throughput of a die that folds.
TEST_F(ControllerWordline, FoldsAtTheRateOfTheClosedForm) {
  boot(geometry());
  for (std::uint32_t w = 0; w < 8; ++w) pass({0, 0, 3, 3 * w});
  bench->ring();
  finish(24);
  EXPECT_EQ(bench->done.back().visible_at, 8 * (3 * transfer() + 2 * kLoad + kPass + kStatus));
}

TEST_F(ControllerWordline, JoinsPlanesInEachStep) {
  boot(geometry(1, 2));
  pass({0, 0, 3, 0}, 2);
  bench->ring();
  finish(6);
  EXPECT_EQ(commands.text, "1A 1A 10");
  EXPECT_EQ(bench->packages[0]->statistics().passes, 2u);
}

TEST_F(ControllerWordline, LetsReadsOfOtherDiesHaveTheBusBetweenItsPages) {
  boot(geometry(2));
  pass({0, 0, 3, 0});
  bench->put(bench->descriptor(FlashOp::read, {1, 0, 0, 1}));
  bench->ring();
  finish(4);
  EXPECT_EQ(commands.text, "1A 30 1A 10 out");
}

/// When the passes of the dies have ended, each once.
std::vector<TimePs> ends_of_passes(const std::vector<Done>& done) {
  std::vector<TimePs> ends;
  for (std::size_t i = 0; i < done.size(); i += 3) ends.push_back(done[i].visible_at);
  return ends;
}

// Else both would be ready at the same time for ever.
TEST_F(ControllerWordline, GivesADieAllItsPagesBeforeAnotherOneBegins) {
  boot(geometry(2));
  for (std::uint32_t die = 0; die < 2; ++die) pass({die, 0, 3, 0});
  bench->ring();
  finish(6);
  const TimePs loads = 3 * transfer() + 2 * kLoad;
  const std::vector<TimePs> ends = ends_of_passes(bench->done);
  EXPECT_EQ(ends[0], loads + kPass + kStatus);
  EXPECT_EQ(ends[1], 2 * loads + kPass + kStatus);
}

// The loads of the first two dies fall between each other; the third one begins when one of them has its pages.
TEST_F(ControllerWordline, LetsTwoDiesTakePagesInTurnWhileMoreWait) {
  boot(geometry(4));
  for (std::uint32_t die = 0; die < 4; ++die) pass({die, 0, 3, 0});
  bench->ring();
  finish(12);
  const std::vector<TimePs> ends = ends_of_passes(bench->done);
  EXPECT_LT(ends.back(), 12 * transfer() + 5 * kLoad + kPass + kStatus)
      << "the bus has not waited for all loads";
  EXPECT_GT(ends.back(), 12 * transfer() + kPass);
}

TEST_F(ControllerWordline, LetsNoReadOfItsDieInBetween) {
  config.suspend.enabled = true;
  config.cache_reads = config.cache_programs = true;
  boot(geometry());
  pass({0, 0, 3, 0});
  bench->put(bench->descriptor(FlashOp::read, {0, 0, 0, 1}));
  bench->ring();
  finish(4);
  EXPECT_EQ(commands.text.substr(0, 8), "1A 1A 10");
  EXPECT_EQ(bench->controller->statistics().suspends, 1u) << "but the array's work can be suspended";
}

TEST_F(ControllerWordline, PollsBehindEachLoad) {
  config.poll_status = true;
  boot(geometry());
  pass({0, 0, 3, 0});
  bench->ring();
  finish(3);
  EXPECT_GE(bench->done.back().visible_at, 3 * transfer() + 2 * kLoad + kPass);
  EXPECT_LE(bench->done.back().visible_at, 3 * transfer() + 2 * kLoad + kPass + 4 * config.poll_interval);
}

TEST_F(ControllerWordline, ReportsARefusedPassForEachPage) {
  expect_reports("twinplane.nand");
  boot(geometry());
  pass({0, 0, 3, 3}); // of the second wordline of an erased block
  bench->ring();
  sc_core::sc_start();
  ASSERT_EQ(bench->done.size(), 3u);
  for (const Done& d : bench->done) EXPECT_EQ(d.completion.result, flash_result::fail);
  EXPECT_EQ(findings.text(), "order");
}

TEST_F(ControllerWordline, ReportsAFailedPassForEachPage) {
  part.faults.program = 1;
  boot(geometry());
  pass({0, 0, 3, 0});
  bench->ring();
  finish(3);
  for (const Done& d : bench->done) EXPECT_EQ(d.completion.result, flash_result::fail);
}

TEST_F(ControllerWordline, RejectsAPassThatIsNoProgramOfOneDie) {
  boot(geometry(2));
  bench->put(bench->descriptor(FlashOp::program, {0, 0, 3, 0}, flash_flag::load));
  bench->put(bench->descriptor(FlashOp::program, {1, 0, 3, 1}, flash_flag::load));
  bench->put(bench->descriptor(FlashOp::program, {0, 0, 3, 2}));
  bench->put(bench->descriptor(FlashOp::read, {0, 0, 0, 0}));
  bench->ring();
  finish(4);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(done(i).completion.result, flash_result::fail);
  EXPECT_EQ(bench->controller->statistics().rejected_descriptors, 3u);
}

} // namespace
} // namespace twinplane::test::controller_wordline_test
