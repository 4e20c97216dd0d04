// Can RTL drive our die at its pins? A Verilog flash controller, compiled by Verilator, does the work of
// one; what it sees and when must be what the data sheet says.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hw/nand/rules.h"
#include "tests/rtl/rtl_bench.h"
#include "tests/support/temp_folder.h"
#include "tests/support/vcd_file.h"

namespace twinplane::test::master_test {
namespace {

constexpr std::uint32_t kReady = 0xE0;
constexpr std::uint32_t kFailed = 0xE1;

/// Every byte depends on all bits of its place, so a shifted or repeated byte shows.
std::vector<std::uint8_t> pattern(std::uint32_t seed) {
  std::vector<std::uint8_t> bytes(RtlBench::kPageBytes);
  for (std::uint32_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(((i + seed) * 2654435761u) >> 24);
  }
  return bytes;
}

TEST(RtlMaster, ReadsTheOnfiSignatureAfterAReset) {
  RtlBench bench;
  bench.start_up();
  bench.run(RtlOperation::reset);
  EXPECT_EQ(bench.busy_from, bench.confirm + bench.config.bus.tWB);
  EXPECT_EQ(bench.busy_until, bench.busy_from + bench.config.array.tRST_idle);
  bench.run(RtlOperation::read_id);
  EXPECT_EQ(bench.id.read(), 0x4F4E4649u) << "ONFI";
  EXPECT_EQ(bench.transactor.faults().total(), 0u);
}

TEST(RtlMaster, ReadsBackThePageThatItProgrammed) {
  RtlBench bench;
  bench.start_up();
  EXPECT_EQ(bench.run(RtlOperation::erase, 3), kReady);
  const std::vector<std::uint8_t> written = pattern(1);
  bench.fill_buffer(written);
  EXPECT_EQ(bench.run(RtlOperation::program, 3, 0), kReady);
  bench.fill_buffer(pattern(2));
  bench.run(RtlOperation::read, 3, 0);
  EXPECT_EQ(bench.read_buffer(), written);
  EXPECT_EQ(bench.package.statistics().programs[0], 1u);
  EXPECT_EQ(bench.package.erase_count(0, 0, 3), 1u);
  EXPECT_EQ(bench.transactor.faults().total(), 0u);
  for (const std::uint64_t count : bench.package.statistics().violations) EXPECT_EQ(count, 0u);
}

TEST(RtlMaster, ReadsWithStatusPollingWhileChipEnableStaysLow) {
  RtlBench bench;
  bench.start_up();
  const std::vector<std::uint8_t> written = pattern(3);
  bench.fill_buffer(written);
  ASSERT_EQ(bench.run(RtlOperation::program, 1, 0), kReady);
  bench.fill_buffer(pattern(4));
  const std::uint64_t bytes_before = bench.transactor.statistics().bytes_out;
  EXPECT_EQ(bench.run(RtlOperation::polled_read, 1, 0), kReady);
  EXPECT_EQ(bench.read_buffer(), written);
  EXPECT_GT(bench.transactor.statistics().bytes_out - bytes_before, written.size() + 50)
      << "25 us of tR take many polls";
  EXPECT_EQ(bench.transactor.faults().total(), 0u);
}

TEST(RtlMaster, SeesFailWhenItProgramsAPageTwice) {
  RtlBench bench;
  bench.start_up();
  const std::vector<std::uint8_t> first = pattern(5);
  bench.fill_buffer(first);
  ASSERT_EQ(bench.run(RtlOperation::program, 2, 0), kReady);
  bench.fill_buffer(pattern(6));
  EXPECT_EQ(bench.run(RtlOperation::program, 2, 0), kFailed);
  EXPECT_EQ(bench.package.statistics().violation(hw::Rule::erase_before_program), 1u);
  bench.run(RtlOperation::read, 2, 0);
  EXPECT_EQ(bench.read_buffer(), first) << "a refused program leaves the array as it is";
}

TEST(RtlMaster, SeesReadyBusyFallAfterTwbAndRiseAfterTheArrayTime) {
  RtlBench bench;
  bench.start_up();
  const TimePs tWB = bench.config.bus.tWB;
  bench.run(RtlOperation::erase, 0);
  EXPECT_EQ(bench.busy_from, bench.confirm + tWB);
  EXPECT_EQ(bench.busy_until, bench.confirm + tWB + bench.config.array.tBERS);
  bench.run(RtlOperation::program, 0, 0, 512);
  EXPECT_EQ(bench.busy_from, bench.confirm + tWB);
  EXPECT_EQ(bench.busy_until, bench.confirm + tWB + bench.config.array.tPROG[0]);
  bench.run(RtlOperation::read, 0, 0, 1);
  EXPECT_EQ(bench.busy_from, bench.confirm + tWB);
  EXPECT_EQ(bench.busy_until, bench.confirm + tWB + bench.config.array.tR[0]);
}

TEST(RtlMaster, SeesBusyInTheStatusOfARunningErase) {
  RtlBench bench;
  bench.start_up();
  bench.run(RtlOperation::start_erase, 4);
  EXPECT_EQ(bench.run(RtlOperation::status), 0x80u);
  sc_core::sc_start(sc_core::sc_time::from_value(bench.config.array.tBERS));
  EXPECT_EQ(bench.run(RtlOperation::status), kReady);
}

TEST(RtlMaster, LeavesAWaveformOfThePins) {
  const TempFolder folder;
  RtlBench bench;
  sc_core::sc_trace_file* file = sc_core::sc_create_vcd_trace_file((folder.path() / "pins").c_str());
  bench.pins.trace(file);
  bench.start_up();
  bench.run(RtlOperation::read_id);
  sc_core::sc_close_vcd_trace_file(file);

  const VcdFile waves(folder.path() / "pins.vcd");
  std::string commands;
  std::string answers;
  for (const auto& edge : waves.of("SystemC.pins.we_n")) {
    const bool latched = edge.second == "1" && waves.at("SystemC.pins.cle", edge.first) == "1";
    if (latched) commands += waves.at("SystemC.pins.dq", edge.first) + " ";
  }
  for (const auto& change : waves.of("SystemC.pins.dq")) {
    if (waves.at("SystemC.pins.re_n", change.first) != "0") continue;
    if (change.second.find_first_not_of("01") == std::string::npos)
      answers += static_cast<char>(std::stoi(change.second, nullptr, 2));
  }
  EXPECT_EQ(commands, "10010000 ");
  EXPECT_EQ(answers, "ONFI");
}

} // namespace
} // namespace twinplane::test::master_test
