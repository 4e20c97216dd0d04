// Is every time of NV-DDR's edges accepted at the data sheet's limit and refused one picosecond beyond, in
// each mode? The limits are written down here a second time.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <tuple>

#include "hw/pins/pin_checker.h"
#include "tests/support/parameter_names.h"
#include "tests/support/sc_reports.h"

namespace twinplane::test::clocked_checker_test {
namespace {

using hw::PinRule;

/// The ONFI table of NV-DDR, in picoseconds; tCALS is also tCALH, tCAS, tCAH and tCH.
struct Sheet {
  TimePs tCK, tCALS, tCS, tDS, tDH;
};
constexpr Sheet kSheets[] = {{50000, 10000, 35000, 5000, 5000}, {30000, 5000, 25000, 3000, 2500},
                             {20000, 4000, 15000, 2000, 1700},  {15000, 3000, 15000, 1500, 1300},
                             {12000, 2500, 15000, 1100, 1100},  {10000, 2000, 15000, 900, 900}};

hw::PinConfig part_of(std::uint32_t mode) {
  hw::PinConfig c;
  c.bus = *find_bus_timing("nv-ddr", mode);
  return c;
}

/// Moves the pins of one controller whose clock has 50 ns, low at rest. Nothing but what a test chooses is
/// near a limit.
class Edges {
 public:
  static constexpr TimePs kHalf = ns(25);

  explicit Edges(std::uint32_t mode) : sheet(kSheets[mode]), config_(part_of(mode)) {
    expect_reports("twinplane.pins");
    levels.dq_driven = true;
    levels.we_n = false;
    apply().select(true).idle(4);
  }

  Edges& wait(TimePs time) { return now_ += time, *this; }
  /// Takes over the changed `levels`.
  Edges& apply() {
    checker.on_change(before_, levels, now_);
    before_ = levels;
    return *this;
  }
  Edges& clk(bool high) { return levels.we_n = high, apply(); }
  Edges& w_r_n(bool high) { return levels.re_n = high, apply(); }
  Edges& wp_n(bool high) { return levels.wp_n = high, apply(); }
  Edges& dq(std::uint8_t value) { return levels.dq = value, apply(); }
  Edges& latches(bool cle, bool ale) { return levels.cle = cle, levels.ale = ale, apply(); }
  Edges& select(bool low) { return levels.selected = low ? 1 : 0, apply(); }
  Edges& dqs(bool high) { return levels.dqs = high, levels.dqs_driven = true, apply(); }
  Edges& release_dqs() { return levels.dqs = true, levels.dqs_driven = false, apply(); }
  Edges& ready() { return checker.on_ready(0, now_), *this; }

  Edges& rise() { return wait(kHalf).clk(true); }
  Edges& fall() { return wait(kHalf).clk(false); }
  Edges& idle(int cycles) {
    for (int i = 0; i < cycles; ++i) rise().fall();
    return *this;
  }
  /// From rest to the edge of CLK.
  Edges& edge(bool cle, bool ale, std::uint8_t value = 0) {
    levels.dq = value;
    return latches(cle, ale).rise();
  }
  /// To rest again.
  Edges& end() { return fall().latches(false, false); }
  Edges& command(std::uint8_t opcode) { return edge(true, false, opcode).end(); }
  Edges& address(std::uint8_t byte) { return edge(false, true, byte).end(); }
  /// `since` that was `passed` ago: rests at `time` from then, with idle cycles on the way.
  Edges& rest_at(TimePs time, TimePs passed) {
    TimePs left = time - passed;
    for (; left >= 2 * kHalf; left -= 2 * kHalf) idle(1);
    return wait(left);
  }
  /// DQS low, long before the clock announces two bytes at rest + kHalf.
  Edges& preamble() { return dqs(false).idle(3); }
  Edges& announce() { return preamble().edge(true, true); }

  TimePs share(TimePs percent) const { return sheet.tCK * percent / 100; }

  const Sheet& sheet;
  hw::PinLevels levels;
  hw::PinFaults faults{"edges"};

 private:
  hw::PinConfig config_;
  hw::PinLevels before_;
  TimePs now_ = us(10);

