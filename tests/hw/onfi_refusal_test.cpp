// The thirteen mistakes that a part must not let pass: each is refused with its rule's name, counted,
// and shown in the status register where the data sheet says so.
#include <gtest/gtest.h>

#include "hw/nand/rules.h"
#include "tests/support/flash_bench.h"

namespace twinplane::test::onfi_refusal_test {
namespace {

using hw::PhaseKind;
using hw::Rule;

constexpr std::uint8_t kIdle = 0xE0;
constexpr std::uint8_t kFail = 0xE1;

class OnfiRefusal : public ::testing::Test {
 protected:
  OnfiRefusal() : bench_(std::make_unique<FlashBench>(config)) {}

  /// Exactly one rule was broken, so often; each time the terminal was told.
  void expect_refused(Rule rule, std::uint64_t times = 1) {
    EXPECT_EQ(bench().violations(rule), times) << hw::rule_name(rule);
    EXPECT_EQ(bench().all_violations(), times);
    ASSERT_EQ(bench().seen_violations.size(), times);
    EXPECT_STREQ(bench().seen_violations.back().rule, hw::rule_name(rule));
    EXPECT_EQ(sc_core::sc_report_handler::get_count("twinplane.nand", sc_core::SC_WARNING),
              static_cast<int>(times));
  }
  void expect_accepted() {
    EXPECT_EQ(bench().all_violations(), 0u);
    EXPECT_EQ(sc_core::sc_report_handler::get_count("twinplane.nand", sc_core::SC_WARNING), 0);
  }
  FlashBench& bench() { return *bench_; }
  std::uint32_t programmed(std::uint32_t lun, std::uint32_t plane, std::uint32_t block) {
    return bench().package().die(lun).cells().store().block(plane, block).programmed;
  }

  hw::NandConfig config = small_part();

