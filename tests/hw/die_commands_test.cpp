// Copyback, addresses that change inside a program, the JEDEC forms, and what a part tells about itself.
#include <gtest/gtest.h>

#include <vector>

#include "hw/nand/rules.h"
#include "tests/support/flash_bench.h"

namespace twinplane::test::die_commands_test {
namespace {

using hw::PhaseKind;
using hw::Rule;

constexpr std::uint8_t kIdle = 0xE0;
constexpr std::uint8_t kFail = 0xE1;

class DieCommands : public ::testing::Test {
 protected:
  explicit DieCommands(const hw::NandConfig& part = small_part()) : config(part), bench(part) {}

  Cycles& at(std::uint8_t opcode, const Place& p) {
    return bench.cycles.command(opcode).page_address(bench.row(p));
  }
  TimePs send() {
    bench.now = bench.send(bench.now);
    return bench.now;
  }
  std::uint64_t word_of(const Place& p) {
    EXPECT_EQ(bench.read(p), kIdle);
    std::uint64_t word = 0;
    bench.cycles.clear().command(0x06).page_address(bench.row(p)).command(0xE0);
    bench.cycles.page_data(PhaseKind::data_out, bench.full_mask(), nullptr, &word);
    send();
    return word;
  }
  void data_in(std::uint64_t word) {
    word_ = word;
    bench.cycles.page_data(PhaseKind::data_in, bench.full_mask(), nullptr, &word_);
  }
  std::uint32_t programmed(std::uint32_t plane, std::uint32_t block) {
    return bench.package().die(0).cells().store().block(plane, block).programmed;
  }

