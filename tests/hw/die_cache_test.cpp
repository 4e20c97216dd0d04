// Do cache reads and cache programs overlap array and bus as the data sheet says, and does the status
// register tell the truth meanwhile?
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "hw/nand/rules.h"
#include "tests/support/flash_bench.h"

namespace twinplane::test::die_cache_test {
namespace {

using hw::PhaseKind;
using hw::Rule;

constexpr std::uint8_t kIdle = 0xE0;
constexpr std::uint8_t kFail = 0xE1;
constexpr std::uint8_t kCaching = 0xC0; // RDY=1, ARDY=0

/// One LUN, SLC: every page takes the same time, so closed forms have no page types.
hw::NandConfig slc_part() {
  hw::NandConfig c = small_part();
  c.geometry.cell = CellType::slc;
  c.geometry.dies_per_chip = 1;
  c.array.tR = {us(60), 0, 0, 0};
  c.array.tPROG = {us(500), 0, 0, 0};
  return c;
}

class DieCache : public ::testing::Test {
 protected:
  explicit DieCache(const hw::NandConfig& part = slc_part()) : config(part), bench(part) {}

  /// 80h address data and a confirm, at `bench.now`; returns the end of the tenure.
  TimePs program(const Place& p, std::uint8_t confirm, std::uint64_t word) {
    bench.oob = word;
    bench.cycles.clear();
    bench.start_program(p, confirm);
    return send();
  }
  TimePs command(std::uint8_t opcode) {
    bench.cycles.clear().command(opcode);
    return send();
  }
  TimePs read(const Place& p, std::uint8_t confirm) {
    bench.cycles.clear().command(0x00).page_address(bench.row(p)).command(confirm);
    return send();
  }
  TimePs send() {
    bench.now = bench.send(bench.now);
    return bench.now;
  }
  void wait_ready() { bench.now = std::max(bench.now, bench.ready()); }
  /// Data out of a whole page; returns its out-of-band word.
  std::uint64_t data_out() {
    std::uint64_t word = 0;
    bench.cycles.clear().command(0x00).page_data(PhaseKind::data_out, bench.full_mask(), nullptr, &word);
    send();
    return word;
  }
  TimePs array_ready() { return bench.cycles.tenure().array_ready_at; }

