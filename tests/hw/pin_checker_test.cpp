// Is every time of the pin edges accepted at the data sheet's minimum and refused one picosecond below?
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "hw/pins/pin_checker.h"
#include "tests/support/sc_reports.h"

namespace twinplane::test::pin_checker_test {
namespace {

using hw::PinRule;

constexpr TimePs kLong = us(1);

hw::PinConfig config_of(bool ddr) {
  hw::PinConfig c;
  c.bus = ddr ? timing::nv_ddr(4) : timing::sdr(5);
  return c;
}

/// Moves the pins of one controller. Every wait is long but those a test chooses.
class Edges {
 public:
  explicit Edges(bool ddr = false) : config(config_of(ddr)), checker(config, faults_) {
    expect_reports("twinplane.pins");
    levels.dq_driven = true;
  }

  Edges& wait(TimePs time) {
    now_ += time;
    return *this;
  }
  /// Takes over the changed `levels`.
  Edges& apply() {
    checker.on_change(before_, levels, now_);
    before_ = levels;
    return *this;
  }
  Edges& select(bool low = true) { return levels.selected = low ? 1 : 0, apply(); }
  Edges& we_n(bool high) { return levels.we_n = high, apply(); }
  Edges& re_n(bool high) { return levels.re_n = high, apply(); }
  Edges& dqs(bool high) { return levels.dqs = high, apply(); }
  Edges& wp_n(bool high) { return levels.wp_n = high, apply(); }
  Edges& dq(std::uint8_t value) { return levels.dq = value, apply(); }
  Edges& latches(bool cle, bool ale) { return levels.cle = cle, levels.ale = ale, apply(); }
  Edges& ready() { return checker.on_ready(0, now_), *this; }

  /// A write cycle from a long wait before it to the rising edge of WE#.
  Edges& write(std::uint8_t value, bool cle, bool ale) {
    return wait(kLong).latches(cle, ale).wait(kLong).dq(value).wait(kLong).we_n(false).wait(kLong).we_n(true);
  }
  Edges& command(std::uint8_t opcode) { return write(opcode, true, false); }
  Edges& address(std::uint8_t byte) { return write(byte, false, true); }
  /// CLE and ALE go low, long after the last cycle and long before the next.
  Edges& to_data() { return wait(kLong).latches(false, false).wait(kLong); }

  hw::PinConfig config;
  hw::PinLevels levels;
  hw::PinFaults faults_{"edges"};
  hw::PinChecker checker;