  const hw::NandConfig config;
  FlashBench bench;
  std::uint64_t word_ = 0;
};

TEST_F(DieCommands, CopiesAPageWithoutMovingIt) {
  ASSERT_EQ(bench.program({0, 0, 0, 0}, 42), kIdle);
  bench.cycles.clear();
  at(0x00, {0, 0, 0, 0}).command(0x35);
  const TimePs end = bench.send(bench.now);
  EXPECT_EQ(bench.ready(), end + config.array.tR[0]);
  bench.now = bench.ready();
  bench.cycles.clear();
  at(0x85, {0, 0, 3, 0}).command(0x10);
  EXPECT_EQ(bench.finish(0), kIdle);
  EXPECT_EQ(word_of({0, 0, 3, 0}), 42u);
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST_F(DieCommands, ChangesThePageOnItsWay) {
  ASSERT_EQ(bench.program({0, 0, 0, 0}, 42), kIdle);
  bench.cycles.clear();
  at(0x00, {0, 0, 0, 0}).command(0x35);
  ASSERT_EQ(bench.finish(0), kIdle);
  bench.cycles.clear();
  at(0x85, {0, 0, 3, 0});
  data_in(43);
  bench.cycles.command(0x10);
  EXPECT_EQ(bench.finish(0), kIdle);
  EXPECT_EQ(word_of({0, 0, 3, 0}), 43u);
  EXPECT_EQ(word_of({0, 0, 0, 0}), 42u);
}

TEST_F(DieCommands, CopiesTheErrorsOfAPageToo) {
  bench.cycles.clear();
  bench.start_program({0, 0, 0, 0});
  send();
  bench.cycles.clear().command(0xFF); // cut off
  send();
  bench.now = bench.ready();
  bench.cycles.clear();
  at(0x00, {0, 0, 0, 0}).command(0x35);
  ASSERT_EQ(bench.finish(0), kIdle);
  bench.cycles.clear();
  at(0x85, {0, 0, 3, 0}).command(0x10);
  ASSERT_EQ(bench.finish(0), kIdle);
  EXPECT_TRUE(
      bench.package().die(0).cells().store().corrupt(bench.package().die(0).cells().store().block(0, 3), 0));
}

TEST_F(DieCommands, CopiesThePagesOfAllPlanesInBothForms) {
  for (const std::uint8_t next : {std::uint8_t{0x85}, std::uint8_t{0x81}}) {
    const std::uint32_t source = next == 0x85 ? 0 : 1;
    ASSERT_EQ(bench.program({0, 0, source, 0}, 10 + source), kIdle);
    ASSERT_EQ(bench.program({0, 1, source, 0}, 20 + source), kIdle);
    bench.cycles.clear();
    at(0x00, {0, 0, source, 0}).command(0x32);
    at(0x00, {0, 1, source, 0}).command(0x35);
    ASSERT_EQ(bench.finish(0), kIdle);
    bench.cycles.clear();
    at(0x85, {0, 0, 4 + source, 0}).command(0x11);
    at(next, {0, 1, 4 + source, 0}).command(0x10);
    ASSERT_EQ(bench.finish(0), kIdle);
    EXPECT_EQ(word_of({0, 0, 4 + source, 0}), 10 + source);
    EXPECT_EQ(word_of({0, 1, 4 + source, 0}), 20 + source);
  }
  EXPECT_EQ(bench.package().statistics().multiplane_program.commands, 2u);
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST_F(DieCommands, RefusesACopybackThatFollowsNone) {
  ASSERT_EQ(bench.program({0, 0, 0, 0}), kIdle);
  ASSERT_EQ(bench.read({0, 0, 0, 0}), kIdle); // 30h
  bench.cycles.clear();
  at(0x85, {0, 0, 3, 0}).command(0x10);
  EXPECT_EQ(bench.finish(0), kFail);
  bench.cycles.clear();
  at(0x00, {0, 0, 0, 0}).command(0x35);
  ASSERT_EQ(bench.finish(0), kIdle);
  bench.cycles.clear();
  at(0x85, {0, 1, 3, 0}).command(0x10); // another plane
  EXPECT_EQ(bench.finish(0), kFail);
  EXPECT_EQ(bench.violations(Rule::protocol), 2u);
  EXPECT_EQ(programmed(0, 3) + programmed(1, 3), 0u);
}

TEST_F(DieCommands, SendsLoadedDataSomewhereElse) {
  bench.cycles.clear();
  at(0x80, {0, 0, 0, 0});
  data_in(7);
  at(0x85, {0, 0, 5, 0}).command(0x10);
  EXPECT_EQ(bench.finish(0), kIdle);
  EXPECT_EQ(programmed(0, 0), 0u);
  EXPECT_EQ(word_of({0, 0, 5, 0}), 7u);
  bench.cycles.clear();
  at(0x80, {0, 0, 0, 0});
  data_in(7);
  at(0x85, {0, 1, 5, 0}).command(0x10);
  EXPECT_EQ(bench.finish(0), kFail) << "the plane's register cannot change";
  EXPECT_EQ(bench.violations(Rule::protocol), 1u);
}

TEST_F(DieCommands, ReopensAPlaneOfAGroup) {
  bench.cycles.clear();
  bench.start_program({0, 0, 0, 0}, 0x11);
  bench.start_program({0, 1, 0, 0}, 0x11);
  at(0x85, {0, 0, 0, 0});
  data_in(99);
  bench.cycles.command(0x10);
  EXPECT_EQ(bench.finish(0), kIdle);
  EXPECT_EQ(bench.all_violations(), 0u);
  EXPECT_EQ(word_of({0, 0, 0, 0}), 99u);
  EXPECT_EQ(programmed(1, 0), 1u);
}

TEST_F(DieCommands, ChangesTheColumnInsideAProgram) {
  std::vector<std::uint8_t> tags(2 * kTagBytes, 5);
  bench.cycles.clear();
  at(0x80, {0, 0, 0, 0}).page_data(PhaseKind::data_in, 1, tags.data(), nullptr);
  bench.cycles.command(0x85).short_address(0, 2);
  bench.cycles.tenure().phases[bench.cycles.tenure().phase_count - 1].address[1] = 0x10; // 4096
  bench.cycles.page_data(PhaseKind::data_in, 2, tags.data(), nullptr).command(0x10);
  EXPECT_EQ(bench.finish(0), kIdle);
  EXPECT_EQ(bench.package().statistics().partial_programs, 0u) << "both halves make the page whole";
}

TEST_F(DieCommands, ErasesAGroupInTheJedecForm) {
  ASSERT_EQ(bench.program_pair({0, 0, 3, 0}, {0, 1, 3, 0}), kIdle);
  bench.cycles.clear().command(0x60).row_address(bench.row({0, 0, 3, 0}));
  bench.cycles.command(0x60).row_address(bench.row({0, 1, 3, 0})).command(0xD0);
  const TimePs end = send();
  EXPECT_EQ(bench.ready(), end + config.array.tBERS) << "no tDBSY between the planes";
  bench.now = bench.ready();
  EXPECT_EQ(bench.status({}, 0x70), kIdle);
  EXPECT_EQ(programmed(0, 3) + programmed(1, 3), 0u);
  EXPECT_EQ(bench.package().statistics().multiplane_erase.units, 2u);
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST_F(DieCommands, CancelsAQueuedErase) {
  ASSERT_EQ(bench.program({0, 0, 3, 0}), kIdle);
  bench.cycles.clear().command(0x60).row_address(bench.row({0, 0, 3, 0})).command(0xD1);
  bench.cycles.command(0x60).row_address(0xFFFFFF).command(0xD1);
  ASSERT_EQ(bench.finish(0), kIdle);
  bench.cycles.clear().command(0x60).row_address(bench.row({0, 0, 4, 0})).command(0xD0);
  EXPECT_EQ(bench.finish(0), kIdle);
  EXPECT_EQ(bench.package().erase_count(0, 0, 3), 0u);
  EXPECT_EQ(bench.package().erase_count(0, 0, 4), 1u);
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST_F(DieCommands, SelectsOutputInTheJedecForm) {
  ASSERT_EQ(bench.program({0, 0, 3, 0}, 1), kIdle);
  ASSERT_EQ(bench.program({0, 1, 3, 0}, 2), kIdle);
  bench.cycles.clear();
  at(0x00, {0, 0, 3, 0}).command(0x32);
  at(0x00, {0, 1, 3, 0}).command(0x30);
  ASSERT_EQ(bench.finish(0), kIdle);
  for (const std::uint32_t plane : {0u, 1u}) {
    std::uint64_t word = 0;
    bench.cycles.clear();
    at(0x00, {0, plane, 3, 0}).command(0x05).short_address(0, 2).command(0xE0);
    bench.cycles.page_data(PhaseKind::data_out, bench.full_mask(), nullptr, &word);
    send();
    EXPECT_EQ(word, plane + 1u);
  }
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST_F(DieCommands, TellsItsUniqueId) {
  bench.cycles.clear().command(0xED).short_address(0);
  const TimePs end = send();
  EXPECT_EQ(bench.ready(), end + config.array.tR[0]);
  bench.now = bench.ready();
  std::vector<std::uint8_t> id(16 * 32);
  bench.cycles.clear().bytes(PhaseKind::data_out, id.data(), static_cast<std::uint32_t>(id.size()));
  send();
  for (std::size_t i = 0; i < id.size(); i += 32) {
    for (std::size_t b = 0; b < 16; ++b) {
      EXPECT_EQ(id[i + b], id[b]);
      EXPECT_EQ(id[i + b] ^ id[i + 16 + b], 0xFF);
    }
  }
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST_F(DieCommands, CalibratesItsDrivers) {
  bench.cycles.clear().command(0xF9).short_address(1);
  TimePs end = send();
  EXPECT_EQ(bench.ready(), end + us(1));
  bench.now = bench.ready();
  bench.cycles.clear().command(0xD9).short_address(0);
  end = send();
  EXPECT_EQ(bench.ready(), end + ns(300));
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST_F(DieCommands, IgnoresProgramsAndErasesWhileWriteProtected) {
  ASSERT_EQ(bench.program({0, 0, 3, 0}), kIdle);
  bench.package().write_protect(true);
  EXPECT_EQ(bench.status({}, 0x70), 0x60) << "SR7 = 0";
  EXPECT_EQ(bench.program({0, 0, 3, 1}), 0x60) << "ignored, not failed";
  EXPECT_EQ(bench.erase({0, 0, 3, 0}), 0x60);
  EXPECT_EQ(bench.violations(Rule::write_protect), 2u);
  EXPECT_EQ(bench.all_violations(), 2u);
  EXPECT_EQ(programmed(0, 3), 1u);
  EXPECT_EQ(bench.read({0, 0, 3, 0}), 0x60) << "reads go on";
  bench.package().write_protect(false);
  EXPECT_EQ(bench.program({0, 0, 3, 1}), kIdle);
}

/// Sets P1 of a feature of a DDR part.
void set_feature(FlashBench& bench, std::uint8_t address, std::uint8_t value, bool ddr = true) {
  std::uint8_t parameters[8] = {value, ddr ? value : std::uint8_t{0}};
  bench.cycles.clear().command(0xEF).short_address(address).bytes(PhaseKind::data_in, parameters,
                                                                  ddr ? 8 : 4);
  bench.now = bench.send(bench.now);
  bench.now = std::max(bench.now, bench.ready());
}

class TimingModes : public DieCommands {
 protected:
  static hw::NandConfig part() {
    hw::NandConfig c = small_part();
    c.bus = timing::nv_ddr(8);
    c.bus_interface = "nv-ddr2";
    c.bus_mode = 8;
    return c;
  }
  TimingModes() : DieCommands(part()) {}
  TimePs read_time() {
    bench.cycles.clear();
    at(0x00, {0, 0, 0, 0}).command(0x30);
    const TimePs begin = bench.now;
    send();
    return bench.tenure_end - begin;
  }
  /// Data out of a page, from the end of the command before it.
  TimePs data_time() {
    bench.now = std::max(bench.now, bench.ready());
    bench.cycles.clear().page_data(PhaseKind::data_out, bench.full_mask(), nullptr, nullptr);
    send();
    const hw::OnfiPhase& data = bench.cycles.tenure().phases[0];
    return data.end - data.start;
  }
};

TEST_F(TimingModes, ChangeTheTimesOfTheTargetsTenures) {
  read_time();
  EXPECT_EQ(data_time(), timing::nv_ddr(8).data_out.of(8192));
  set_feature(bench, 0x01, 0x2A); // NV-DDR2 mode 10
  read_time();
  EXPECT_EQ(data_time(), timing::nv_ddr(10).data_out.of(8192));
  set_feature(bench, 0x01, 0x05); // SDR mode 5
  EXPECT_EQ(read_time(), ns(15 + 7 * 20 + 100)) << "tCS, seven cycles of tWC, tWB";
  EXPECT_EQ(data_time(), ns(20) * 8192);
  std::uint8_t id[4] = {};
  bench.cycles.clear().command(0x90).short_address(0x20).bytes(PhaseKind::data_out, id, 4);
  send();
  EXPECT_EQ(std::string(id, id + 4), "ONFI") << "SDR drives each byte once";
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST_F(TimingModes, FallBackAfterAReset) {
  bench.cycles.clear().command(0xFC);
  send();
  bench.now = std::max(bench.now, bench.ready());
  read_time();
  EXPECT_EQ(data_time(), timing::nv_ddr(8).data_out.of(8192)) << "FCh keeps the interface";
  bench.cycles.clear().command(0xFF);
  send();
  bench.now = std::max(bench.now, bench.ready());
  read_time();
  EXPECT_EQ(data_time(), ns(100) * 8192) << "FFh: SDR mode 0";
}

TEST_F(TimingModes, RefusesModesThatThePartDoesNotHave) {
  set_feature(bench, 0x01, 0x2B); // NV-DDR2 ends with mode 10
  EXPECT_EQ(bench.violations(Rule::bad_address), 1u);
  read_time();
  EXPECT_EQ(data_time(), timing::nv_ddr(8).data_out.of(8192));
}

} // namespace
} // namespace twinplane::test::die_commands_test
