// Does the monitor follow the less usual commands as the die does: copyback, rows that change inside a
// program, the JEDEC forms, a cancelled erase, timing modes? Every tenure is judged by both, so a test that
// ends without a finding also says that the two agree, and a refusal must be the monitor's and the die's.
#include <gtest/gtest.h>

#include "tests/support/monitor_bench.h"

namespace twinplane::test::monitor_commands_test {
namespace {

using hw::MonitorRule;
using hw::PhaseKind;

class MonitorCommands : public ::testing::Test {
 protected:
  explicit MonitorCommands(const hw::NandConfig& part = small_part()) : config(part), flash(part) {}

  FlashBench& bench() { return flash.bench; }
  Cycles& at(std::uint8_t opcode, const Place& p) {
    return bench().cycles.command(opcode).page_address(bench().row(p));
  }
  Cycles& erase_of(const Place& p) { return bench().cycles.command(0x60).row_address(bench().row(p)); }
  void load() { bench().cycles.page_data(PhaseKind::data_in, bench().full_mask(), nullptr, &word_); }
  std::uint8_t finish() {
    const std::uint8_t status = bench().finish(0);
    bench().cycles.clear();
    return status;
  }
  /// 00h a5 35h of one plane.
  void read_to_copy(const Place& p) {
    bench().cycles.clear();
    at(0x00, p).command(0x35);
    finish();
  }
  void set_feature(std::uint8_t address, std::uint8_t value, bool ddr) {
    std::uint8_t parameters[8] = {value, ddr ? value : std::uint8_t{0}};
    bench().cycles.clear().command(0xEF).short_address(address);
    bench().cycles.bytes(PhaseKind::data_in, parameters, ddr ? 8 : 4);
    bench().now = bench().send(bench().now);
    bench().now = std::max(bench().now, bench().ready());
    bench().cycles.clear();
  }
  void data_out() {
    bench().cycles.clear().command(0x00).page_data(PhaseKind::data_out, 3, nullptr, nullptr);
    bench().now = bench().send(bench().now);
    bench().cycles.clear();
  }
  std::string found() const { return flash.findings.text(); }
  std::uint32_t programmed(std::uint32_t plane, std::uint32_t block) {
    return bench().package().die(0).cells().store().block(plane, block).programmed;
  }