 private:
  hw::PinLevels before_;
  TimePs now_ = us(10);
};

struct Case {
  PinRule rule;
  TimePs minimum;
  void (*play)(Edges& e, TimePs gap);
  const char* label;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.label;
}

const BusTiming kBus = timing::sdr(5);

const Case kCases[] = {
    {PinRule::tWP, kBus.tWP, [](Edges& e, TimePs gap) { e.we_n(false).wait(gap).we_n(true); }, "tWP"},
    {PinRule::tWH, kBus.tWH, [](Edges& e, TimePs gap) { e.command(0xFF).wait(gap).we_n(false); }, "tWH"},
    {PinRule::tWC, kBus.tWC,
     [](Edges& e, TimePs gap) { e.we_n(false).wait(kBus.tWP).we_n(true).wait(gap - kBus.tWP).we_n(false); },
     "tWC"},
    {PinRule::tCS, kBus.tCS,
     [](Edges& e, TimePs gap) {
       e.select(false).wait(kLong).select().wait(gap - kBus.tWP).we_n(false).wait(kBus.tWP).we_n(true);
     },
     "tCS"},
    {PinRule::tCH, kBus.tCH, [](Edges& e, TimePs gap) { e.command(0xFF).wait(gap).select(false); }, "tCH"},
    {PinRule::tCLS, kBus.tCLS,
     [](Edges& e, TimePs gap) { e.we_n(false).wait(kLong).latches(true, false).wait(gap).we_n(true); },
     "tCLS"},
    {PinRule::tCLH, kBus.tCLH, [](Edges& e, TimePs gap) { e.command(0xFF).wait(gap).latches(false, false); },
     "tCLH"},
    {PinRule::tDS, kBus.tDS,
     [](Edges& e, TimePs gap) { e.we_n(false).wait(kLong).dq(1).wait(gap).we_n(true); }, "tDS"},
    {PinRule::tDH, kBus.tDH, [](Edges& e, TimePs gap) { e.command(0xFF).wait(gap).dq(1); }, "tDH"},
    {PinRule::tADL, kBus.tADL,
     [](Edges& e, TimePs gap) {
       e.command(0x80).address(0).wait(ns(50)).latches(false, false).wait(ns(50)).we_n(false);
       e.wait(gap - ns(100)).we_n(true);
     },
     "tADL"},
    {PinRule::tCCS, kBus.tCCS,
     [](Edges& e, TimePs gap) {
       e.command(0x85).address(0).wait(ns(50)).latches(false, false).wait(ns(50)).we_n(false);
       e.wait(gap - ns(100)).we_n(true);
     },
     "tCCS_data_in"},
    {PinRule::tCCS, kBus.tCCS,
     [](Edges& e, TimePs gap) {
       e.command(0xE0).wait(ns(50)).latches(false, false).wait(gap - ns(50)).re_n(false);
     },
     "tCCS_data_out"},
    {PinRule::tWHR, kBus.tWHR,
     [](Edges& e, TimePs gap) {
       e.command(0x70).wait(ns(50)).latches(false, false).wait(gap - ns(50)).re_n(false);
     },
     "tWHR"},
    {PinRule::tRC, kBus.tWC,
     [](Edges& e, TimePs gap) { e.re_n(false).wait(kBus.tRP).re_n(true).wait(gap - kBus.tRP).re_n(false); },
     "tRC"},
    {PinRule::tRP, kBus.tRP, [](Edges& e, TimePs gap) { e.re_n(false).wait(gap).re_n(true); }, "tRP"},
    {PinRule::tREH, kBus.tREH,
     [](Edges& e, TimePs gap) { e.re_n(false).wait(kLong).re_n(true).wait(gap).re_n(false); }, "tREH"},
    {PinRule::tRHW, kBus.tRHW,
     [](Edges& e, TimePs gap) { e.re_n(false).wait(kLong).re_n(true).wait(gap).we_n(false); }, "tRHW"},
    {PinRule::tRR, kBus.tRR,
     [](Edges& e, TimePs gap) {
       e.command(0x30).to_data();
       e.ready().wait(gap).re_n(false);
     },
     "tRR"},
    {PinRule::tCEH, kBus.tCEH, [](Edges& e, TimePs gap) { e.select(false).wait(gap).select(); }, "tCEH"},
    {PinRule::tAR, kBus.tAR,
     [](Edges& e, TimePs gap) { e.address(0).wait(kLong).latches(false, false).wait(gap).re_n(false); },
     "tAR"},
    {PinRule::tCLR, kBus.tCLR,
     [](Edges& e, TimePs gap) { e.command(0x70).wait(kLong).latches(false, false).wait(gap).re_n(false); },
     "tCLR"},
    {PinRule::tWW, kBus.tWW, [](Edges& e, TimePs gap) { e.wp_n(false).wait(gap).we_n(false); }, "tWW"},
};

class PinTimes : public ::testing::TestWithParam<Case> {};

TEST_P(PinTimes, AreLegalAtTheMinimumAndRefusedBelow) {
  const Case& c = GetParam();
  Edges legal;
  c.play(legal.select().wait(kLong), c.minimum);
  EXPECT_EQ(legal.faults_.total(), 0u);
  Edges refused;
  c.play(refused.select().wait(kLong), c.minimum - ps(1));
  EXPECT_EQ(refused.checker.count(c.rule), 1u);
  EXPECT_EQ(refused.faults_.total(), 1u) << "and no other rule";
}
INSTANTIATE_TEST_SUITE_P(Rules, PinTimes, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.label); });

TEST(PinTimesDdr, HoldForEveryEdgeOfDqs) {
  for (const TimePs gap : {timing::nv_ddr(4).tDS, timing::nv_ddr(4).tDS - ps(1)}) {
    const bool legal = gap == timing::nv_ddr(4).tDS;
    Edges e(true);
    e.select().wait(kLong).command(0x80).address(0).to_data();
    e.dqs(false).wait(kLong).dq(1).wait(gap).dqs(true).wait(kLong).dq(2).wait(gap).dqs(false);
    EXPECT_EQ(e.checker.count(PinRule::tDS), legal ? 0u : 2u);
    e.wait(gap).dq(3);
    EXPECT_EQ(e.checker.count(PinRule::tDH), legal ? 0u : 1u) << "tDH equals tDS in this mode";
  }
}

TEST(PinTimesOf, TheStatusDoNotWaitForReadyBusy) {
  Edges e;
  e.select().wait(kLong).command(0x70).to_data();
  e.ready().wait(ps(1)).re_n(false);
  EXPECT_EQ(e.faults_.total(), 0u);
}

TEST(PinTimesOf, AnUnselectedTargetAreNotJudged) {
  Edges e;
  e.we_n(false).wait(ps(1)).we_n(true).wait(ps(1)).we_n(false);
  EXPECT_EQ(e.faults_.total(), 0u);
}

} // namespace
} // namespace twinplane::test::pin_checker_test