 private:
  std::unique_ptr<FlashBench> bench_;
};

TEST_F(OnfiRefusal, N01UnequalPagesOfAGroup) {
  ASSERT_EQ(bench().program({0, 0, 3, 0}), kIdle);
  EXPECT_EQ(bench().program_pair({0, 0, 3, 1}, {0, 1, 3, 0}), kFail);
  expect_refused(Rule::pac);
}

TEST_F(OnfiRefusal, N02OnePlaneTwice) {
  EXPECT_EQ(bench().program_pair({0, 0, 3, 0}, {0, 0, 4, 0}), kFail);
  expect_refused(Rule::distinct_planes);
}

TEST_F(OnfiRefusal, N03PlanesOfTwoLuns) {
  EXPECT_EQ(bench().program_pair({0, 0, 3, 0}, {1, 1, 3, 0}), kFail);
  expect_refused(Rule::same_lun);
}

TEST_F(OnfiRefusal, N04OtherBlocksAreFineWithoutBac) {
  EXPECT_EQ(bench().program_pair({0, 0, 3, 0}, {0, 1, 4, 0}), kIdle);
  expect_accepted();
}

class OnfiRefusalWithBac : public ::testing::Test {};

TEST_F(OnfiRefusalWithBac, N04OtherBlocksOfAGroup) {
  hw::NandConfig config = small_part();
  config.bac = true;
  FlashBench bench(config);
  EXPECT_EQ(bench.program_pair({0, 0, 3, 0}, {0, 1, 4, 0}), kFail);
  EXPECT_EQ(bench.violations(Rule::bac), 1u);
  EXPECT_EQ(bench.all_violations(), 1u);
}

TEST_F(OnfiRefusal, N05ReadWithoutAnAddress) {
  bench().cycles.clear().command(0x00).command(0x30);
  EXPECT_EQ(bench().finish(0), kFail);
  expect_refused(Rule::protocol);
}

TEST_F(OnfiRefusal, N05ProgramWithoutData) {
  bench().cycles.clear().command(0x80).page_address(bench().row({0, 0, 3, 0})).command(0x10);
  EXPECT_EQ(bench().finish(0), kFail);
  expect_refused(Rule::protocol);
  EXPECT_EQ(programmed(0, 0, 3), 0u);
}

TEST_F(OnfiRefusal, N05EraseConfirmOfAProgram) {
  bench().cycles.clear();
  bench().start_program({0, 0, 3, 0}, 0xD0);
  EXPECT_EQ(bench().finish(0), kFail);
  expect_refused(Rule::protocol);
  EXPECT_EQ(bench().package().erase_count(0, 0, 3), 0u);
  EXPECT_EQ(programmed(0, 0, 3), 0u);
}

TEST_F(OnfiRefusal, N06ProgramOfAProgrammedPage) {
  ASSERT_EQ(bench().program({0, 0, 3, 0}), kIdle);
  EXPECT_EQ(bench().program({0, 0, 3, 0}), kFail);
  expect_refused(Rule::erase_before_program);
}

TEST_F(OnfiRefusal, N06ProgramOutOfOrder) {
  EXPECT_EQ(bench().program({0, 0, 3, 1}), kFail);
  expect_refused(Rule::order);
}

TEST_F(OnfiRefusal, N07CommandToABusyLun) {
  bench().cycles.clear();
  bench().start_program({0, 0, 3, 0});
  bench().send();
  const TimePs ready = bench().ready();
  bench().cycles.clear().command(0x60).row_address(bench().row({0, 0, 4, 0})).command(0xD0);
  bench().send();
  expect_refused(Rule::busy);
  EXPECT_EQ(bench().package().erase_count(0, 0, 4), 0u);
  EXPECT_EQ(bench().package().die(0).timeline().busy_until(), ready) << "the program goes on";
}

TEST_F(OnfiRefusal, N08StatusOfAnIdleLunBesideABusyOne) {
  bench().cycles.clear();
  bench().start_program({0, 0, 3, 0});
  bench().send();
  const TimePs ready = bench().ready();
  EXPECT_EQ(bench().status({1, 0, 0, 0}), kIdle);
  EXPECT_EQ(bench().package().die(0).timeline().busy_until(), ready);
  EXPECT_EQ(programmed(0, 0, 3), 1u);
  expect_accepted();
}

TEST_F(OnfiRefusal, N09ResetsTakeTheirTimeAndSpoilWhatRan) {
  const auto reset = [this] {
    bench().cycles.clear().command(0xFF);
    const TimePs end = bench().send(bench().now);
    const TimePs busy = bench().ready() - end;
    bench().now = bench().ready();
    return busy;
  };
  EXPECT_EQ(reset(), us(5));
  bench().cycles.clear();
  bench().start_program({0, 0, 3, 0});
  bench().now = bench().send(bench().now) + us(1);
  EXPECT_EQ(reset(), us(30));
  const hw::PageStore& store = bench().package().die(0).cells().store();
  EXPECT_TRUE(store.corrupt(store.block(0, 3), 0));
  bench().cycles.clear().command(0x60).row_address(bench().row({0, 1, 3, 0})).command(0xD0);
  bench().now = bench().send(bench().now) + us(1);
  EXPECT_EQ(reset(), us(500));
  EXPECT_TRUE(store.block(1, 3).corrupt);
  bench().cycles.clear().command(0x00).page_address(bench().row({0, 0, 4, 0})).command(0x30);
  bench().now = bench().send(bench().now) + us(1);
  EXPECT_EQ(reset(), us(10));
  EXPECT_EQ(bench().status({}, 0x70), kIdle);
  EXPECT_EQ(bench().program({0, 1, 3, 0}), kFail) << "the block needs a whole erase first";
  expect_refused(Rule::erase_before_program);
}

TEST_F(OnfiRefusal, N10OddColumnOnADdrBus) {
  bench().cycles.clear().command(0x80).page_address(bench().row({0, 0, 3, 0}), 1);
  bench().cycles.page_data(PhaseKind::data_in, 3, nullptr, nullptr).command(0x10);
  EXPECT_EQ(bench().finish(0), kFail);
  expect_refused(Rule::bad_address);
}

/// A controller that samples before tWB has passed sees the die ready that is about to be busy; the die
/// counts from tWB on. (tADL, tWHR, tCCS and tRHW are intervals of the bus: the channel's monitor.)
TEST_F(OnfiRefusal, N11BusyBeginsAfterTwb) {
  bench().cycles.clear().command(0x60).row_address(bench().row({0, 0, 3, 0})).command(0xD0);
  const TimePs end = bench().send();
  const hw::OnfiPhase& confirm = bench().cycles.tenure().phases[2];
  EXPECT_EQ(bench().arrays.back().start, confirm.end + ns(100));
  EXPECT_EQ(end, confirm.end + ns(100)) << "nothing else may use the bus before";
  expect_accepted();
}

TEST_F(OnfiRefusal, N12ProgramAndEraseWhileWriteProtected) {
  bench().package().write_protect(true);
  EXPECT_EQ(bench().program({0, 0, 3, 0}), 0x60) << "SR7 = 0, no FAIL";
  EXPECT_EQ(bench().erase({0, 0, 3, 0}), 0x60);
  expect_refused(Rule::write_protect, 2);
  EXPECT_EQ(programmed(0, 0, 3), 0u);
  EXPECT_EQ(bench().package().erase_count(0, 0, 3), 0u);
}

TEST_F(OnfiRefusal, N13DataOutOfNoPlaneInParticular) {
  ASSERT_EQ(bench().program_pair({0, 0, 3, 0}, {0, 1, 3, 0}), kIdle);
  bench().cycles.clear().command(0x00).page_address(bench().row({0, 0, 3, 0})).command(0x32);
  bench().cycles.command(0x00).page_address(bench().row({0, 1, 3, 0})).command(0x30);
  ASSERT_EQ(bench().finish(0), kIdle);
  std::uint64_t word = 0;
  bench().cycles.clear().command(0x00).page_data(PhaseKind::data_out, 3, nullptr, &word);
  bench().now = bench().send(bench().now);
  EXPECT_TRUE(bench().cycles.tenure().phases[1].corrupt) << "nothing that a controller could take for data";
  expect_refused(Rule::protocol);
  bench().cycles.clear().command(0x06).page_address(bench().row({0, 0, 3, 0})).command(0xE0);
  bench().cycles.page_data(PhaseKind::data_out, 3, nullptr, &word);
  bench().now = bench().send(bench().now);
  EXPECT_EQ(bench().all_violations(), 1u) << "06h selects";
}

} // namespace
} // namespace twinplane::test::onfi_refusal_test