  const hw::NandConfig config;
  FlashBench bench;
};

TEST_F(DieCache, ReadsAheadWhileTheBusMovesThePageBefore) {
  for (std::uint32_t page = 0; page < 4; ++page) ASSERT_EQ(bench.program({0, 0, 0, page}, 100 + page), kIdle);
  ASSERT_EQ(bench.read({0, 0, 0, 0}), kIdle);
  for (std::uint64_t page = 0; page < 3; ++page) {
    const TimePs end = command(0x31);
    EXPECT_EQ(bench.ready(), end + config.array.tRCBSY);
    EXPECT_EQ(array_ready(), end + config.array.tR[0]);
    EXPECT_EQ(bench.status({}, 0x70), 0x80) << "busy until the register has moved";
    EXPECT_EQ(bench.status({}, 0x70, end + config.array.tRCBSY), kCaching);
    EXPECT_EQ(data_out(), 100 + page);
    EXPECT_EQ(bench.status({}, 0x70, end + config.array.tR[0]), kIdle);
  }
  const TimePs end = command(0x3F);
  EXPECT_EQ(bench.ready(), end + config.array.tRCBSY);
  EXPECT_EQ(array_ready(), bench.ready());
  wait_ready();
  EXPECT_EQ(data_out(), 103u);
  EXPECT_EQ(bench.all_violations(), 0u);
  EXPECT_EQ(bench.package().statistics().cache_reads, 3u);
}

TEST_F(DieCache, WaitsForTheArrayBeforeTheNextCacheRead) {
  for (std::uint32_t page = 0; page < 3; ++page) ASSERT_EQ(bench.program({0, 0, 0, page}, page), kIdle);
  ASSERT_EQ(bench.read({0, 0, 0, 0}), kIdle);
  command(0x31);
  wait_ready();
  const TimePs first_done = array_ready();
  const TimePs end = command(0x31); // at once, without moving the data
  ASSERT_LT(end, first_done);
  EXPECT_EQ(bench.ready(), first_done + config.array.tRCBSY);
  EXPECT_EQ(array_ready(), first_done + config.array.tR[0]);
}

TEST_F(DieCache, ReadsAnyPageByItsAddress) {
  for (std::uint32_t page = 0; page < 8; ++page) ASSERT_EQ(bench.program({0, 1, 2, page}, 50 + page), kIdle);
  ASSERT_EQ(bench.read({0, 1, 2, 5}), kIdle);
  read({0, 1, 2, 2}, 0x31);
  wait_ready();
  EXPECT_EQ(data_out(), 55u);
  read({0, 1, 2, 7}, 0x31);
  wait_ready();
  EXPECT_EQ(data_out(), 52u);
  command(0x3F);
  wait_ready();
  EXPECT_EQ(data_out(), 57u);
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST_F(DieCache, ReadsAheadOnAllPlanesOfAGroup) {
  for (std::uint32_t page = 0; page < 2; ++page) {
    ASSERT_EQ(bench.program({0, 0, 1, page}, 10 + page), kIdle);
    ASSERT_EQ(bench.program({0, 1, 1, page}, 20 + page), kIdle);
  }
  bench.cycles.clear().command(0x00).page_address(bench.row({0, 0, 1, 0})).command(0x32);
  bench.cycles.command(0x00).page_address(bench.row({0, 1, 1, 0})).command(0x30);
  ASSERT_EQ(bench.finish(0), kIdle);
  const auto out = [this](std::uint32_t plane) {
    std::uint64_t word = 0;
    bench.cycles.clear().command(0x06).page_address(bench.row({0, plane, 1, 0})).command(0xE0);
    bench.cycles.page_data(PhaseKind::data_out, bench.full_mask(), nullptr, &word);
    send();
    return word;
  };
  // Multi-plane cache read: 00h-32h ... 00h-31h, then 3Fh.
  bench.cycles.clear().command(0x00).page_address(bench.row({0, 0, 1, 1})).command(0x32);
  bench.cycles.command(0x00).page_address(bench.row({0, 1, 1, 1})).command(0x31);
  send();
  wait_ready();
  EXPECT_EQ(out(0), 10u);
  EXPECT_EQ(out(1), 20u);
  command(0x3F);
  wait_ready();
  EXPECT_EQ(out(0), 11u);
  EXPECT_EQ(out(1), 21u);
  EXPECT_EQ(bench.all_violations(), 0u);
  EXPECT_EQ(bench.package().statistics().multiplane_read.commands, 2u);
}

TEST_F(DieCache, RefusesToReadAheadBeyondTheBlock) {
  const std::uint32_t last = config.geometry.pages_per_block - 1;
  for (std::uint32_t page = 0; page <= last; ++page) ASSERT_EQ(bench.program({0, 0, 0, page}), kIdle);
  ASSERT_EQ(bench.read({0, 0, 0, last}), kIdle);
  command(0x31);
  EXPECT_EQ(bench.violations(Rule::bad_address), 1u);
}

TEST_F(DieCache, RefusesACacheReadThatFollowsNoRead) {
  command(0x31);
  EXPECT_EQ(bench.violations(Rule::protocol), 1u);
  command(0x3F);
  EXPECT_EQ(bench.violations(Rule::protocol), 2u);
  ASSERT_EQ(bench.program({0, 0, 0, 0}), kIdle);
  command(0x31);
  EXPECT_EQ(bench.violations(Rule::protocol), 3u);
}

TEST_F(DieCache, RefusesOtherOperationsWhileAPageIsReadAhead) {
  for (std::uint32_t page = 0; page < 2; ++page) ASSERT_EQ(bench.program({0, 0, 0, page}, 7 + page), kIdle);
  ASSERT_EQ(bench.read({0, 0, 0, 0}), kIdle);
  command(0x31);
  wait_ready();
  const TimePs idle_at = array_ready();
  program({0, 0, 1, 0}, 0x10, 1);
  EXPECT_EQ(bench.violations(Rule::busy), 1u);
  read({0, 0, 0, 0}, 0x30);
  EXPECT_EQ(bench.violations(Rule::busy), 2u);
  std::uint8_t id[2] = {};
  bench.cycles.clear().command(0x90).short_address(0x20).bytes(PhaseKind::data_out, id, 2);
  send();
  EXPECT_EQ(bench.violations(Rule::busy), 3u) << "target commands need idle arrays";
  bench.now = std::max(bench.now, idle_at);
  EXPECT_EQ(bench.program({0, 0, 1, 0}), kIdle) << "an idle array takes anything";
}

TEST_F(DieCache, TakesTheNextPageWhileTheArrayPrograms) {
  const TimePs first = program({0, 0, 0, 0}, 0x15, 1);
  EXPECT_EQ(bench.ready(), first + config.array.tCBSY) << "an idle array takes the page over at once";
  EXPECT_EQ(array_ready(), first + config.array.tPROG[0]);
  EXPECT_EQ(bench.status({}, 0x70, first + config.array.tCBSY), kCaching);
  const TimePs second = program({0, 0, 0, 1}, 0x15, 2);
  EXPECT_EQ(bench.ready(), first + config.array.tPROG[0]) << "tCBSY: until the page before is programmed";
  EXPECT_EQ(array_ready(), first + 2 * config.array.tPROG[0]);
  EXPECT_EQ(bench.status({}, 0x70, second), 0x80);
  const TimePs half = first + config.array.tPROG[0] / 2;
  EXPECT_EQ(bench.package().still_to_do(0, half).busy, config.array.tPROG[0] * 3 / 2) << "both are counted";
  EXPECT_EQ(bench.package().still_to_do(0, half + config.array.tPROG[0]).busy, config.array.tPROG[0] / 2);
  wait_ready();
  EXPECT_EQ(bench.status({}, 0x70, first + config.array.tPROG[0]), kCaching);
  const TimePs third = program({0, 0, 0, 2}, 0x10, 3);
  EXPECT_EQ(bench.ready(), first + 3 * config.array.tPROG[0]) << "10h: rest of the page before, then its own";
  EXPECT_EQ(array_ready(), bench.ready());
  EXPECT_EQ(bench.status({}, 0x70, third), 0x80);
  wait_ready();
  bench.now = first + 3 * config.array.tPROG[0];
  EXPECT_EQ(bench.status({}, 0x70), kIdle);
  for (std::uint32_t page = 0; page < 3; ++page) {
    ASSERT_EQ(bench.read({0, 0, 0, page}), kIdle);
    EXPECT_EQ(data_out(), page + 1u);
  }
  EXPECT_EQ(bench.all_violations(), 0u);
  EXPECT_EQ(bench.package().statistics().cache_programs, 2u);
}

/// FAIL tells of the page that was given last, FAILC of the one before; FAIL only counts when ARDY is 1.
TEST_F(DieCache, TellsWhichPageOfAStreamFailed) {
  ASSERT_EQ(bench.program({0, 0, 0, 0}), kIdle);
  ASSERT_EQ(bench.program({0, 1, 0, 0}), kIdle);
  program({0, 0, 0, 1}, 0x15, 1); // good
  wait_ready();
  program({0, 0, 0, 1}, 0x15, 2); // bad: programmed already; the array stays busy with the first
  bench.now = std::max(bench.now, array_ready());
  EXPECT_EQ(bench.status({}, 0x70), kFail) << "the last one failed, the one before did not";
  program({0, 0, 0, 2}, 0x15, 3); // good
  wait_ready();
  EXPECT_EQ(bench.status({}, 0x70), kCaching | 0x02) << "the one before failed";
  EXPECT_EQ(bench.status({0, 0, 0, 0}), kCaching | 0x02);
  EXPECT_EQ(bench.status({0, 1, 0, 0}), kCaching) << "the other plane has nothing to do with it";
  program({0, 0, 0, 3}, 0x10, 4); // good
  wait_ready();
  EXPECT_EQ(bench.status({}, 0x70), kIdle);
}

TEST_F(DieCache, RefusesOtherOperationsWhileAPageIsProgrammed) {
  program({0, 0, 0, 0}, 0x15, 1);
  wait_ready();
  const TimePs idle_at = array_ready();
  read({0, 0, 1, 0}, 0x30);
  EXPECT_EQ(bench.violations(Rule::busy), 1u);
  bench.cycles.clear().command(0x60).row_address(bench.row({0, 0, 3, 0})).command(0xD0);
  send();
  EXPECT_EQ(bench.violations(Rule::busy), 2u);
  EXPECT_EQ(bench.package().erase_count(0, 0, 3), 0u);
  bench.now = std::max(bench.now, idle_at);
  EXPECT_EQ(bench.read({0, 0, 0, 0}), kIdle);
  EXPECT_EQ(data_out(), 1u);
}

TEST_F(DieCache, ProgramsAllPlanesOfAGroupThroughTheCache) {
  bench.cycles.clear();
  bench.start_program({0, 0, 0, 0}, 0x11);
  bench.start_program({0, 1, 0, 0}, 0x15);
  send();
  wait_ready();
  EXPECT_EQ(bench.status({}, 0x70), kCaching);
  bench.cycles.clear();
  bench.start_program({0, 0, 0, 1}, 0x11);
  bench.start_program({0, 1, 0, 1}, 0x10);
  EXPECT_EQ(bench.finish(0), kIdle);
  EXPECT_EQ(bench.all_violations(), 0u);
  EXPECT_EQ(bench.package().statistics().multiplane_program.commands, 2u);
  EXPECT_EQ(bench.package().die(0).cells().store().block(1, 0).programmed, 2u);
}

TEST_F(DieCache, LosesThePagesOfAStreamThatAResetCuts) {
  program({0, 0, 0, 0}, 0x15, 1);
  wait_ready();
  program({0, 0, 0, 1}, 0x15, 2);
  const TimePs end = command(0xFF);
  EXPECT_EQ(bench.ready(), end + config.array.tRST_program);
  EXPECT_EQ(bench.package().statistics().aborted, 2u);
  EXPECT_TRUE(
      bench.package().die(0).cells().store().corrupt(bench.package().die(0).cells().store().block(0, 0), 0));
  EXPECT_TRUE(
      bench.package().die(0).cells().store().corrupt(bench.package().die(0).cells().store().block(0, 0), 1));
  wait_ready();
  EXPECT_EQ(bench.status({}, 0x70), kIdle);
  EXPECT_EQ(bench.erase({0, 0, 0, 0}), kIdle);
}

/// Array time of a page, against a bus that needs 8.192 us for its data.
class DieCacheRate : public DieCache, public ::testing::WithParamInterface<TimePs> {
 protected:
  static hw::NandConfig part() {
    hw::NandConfig c = slc_part();
    c.bus = timing::flat(ns(1));
    c.array.tR[0] = c.array.tPROG[0] = GetParam();
    c.array.tRCBSY = c.array.tCBSY = ns(500);
    return c;
  }
  DieCacheRate() : DieCache(part()) {}
  static constexpr TimePs kData = ns(8192);
};

TEST_P(DieCacheRate, ReadsAPagePerArrayOrTransferTime) {
  read({0, 0, 0, 0}, 0x30);
  wait_ready();
  command(0x31);
  wait_ready();
  const TimePs begin = bench.now;
  constexpr TimePs kPages = 20;
  for (TimePs page = 0; page < kPages; ++page) {
    bench.cycles.clear().page_data(PhaseKind::data_out, bench.full_mask(), nullptr, nullptr);
    send();
    command(0x31);
    wait_ready();
  }
  // The bus: data, 31h of one cycle; the register moves before the data may be taken.
  const TimePs bus = kData + ns(1) + config.array.tRCBSY;
  EXPECT_EQ(bench.now - begin, kPages * std::max(GetParam(), bus));
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST_P(DieCacheRate, ProgramsAPagePerArrayOrTransferTime) {
  program({0, 0, 0, 0}, 0x15, 1);
  wait_ready();
  program({0, 0, 0, 1}, 0x15, 1);
  wait_ready();
  const TimePs begin = bench.now;
  constexpr TimePs kPages = 20;
  for (std::uint32_t page = 2; page < 2 + kPages; ++page) {
    program({0, 0, 0, page}, 0x15, 1);
    wait_ready();
  }
  const TimePs bus = ns(7) + kData + config.array.tCBSY; // 80h, five addresses, data, 15h
  EXPECT_EQ(bench.now - begin, kPages * std::max(GetParam(), bus));
  EXPECT_EQ(bench.all_violations(), 0u);
}

INSTANTIATE_TEST_SUITE_P(ArrayTimes, DieCacheRate,
                         ::testing::Values(us(2), ns(8692), ns(8693), ns(8699), us(10), us(20), us(500)),
                         [](const auto& time) { return "ns" + std::to_string(time.param / 1000); });

} // namespace
} // namespace twinplane::test::die_cache_test