 public:
  hw::PinChecker checker{config_, faults};
};

struct Case {
  const char* label;
  PinRule rule;
  TimePs (*limit)(const Sheet& s);
  void (*play)(Edges& e, TimePs gap);
  bool at_most = false;
};

/// A rest of 25 ns or more lies before each of them.
const Case kCases[] = {
    {"tCK", PinRule::tCK, [](const Sheet& s) { return s.tCK; },
     [](Edges& e, TimePs gap) { e.rise().wait(gap / 2).clk(false).wait(gap - gap / 2).clk(true); }},
    {"tCK_running", PinRule::tCK, [](const Sheet&) { return ns(100); },
     [](Edges& e, TimePs gap) { e.rise().fall().wait(gap - ns(25)).clk(true); }, true},
    {"tCKH", PinRule::tCKH, [](const Sheet& s) { return s.tCK * 43 / 100; },
     [](Edges& e, TimePs gap) { e.rise().wait(gap).clk(false); }},
    {"tCKL", PinRule::tCKL, [](const Sheet& s) { return s.tCK * 43 / 100; },
     [](Edges& e, TimePs gap) { e.rise().wait(ns(50)).clk(false).wait(gap).clk(true); }},
    {"tCALS_cle", PinRule::tCALS, [](const Sheet& s) { return s.tCALS; },
     [](Edges& e, TimePs gap) { e.wait(ns(25)).latches(true, false).wait(gap).clk(true); }},
    {"tCALS_ale", PinRule::tCALS, [](const Sheet& s) { return s.tCALS; },
     [](Edges& e, TimePs gap) { e.wait(ns(25)).latches(false, true).wait(gap).clk(true); }},
    {"tCALS_turn", PinRule::tCALS, [](const Sheet& s) { return s.tCALS; },
     [](Edges& e, TimePs gap) { e.wait(ns(25)).w_r_n(false).wait(gap).clk(true); }},
    {"tCALH_cle", PinRule::tCALH, [](const Sheet& s) { return s.tCALS; },
     [](Edges& e, TimePs gap) { e.edge(true, false).wait(gap).latches(false, false); }},
    {"tCALH_ale", PinRule::tCALH, [](const Sheet& s) { return s.tCALS; },
     [](Edges& e, TimePs gap) { e.rise().wait(gap).latches(false, true); }},
    {"tCALH_turn", PinRule::tCALH, [](const Sheet& s) { return s.tCALS; },
     [](Edges& e, TimePs gap) { e.rise().wait(gap).w_r_n(false); }},
    {"tCAS", PinRule::tCAS, [](const Sheet& s) { return s.tCALS; },
     [](Edges& e, TimePs gap) { e.latches(true, false).wait(ns(25)).dq(1).wait(gap).clk(true); }},
    {"tCAH", PinRule::tCAH, [](const Sheet& s) { return s.tCALS; },
     [](Edges& e, TimePs gap) { e.edge(false, true).wait(gap).dq(1); }},
    {"tCS", PinRule::tCS, [](const Sheet& s) { return s.tCS; },
     [](Edges& e, TimePs gap) {
       e.select(false).wait(us(1)).latches(true, false).wait(ns(25)).select(true).wait(gap).clk(true);
     }},
    {"tCH", PinRule::tCH, [](const Sheet& s) { return s.tCALS; },
     [](Edges& e, TimePs gap) { e.edge(true, false).wait(gap).select(false); }},
    {"tCEH", PinRule::tCEH, [](const Sheet&) { return ns(20); },
     [](Edges& e, TimePs gap) { e.select(false).wait(gap).select(true); }},
    {"tWW", PinRule::tWW, [](const Sheet&) { return ns(100); },
     [](Edges& e, TimePs gap) { e.wp_n(false).rest_at(gap - ns(25), 0).edge(true, false); }},
    {"tADL", PinRule::tADL, [](const Sheet&) { return ns(400); },
     [](Edges& e, TimePs gap) {
       e.command(0x80).address(0).dqs(false).rest_at(gap - ns(25) - e.sheet.tCK, ns(25));
       e.edge(true, true).wait(e.sheet.tCK).dqs(true);
     }},
    {"tCCS_data_in", PinRule::tCCS, [](const Sheet&) { return ns(500); },
     [](Edges& e, TimePs gap) {
       e.command(0x85).address(0).dqs(false).rest_at(gap - ns(25) - e.sheet.tCK, ns(25));
       e.edge(true, true).wait(e.sheet.tCK).dqs(true);
     }},
    {"tCCS_data_out", PinRule::tCCS, [](const Sheet&) { return ns(500); },
     [](Edges& e, TimePs gap) {
       e.command(0xE0).w_r_n(false).rest_at(gap - ns(25), ns(25)).edge(true, true);
     }},
    {"tWHR", PinRule::tWHR, [](const Sheet&) { return ns(80); },
     [](Edges& e, TimePs gap) {
       e.command(0x70).w_r_n(false).rest_at(gap - ns(25), ns(25)).edge(true, true);
     }},
    {"tWRCK", PinRule::tWRCK, [](const Sheet&) { return ns(20); },
     [](Edges& e, TimePs gap) { e.latches(true, true).wait(ns(25)).w_r_n(false).wait(gap).clk(true); }},
    {"tRR", PinRule::tRR, [](const Sheet&) { return ns(20); },
     [](Edges& e, TimePs gap) {
       e.command(0x30).w_r_n(false).idle(4).latches(true, true).wait(ns(25)).ready().wait(gap).clk(true);
     }},
    {"tCKWR", PinRule::tCKWR, [](const Sheet& s) { return ns(25) + s.tCK; },
     [](Edges& e, TimePs gap) {
       e.w_r_n(false).idle(1).edge(true, true).end().wait(gap - ns(25)).w_r_n(true);
     }},
    {"tRHW_command", PinRule::tRHW, [](const Sheet&) { return ns(100); },
     [](Edges& e, TimePs gap) {
       e.w_r_n(false).idle(1).edge(true, true).end().wait(ns(50)).w_r_n(true);
       e.latches(true, false).wait(gap - ns(75)).clk(true);
     }},
    {"tRHW_data_in", PinRule::tRHW, [](const Sheet&) { return ns(100); },
     [](Edges& e, TimePs gap) {
       e.w_r_n(false).idle(1).edge(true, true).end().wait(ns(50)).w_r_n(true);
       e.latches(true, true).wait(gap - ns(75)).clk(true);
     }},
    // data in; share() of tCK
    {"tDQSS_early", PinRule::tDQSS, [](const Sheet& s) { return s.tCK * 75 / 100; },
     [](Edges& e, TimePs gap) { e.announce().wait(gap).dqs(true); }},
    {"tDQSS_late", PinRule::tDQSS, [](const Sheet& s) { return s.tCK * 125 / 100; },
     [](Edges& e, TimePs gap) { e.announce().wait(gap).dqs(true); }, true},
    {"tWPRE", PinRule::tWPRE, [](const Sheet& s) { return s.tCK * 150 / 100; },
     [](Edges& e, TimePs gap) {
       e.latches(true, true).wait(ns(25)).dqs(false).wait(gap - e.sheet.tCK).clk(true);
       e.wait(e.sheet.tCK).dqs(true);
     }},
    {"tDS_rising", PinRule::tDS, [](const Sheet& s) { return s.tDS; },
     [](Edges& e, TimePs gap) { e.announce().wait(e.sheet.tCK - gap).dq(1).wait(gap).dqs(true); }},
    {"tDS_falling", PinRule::tDS, [](const Sheet& s) { return s.tDS; },
     [](Edges& e, TimePs gap) {
       e.announce().wait(e.sheet.tCK).dqs(true).wait(e.sheet.tCK).dq(1).wait(gap).dqs(false);
     }},
    {"tDH_rising", PinRule::tDH, [](const Sheet& s) { return s.tDH; },
     [](Edges& e, TimePs gap) { e.announce().wait(e.sheet.tCK).dqs(true).wait(gap).dq(1); }},
    {"tDH_falling", PinRule::tDH, [](const Sheet& s) { return s.tDH; },
     [](Edges& e, TimePs gap) {
       e.announce().wait(e.sheet.tCK).dqs(true).wait(e.sheet.tCK).dqs(false).wait(gap).dq(1);
     }},
    {"tDQSH", PinRule::tDQSH, [](const Sheet& s) { return s.tCK * 40 / 100; },
     [](Edges& e, TimePs gap) { e.announce().wait(e.sheet.tCK).dqs(true).wait(gap).dqs(false); }},
    {"tDQSL", PinRule::tDQSL, [](const Sheet& s) { return s.tCK * 40 / 100; },
     [](Edges& e, TimePs gap) {
       e.announce().wait(e.share(50)).clk(false).wait(e.share(50)).clk(true).dqs(true);
       e.wait(e.sheet.tCK).dqs(false).wait(gap).dqs(true);
     }},
    {"tDSC", PinRule::tDSC, [](const Sheet& s) { return s.tCK; },
     [](Edges& e, TimePs gap) {
       e.announce().wait(e.share(50)).clk(false).wait(e.share(50)).clk(true).dqs(true);
       e.wait(e.share(50)).dqs(false).wait(gap - e.share(50)).dqs(true);
     }},
    {"tDSS", PinRule::tDSS, [](const Sheet& s) { return s.tCK * 20 / 100; },
     [](Edges& e, TimePs gap) {
       e.announce().wait(e.share(50)).clk(false).wait(e.share(50)).dqs(true);
       e.wait(e.share(50)).dqs(false).wait(gap).clk(true);
     }},
    {"tDSH", PinRule::tDSH, [](const Sheet& s) { return s.tCK * 20 / 100; },
     [](Edges& e, TimePs gap) {
       e.announce().wait(e.share(50)).clk(false).wait(e.share(50)).dqs(true);
       e.wait(e.share(40)).clk(true).wait(gap).dqs(false);
     }},
    {"tWPST", PinRule::tWPST, [](const Sheet& s) { return s.tCK * 150 / 100; },
     [](Edges& e, TimePs gap) {
       e.announce().wait(e.sheet.tCK).dqs(true).wait(e.share(50)).dqs(false).wait(gap).release_dqs();
     }},
    {"tWPST_before_a_command", PinRule::tWPST, [](const Sheet& s) { return s.tCK * 150 / 100; },
     [](Edges& e, TimePs gap) {
       e.announce().wait(e.share(50)).clk(false).latches(false, false).wait(e.share(50)).clk(true).dqs(true);
       e.wait(e.share(50)).clk(false).latches(true, false).dqs(false);
       e.wait(e.share(50)).clk(true).wait(gap - e.share(50)).release_dqs();
     }},
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.label;
}

class NvDdrTimes : public ::testing::TestWithParam<std::tuple<Case, std::uint32_t>> {};

TEST_P(NvDdrTimes, AreLegalAtTheLimitAndRefusedBeyond) {
  const auto& [c, mode] = GetParam();
  const TimePs limit = c.limit(kSheets[mode]);
  Edges legal(mode);
  c.play(legal, limit);
  EXPECT_EQ(legal.faults.total(), 0u);
  Edges refused(mode);
  c.play(refused, c.at_most ? limit + ps(1) : limit - ps(1));
  EXPECT_EQ(refused.checker.count(c.rule), 1u);
  EXPECT_EQ(refused.faults.total(), 1u) << "and no other rule";
}
INSTANTIATE_TEST_SUITE_P(ClockedPins, NvDdrTimes,
                         ::testing::Combine(::testing::ValuesIn(kCases), ::testing::Range(0u, 6u)),
                         [](const auto& row) {
                           return std::string(std::get<0>(row.param).label) + "_mode" +
                                  std::to_string(std::get<1>(row.param));
                         });

class NvDdrCycles : public ::testing::TestWithParam<std::uint32_t> {};

/// In mode 0 tCAD is shorter than the clock's period, which must be kept all the same.
TEST_P(NvDdrCycles, KeepTheirDistance) {
  const TimePs distance = ns(45);
  for (const TimePs gap : {distance, distance - ps(1)}) {
    for (const bool command : {true, false}) {
      Edges e(GetParam());
      e.edge(true, false).wait(gap / 2).clk(false).latches(command, !command).wait(gap - gap / 2).clk(true);
      EXPECT_EQ(e.checker.count(PinRule::tCAD), gap == distance ? 0u : 1u);
      EXPECT_EQ(e.checker.count(PinRule::tCK), GetParam() == 0 ? 1u : 0u);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(ClockedPins, NvDdrCycles, ::testing::Range(0u, 6u), parameter_name);

TEST(ClockedPinTimes, OfTheStatusDoNotWaitForReadyBusy) {
  Edges e(5);
  e.command(0x70).w_r_n(false).idle(4).latches(true, true).wait(ns(25)).ready().wait(ps(1)).clk(true);
  EXPECT_EQ(e.faults.total(), 0u);
}

TEST(ClockedPinTimes, OfAnUnselectedTargetAreNotJudged) {
  Edges e(5);
  e.select(false).wait(us(1)).clk(true).wait(ps(1)).clk(false).wait(ps(1)).clk(true);
  EXPECT_EQ(e.faults.total(), 0u);
}

} // namespace
} // namespace twinplane::test::clocked_checker_test
