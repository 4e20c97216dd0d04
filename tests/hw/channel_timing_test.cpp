// Does a tenure take exactly the time that the data sheet's cycles add up to?
#include <gtest/gtest.h>

#include <array>

#include "tests/support/flash_bench.h"

namespace twinplane::test::channel_timing_test {
namespace {

using hw::BusUse;
using hw::PhaseKind;

/// The cycles of multi-plane commands, as a flash controller sends them.
struct Shapes {
  explicit Shapes(const Geometry& g) : cycles(g) {}

  hw::OnfiTenure& read(std::uint32_t planes) {
    cycles.clear();
    for (std::uint32_t p = 0; p < planes; ++p) {
      cycles.command(0x00).page_address(0).command(p + 1 < planes ? 0x32 : 0x30);
    }
    return cycles.tenure();
  }
  hw::OnfiTenure& program(std::uint32_t planes, std::uint32_t bytes) {
    cycles.clear();
    for (std::uint32_t p = 0; p < planes; ++p) {
      cycles.command(0x80).page_address(0).bytes(PhaseKind::data_in, nullptr, bytes);
      cycles.command(p + 1 < planes ? 0x11 : 0x10);
    }
    return cycles.tenure();
  }
  hw::OnfiTenure& erase(std::uint32_t planes) {
    cycles.clear();
    for (std::uint32_t p = 0; p < planes; ++p) {
      cycles.command(0x60).row_address(0).command(p + 1 < planes ? 0xD1 : 0xD0);
    }
    return cycles.tenure();
  }
  hw::OnfiTenure& data_out(std::uint32_t planes, std::uint32_t bytes) {
    cycles.clear();
    for (std::uint32_t p = 0; p < planes; ++p) {
      if (p > 0) cycles.command(0x06).page_address(0).command(0xE0);
      cycles.bytes(PhaseKind::data_out, nullptr, bytes);
    }
    return cycles.tenure();
  }

