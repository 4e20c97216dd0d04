// Does the die behave on wires as the data sheet says, in SDR and DDR?
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/parameter_names.h"
#include "tests/support/phase_transcript.h"
#include "tests/support/pin_bench.h"

namespace twinplane::test::pins_test {
namespace {

using hw::PinFault;

// --- SDR ---

class SdrPins : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(SdrPins, MoveAPageWithTheShortestTimesOfTheMode) {
  PinBench bench(pins_part(timing::sdr(GetParam())));
  bench.bus.select();
  const std::vector<std::uint8_t> written = byte_pattern(2048);
  EXPECT_EQ(bench.program(bench.layout.row(0, 1, 2, 0), written), 0xE0);
  EXPECT_EQ(bench.read(bench.layout.row(0, 1, 2, 0), 2048), written);
  EXPECT_EQ(bench.all_faults(), 0u);
}
INSTANTIATE_TEST_SUITE_P(Modes, SdrPins, ::testing::Range(0u, 6u), parameter_name);

TEST(PinTimingTable, FitsTheCyclesOfTheBusTable) {
  for (std::uint32_t mode = 0; mode < timing::kSdrModes; ++mode) {
    const BusTiming bus = timing::sdr(mode);
    EXPECT_LE(bus.tWP + bus.tWH, bus.tWC);
    EXPECT_LE(bus.tRP + bus.tREH, bus.data_out.of(1));
    EXPECT_LT(bus.tREA, bus.data_out.of(1));
  }
  for (std::uint32_t mode = 0; mode < timing::kNvDdr2Modes; ++mode) {
    const BusTiming bus = timing::nv_ddr(mode);
    EXPECT_LE(bus.tWP + bus.tWH, bus.tWC);
    EXPECT_LE(bus.tDS + bus.tDH, bus.data_in.of(1));
  }
}

TEST(Pins, ReadFfhWhenTheControllerSamplesAfterTheGuaranteedWindow) {
  PinBench bench(pins_part(timing::sdr(5)));
  bench.bus.select();
  bench.bus.command(0x90);
  bench.bus.address({0x20});
  bench.pins.dq_host_oe = false;
  PinDriver::run(bench.config.bus.tWHR);
  const BusTiming& t = bench.config.bus;
  bench.pins.re_n = false;
  PinDriver::run(t.tREA - ps(1));
  EXPECT_FALSE(bench.pins.dq_nand_oe.read()) << "tREA has not passed";
  PinDriver::run(ps(2));
  EXPECT_EQ(bench.pins.dq_nand.read(), std::uint32_t{'O'});
  bench.pins.re_n = true;
  PinDriver::run(t.tRHOH - ps(1));
  EXPECT_EQ(bench.pins.dq_nand.read(), std::uint32_t{'O'});
  PinDriver::run(ps(2));
  EXPECT_FALSE(bench.pins.dq_nand_oe.read());
  EXPECT_EQ(bench.pins.dq_nand.read(), 0xFFu);
}

TEST(Pins, StartDataAtTheAddressedColumn) {
  PinBench bench(pins_part(timing::sdr(5)));
  bench.bus.select();
  const std::vector<std::uint8_t> written = byte_pattern(2048);
  ASSERT_EQ(bench.program(0, written), 0xE0);
  EXPECT_EQ(bench.read(0, 3, 700), std::vector<std::uint8_t>(&written[700], &written[703]));
  bench.bus.command(0x05);
  bench.bus.address({0x00, 0x04});
  bench.bus.command(0xE0);
  PinDriver::run(bench.config.bus.tCCS);
  EXPECT_EQ(bench.bus.data_out(2), std::vector<std::uint8_t>(&written[1024], &written[1026]));
  EXPECT_EQ(bench.all_faults(), 0u);
}

TEST(Pins, CarryTheOutOfBandWordInTheSpareArea) {
  PinBench bench(pins_part(timing::sdr(5)));
  bench.bus.select();
  std::vector<std::uint8_t> written = byte_pattern(2048 + 8);
  ASSERT_EQ(bench.program(0, written), 0xE0);
  written.push_back(0xFF);
  EXPECT_EQ(bench.read(0, 9, 2048), std::vector<std::uint8_t>(written.begin() + 2048, written.end()));
}

TEST(Pins, CarryTheWordsOfSubpagesOneBehindTheOther) {
  hw::NandConfig part = pins_part(timing::sdr(5));
  part.geometry.subpages_per_page = 4;
  part.subpage_words = true;
  part.partial_programs = 2;
  PinBench bench(part);
  bench.bus.select();
  const std::vector<std::uint8_t> all = byte_pattern(4 * 8);
  std::vector<std::uint8_t> first = all;
  std::fill(first.begin() + 16, first.begin() + 24, std::uint8_t{0xFF}); // not the third
  ASSERT_EQ(bench.program(0, first, 2048), 0xE0);
  first.push_back(0xFF);
  EXPECT_EQ(bench.read(0, 33, 2048), first);
  ASSERT_EQ(bench.program(0, {all.begin() + 16, all.begin() + 24}, 2048 + 16), 0xE0);
  EXPECT_EQ(bench.read(0, 32, 2048), all);
  EXPECT_EQ(bench.all_faults(), 0u);
}

TEST(Pins, ProgramTwoPlanesWithOneConfirm) {
  PinBench bench(pins_part(timing::sdr(5)));
  bench.bus.select();
  const std::vector<std::uint8_t> first(512, 0x11);
  const std::vector<std::uint8_t> second(512, 0x22);
  bench.bus.command(0x80);
  bench.bus.page_address(bench.layout.row(0, 0, 1, 0));
  bench.bus.data_in(first);
  bench.bus.command(0x11);
  const TimePs queued = bench.bus.we_rise;
  EXPECT_EQ(bench.bus.wait_ready(), queued + bench.config.bus.tWB + bench.config.array.tDBSY);
  EXPECT_EQ(bench.program(bench.layout.row(0, 1, 1, 0), second), 0xE0);
  EXPECT_EQ(bench.read(bench.layout.row(0, 0, 1, 0), 512), first);
  EXPECT_EQ(bench.read(bench.layout.row(0, 1, 1, 0), 512), second);
  EXPECT_EQ(bench.packages[0]->statistics().multiplane_program.commands, 1u);
  EXPECT_EQ(bench.all_faults(), 0u);
}

TEST(Pins, SelectThePlaneThatPutsOutData) {
  PinBench bench(pins_part(timing::sdr(5)));
  bench.bus.select();
  const std::vector<std::uint8_t> first(512, 0x11);
  const std::vector<std::uint8_t> second(512, 0x22);
  const std::uint32_t row_0 = bench.layout.row(0, 0, 1, 0);
  const std::uint32_t row_1 = bench.layout.row(0, 1, 1, 0);
  ASSERT_EQ(bench.program(row_0, first), 0xE0);
  ASSERT_EQ(bench.program(row_1, second), 0xE0);
  bench.bus.command(0x00);
  bench.bus.page_address(row_0);
  bench.bus.command(0x32);
  bench.bus.wait_ready();
  bench.bus.command(0x00);
  bench.bus.page_address(row_1);
  bench.bus.command(0x30);
  bench.bus.wait_ready();
  for (const std::uint32_t row : {row_0, row_1}) {
    bench.bus.command(0x06);
    bench.bus.page_address(row);
    bench.bus.command(0xE0);
    PinDriver::run(bench.config.bus.tCCS);
    EXPECT_EQ(bench.bus.data_out(512), row == row_0 ? first : second);
  }
  EXPECT_EQ(bench.all_faults(), 0u);
}

TEST(Pins, StreamPagesWithCacheReads) {
  PinBench bench(pins_part(timing::sdr(5)));
  bench.bus.select();
  for (std::uint32_t page = 0; page < 3; ++page) {
    ASSERT_EQ(bench.program(page, std::vector<std::uint8_t>(512, static_cast<std::uint8_t>(page))), 0xE0);
  }
  bench.bus.command(0x00);
  bench.bus.page_address(0);
  bench.bus.command(0x30);
  bench.bus.wait_ready();
  for (std::uint32_t page = 0; page < 3; ++page) {
    bench.bus.command(page < 2 ? 0x31 : 0x3F);
    const TimePs ready = bench.bus.wait_ready();
    // The first page waits for nothing but its move into the cache register.
    const TimePs moved = bench.bus.we_rise + bench.config.bus.tWB + bench.config.array.tRCBSY;
    EXPECT_TRUE(page > 0 || ready == moved);
    PinDriver::run(bench.config.bus.tRR);
    EXPECT_EQ(bench.bus.data_out(512), std::vector<std::uint8_t>(512, static_cast<std::uint8_t>(page)));
  }
  EXPECT_EQ(bench.all_faults(), 0u);
}

TEST(Pins, RaiseReadyBusyWhenAnEraseIsSuspended) {
  PinBench bench(pins_part(timing::sdr(5)));
  bench.bus.select();
  bench.bus.command(0x60);
  bench.bus.row_address(0);
  bench.bus.command(0xD0);
  PinDriver::run(us(50));
  bench.bus.command(0x61);
  bench.bus.row_address(0);
  const TimePs suspend = bench.bus.we_rise + bench.config.bus.tWB + bench.config.array.tESPD;
  EXPECT_EQ(bench.bus.wait_ready(), suspend);
  EXPECT_EQ(bench.bus.status(), 0xE4) << "suspended";
  bench.bus.command(0xD2);
  const TimePs resumed = bench.bus.we_rise + bench.config.bus.tWB;
  EXPECT_GT(bench.bus.wait_ready(), resumed);
  EXPECT_EQ(bench.bus.status(), 0xE0);
  EXPECT_EQ(bench.packages[0]->erase_count(0, 0, 0), 1u);
}

TEST(Pins, KeepReadyBusyLowUntilTheLastLunIsReady) {
  PinBench bench(pins_part(timing::sdr(5), 1, 2));
  bench.bus.select();
  bench.bus.command(0x60);
  bench.bus.row_address(bench.layout.row(0, 0, 0, 0));
  bench.bus.command(0xD0);
  const TimePs first = bench.bus.we_rise;
  PinDriver::run(us(100));
  bench.bus.command(0x60);
  bench.bus.row_address(bench.layout.row(1, 0, 0, 0));
  bench.bus.command(0xD0);
  const TimePs second = bench.bus.we_rise;
  const TimePs array = bench.config.bus.tWB + bench.config.array.tBERS;
  PinDriver::run(first + array + us(1) - PinDriver::now());
  EXPECT_FALSE(bench.pins.rb_n[0].read());
  EXPECT_EQ(bench.bus.wait_ready(), second + array);
}

TEST(Pins, LetAResetEndTheBusyTimeEarly) {
  PinBench bench(pins_part(timing::sdr(5)));
  bench.bus.select();
  bench.bus.command(0x60);
  bench.bus.row_address(0);
  bench.bus.command(0xD0);
  PinDriver::run(us(10));
  bench.bus.command(0xFF);
  const TimePs reset = bench.bus.we_rise;
  const TimePs early = reset + bench.config.bus.tWB + bench.config.array.tRST_erase;
  ASSERT_NE(early, reset);
  EXPECT_EQ(bench.bus.wait_ready(), early);
}

TEST(Pins, AnswerOnlyTheTargetWhoseChipEnableIsLow) {
  PinBench bench(pins_part(timing::sdr(5), 2));
  bench.bus.select(1);
  bench.bus.command(0x60);
  bench.bus.row_address(0);
  bench.bus.command(0xD0);
  bench.bus.wait_ready(1);
  EXPECT_TRUE(bench.pins.rb_n[0].read());
  EXPECT_EQ(bench.packages[0]->erase_count(0, 0, 0), 0u);
  EXPECT_EQ(bench.packages[1]->erase_count(0, 0, 0), 1u);
}

TEST(Pins, IgnoreProgramAndEraseWhileWriteProtectIsLow) {
  expect_reports("twinplane.pins");
  PinBench bench(pins_part(timing::sdr(5)));
  bench.pins.wp_n = false;
  bench.bus.select();
  EXPECT_EQ(bench.program(0, byte_pattern(512)), 0x60) << "ready, bit 7 shows WP#";
  bench.bus.command(0x60);
  bench.bus.row_address(0);
  bench.bus.command(0xD0);
  PinDriver::run(us(1));
  EXPECT_TRUE(bench.pins.rb_n[0].read());
  EXPECT_EQ(bench.faults(PinFault::write_protected), 2u);
  bench.pins.wp_n = true;
  EXPECT_EQ(bench.program(0, byte_pattern(512)), 0xE0);
}

TEST(Pins, IgnoreCopybackProgramsWhileWriteProtectIsLow) {
  expect_reports("twinplane.pins");
  PinBench bench(pins_part(timing::sdr(5)));
  bench.bus.select();
  const std::vector<std::uint8_t> written = byte_pattern(2048);
  EXPECT_EQ(bench.program(0, written), 0xE0);
  bench.bus.command(0x00);
  bench.bus.page_address(0);
  bench.bus.command(0x35);
  bench.bus.wait_ready();
  const std::uint32_t copy = bench.layout.row(0, 0, 1, 0);
  const auto copy_back = [&] {
    bench.bus.command(0x85);
    bench.bus.page_address(copy);
    bench.bus.command(0x10);
    bench.bus.wait_ready();
  };
  bench.pins.wp_n = false;
  PinDriver::run(us(1));
  copy_back();
  EXPECT_EQ(bench.faults(PinFault::write_protected), 1u);
  EXPECT_EQ(bench.bus.status(), 0x60) << "ready, bit 7 shows WP#";
  EXPECT_EQ(bench.packages[0]->statistics().programs[0], 1u);
  bench.pins.wp_n = true;
  PinDriver::run(us(1));
  copy_back();
  EXPECT_EQ(bench.bus.status(), 0xE0);
  EXPECT_EQ(bench.read(copy, 2048), written);
  EXPECT_EQ(bench.all_faults(), 1u);
}

TEST(Pins, TakeAnotherColumnAsPartOfTheProgramThatWriteProtectForbidsOrNot) {
  expect_reports("twinplane.pins");
  PinBench bench(pins_part(timing::sdr(5)));
  bench.bus.select();
  const auto program_in_two = [&bench](bool falls) {
    bench.bus.command(0x80);
    bench.bus.page_address(0);
    bench.bus.data_in(byte_pattern(512));
    if (falls) bench.pins.wp_n = false; // too late for this program
    PinDriver::run(us(1));
    bench.bus.command(0x85);
    bench.bus.address({0x00, 0x04});
    bench.bus.wait(bench.config.bus.tCCS);
    bench.bus.data_in(byte_pattern(512));
    bench.bus.command(0x10);
    bench.bus.wait_ready();
  };
  bench.pins.wp_n = false;
  PinDriver::run(us(1));
  program_in_two(false);
  EXPECT_EQ(bench.faults(PinFault::write_protected), 1u);
  EXPECT_EQ(bench.bus.status(), 0x60) << "the package knows nothing of it";
  bench.pins.wp_n = true;
  PinDriver::run(us(1));
  program_in_two(true);
  EXPECT_EQ(bench.faults(PinFault::write_protected), 1u);
  EXPECT_EQ(bench.bus.status(), 0x60);
  EXPECT_EQ(bench.packages[0]->statistics().programs[0], 1u);
  EXPECT_EQ(bench.all_faults(), 1u);
}

// --- what observers see ---

TEST(Pins, TellObserversEachSelectionAsATenure) {
  PinBench bench(pins_part(timing::sdr(5)));
  PhaseTranscript seen;
  bench.transactor.attach(seen);
  bench.bus.select();
  const TimePs selected = PinDriver::now() - bench.config.bus.tCS;
  bench.bus.command(0x60);
  const TimePs first = bench.bus.we_rise;
  bench.bus.row_address(0);
  bench.bus.command(0xD0);
  const TimePs confirm = bench.bus.we_rise;
  const TimePs deselected = PinDriver::now();
  bench.bus.deselect();
  EXPECT_EQ(seen.tenures, std::vector<std::string>{"chip0 60h a3 D0h"});
  EXPECT_EQ(seen.start, selected);
  EXPECT_EQ(seen.end, deselected);
  EXPECT_EQ(seen.last.front().end, first);
  EXPECT_EQ(seen.last.back().end, confirm);

  bench.bus.wait_ready();
  bench.bus.select();
  bench.program(0, byte_pattern(700));
  bench.read(0, 600, 100);
  bench.bus.command(0x90);
  bench.bus.address({0x20});
  bench.bus.data_out(4);
  bench.bus.deselect();
  ASSERT_EQ(seen.tenures.size(), 2u);
  EXPECT_EQ(seen.tenures[1], "chip0 80h a5 in700 10h 70h out1:224 00h a5 30h out600 90h a1 out4:79");
  EXPECT_EQ(seen.last[2].sector_mask, 3u);
  EXPECT_EQ(seen.last[9].sector_mask, 3u);
}

TEST(Pins, TellObserversALongSelectionInSeveralTenures) {
  PinBench bench(pins_part(timing::sdr(5)));
  PhaseTranscript seen;
  bench.transactor.attach(seen);
  bench.bus.select();
  for (int i = 0; i < 30; ++i) bench.bus.status();
  bench.bus.deselect();
  ASSERT_EQ(seen.tenures.size(), 2u);
  EXPECT_EQ(seen.last.size(), 60 - hw::OnfiTenure::kMaxPhases);
}

// --- DDR ---

class DdrPins : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(DdrPins, MoveAPageOnBothEdgesOfDqs) {
  PinBench bench(pins_part(timing::nv_ddr(GetParam())));
  bench.bus.select();
  const std::vector<std::uint8_t> written = byte_pattern(2048);
  EXPECT_EQ(bench.program(bench.layout.row(0, 1, 2, 0), written), 0xE0);
  EXPECT_EQ(bench.read(bench.layout.row(0, 1, 2, 0), 2048), written);
  EXPECT_EQ(bench.read(bench.layout.row(0, 1, 2, 0), 4, 100),
            std::vector<std::uint8_t>(&written[100], &written[104]));
  EXPECT_EQ(bench.all_faults(), 0u);
}
INSTANTIATE_TEST_SUITE_P(Modes, DdrPins, ::testing::Values(0u, 3u, 5u, 8u, 10u), parameter_name);

TEST(Pins, GiveEveryIdByteTwiceOnADdrBus) {
  PinBench bench(pins_part(timing::nv_ddr(4)));
  bench.bus.select();
  bench.bus.command(0x90);
  bench.bus.address({0x20});
  const std::vector<std::uint8_t> id = bench.bus.data_out(8);
  EXPECT_EQ(std::string(id.begin(), id.end()), "OONNFFII");
}

TEST(Pins, TakeFeatureParametersTwiceOnADdrBus) {
  PinBench bench(pins_part(timing::nv_ddr(4)));
  bench.bus.select();
  bench.bus.command(0xEF);
  bench.bus.address({0x10});
  bench.bus.data_in({3, 3, 0, 0, 0, 0, 0, 0});
  const TimePs before = PinDriver::now();
  EXPECT_LT(bench.bus.wait_ready() - before, bench.config.array.tFEAT + bench.config.bus.tWB);
  bench.bus.command(0xEE);
  bench.bus.address({0x10});
  bench.bus.wait_ready();
  EXPECT_EQ(bench.bus.data_out(4), (std::vector<std::uint8_t>{3, 3, 0, 0}));
  EXPECT_EQ(bench.all_faults(), 0u);
}

// D5h and D4h: the LUN, then the feature.
TEST(Pins, TakeFeaturesOfALun) {
  PinBench bench(pins_part(timing::nv_ddr(4)));
  bench.bus.select();
  for (const std::uint8_t level : {std::uint8_t{2}, std::uint8_t{0}}) {
    bench.bus.command(0xD5);
    bench.bus.address({0x00, 0x89});
    bench.bus.data_in({level, level, 0, 0, 0, 0, 0, 0});
    bench.bus.wait_ready();
    bench.bus.command(0xD4);
    bench.bus.address({0x00, 0x89});
    bench.bus.wait_ready();
    EXPECT_EQ(bench.bus.data_out(2), (std::vector<std::uint8_t>{level, level}));
  }
  EXPECT_EQ(bench.all_faults(), 0u);
}

} // namespace
} // namespace twinplane::test::pins_test