  const hw::NandConfig config;
  WatchedFlash flash;
  std::uint64_t word_ = 7;
};

TEST_F(MonitorCommands, FollowCopybackIntoTheCells) {
  bench().program({0, 0, 0, 0});
  read_to_copy({0, 0, 0, 0});
  at(0x85, {0, 0, 3, 0}).command(0x10);
  EXPECT_EQ(finish(), 0xE0);
  EXPECT_EQ(found(), "");
  bench().program({0, 0, 3, 0});
  EXPECT_EQ(found(), "erase_before_program") << "the copy is in the monitor's books";
}

TEST_F(MonitorCommands, FollowCopybackOfAllPlanesInBothForms) {
  for (const std::uint8_t next : {std::uint8_t{0x85}, std::uint8_t{0x81}}) {
    const std::uint32_t block = next == 0x85 ? 0 : 1;
    bench().program_pair({0, 0, block, 0}, {0, 1, block, 0});
    bench().cycles.clear();
    at(0x00, {0, 0, block, 0}).command(0x32);
    at(0x00, {0, 1, block, 0}).command(0x35);
    finish();
    at(0x85, {0, 0, 4 + block, 0}).command(0x11);
    at(next, {0, 1, 4 + block, 0}).command(0x10);
    EXPECT_EQ(finish(), 0xE0);
    EXPECT_EQ(programmed(1, 4 + block), 1u);
  }
  EXPECT_EQ(found(), "");
}

TEST_F(MonitorCommands, FindACopybackThatFollowsNone) {
  bench().program({0, 0, 0, 0});
  bench().read({0, 0, 0, 0});
  bench().cycles.clear();
  at(0x85, {0, 0, 3, 0}).command(0x10);
  finish();
  EXPECT_EQ(found(), "sequence");
  read_to_copy({0, 0, 0, 0});
  at(0x85, {0, 1, 3, 0}).command(0x10);
  finish();
  EXPECT_EQ(found(), "sequence sequence") << "35h was of another plane";
  at(0x85, {0, 0, 3, 0}).command(0x10);
  EXPECT_EQ(finish(), 0xE0);
  at(0x85, {0, 0, 4, 0}).command(0x10);
  finish();
  EXPECT_EQ(found(), "sequence sequence sequence") << "the register was programmed already";
}

TEST_F(MonitorCommands, JudgeAProgramByTheRowItEndsWith) {
  bench().program({0, 0, 0, 0});
  bench().cycles.clear();
  at(0x80, {0, 0, 0, 0}); // programmed, but 85h leads away from it
  load();
  at(0x85, {0, 0, 5, 0}).command(0x10);
  EXPECT_EQ(finish(), 0xE0);
  EXPECT_EQ(found(), "");
  at(0x80, {0, 0, 6, 0});
  load();
  at(0x85, {0, 0, 5, 0}).command(0x10);
  finish();
  EXPECT_EQ(found(), "erase_before_program");
  at(0x80, {0, 0, 6, 0});
  load();
  at(0x85, {0, 1, 6, 0}).command(0x10);
  finish();
  EXPECT_EQ(found(), "erase_before_program sequence") << "the plane's register cannot change";
}

TEST_F(MonitorCommands, FollowAPlaneThatIsReopened) {
  bench().cycles.clear();
  bench().start_program({0, 0, 0, 0}, 0x11);
  bench().start_program({0, 1, 0, 0}, 0x11);
  at(0x85, {0, 0, 0, 0});
  load();
  bench().cycles.command(0x10);
  EXPECT_EQ(finish(), 0xE0);
  EXPECT_EQ(programmed(0, 0) + programmed(1, 0), 2u);
  EXPECT_EQ(found(), "");
  bench().start_program({0, 0, 1, 0}, 0x11);
  at(0x85, {0, 1, 1, 0}).command(0x10);
  finish();
  EXPECT_EQ(found(), "sequence") << "11h was of another plane";
}

TEST_F(MonitorCommands, Follow81hBetweenThePlanesOfAProgramOnly) {
  bench().cycles.clear();
  bench().start_program({0, 0, 0, 0}, 0x11);
  bench().start_program({0, 1, 0, 0}, 0x10, 0x81);
  EXPECT_EQ(finish(), 0xE0);
  EXPECT_EQ(programmed(0, 0) + programmed(1, 0), 2u);
  EXPECT_EQ(found(), "");
  bench().start_program({0, 0, 1, 0}, 0x10, 0x81);
  finish();
  EXPECT_EQ(found(), "sequence");
  EXPECT_EQ(programmed(0, 1), 0u);
}

TEST_F(MonitorCommands, FollowEraseGroupsInTheJedecForm) {
  bench().program_pair({0, 0, 3, 0}, {0, 1, 3, 0});
  bench().cycles.clear();
  erase_of({0, 0, 3, 0});
  erase_of({0, 1, 3, 0}).command(0xD0);
  EXPECT_EQ(finish(), 0xE0);
  EXPECT_EQ(bench().program_pair({0, 0, 3, 0}, {0, 1, 3, 0}), 0xE0);
  EXPECT_EQ(found(), "") << "both blocks are erased in the monitor's books";
  bench().cycles.clear();
  erase_of({0, 0, 3, 0});
  erase_of({0, 0, 4, 0}).command(0xD0);
  finish();
  EXPECT_EQ(found(), "distinct_planes");
}

TEST_F(MonitorCommands, FollowACancelledErase) {
  bench().program({0, 0, 3, 0});
  bench().cycles.clear();
  erase_of({0, 0, 3, 0}).command(0xD1);
  bench().cycles.command(0x60).row_address(0xFFFFFF).command(0xD1);
  EXPECT_EQ(finish(), 0xE0);
  erase_of({0, 0, 4, 0}).command(0xD0);
  EXPECT_EQ(finish(), 0xE0);
  flash.monitor.finish(bench().now);
  EXPECT_EQ(found(), "");
  bench().program({0, 0, 3, 0});
  EXPECT_EQ(found(), "erase_before_program") << "the first block was not erased";
}

TEST_F(MonitorCommands, FindACancelThatIsNotConfirmed) {
  bench().cycles.clear();
  erase_of({0, 0, 3, 0}).command(0xD1);
  bench().cycles.command(0x60).row_address(0xFFFFFF).command(0xD0);
  finish();
  EXPECT_EQ(found(), "sequence");
  EXPECT_EQ(bench().package().erase_count(0, 0, 3), 0u);
}

// --- timing modes ---

class MonitorModes : public MonitorCommands {
 protected:
  static hw::NandConfig part() {
    hw::NandConfig c = small_part();
    c.bus = timing::nv_ddr(8);
    c.bus_interface = "nv-ddr2";
    c.bus_mode = 8;
    return c;
  }
  MonitorModes() : MonitorCommands(part()) {}
  void use() {
    EXPECT_EQ(bench().read({0, 0, 0, 0}) & onfi::status::fail, 0);
    data_out();
  }
};

TEST_F(MonitorCommands, DoNotGoOnFromAReadBeforeAGroupThatWasNeverStarted) {
  bench().read({0, 1, 0, 0});
  bench().cycles.clear();
  at(0x00, {0, 0, 0, 0}).command(0x32);
  bench().cycles.command(0x00).page_address(bench().row({0, 1, 0, 0}), 1).command(0x30); // an odd column
  finish();
  EXPECT_EQ(found(), "odd_column");
  bench().cycles.command(0x31);
  finish();
  EXPECT_EQ(found(), "odd_column sequence");
}

TEST_F(MonitorCommands, OpenNoStreamWithACachedReadThatIsRefused) {
  bench().program({0, 0, 0, 0});
  bench().read({0, 0, 0, 0});
  bench().cycles.clear().command(onfi::opcode::slc_enter);
  at(0x00, {0, 0, 0, 0}).command(0x31);
  finish();
  EXPECT_EQ(found(), "slc_mode");
  bench().cycles.command(0x3F);
  finish();
  EXPECT_EQ(found(), "slc_mode sequence");
}

TEST_F(MonitorCommands, EndTheSlcPrefixWithTheGroupThatIsCancelled) {
  bench().cycles.clear().command(onfi::opcode::slc_enter);
  erase_of({0, 0, 2, 0}).command(0xD1).command(0x60).row_address(0xFFFFFF).command(0xD1);
  erase_of({0, 1, 2, 0}).command(0xD0);
  finish();
  EXPECT_EQ(found(), "");
  EXPECT_EQ(bench().package().statistics().native_erases, 1u);
}

TEST_F(MonitorModes, AreFollowedToFasterSlowerAndBack) {
  use();
  set_feature(0x01, 0x2A, true); // NV-DDR2 mode 10
  use();
  set_feature(0x01, 0x05, true); // SDR mode 5
  use();
  bench().cycles.clear().command(0xFF); // SDR mode 0
  bench().now = bench().send(bench().now);
  bench().now = std::max(bench().now, bench().ready());
  use();
  EXPECT_EQ(found(), "");
}

// The burst is legal in the mode before and half as long as the mode in force asks for.
TEST(MonitorTimingModes, AreTheOnesThatBurstsAreComparedWith) {
  HandBus bus(small_part());
  const auto load = [&bus] {
    const TimePs loaded = bus.bus().tWPST + bus.bus().tWPSTH + bus.bus().tCALS;
    bus.select().command(0x80).page({0, 0, 0, 0}).wait(bus.bus().tADL).data_in(4096).wait(loaded);
    bus.command(0xFF).flush().wait(us(10));
  };
  load();
  EXPECT_EQ(bus.findings.text(), "");
  bus.monitor().on_timing(0, timing::nv_ddr(5), bus.array().tDBSY);
  load();
  EXPECT_GT(bus.monitor().statistics().of(MonitorRule::timing), 0u);
}

} // namespace
} // namespace twinplane::test::monitor_commands_test
