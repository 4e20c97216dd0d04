// Does an operation go to the LUN that was addressed, and wait for R/B#, whatever command comes between its address
// and its confirm? The die and the monitor are asked together.
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/monitor_bench.h"

namespace twinplane::test::between_cycles_test {
namespace {

using hw::PhaseKind;
using hw::Rule;

/// A command that names the other LUN, or makes one busy.
struct Between {
  const char* name;
  std::function<void(Cycles&)> add;
};

class BetweenCycles : public ::testing::Test {
 protected:
  explicit BetweenCycles(const hw::NandConfig& part = small_part()) : flash(part) {}

  FlashBench& bench() { return flash.bench; }
  Cycles& at(std::uint8_t opcode, const Place& p) {
    return bench().cycles.command(opcode).page_address(bench().row(p));
  }
  Cycles& erase_of(const Place& p) { return bench().cycles.command(0x60).row_address(bench().row(p)); }
  Cycles& load() {
    return bench().cycles.page_data(PhaseKind::data_in, bench().full_mask(), nullptr, &word_);
  }
  /// Sends what was built at once, whether or not the LUN is ready.
  void send() {
    bench().now = bench().send(bench().now);
    bench().cycles.clear();
  }
  /// Sends what was built and waits until both LUNs are ready.
  void finish() {
    send();
    bench().now = std::max(bench().now, bench().ready()) + ms(16);
  }
  /// The out-of-band word that data out gives.
  std::uint64_t data_out() {
    std::uint64_t word = 0;
    bench().cycles.page_data(PhaseKind::data_out, 1, nullptr, &word);
    send();
    return word;
  }
  std::uint32_t programmed(std::uint32_t lun, std::uint32_t plane, std::uint32_t block) {
    return bench().package().die(lun).cells().store().block(plane, block).programmed;
  }
  std::uint32_t erased(std::uint32_t lun, std::uint32_t plane, std::uint32_t block) {
    return bench().package().erase_count(lun, plane, block);
  }
  void expect_accepted(const char* name) {
    EXPECT_EQ(flash.findings.text(), "") << name;
    EXPECT_EQ(bench().all_violations(), 0u) << name;
  }

