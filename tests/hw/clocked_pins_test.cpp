// Does the die behave on the wires of NV-DDR as the data sheet says, in each mode?
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/nv_ddr_driver.h"
#include "tests/support/parameter_names.h"
#include "tests/support/phase_transcript.h"
#include "tests/support/pin_bench.h"

namespace twinplane::test::clocked_pins_test {
namespace {

using hw::PinFault;
using Bench = DrivenBench<NvDdrDriver>;
using Bytes = std::vector<std::uint8_t>;

class NvDdrModes : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  Bench bench_{pins_part(timing::nv_ddr_clocked(GetParam()))};
};
INSTANTIATE_TEST_SUITE_P(ClockedPins, NvDdrModes, ::testing::Range(0u, 6u), parameter_name);

TEST_P(NvDdrModes, MoveAPageOnBothEdgesOfDqs) {
  bench_.bus.select();
  const Bytes written = byte_pattern(2048);
  const std::uint32_t row = bench_.layout.row(0, 1, 2, 0);
  EXPECT_EQ(bench_.program(row, written), 0xE0);
  EXPECT_EQ(bench_.read(row, 2048), written);
  EXPECT_EQ(bench_.read(row, 4, 100), Bytes(&written[100], &written[104]));
  EXPECT_EQ(bench_.all_faults(), 0u);
}

TEST_P(NvDdrModes, EraseABlock) {
  bench_.bus.select();
  ASSERT_EQ(bench_.program(0, byte_pattern(512)), 0xE0);
  bench_.bus.command(0x60);
  bench_.bus.row_address(0);
  bench_.bus.command(0xD0);
  const TimePs confirm = bench_.bus.latched;
  EXPECT_EQ(bench_.bus.status(), 0x80) << "busy";
  EXPECT_EQ(bench_.bus.wait_ready(), confirm + NvDdrDriver::kWB + bench_.config.array.tBERS)
      << "tWB counts from the edge of CLK";
  EXPECT_EQ(bench_.bus.status(), 0xE0);
  EXPECT_EQ(bench_.read(0, 4), (Bytes{0xFF, 0xFF, 0xFF, 0xFF}));
  EXPECT_EQ(bench_.packages[0]->erase_count(0, 0, 0), 1u);
  EXPECT_EQ(bench_.all_faults(), 0u);
}

TEST_P(NvDdrModes, PutOutTheParameterPage) {
  bench_.bus.select();
  bench_.bus.command(0xEC);
  bench_.bus.address({0x00});
  bench_.bus.wait_ready();
  bench_.bus.wait(NvDdrDriver::kRR);
  const Bytes page = bench_.bus.data_out(256);
  ASSERT_EQ(page.size(), 256u);
  EXPECT_EQ(std::string(page.begin(), page.begin() + 4), "ONFI");
  EXPECT_EQ(page[141], 0x3F) << "modes 0-5 of NV-DDR";
  std::uint32_t crc = 0x4F4E;
  for (std::size_t i = 0; i < 254; ++i) {
    crc ^= std::uint32_t{page[i]} << 8;
    for (int bit = 0; bit < 8; ++bit) crc = ((crc << 1) ^ ((crc & 0x8000) != 0 ? 0x8005 : 0)) & 0xFFFF;
  }
  EXPECT_EQ(crc, page[254] | std::uint32_t{page[255]} << 8);
  EXPECT_EQ(bench_.all_faults(), 0u);
}

TEST_P(NvDdrModes, GiveIdAndFeaturesTwice) {
  bench_.bus.select();
  bench_.bus.command(0x90);
  bench_.bus.address({0x20});
  const Bytes id = bench_.bus.data_out(8);
  EXPECT_EQ(std::string(id.begin(), id.end()), "OONNFFII");
  bench_.bus.command(0xEF);
  bench_.bus.address({0x10});
  bench_.bus.data_in({3, 3, 0, 0, 0, 0, 0, 0});
  bench_.bus.wait_ready();
  bench_.bus.command(0xEE);
  bench_.bus.address({0x10});
  bench_.bus.wait_ready();
  bench_.bus.wait(NvDdrDriver::kRR);
  EXPECT_EQ(bench_.bus.data_out(4), (Bytes{3, 3, 0, 0}));
  EXPECT_EQ(bench_.all_faults(), 0u);
}

TEST_P(NvDdrModes, MoveColumnsInAndOut) {
  bench_.bus.select();
  const Bytes first(512, 0x11);
  const Bytes second(512, 0x22);
  bench_.bus.command(0x80);
  bench_.bus.page_address(0);
  bench_.bus.data_in(first);
  bench_.bus.command(0x85);
  bench_.bus.address({0x00, 0x04});
  bench_.bus.wait(NvDdrDriver::kCCS);
  bench_.bus.burst_in(second);
  bench_.bus.command(0x10);
  bench_.bus.wait_ready();
  EXPECT_EQ(bench_.read(0, 2), (Bytes{0x11, 0x11}));
  bench_.bus.command(0x05);
  bench_.bus.address({0x00, 0x04});
  bench_.bus.command(0xE0);
  bench_.bus.wait(NvDdrDriver::kCCS);
  EXPECT_EQ(bench_.bus.data_out(512), second);
  EXPECT_EQ(bench_.all_faults(), 0u);
}

TEST_P(NvDdrModes, AnswerWithDqsAfterEachEdgeOfTheClock) {
  const TimePs clock = NvDdrDriver::kClock[GetParam()];
  auto& edges = bench_.bus.package_edges;
  bench_.bus.select();
  bench_.bus.command(0x90);
  bench_.bus.address({0x20});
  bench_.bus.turn_to_package();
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_EQ(edges[0].second, '0') << "driven low from tDQSD on";
  EXPECT_LE(edges[0].first, NvDdrDriver::now() - NvDdrDriver::kWHR + ns(18)) << "tDQSD";
  bench_.bus.ask_out(4);
  const TimePs last = bench_.bus.clock_rise;
  bench_.bus.turn_to_host();
  ASSERT_EQ(edges.size(), 6u);
  const TimePs high = clock - 2 * (clock / 4);
  const TimePs first = last - clock + NvDdrDriver::kDQSCK;
  EXPECT_EQ(edges[1], std::make_pair(first, '1'));
  EXPECT_EQ(edges[2], std::make_pair(first + high, '0'));
  EXPECT_EQ(edges[3], std::make_pair(first + clock, '1'));
  EXPECT_EQ(edges[4], std::make_pair(first + clock + high, '0'));
  EXPECT_EQ(edges[5].second, 'z');
  EXPECT_GE(edges[5].first, first + 2 * clock) << "the last byte has its time";
  EXPECT_FALSE(bench_.pins.dq_nand_oe.read());
  EXPECT_EQ(bench_.all_faults(), 0u);
}

// --- one mode is enough ---

Bench bench_of(std::uint32_t chips = 1) {
  return Bench(pins_part(timing::nv_ddr_clocked(5), chips));
}

TEST(ClockedPins, TurnTheBusWithWriteReadEnable) {
  Bench bench = bench_of();
  bench.bus.select();
  bench.bus.command(0x70);
  bench.pins.dq_host_oe = false;
  bench.pins.we_n = false;
  NvDdrDriver::run(ns(5));
  bench.pins.re_n = false;
  NvDdrDriver::run(ns(18) - ps(1));
  EXPECT_FALSE(bench.pins.dqs_nand_oe.read()) << "tDQSD has not passed";
  NvDdrDriver::run(ps(2));
  EXPECT_TRUE(bench.pins.dqs_nand_oe.read());
  EXPECT_FALSE(bench.pins.dqs_nand.read());
  EXPECT_TRUE(bench.pins.dq_nand_oe.read());
  bench.pins.re_n = true;
  NvDdrDriver::run(ns(20) - ps(1));
  EXPECT_TRUE(bench.pins.dqs_nand_oe.read()) << "tDQSHZ has not passed";
  NvDdrDriver::run(ps(2));
  EXPECT_FALSE(bench.pins.dqs_nand_oe.read());
  EXPECT_FALSE(bench.pins.dq_nand_oe.read());
  EXPECT_EQ(bench.transactor.statistics().bytes_out, 0u) << "no clock asked for any";
}

TEST(ClockedPins, LetGoOfTheBusWhenChipEnableRises) {
  Bench bench = bench_of();
  bench.bus.select();
  bench.bus.command(0x70);
  bench.bus.turn_to_package();
  EXPECT_TRUE(bench.pins.dqs_nand_oe.read());
  bench.bus.deselect();
  EXPECT_FALSE(bench.pins.dqs_nand_oe.read());
}

TEST(ClockedPins, PauseDataInBothDirectionsWithIdleCycles) {
  Bench bench = bench_of();
  bench.bus.select();
  const Bytes written = byte_pattern(512);
  bench.bus.command(0x80);
  bench.bus.page_address(0);
  bench.bus.data_in(Bytes(written.begin(), written.begin() + 200));
  bench.bus.wait(us(1));
  bench.bus.burst_in(Bytes(written.begin() + 200, written.end()));
  bench.bus.command(0x10);
  bench.bus.wait_ready();
  bench.bus.command(0x00);
  bench.bus.page_address(0);
  bench.bus.command(0x30);
  bench.bus.wait_ready();
  bench.bus.turn_to_package();
  bench.bus.ask_out(100);
  bench.bus.wait(us(1));
  bench.bus.ask_out(412);
  EXPECT_EQ(bench.bus.turn_to_host(), written);
  EXPECT_EQ(bench.all_faults(), 0u);
}

TEST(ClockedPins, AnswerOnlyTheTargetWhoseChipEnableIsLow) {
  Bench bench = bench_of(2);
  bench.bus.select(1);
  bench.bus.command(0x60);
  bench.bus.row_address(0);
  bench.bus.command(0xD0);
  bench.bus.wait_ready(1);
  bench.bus.deselect(1);
  bench.bus.select(0);
  EXPECT_EQ(bench.bus.status(), 0xE0);
  EXPECT_EQ(bench.packages[0]->erase_count(0, 0, 0), 0u);
  EXPECT_EQ(bench.packages[1]->erase_count(0, 0, 0), 1u);
  EXPECT_EQ(bench.all_faults(), 0u);
}

TEST(ClockedPins, TakeNothingFromAClockThatRunsWhileChipEnableIsHigh) {
  Bench bench = bench_of();
  bench.bus.command(0xFF);
  bench.bus.wait(us(1));
  EXPECT_TRUE(bench.pins.rb_n[0].read());
  EXPECT_EQ(bench.transactor.statistics().commands, 0u);
  EXPECT_EQ(bench.all_faults(), 0u);
}

TEST(ClockedPins, IgnoreProgramsWhileWriteProtectIsLow) {
  expect_reports("twinplane.pins");
  Bench bench = bench_of();
  bench.pins.wp_n = false;
  bench.bus.select();
  bench.bus.wait(ns(100));
  EXPECT_EQ(bench.program(0, byte_pattern(512)), 0x60) << "ready, bit 7 shows WP#";
  EXPECT_EQ(bench.faults(PinFault::write_protected), 1u);
  EXPECT_EQ(bench.all_faults(), 1u);
}

TEST(ClockedPins, TellObserversEachSelectionAsATenure) {
  Bench bench = bench_of();
  PhaseTranscript seen;
  bench.transactor.attach(seen);
  bench.bus.select();
  bench.program(0, byte_pattern(700));
  bench.read(0, 600, 100);
  bench.bus.command(0x60);
  const TimePs erase = bench.bus.latched;
  bench.bus.row_address(8);
  bench.bus.command(0xD0);
  bench.bus.wait_ready();
  bench.bus.deselect();
  EXPECT_EQ(seen.tenures,
            std::vector<std::string>{"chip0 80h a5 in700 10h 70h out2:224 00h a5 30h out600 60h a3 D0h"});
  EXPECT_EQ(seen.last[10].end, erase) << "the edge of CLK";
  EXPECT_EQ(seen.last[12].end, bench.bus.latched);
  EXPECT_EQ(bench.all_faults(), 0u);
}

} // namespace
} // namespace twinplane::test::clocked_pins_test
