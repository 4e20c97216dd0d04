// Are programs and erases suspended and resumed as the data sheet says: times, status, and what is
// allowed meanwhile?
#include <gtest/gtest.h>

#include "hw/nand/rules.h"
#include "tests/support/flash_bench.h"

namespace twinplane::test::die_suspend_test {
namespace {

using hw::PhaseKind;
using hw::Rule;

constexpr std::uint8_t kIdle = 0xE0;
constexpr std::uint8_t kFail = 0xE1;
constexpr std::uint8_t kSuspended = 0xE4;

class DieSuspend : public ::testing::Test {
 protected:
  void start_erase(const Place& p, TimePs at = 0) {
    bench.cycles.clear().command(0x60).row_address(bench.row(p)).command(0xD0);
    send(at);
  }
  void start_program(const Place& p) {
    bench.cycles.clear();
    bench.start_program(p);
    send();
  }
  TimePs suspend_erase(const Place& p, TimePs at) {
    bench.cycles.clear().command(0x61).row_address(bench.row(p));
    return send(at);
  }
  TimePs suspend_program(const Place& p, TimePs at) {
    bench.cycles.clear().command(0x84).page_address(bench.row(p));
    return send(at);
  }
  TimePs resume_erase(TimePs at = 0) {
    bench.cycles.clear().command(0xD2);
    return send(at);
  }
  TimePs resume_program(const Place& p, TimePs at = 0) {
    bench.cycles.clear().command(0x13).page_address(bench.row(p));
    return send(at);
  }
  TimePs send(TimePs at = 0) {
    bench.now = bench.send(std::max(at, bench.now));
    return bench.now;
  }
  void wait_ready() { bench.now = std::max(bench.now, bench.ready()); }

