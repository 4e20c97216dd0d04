// Does the monitor accept a bus that keeps every interval to the picosecond, and name the interval that is a
// picosecond short?
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/monitor_bench.h"

namespace twinplane::test::monitor_gate_test {
namespace {

struct Mode {
  const char* interface;
  std::uint32_t mode;
};

/// A walk over all waits of the bus level with CE# low; the wait of number `shortened` is a picosecond short.
class Walk {
 public:
  Walk(const hw::NandConfig& nand, std::size_t shortened) : bus(nand), shortened_(shortened) {
    const BusTiming& t = bus.bus();
    const TimePs preamble = t.tRPRE + t.tDQSRE;
    const TimePs loaded = t.tWPST + t.tWPSTH + t.tCALS;
    const bool postamble = t.tRPST + t.tRPSTH > t.tRHW;
    const auto turn = [&] { gap(postamble ? "tRPST" : "tRHW", std::max(t.tRHW, t.tRPST + t.tRPSTH)); };
    const auto status = [&](bool ready) {
      bus.command(0x70);
      gap("tWHR", t.tWHR + preamble);
      bus.register_out(2, ready ? onfi::status::idle : onfi::status::busy);
      ready ? turn() : void(bus.wait(us(1))); // what follows a busy status comes much later
    };
    // Two planes, the first in two bursts.
    bus.begin();
    gap("tCS", t.tCS);
    bus.command(0x80);
    gap("tWC", 0);
    bus.page({0, 0, 0, 0});
    gap("tADL", std::max(t.tADL, t.tWPRE));
    bus.data_in(256);
    gap("tWPST", loaded);
    bus.command(0x85).address({0, 2});
    gap("tCCS", std::max(t.tCCS, t.tWPRE));
    bus.data_in(256, 2);
    gap("tWPST", loaded);
    bus.command(0x11);
    gap("tDBSY", t.tWB + bus.array().tDBSY);
    bus.command(0x80).page({0, 1, 0, 0}).wait(std::max(t.tADL, t.tWPRE)).data_in(256).wait(loaded);
    bus.command(0x10);
    gap("tWB", t.tWB);
    status(false);
    bus.wait(bus.array().tPROG[0]);
    status(true);
    // A read whose data comes the moment it may.
    bus.command(0x00).page({0, 0, 0, 0});
    gap("tWC", 0);
    bus.command(0x30).wait(t.tWB + bus.array().tR[0]);
    gap("tRR", t.tRR + preamble);
    bus.page_out(256);
    turn();
    bus.command(0x05).address({0, 2});
    gap("tWC", 0);
    bus.command(0xE0);
    gap("tCCS", t.tCCS + preamble);
    bus.page_out(256);
    turn();
    // Features and ID.
    bus.command(0xEF).address({0x02});
    gap("tADL", t.tADL);
    bus.register_in(t.ddr ? 8 : 4);
    gap("tWB", std::max(t.tWB, loaded));
    status(false);
    bus.wait(bus.array().tFEAT);
    bus.command(0x90).address({0x00});
    gap("tWHR", t.tWHR + preamble);
    bus.register_out(2).flush();
  }

  HandBus bus;
  std::vector<std::string> gaps; // that the interface has

 private:
  /// A wait of 0 follows a command or address cycle, whose own length is the interval then.
  void gap(const char* name, TimePs time) {
    if (time == 0 && std::string(name) != "tWC") return;
    bus.wait(time);
    if (gaps.size() == shortened_) bus.hurry(1);
    gaps.emplace_back(name);
  }