  Cycles cycles;
};

constexpr TimePs kDbsy = ns(500);

hw::TenureTiming mqsim_timing() {
  return hw::TenureTiming(timing::mqsim(), kDbsy);
}

// MQSim's closed forms fold cycles away; what a cycle-exact model has more is named in each test.

TEST(ChannelTiming, MatchesMqsimReadCommandsButForTheFoldedCycle) {
  Shapes shapes(small_part().geometry);
  const BusTiming t = timing::mqsim();
  const TimePs mqsim[] = {290, 940, 1590, 2240};
  for (std::uint32_t n = 1; n <= 4; ++n) {
    const TimePs formula = t.tCS + 6 * t.tWC + (n - 1) * (kDbsy + 6 * t.tWC) + t.tWB + t.tRR;
    ASSERT_EQ(formula, ns(mqsim[n - 1]));
    // One more cycle per plane (confirm), tWB before every tDBSY, and tRR belongs to the data out.
    EXPECT_EQ(mqsim_timing().duration(shapes.read(n)), formula + n * t.tWC + (n - 1) * t.tWB - t.tRR);
  }
}

TEST(ChannelTiming, MatchesMqsimProgramCommandsButForTheFoldedCycles) {
  Shapes shapes(small_part().geometry);
  const BusTiming t = timing::mqsim();
  const TimePs mqsim[] = {361, 1177, 1993, 2809};
  for (std::uint32_t n = 1; n <= 4; ++n) {
    const TimePs formula = t.tCS + (n - 1) * (5 * t.tWC + t.tADL + t.tWPST + t.tCALS + t.tWB + kDbsy) +
                           6 * t.tWC + t.tADL + t.tWPST + t.tWPSTH + t.tWB;
    ASSERT_EQ(formula, ns(mqsim[n - 1]));
    // Last plane: confirm cycle and its tCALS. Other planes: two cycles and the postamble hold.
    const TimePs folded = t.tWC + t.tCALS + (n - 1) * (2 * t.tWC + t.tWPSTH);
    EXPECT_EQ(mqsim_timing().duration(shapes.program(n, 0)), formula + folded);
  }
}

TEST(ChannelTiming, MatchesMqsimEraseCommandsButForTheFoldedCycle) {
  Shapes shapes(small_part().geometry);
  const BusTiming t = timing::mqsim();
  const TimePs mqsim[] = {220, 920, 1620, 2320};
  for (std::uint32_t n = 1; n <= 4; ++n) {
    const TimePs formula = t.tCS + 4 * t.tWC + t.tWB + (n - 1) * (kDbsy + 4 * t.tWC + t.tWB);
    ASSERT_EQ(formula, ns(mqsim[n - 1]));
    EXPECT_EQ(mqsim_timing().duration(shapes.erase(n)), formula + n * t.tWC);
  }
}

TEST(ChannelTiming, MatchesMqsimDataOutSetUp) {
  Shapes shapes(small_part().geometry);
  const BusTiming t = timing::mqsim();
  const TimePs first = t.tRPRE + t.tDQSRE;
  for (std::uint32_t n = 1; n <= 4; ++n) {
    const TimePs formula = first + (n - 1) * (t.tRHW + 6 * t.tWC + t.tCCS + t.tRPRE + t.tDQSRE);
    // tCS and tRR of the tenure, one more cycle per further plane (E0h), tRHW before the next tenure.
    EXPECT_EQ(mqsim_timing().duration(shapes.data_out(n, 0)),
              t.tCS + t.tRR + formula + (n - 1) * t.tWC + t.tRHW);
  }
}

// MQSim counts fewer cycles and other waits than a sequence has: the opening command cycle of each plane
// (00h, 80h, 60h, 06h) is inside the wait before it, 11h is inside tCALS, a read has no tWB before tDBSY,
// data have no hold time before 11h and no tCALS before 10h, tRR is part of the read command. With these
// terms put where MQSim has them, every value is met with one tWC more: the opening cycle behind tCS, which
// MQSim folds into it.

/// MQSim's table with its own wait between the planes of one command.
TimePs by_mqsim_counting(hw::OnfiTenure& sequence, TimePs between_planes, BusTiming t = timing::mqsim()) {
  return hw::TenureTiming(t, between_planes).duration(sequence);
}

TEST(ChannelTiming, MeetsEachMqsimReadCommandWithinOneCycle) {
  Shapes shapes(small_part().geometry);
  const BusTiming t = timing::mqsim();
  const TimePs gap = kDbsy - t.tWB - t.tWC; // holds tWB and 00h
  const TimePs mqsim[] = {290, 940, 1590, 2240};
  for (std::uint32_t n = 1; n <= 4; ++n) {
    EXPECT_EQ(by_mqsim_counting(shapes.read(n), gap) + t.tRR, ns(mqsim[n - 1]) + t.tWC) << n;
  }
}

TEST(ChannelTiming, MeetsEachMqsimProgramCommandWithinOneCycle) {
  Shapes shapes(small_part().geometry);
  BusTiming t = timing::mqsim();
  const TimePs gap = kDbsy - t.tWC - (t.tWC - t.tCALS) - t.tWPSTH; // holds 80h, 11h and the hold time
  t.tCALS = 0;
  const TimePs mqsim[] = {361, 1177, 1993, 2809};
  for (std::uint32_t n = 1; n <= 4; ++n) {
    EXPECT_EQ(by_mqsim_counting(shapes.program(n, 0), gap, t), ns(mqsim[n - 1]) + t.tWC) << n;
  }
}

TEST(ChannelTiming, MeetsEachMqsimEraseCommandWithinOneCycle) {
  Shapes shapes(small_part().geometry);
  const BusTiming t = timing::mqsim();
  const TimePs gap = kDbsy - t.tWC; // holds 60h
  const TimePs mqsim[] = {220, 920, 1620, 2320};
  for (std::uint32_t n = 1; n <= 4; ++n) {
    EXPECT_EQ(by_mqsim_counting(shapes.erase(n), gap), ns(mqsim[n - 1]) + t.tWC) << n;
  }
}

TEST(ChannelTiming, MeetsMqsimSuspendAndDataOutWithinOneCycle) {
  Shapes shapes(small_part().geometry);
  BusTiming t = timing::mqsim();
  t.tWB = 0; // MQSim suspends without
  shapes.cycles.clear().command(0x61).row_address(0);
  EXPECT_EQ(by_mqsim_counting(shapes.cycles.tenure(), kDbsy, t), ns(95) + t.tWC);

  t = timing::mqsim();
  t.tCS = t.tRR = 0; // MQSim: part of the read command
  t.tRHW -= t.tWC;   // holds 06h
  const TimePs first = t.tRPRE + t.tDQSRE;
  for (std::uint32_t n = 1; n <= 4; ++n) {
    const TimePs further = ns(100) + 6 * ns(25) + ns(300) + first;
    EXPECT_EQ(by_mqsim_counting(shapes.data_out(n, 0), kDbsy, t) - t.tRHW, first + (n - 1) * further) << n;
  }
}

TEST(ChannelTiming, CountsDataAtTwoBytesPerCycle) {
  Shapes shapes(small_part().geometry);
  const TimePs empty = mqsim_timing().duration(shapes.program(1, 0));
  EXPECT_EQ(mqsim_timing().duration(shapes.program(1, 8192)) - empty, 8192 / 2 * ns(6));
  const TimePs silent = mqsim_timing().duration(shapes.data_out(1, 0));
  EXPECT_EQ(mqsim_timing().duration(shapes.data_out(1, 8192)) - silent, 8192 / 2 * ns(6));
}

TEST(ChannelTiming, TakesNanosecondsPerByteOnTheFlatBus) {
  Shapes shapes(small_part().geometry);
  const hw::TenureTiming flat(timing::flat(ns(3)), 0);
  // SSDSim: program and read command 7 cycles, erase 5; two planes twice that.
  EXPECT_EQ(flat.duration(shapes.program(1, 8192)), (7 + 8192) * ns(3));
  EXPECT_EQ(flat.duration(shapes.program(2, 8192)), 2 * (7 + 8192) * ns(3));
  EXPECT_EQ(flat.duration(shapes.read(1)), 7 * ns(3));
  EXPECT_EQ(flat.duration(shapes.erase(1)), 5 * ns(3));
  EXPECT_EQ(flat.duration(shapes.data_out(1, 8192)), 8192 * ns(3));
}

TEST(ChannelTiming, HoldsTheTablesOfTheModes) {
  EXPECT_EQ(timing::sdr(5).data_in.of(18592), ns(371840));
  EXPECT_EQ(timing::sdr(1).data_in.of(1), ns(45));
  EXPECT_EQ(timing::sdr(1).data_out.of(1), ns(50));
  const std::array<TimePs, timing::kNvDdr3Modes> rates{66,   80,   133,  166,  200,  266,  333,
                                                       400,  533,  667,  800,  1066, 1200, 1333,
                                                       1466, 1600, 1800, 2000, 2200, 2400};
  std::uint32_t mode = 0;
  for (const TimePs rate : rates) { // MT/s, rounded or truncated to whole ones in the standard
    const TimePs time = timing::nv_ddr(mode).data_out.of(rate * 1'000'000);
    const TimePs shortest = ms(1000) * rate / (rate + 1);
    const TimePs longest = ms(1000) * rate / (rate - 1);
    EXPECT_GT(time, shortest) << "mode " << mode;
    EXPECT_LT(time, longest) << "mode " << mode;
    ++mode;
  }
  // 18592 bytes: 34.9, 23.2, 15.5, 7.75 us.
  EXPECT_EQ(timing::nv_ddr(8).data_in.of(18592), ns(34860));
  EXPECT_EQ(timing::nv_ddr(10).data_in.of(18592), ns(23240));
  EXPECT_EQ(timing::nv_ddr(12).data_in.of(18592), ps(15'493'334));
  EXPECT_EQ(timing::nv_ddr(8).tRPST, ps(26'875));
}

TEST(ChannelTiming, FindsInterfacesByName) {
  EXPECT_TRUE(find_bus_timing("nv-ddr2", 10).has_value());
  EXPECT_FALSE(find_bus_timing("nv-ddr2", 11).has_value());
  EXPECT_TRUE(find_bus_timing("nv-ddr3", 19).has_value());
  EXPECT_FALSE(find_bus_timing("nv-ddr3", 20).has_value());
  EXPECT_FALSE(find_bus_timing("sdr", 6).has_value());
  EXPECT_FALSE(find_bus_timing("ddr5", 0).has_value());
  EXPECT_EQ(find_bus_timing("flat", 0, ns(25))->tWC, ns(25));
  for (const BusInterface& i : kBusInterfaces)
    EXPECT_TRUE(find_bus_timing(i.name, 0, 1).has_value()) << i.name;
}

TEST(ChannelTiming, PlacesThePhasesOfASdrProgram) {
  Shapes shapes(small_part().geometry);
  const BusTiming t = timing::sdr(5);
  const hw::TenureTiming sdr(t, us(1));
  hw::OnfiTenure& tenure = shapes.program(1, 8192);
  hw::BusUseTimes use{};
  const TimePs end = sdr.stamp(tenure, us(7), use);
  EXPECT_EQ(tenure.phases[0].start, us(7) + ns(15));                    // tCS
  EXPECT_EQ(tenure.phases[1].start, tenure.phases[0].end);              // addresses follow at once
  EXPECT_EQ(tenure.phases[1].end, tenure.phases[1].start + 5 * ns(20)); // tWC each
  EXPECT_EQ(tenure.phases[2].start, tenure.phases[1].end + ns(400));    // tADL
  EXPECT_EQ(tenure.phases[3].start, tenure.phases[2].end);              // SDR: no postamble
  EXPECT_EQ(end, tenure.phases[3].end + ns(100));                       // tWB
}

TEST(ChannelTiming, WaitsBeforeStatusAndChangedColumns) {
  Shapes shapes(small_part().geometry);
  const BusTiming t = timing::nv_ddr(10);
  const hw::TenureTiming ddr(t, kDbsy);
  const TimePs preamble = t.tRPRE + t.tDQSRE;
  const TimePs two_bytes = ps(2500);
  std::uint8_t value[2];
  shapes.cycles.clear().command(0x70).bytes(PhaseKind::data_out, value, 2);
  EXPECT_EQ(ddr.duration(shapes.cycles.tenure()), t.tCS + t.tWC + t.tWHR + preamble + two_bytes + t.tRHW);
  shapes.cycles.clear().command(0x78).row_address(0).bytes(PhaseKind::data_out, value, 2);
  EXPECT_EQ(ddr.duration(shapes.cycles.tenure()), t.tCS + 4 * t.tWC + t.tWHR + preamble + two_bytes + t.tRHW);
  shapes.cycles.clear().command(0x05).short_address(0, 2).command(0xE0).bytes(PhaseKind::data_out, value, 2);
  EXPECT_EQ(ddr.duration(shapes.cycles.tenure()), t.tCS + 4 * t.tWC + t.tCCS + preamble + two_bytes + t.tRHW);
  // 85h inside a program: tCCS instead of tADL before the second burst.
  shapes.cycles.clear().command(0x80).page_address(0).bytes(PhaseKind::data_in, nullptr, 0);
  shapes.cycles.command(0x85).short_address(0, 2).bytes(PhaseKind::data_in, nullptr, 0).command(0x10);
  const TimePs after_burst = t.tWPST + t.tWPSTH + t.tCALS;
  EXPECT_EQ(ddr.duration(shapes.cycles.tenure()),
            t.tCS + 6 * t.tWC + t.tADL + after_burst + 3 * t.tWC + t.tCCS + after_burst + t.tWC + t.tWB);
}

TEST(ChannelTiming, StartsTheArrayAtTheEndOfTheTenure) {
  FlashBench bench;
  const ArrayTiming times = small_part().array;
  bench.cycles.clear().command(0x00).page_address(bench.row({0, 0, 0, 0})).command(0x30);
  const TimePs expected = bench.channel.duration(bench.cycles.tenure());
  const TimePs end = bench.send(us(1));
  EXPECT_EQ(end, us(1) + expected);
  EXPECT_EQ(bench.channel.free_at(), end);
  EXPECT_EQ(bench.tenure_start, us(1));
  EXPECT_EQ(bench.tenure_end, end);
  EXPECT_EQ(bench.ready(), end + times.tR[0]); // confirm + tWB + tR
  ASSERT_EQ(bench.arrays.size(), 1u);
  EXPECT_EQ(bench.arrays[0].start, end);
  EXPECT_EQ(bench.arrays[0].end, end + times.tR[0]);
}

TEST(ChannelTiming, KeepsTheLunBusyForTheTimeOfThePageType) {
  FlashBench bench;
  const auto& array = small_part().array;
  const PageOrderTable order(CellType::tlc, 48);
  for (std::uint32_t page = 0; page < 12; ++page) {
    ASSERT_EQ(bench.program({0, 0, 0, page}), 0xE0);
    EXPECT_EQ(bench.arrays.back().end - bench.arrays.back().start, array.tPROG[order.type(page)]) << page;
    ASSERT_EQ(bench.read({0, 0, 0, page}), 0xE0);
    EXPECT_EQ(bench.arrays.back().end - bench.arrays.back().start, array.tR[order.type(page)]) << page;
  }
  ASSERT_EQ(bench.erase({0, 0, 0, 0}), 0xE0);
  EXPECT_EQ(bench.arrays.back().end - bench.arrays.back().start, array.tBERS);
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST(ChannelTiming, WaitsForTheSlowestPageOfAGroup) {
  hw::NandConfig config = small_part();
  config.pac = false;
  FlashBench bench(config);
  ASSERT_EQ(bench.program({0, 0, 0, 0}), 0xE0);
  ASSERT_EQ(bench.program({0, 0, 0, 1}), 0xE0);
  ASSERT_EQ(bench.program_pair({0, 0, 0, 2}, {0, 1, 0, 0}), 0xE0); // CSB with LSB
  EXPECT_EQ(bench.arrays.back().end - bench.arrays.back().start, config.array.tPROG[1]);
  const hw::DieStatistics& die = bench.package().statistics().dies[0];
  EXPECT_EQ(die.busy, 2 * config.array.tPROG[0] + config.array.tPROG[1]);
  EXPECT_EQ(die.plane_busy, die.busy + config.array.tPROG[1]);
}

TEST(ChannelTiming, ShowsTheGapBetweenPlanesAsBusy) {
  FlashBench bench;
  bench.cycles.clear();
  bench.start_program({0, 0, 0, 0}, 0x11);
  const TimePs end = bench.send(); // the tenure ends after tWB: the bus is free during tDBSY
  EXPECT_EQ(bench.ready(), end + small_part().array.tDBSY);
  EXPECT_EQ(bench.status({0, 0, 0, 0}), 0x80);
  bench.cycles.clear();
  bench.start_program({0, 1, 0, 0});
  bench.now = end + small_part().array.tDBSY;
  EXPECT_EQ(bench.finish(0), 0xE0);
  EXPECT_EQ(bench.package().statistics().multiplane_program.units, 2u);
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST(ChannelTiming, RefusesTheNextPlaneBeforeTheGapIsOver) {
  FlashBench bench;
  bench.cycles.clear();
  bench.start_program({0, 0, 0, 0}, 0x11);
  bench.send();
  bench.cycles.clear();
  bench.start_program({0, 1, 0, 0});
  bench.send();
  EXPECT_EQ(bench.violations(hw::Rule::busy), 1u);
}

TEST(ChannelTiming, AddsUpTheUtilisation) {
  FlashBench bench;
  ASSERT_EQ(bench.program_pair({0, 0, 0, 0}, {0, 1, 0, 0}), 0xE0);
  ASSERT_EQ(bench.read({0, 0, 0, 0}), 0xE0);
  bench.cycles.clear().command(0x00).page_data(PhaseKind::data_out, 3, nullptr, nullptr);
  bench.send(bench.now);
  const hw::ChannelStatistics& s = bench.channel.statistics();
  TimePs sum = 0;
  for (const TimePs part : s.use) {
    EXPECT_GT(part, 0u);
    sum += part;
  }
  EXPECT_EQ(sum, s.busy);
  EXPECT_EQ(s.tenures, 5u);
  EXPECT_GE(s.used_for(BusUse::data_in), 2 * timing::nv_ddr(10).data_in.of(8192));
  EXPECT_GE(s.used_for(BusUse::data_out), timing::nv_ddr(10).data_out.of(8192));
}

TEST(ChannelTiming, AnswersForChipsThatExistOnly) {
  FlashBench bench(small_part(), 2);
  bench.cycles.clear().command(0x70);
  bench.send(0, 1);
  EXPECT_EQ(bench.response, tlm::TLM_OK_RESPONSE);
  const TimePs free_at = bench.channel.free_at();
  bench.send(0, 2);
  EXPECT_EQ(bench.response, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(bench.channel.free_at(), free_at);
}

} // namespace
} // namespace twinplane::test::channel_timing_test