  const hw::NandConfig config = small_part();
  const ArrayTiming& array = config.array;
  FlashBench bench{config};
};

TEST_F(DieSuspend, KeepsTheRemainingTimeOfAnErase) {
  const Place block{0, 0, 3, 0};
  start_erase(block);
  const TimePs erase_end = bench.ready();
  const TimePs sent = suspend_erase(block, ms(4));
  const TimePs suspended_at = sent + array.tESPD;
  EXPECT_EQ(bench.ready(), suspended_at);
  const TimePs remains = erase_end - suspended_at;
  for (const TimePs at : {suspended_at - us(1), suspended_at, ms(20)}) {
    const hw::DieStatistics rest = bench.package().still_to_do(0, at);
    EXPECT_EQ(rest.busy, remains + (at < suspended_at ? us(1) : 0))
        << "of the array time that has been counted";
    EXPECT_EQ(rest.plane_busy, rest.busy);
  }
  EXPECT_EQ(bench.status({}, 0x70, suspended_at - us(1)), 0x80);
  EXPECT_EQ(bench.status({}, 0x70, suspended_at), kSuspended);
  const TimePs resumed = resume_erase(ms(20));
  EXPECT_EQ(bench.ready(), resumed + (erase_end - suspended_at));
  EXPECT_EQ(bench.status({}, 0x70), 0x80) << "SR2 falls when it goes on";
  EXPECT_EQ(bench.status({}, 0x70, resumed + (erase_end - suspended_at)), kIdle);
  EXPECT_EQ(bench.all_violations(), 0u);
  EXPECT_EQ(bench.package().statistics().suspends, 1u);
  EXPECT_EQ(bench.package().erase_count(0, 0, 3), 1u);
  EXPECT_EQ(bench.package().statistics().dies[0].busy, array.tBERS) << "no array time appears or is lost";
}

TEST_F(DieSuspend, KeepsTheRemainingTimeOfAProgram) {
  const Place page{0, 1, 2, 0};
  start_program(page);
  const TimePs program_end = bench.ready();
  const TimePs sent = suspend_program(page, bench.now + us(50));
  const TimePs suspended_at = sent + array.tPSPD;
  EXPECT_EQ(bench.status({}, 0x70, suspended_at), kSuspended);
  const TimePs resumed = resume_program(page, suspended_at + ms(1));
  EXPECT_EQ(bench.ready(), resumed + (program_end - suspended_at));
  wait_ready();
  EXPECT_EQ(bench.read(page), kIdle);
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST_F(DieSuspend, FindsNothingToSuspendOnAnIdleDie) {
  const TimePs sent = suspend_erase({0, 0, 3, 0}, us(1));
  EXPECT_EQ(bench.ready(), sent + array.tSPD_idle);
  wait_ready();
  EXPECT_EQ(bench.status({}, 0x70), kIdle);
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST_F(DieSuspend, LetsAnOperationEndThatIsNearlyDone) {
  const Place block{0, 0, 3, 0};
  start_erase(block);
  const TimePs end = bench.ready();
  suspend_erase(block, end - array.tESPD);
  EXPECT_EQ(bench.ready(), end);
  wait_ready();
  EXPECT_EQ(bench.status({}, 0x70), kIdle);
  EXPECT_EQ(bench.package().statistics().suspends, 0u);
  resume_erase();
  EXPECT_EQ(bench.violations(Rule::suspend), 1u) << "there is nothing to resume";
}

TEST_F(DieSuspend, AllowsReadsAndProgramsElsewhereDuringASuspendedErase) {
  ASSERT_EQ(bench.program({0, 0, 1, 0}, 77), kIdle);
  const Place block{0, 0, 3, 0};
  start_erase(block);
  suspend_erase(block, bench.now + ms(1));
  wait_ready();
  EXPECT_EQ(bench.read({0, 0, 1, 0}), kSuspended);
  EXPECT_EQ(bench.program({0, 0, 1, 1}), kSuspended);
  EXPECT_EQ(bench.all_violations(), 0u);
  EXPECT_EQ(bench.read({0, 0, 3, 0}), kSuspended | 1);
  EXPECT_EQ(bench.program({0, 0, 3, 0}), kSuspended | 1);
  EXPECT_EQ(bench.erase({0, 0, 4, 0}), kSuspended | 1);
  EXPECT_EQ(bench.violations(Rule::suspend), 3u);
  EXPECT_EQ(bench.package().erase_count(0, 0, 4), 0u);
  resume_erase();
  wait_ready();
  EXPECT_EQ(bench.status({}, 0x70), kIdle) << "the erase itself was good";
}

TEST_F(DieSuspend, AllowsNothingButReadsDuringASuspendedProgram) {
  ASSERT_EQ(bench.program({0, 0, 1, 0}, 77), kIdle);
  ASSERT_EQ(bench.program({0, 0, 1, 1}, 78), kIdle);
  const Place page{0, 0, 2, 0};
  start_program(page);
  suspend_program(page, bench.now + us(10));
  wait_ready();
  EXPECT_EQ(bench.read({0, 0, 1, 0}), kSuspended);
  EXPECT_EQ(bench.all_violations(), 0u);
  bench.cycles.clear().command(0x31);
  send();
  EXPECT_EQ(bench.violations(Rule::suspend), 1u) << "no cache reads";
  bench.program({0, 1, 1, 0});
  bench.erase({0, 1, 1, 0});
  EXPECT_EQ(bench.read({0, 0, 2, 0}) & 1, 1);
  EXPECT_EQ(bench.violations(Rule::suspend), 4u);
  resume_program(page);
  EXPECT_EQ(bench.violations(Rule::suspend), 4u);
  wait_ready();
  EXPECT_EQ(bench.status({}, 0x70), kIdle);
}

TEST_F(DieSuspend, ResumesAnEraseThatIsOrderedAgain) {
  const Place block{0, 0, 3, 0};
  start_erase(block);
  const TimePs end = bench.ready();
  suspend_erase(block, ms(1));
  const TimePs suspended_at = bench.ready();
  wait_ready();
  start_erase(block);
  EXPECT_EQ(bench.ready(), bench.now + (end - suspended_at));
  EXPECT_EQ(bench.package().erase_count(0, 0, 3), 1u);
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST_F(DieSuspend, SuspendsAllPlanesOfAGroup) {
  bench.cycles.clear().command(0x60).row_address(bench.row({0, 0, 3, 0})).command(0xD1);
  bench.cycles.command(0x60).row_address(bench.row({0, 1, 3, 0})).command(0xD0);
  send();
  suspend_erase({0, 1, 3, 0}, ms(2));
  wait_ready();
  EXPECT_EQ(bench.read({0, 0, 3, 0}) & 1, 1);
  EXPECT_EQ(bench.read({0, 1, 3, 0}) & 1, 1);
  EXPECT_EQ(bench.violations(Rule::suspend), 2u);
  resume_erase();
  wait_ready();
  EXPECT_EQ(bench.read({0, 0, 3, 0}), kIdle);
}

TEST_F(DieSuspend, RefusesTheSuspendOfSomethingElse) {
  start_erase({0, 0, 3, 0});
  const TimePs end = bench.ready();
  suspend_program({0, 0, 3, 0}, ms(1));
  suspend_erase({0, 0, 4, 0}, ms(2));
  EXPECT_EQ(bench.violations(Rule::suspend), 2u);
  EXPECT_EQ(bench.ready(), end);
  wait_ready();
  EXPECT_EQ(bench.status({}, 0x70), kIdle);
}

TEST_F(DieSuspend, KeepsTheResultOfASuspendedOperation) {
  ASSERT_EQ(bench.program({0, 1, 3, 0}), kIdle);
  // Plane 0 accepts page 0, plane 1 has it already: the group runs and will show FAIL.
  bench.cycles.clear();
  bench.start_program({0, 0, 3, 0}, 0x11);
  bench.start_program({0, 1, 3, 0});
  send();
  suspend_program({0, 0, 3, 0}, bench.now + us(10));
  wait_ready();
  EXPECT_EQ(bench.read({0, 0, 5, 0}), kSuspended);
  resume_program({0, 0, 3, 0});
  wait_ready();
  EXPECT_EQ(bench.status({}, 0x70), kFail);
  EXPECT_EQ(bench.status({0, 0, 3, 0}), kIdle);
  EXPECT_EQ(bench.status({0, 1, 3, 0}), kFail);
}

TEST_F(DieSuspend, LosesASuspendedEraseThatAResetCuts) {
  start_erase({0, 0, 3, 0});
  suspend_erase({0, 0, 3, 0}, ms(1));
  wait_ready();
  bench.cycles.clear().command(0xFF);
  const TimePs end = send();
  EXPECT_EQ(bench.ready(), end + array.tRST_erase);
  wait_ready();
  EXPECT_EQ(bench.status({}, 0x70), kIdle);
  EXPECT_TRUE(bench.package().die(0).cells().store().block(0, 3).corrupt);
  EXPECT_EQ(bench.program({0, 0, 3, 0}), kFail);
  EXPECT_EQ(bench.erase({0, 0, 3, 0}), kIdle);
  EXPECT_EQ(bench.program({0, 0, 3, 0}), kIdle);
}

TEST_F(DieSuspend, LeavesTheOtherLunAlone) {
  start_erase({0, 0, 3, 0});
  suspend_erase({0, 0, 3, 0}, ms(1));
  EXPECT_EQ(bench.program({1, 0, 3, 0}), kIdle);
  EXPECT_EQ(bench.erase({1, 0, 3, 0}), kIdle);
  EXPECT_EQ(bench.all_violations(), 0u);
}

} // namespace
} // namespace twinplane::test::die_suspend_test
