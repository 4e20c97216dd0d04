// Does the timing table hold what the data sheets say, and do the rows stand between the right events?
#include <gtest/gtest.h>

#include <string>

#include "hw/spec/timing_rules.h"

namespace twinplane::test::timing_table_test {
namespace {

using timing::Event;
using timing::Source;

TEST(TimingTable, HoldsTheNvDdrModes) {
  EXPECT_EQ(find_bus_timing("nv-ddr", 0)->data_out.of(2), ns(50)); // tCK
  EXPECT_EQ(find_bus_timing("nv-ddr", 5)->data_out.of(200), us(1));
  EXPECT_EQ(find_bus_timing("nv-ddr", 3)->tWPST, ps(22'500)); // 1.5 tCK
  EXPECT_EQ(find_bus_timing("nv-ddr", 4)->tCALS, ps(2'500));
  EXPECT_EQ(find_bus_timing("nv-ddr", 1)->tWC, ns(45)); // tCAD
  EXPECT_FALSE(find_bus_timing("nv-ddr", 6).has_value());
}

TEST(TimingTable, HoldsTheNvLpddr4SpeedPoints) {
  EXPECT_EQ(find_bus_timing("nv-lpddr4", 19)->data_in.of(2400), us(1));
  EXPECT_EQ(find_bus_timing("nv-lpddr4", 20)->data_in.of(3600), us(1));
  EXPECT_EQ(find_bus_timing("nv-lpddr4", 20)->tADL, ns(300));
  EXPECT_EQ(find_bus_timing("nv-lpddr4", 19)->tADL, ns(400));
  EXPECT_FALSE(find_bus_timing("nv-lpddr4", 21).has_value());
}

// SDR cycles are made of their halves; a mode is never slower than the one before.
TEST(TimingTable, FitsTogether) {
  for (std::uint32_t mode = 0; mode < timing::kSdrModes; ++mode) {
    const BusTiming t = timing::sdr(mode);
    EXPECT_LE(t.tWP + t.tWH, t.tWC) << mode;
    EXPECT_LE(t.tRP + t.tREH, t.data_out.of(1)) << mode;
    EXPECT_LE(t.tDS, t.tWC - t.tDH) << mode;
  }
  for (const BusInterface& i : kBusInterfaces) {
    for (std::uint32_t mode = 1; mode < i.modes; ++mode) {
      EXPECT_LT(find_bus_timing(i.name, mode)->data_out.of(100'000),
                find_bus_timing(i.name, mode - 1)->data_out.of(100'000))
          << i.name << " mode " << mode;
    }
  }
}

TEST(TimingTable, SaysWhereValuesAreFrom) {
  std::uint32_t seen = 0;
  timing::visit_rows(timing::kNvDdr23, 12, [&seen](const timing::Value& v) {
    if (v.interval != &BusTiming::tADL) return;
    EXPECT_EQ(v.source, ++seen == 1 ? Source::verified : Source::secondary);
    EXPECT_EQ(v.time, seen == 1 ? ns(300) : ns(400));
  });
  EXPECT_EQ(seen, 2u);
  for (std::uint32_t mode = 0; mode < timing::kNvLpddr4Modes; ++mode) {
    EXPECT_EQ(timing::kRates[mode].source, mode <= 10 ? Source::verified : Source::secondary) << mode;
  }
  timing::visit_rows(timing::kNvLpddr4, 20,
                     [](const timing::Value& v) { EXPECT_EQ(v.source, Source::secondary) << v.name; });
  timing::visit_rows(timing::kSdr, 5, [](const timing::Value& v) {
    EXPECT_STREQ(timing::source_name(v.source), "verified") << v.name;
  });
}

TEST(TimingTable, TakesTheLongestWait) {
  const BusTiming bus = timing::nv_ddr(10);
  ArrayTiming array;
  array.tDBSY = us(1);
  const auto wait = [&](timing::EventMask before, Event next) {
    return timing::longest_wait(before, next, bus, array);
  };
  EXPECT_EQ(wait(mask(Event::address, Event::load_address), Event::data_in), ns(300));   // tADL > tWPRE
  EXPECT_EQ(wait(mask(Event::address, Event::column_address), Event::data_in), ns(400)); // tCCS
  EXPECT_EQ(wait(mask(Event::plane_confirm), Event::command), ns(100) + us(1));
  EXPECT_EQ(wait(mask(Event::plane_confirm), Event::status), ns(100)); // may be read during tDBSY
  EXPECT_EQ(wait(mask(Event::data_out), Event::command), ns(100));     // tRHW > tRPST + tRPSTH
  EXPECT_EQ(wait(mask(Event::data_in), Event::release), ps(21'500));
}

} // namespace
} // namespace twinplane::test::timing_table_test