  std::size_t shortened_;
};

hw::NandConfig part_on(const Mode& mode) {
  hw::NandConfig c = small_part();
  c.bus = *find_bus_timing(mode.interface, mode.mode, ns(3));
  return c;
}

void expect_gates(const Mode& mode) {
  constexpr std::size_t kNone = 1000;
  const Walk legal(part_on(mode), kNone);
  const std::string where = std::string(mode.interface) + " mode " + std::to_string(mode.mode);
  ASSERT_EQ(legal.bus.findings.text(), "") << where;
  for (std::size_t i = 0; i < legal.gaps.size(); ++i) {
    const Walk hasty(part_on(mode), i);
    ASSERT_FALSE(hasty.bus.findings.all.empty()) << where << " wait " << i << " " << legal.gaps[i];
    EXPECT_EQ(hasty.bus.findings.all[0].name, legal.gaps[i]) << where << " wait " << i;
  }
}

TEST(MonitorGate, HoldsEveryWaitOfEveryInterfaceToThePicosecond) {
  for (const BusInterface& i : kBusInterfaces) {
    for (std::uint32_t mode = 0; mode < std::max(i.modes, 1u); ++mode) expect_gates({i.name, mode});
  }
}

TEST(MonitorGate, HoldsTheRateOfBursts) {
  for (const BusInterface& i : kBusInterfaces) {
    HandBus bus(part_on({i.name, 0}));
    const BusTiming& t = bus.bus();
    bus.select().command(0x80).page({0, 0, 0, 0}).wait(std::max(t.tADL, t.tWPRE));
    bus.data_in(256, 1, t.data_in.of(256) - 1).wait(t.tWPST + t.tWPSTH + t.tCALS).command(0x10).flush();
    EXPECT_EQ(bus.findings.text(), t.ddr ? "tDSC" : "tWC") << i.name;
  }
}

// A cycle may begin when the one before is over; five cycles in the time of four do not pass either.
TEST(MonitorGate, HoldsTheLengthOfAddressCycles) {
  HandBus bus(small_part());
  bus.select().command(0x00).page({0, 0, 0, 0}, 0, 4 * bus.bus().tWC).command(0x30).flush();
  ASSERT_FALSE(bus.findings.all.empty());
  for (const hw::Finding& f : bus.findings.all) EXPECT_STREQ(f.name, "tWC");
}

/// R/B# low for `time` after `operation`: the next command is legal at its end and not before.
void expect_busy(const hw::NandConfig& nand, const std::function<void(HandBus&)>& operation, TimePs time) {
  for (const TimePs early : {TimePs{0}, TimePs{1}}) {
    HandBus bus(nand);
    operation(bus.select());
    bus.wait(bus.bus().tWB + time - early);
    bus.command(0x00).page({0, 0, 1, 0}).flush();
    EXPECT_EQ(bus.findings.text(), early == 0 ? "" : "busy") << time;
  }
}

TEST(MonitorGate, HoldsTheArrayTimes) {
  const hw::NandConfig nand = small_part();
  const ArrayTiming& a = nand.array;
  const PageOrderTable order(nand.geometry.cell, nand.geometry.pages_per_block);
  for (std::uint32_t page = 0; page < nand.geometry.pages_per_block; ++page) {
    expect_busy(
        nand,
        [page](HandBus& b) {
          b.command(0x00).page({0, 0, 0, page}).command(0x30);
        },
        a.tR[order.type(page)]);
  }
  expect_busy(
      nand, [](HandBus& b) { b.command(0xFF); }, a.tRST_idle);
  expect_busy(
      nand, [](HandBus& b) { b.command(0xEE).address({0x01}); }, a.tFEAT);
  expect_busy(
      nand, [](HandBus& b) { b.command(0xEC).address({0x00}); }, a.tR[0]);
  expect_busy(
      nand,
      [](HandBus& b) {
        b.command(0xFA).row({0, 0, 0, 0});
      },
      a.tRST_idle);
  const auto cut_off = [](auto... cycles) {
    return [=](HandBus& b) {
      (cycles(b), ...);
      b.wait(us(20)).command(0xFF);
    };
  };
  expect_busy(nand, cut_off([](HandBus& b) {
                b.command(0x60).row({0, 0, 0, 0}).command(0xD0);
              }),
              a.tRST_erase);
  expect_busy(nand, cut_off([](HandBus& b) {
                b.command(0x00).page({0, 0, 0, 0}).command(0x30);
              }),
              a.tRST_read);
}

} // namespace
} // namespace twinplane::test::monitor_gate_test
