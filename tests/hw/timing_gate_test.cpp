// Is each row of the timing table a gate: legal at t, refused at t - 1 ps, on every interface and mode?
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hw/monitor/timing_gate.h"

namespace twinplane::test::timing_gate_test {
namespace {

using timing::Event;

struct Mode {
  std::string interface;
  std::uint32_t mode;
};

std::ostream& operator<<(std::ostream& out, const Mode& m) {
  return out << m.interface << " mode " << m.mode;
}

std::vector<Mode> all_modes() {
  std::vector<Mode> modes;
  for (const BusInterface& i : kBusInterfaces) {
    for (std::uint32_t mode = 0; mode < std::max(i.modes, 1u); ++mode) modes.push_back({i.name, mode});
  }
  return modes;
}

class TimingGateModes : public testing::TestWithParam<Mode> {
 protected:
  BusTiming bus_ = *find_bus_timing(GetParam().interface, GetParam().mode, ns(3));
  ArrayTiming array_;

  bool breaks(const hw::TimingGate& gate, const timing::Rule& wanted, Event following, TimePs at) {
    bool found = false;
    gate.check(following, at, [&](const timing::Rule& row) { found = found || &row == &wanted; });
    return found;
  }
};

// A row that an interface does not have (latency 0) has no edge; every other one has, for each event that
// it holds back. The preceding event happens at an odd time, so that no rounding can hide.
TEST_P(TimingGateModes, EachRowIsLegalAtItsTimeAndRefusedAPicosecondBefore) {
  constexpr TimePs kWhen = us(7) + 1;
  std::uint32_t edges = 0;
  for (const timing::Rule& row : timing::kRules) {
    const TimePs latency = timing::latency(row, bus_, array_);
    if (latency == 0) continue;
    for (std::uint32_t e = 0; e < timing::kEvents; ++e) {
      const auto following = static_cast<Event>(e);
      if ((row.following & timing::mask(following)) == 0) continue;
      hw::TimingGate gate(bus_, array_);
      gate.insert(timing::mask(row.preceding), kWhen);
      EXPECT_FALSE(breaks(gate, row, following, kWhen + latency)) << row.name << " event " << e;
      EXPECT_TRUE(breaks(gate, row, following, kWhen + latency - 1)) << row.name << " event " << e;
      ++edges;
    }
  }
  EXPECT_GE(edges, GetParam().interface == "flat" ? 5u : 30u);
}

// All rows together: the earliest time is legal in full, and a picosecond before is not.
TEST_P(TimingGateModes, TheEarliestTimeIsTheEdgeOfAllRowsTogether) {
  for (std::uint32_t p = 0; p < timing::kEvents; ++p) {
    hw::TimingGate gate(bus_, array_);
    gate.insert(timing::mask(static_cast<Event>(p)) | timing::mask(Event::latch), us(1));
    for (std::uint32_t e = 0; e < timing::kEvents; ++e) {
      const auto following = static_cast<Event>(e);
      std::uint32_t broken = 0;
      const auto count = [&broken](const timing::Rule&) { ++broken; };
      const TimePs at = gate.earliest(following);
      gate.check(following, at, count);
      EXPECT_EQ(broken, 0u) << p << " -> " << e;
      if (at == 0) continue;
      gate.check(following, at - 1, count);
      EXPECT_GE(broken, 1u) << p << " -> " << e;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, TimingGateModes, testing::ValuesIn(all_modes()),
                         [](const testing::TestParamInfo<Mode>& p) {
                           std::string name = p.param.interface + "_" + std::to_string(p.param.mode);
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(TimingGate, ForgetsNothingWhenTheModeChanges) {
  hw::TimingGate gate(timing::sdr(0), ArrayTiming{});
  gate.insert(mask(Event::load_address), us(1));
  EXPECT_EQ(gate.earliest(Event::data_in), us(1) + ns(400));
  gate.set(timing::nv_ddr(10), ArrayTiming{});
  EXPECT_EQ(gate.earliest(Event::data_in), us(1) + ns(300));
}

} // namespace
} // namespace twinplane::test::timing_gate_test