  WatchedFlash flash;
  std::uint64_t word_ = 7;
};

/// Commands that name LUN 1 and leave the operation of LUN 0 open.
std::vector<Between> of_the_other_lun(std::uint32_t row) {
  return {
      {"78h", [row](Cycles& c) { c.command(0x78).row_address(row); }},
      {"F9h", [](Cycles& c) { c.command(0xF9).short_address(1); }},
      {"06h-E0h", [row](Cycles& c) { c.command(0x06).page_address(row).command(0xE0); }},
      {"84h", [row](Cycles& c) { c.command(0x84).page_address(row); }},
  };
}

TEST_F(BetweenCycles, AProgramGoesToTheLunOfItsAddress) {
  std::uint32_t block = 0;
  for (const Between& other : of_the_other_lun(bench().row({1, 0, 0, 0}))) {
    at(0x80, {0, 0, block, 0});
    load();
    other.add(bench().cycles);
    bench().cycles.command(0x10);
    finish();
    EXPECT_EQ(bench().status({0, 0, 0, 0}), 0xE0) << other.name;
    bench().cycles.clear();
    at(0x80, {0, 1, block, 0});
    other.add(bench().cycles); // before the data, too
    bench().cycles.command(0x85).short_address(0, 2);
    load().command(0x10);
    finish();
    EXPECT_EQ(bench().status({0, 1, 0, 0}), 0xE0) << other.name;
    EXPECT_EQ(programmed(0, 0, block) + programmed(0, 1, block), 2u) << other.name;
    EXPECT_EQ(programmed(1, 0, block) + programmed(1, 1, block), 0u) << other.name;
    expect_accepted(other.name);
    bench().cycles.clear();
    ++block;
  }
}

TEST_F(BetweenCycles, AnEraseGoesToTheLunOfItsAddress) {
  for (const Between& other : of_the_other_lun(bench().row({1, 0, 0, 0}))) {
    const std::uint32_t before = erased(0, 0, 5);
    erase_of({0, 0, 5, 0});
    other.add(bench().cycles);
    bench().cycles.command(0xD0);
    finish();
    EXPECT_EQ(bench().status({0, 0, 0, 0}), 0xE0) << other.name;
    EXPECT_EQ(erased(0, 0, 5), before + 1) << other.name;
    EXPECT_EQ(erased(1, 0, 5), 0u) << other.name;
    expect_accepted(other.name);
    bench().cycles.clear();
  }
}

TEST_F(BetweenCycles, AReadGoesToTheLunOfItsAddress) {
  bench().program({0, 1, 7, 0}, 11);
  bench().program({1, 1, 7, 0}, 22);
  for (const Between& other : of_the_other_lun(bench().row({1, 0, 0, 0}))) {
    bench().cycles.clear();
    at(0x00, {0, 1, 7, 0});
    other.add(bench().cycles);
    bench().cycles.command(0x30);
    finish();
    EXPECT_EQ(data_out(), 11u) << other.name;
    expect_accepted(other.name);
  }
}

TEST_F(BetweenCycles, ACacheReadAndAJedecColumnGoToTheLunOfTheirAddress) {
  bench().program_pair({0, 0, 0, 0}, {0, 1, 0, 0});
  bench().program({0, 0, 0, 1}, 12);
  bench().cycles.clear();
  at(0x00, {0, 0, 0, 0}).command(0x30);
  finish();
  at(0x00, {0, 0, 0, 1}).command(0x78).row_address(bench().row({1, 0, 0, 0})).command(0x31);
  finish();
  bench().cycles.command(0x3F);
  finish();
  EXPECT_EQ(data_out(), 12u);
  at(0x00, {0, 0, 0, 1}).command(0x78).row_address(bench().row({1, 0, 0, 0}));
  bench().cycles.command(0x05).short_address(0, 2).command(0xE0);
  EXPECT_EQ(data_out(), 12u);
  expect_accepted("31h, 05h");
}

TEST_F(BetweenCycles, TheGroupOfALunGoesOnAfterTheStatusOfAnother) {
  const auto look = [this](std::uint32_t lun) {
    send();
    bench().now += us(1);
    EXPECT_EQ(bench().status({lun, 0, 0, 0}), 0xE0);
    bench().cycles.clear();
  };
  bench().start_program({0, 0, 2, 0}, 0x11);
  look(1);
  bench().start_program({0, 1, 2, 0}, 0x10, 0x81);
  finish();
  EXPECT_EQ(programmed(0, 0, 2) + programmed(0, 1, 2), 2u);
  EXPECT_EQ(bench().status({0, 0, 0, 0}, 0x70), 0xE0);
  bench().cycles.clear();
  bench().start_program({0, 0, 3, 0}, 0x11);
  look(1);
  at(0x85, {0, 0, 3, 0});
  load().command(0x10);
  finish();
  EXPECT_EQ(programmed(0, 0, 3), 1u);
  EXPECT_EQ(bench().status({0, 0, 0, 0}, 0x70), 0xE0);
  bench().cycles.clear();
  erase_of({0, 0, 2, 0});
  look(1);
  erase_of({0, 1, 2, 0}).command(0xD0);
  finish();
  EXPECT_EQ(erased(0, 0, 2) + erased(0, 1, 2), 2u);
  expect_accepted("groups");
}

TEST_F(BetweenCycles, AnEraseIsCancelledInTheLunWhereItWaits) {
  const std::uint32_t other = bench().row({1, 0, 0, 0});
  erase_of({0, 0, 4, 0}).command(0xD1);
  send();
  bench().now += us(1);
  bench().status({1, 0, 0, 0});
  bench().cycles.clear().command(0x60).row_address(0xFFFFFF).command(0x78).row_address(other).command(0xD1);
  finish();
  erase_of({0, 1, 4, 0}).command(0xD0);
  finish();
  EXPECT_EQ(erased(0, 0, 4), 0u) << "it was cancelled";
  EXPECT_EQ(erased(0, 1, 4), 1u);
  EXPECT_EQ(bench().status({0, 0, 0, 0}), 0xE0);
  flash.monitor.finish(bench().now);
  expect_accepted("D1h");
}

TEST_F(BetweenCycles, AConfirmThatFitsNothingIsTheFaultOfTheLunOfTheAddress) {
  at(0x80, {0, 0, 0, 0}).command(0x78).row_address(bench().row({1, 0, 0, 0})).command(0x10);
  finish();
  EXPECT_EQ(flash.findings.text(), "sequence");
  EXPECT_EQ(bench().status({0, 0, 0, 0}), 0xE1);
  EXPECT_EQ(bench().status({1, 0, 0, 0}), 0xE0);
}

// --- busy ---

/// Commands that are taken inside an operation of LUN 0 and make it busy.
std::vector<Between> that_make_it_busy(std::uint32_t row) {
  return {
      {"EEh", [](Cycles& c) { c.command(0xEE).short_address(0x10); }},
      {"ECh", [](Cycles& c) { c.command(0xEC).short_address(0); }},
      {"F9h", [](Cycles& c) { c.command(0xF9).short_address(0); }},
      {"84h", [row](Cycles& c) { c.command(0x84).page_address(row); }},
  };
}

class BusyInside : public BetweenCycles {
 protected:
  /// `open` describes an operation, something makes the LUN busy, `rest` comes at once.
  void expect_busy(const char* what, const std::function<void()>& open, const std::function<void()>& rest) {
    for (const Between& busy : that_make_it_busy(bench().row({0, 0, 0, 0}))) {
      flash.findings.all.clear();
      const std::uint64_t refused = bench().violations(Rule::busy);
      open();
      busy.add(bench().cycles);
      send();
      bench().now += bench().package().config().bus.tADL;
      rest();
      finish();
      EXPECT_EQ(bench().violations(Rule::busy), refused + 1) << what << " after " << busy.name;
      EXPECT_EQ(flash.findings.text(), "busy") << what << " after " << busy.name;
      EXPECT_EQ(bench().status({0, 0, 0, 0}, 0x70), 0xE1) << what << " after " << busy.name;
      bench().cycles.clear();
    }
    EXPECT_EQ(bench().all_violations(), bench().violations(Rule::busy));
  }
};

TEST_F(BusyInside, AConfirmIsRefused) {
  for (const std::uint8_t confirm : {std::uint8_t{0x10}, std::uint8_t{0x11}, std::uint8_t{0x15}}) {
    const auto open = [&] {
      at(0x80, {0, 0, 0, 0});
      load();
    };
    expect_busy("program", open, [&] { bench().cycles.command(confirm); });
  }
  for (const std::uint8_t confirm : {std::uint8_t{0xD0}, std::uint8_t{0xD1}}) {
    expect_busy(
        "erase",
        [&] {
          erase_of({0, 0, 1, 0});
        },
        [&] { bench().cycles.command(confirm); });
  }
  for (const std::uint8_t confirm : {std::uint8_t{0x30}, std::uint8_t{0x32}, std::uint8_t{0x35}}) {
    expect_busy(
        "read",
        [&] {
          at(0x00, {0, 0, 0, 0});
        },
        [&] { bench().cycles.command(confirm); });
  }
  EXPECT_EQ(programmed(0, 0, 0), 0u);
  EXPECT_EQ(erased(0, 0, 1), 0u);
  EXPECT_EQ(bench().program({0, 0, 0, 0}), 0xE0) << "the next operation is a good one";
}

TEST_F(BusyInside, DataAndTheirColumnAreRefused) {
  expect_busy(
      "data",
      [&] {
        at(0x80, {0, 0, 0, 0});
      },
      [&] { load().command(0x10); });
  expect_busy(
      "column",
      [&] {
        at(0x80, {0, 0, 0, 0});
        load();
      },
      [&] {
        bench().cycles.command(0x85).short_address(0, 2);
        load().command(0x10);
      });
  expect_busy(
      "row",
      [&] {
        at(0x80, {0, 0, 0, 0});
        load();
      },
      [&] {
        at(0x85, {0, 0, 3, 0}).command(0x10);
      });
  EXPECT_EQ(programmed(0, 0, 0) + programmed(0, 0, 3), 0u);
  EXPECT_EQ(bench().program({0, 0, 0, 0}), 0xE0) << "the next operation is a good one";
}

TEST_F(BusyInside, TheNextPlaneIsRefused) {
  expect_busy(
      "JEDEC erase",
      [&] {
        erase_of({0, 0, 1, 0});
      },
      [&] {
        erase_of({0, 1, 1, 0}).command(0xD0);
      });
  EXPECT_EQ(erased(0, 0, 1) + erased(0, 1, 1), 0u);
  EXPECT_EQ(bench().erase({0, 1, 1, 0}), 0xE0);
  EXPECT_EQ(erased(0, 0, 1), 0u) << "nothing of the group before is left";
}

TEST_F(BusyInside, AConfirmIsTakenAgainWhenTheLunIsReady) {
  std::uint32_t page = 0;
  for (const Between& busy : that_make_it_busy(bench().row({0, 0, 0, 0}))) {
    at(0x80, {0, 0, 0, page++});
    load();
    busy.add(bench().cycles);
    finish();
    bench().cycles.command(0x10);
    finish();
    EXPECT_EQ(bench().status({0, 0, 0, 0}), 0xE0) << busy.name;
    expect_accepted(busy.name);
    bench().cycles.clear();
  }
  EXPECT_EQ(programmed(0, 0, 0), page);
}

class BusyInsideAPass : public BetweenCycles {
 protected:
  static hw::NandConfig part() {
    hw::NandConfig c = small_part();
    c.one_pass = true;
    c.page_table = PageTable::wordline;
    return c;
  }
  BusyInsideAPass() : BetweenCycles(part()) {}
};

TEST_F(BusyInsideAPass, ALoadIsRefusedAndThePassGoesOn) {
  at(0x80, {0, 0, 0, 0});
  load().command(0x1A);
  finish();
  at(0x80, {0, 0, 0, 1});
  load().command(0xEE).short_address(0x10);
  send();
  bench().cycles.command(0x1A);
  finish();
  EXPECT_EQ(flash.findings.text(), "busy");
  EXPECT_EQ(bench().violations(Rule::busy), 1u);
  flash.findings.all.clear();
  for (const std::uint32_t page : {1u, 2u}) {
    at(0x80, {0, 0, 0, page});
    load().command(page == 2 ? 0x10 : 0x1A);
    finish();
  }
  EXPECT_EQ(flash.findings.text(), "");
  EXPECT_EQ(bench().status({0, 0, 0, 0}), 0xE0);
  EXPECT_EQ(programmed(0, 0, 0), 3u);
}

} // namespace
} // namespace twinplane::test::between_cycles_test
