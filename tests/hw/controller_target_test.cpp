// Do the descriptors that bring a target up do on the bus what the data sheet says, in its time: reset, ID,
// parameter page and features, at SDR mode 0 first and then at the mode that was set?
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "hw/nand/target_registers.h"
#include "hw/spec/bus_interfaces.h"
#include "tests/hw/retry_bench.h"

namespace twinplane::test::controller_target_test {
namespace {

constexpr std::uint64_t kMode = onfi::feature::timing_mode;
constexpr std::uint32_t kNvDdr2Mode8 = 0x28;
constexpr std::uint32_t kPages = onfi::parameter_page::bytes * onfi::parameter_page::copies;
constexpr std::uint32_t kBuffer = 300'000; // of the parameter page

const BusTiming kFirst = timing::sdr(0);
const BusTiming kThen = timing::nv_ddr(8);

/// Command and address that make the target busy, and the answer behind that: what they hold the bus.
TimePs asked(const BusTiming& b) {
  return b.tCS + 2 * b.tWC + b.tWB;
}
TimePs answered(const BusTiming& b, std::uint32_t bytes) {
  return b.tCS + b.tRR + b.tRPRE + b.tDQSRE + b.data_out.of(bytes);
}

class ControllerTarget : public ::testing::TestWithParam<bool> {
 protected:
  void boot(std::uint32_t chips, std::uint32_t luns = 1) {
    expect_reports("twinplane.monitor");
    Geometry g = small_geometry(chips);
    g.dies_per_chip = luns;
    hw::FlashControllerConfig config;
    config.poll_status = GetParam();
    config.ddr = true;
    config.data_mode = DataMode::full;
    hw::NandConfig part;
    part.bus_interface = "nv-ddr2";
    part.bus_mode = 8;
    array.tR_level = {us(11), us(22), us(33), us(44), us(55), us(66), us(77)};
    bench = std::make_unique<ControllerBench>("bench", g, kThen, array, config, part);
    part.geometry = g;
    part.array = array;
    part.bus = kThen;
    monitor = std::make_unique<hw::ProtocolMonitor>(monitor_of(part, chips));
    monitor->forward_to(&findings);
    bench->channel->attach(*monitor);
    for (auto& package : bench->packages) package->attach(*monitor);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bench->boot();
    pages = hw::make_parameter_page(part);
  }
  void put(FlashOp op, std::uint32_t chip, std::uint64_t argument = 0, std::uint8_t flags = 0) {
    FlashDescriptor d;
    d.op = static_cast<std::uint8_t>(op);
    d.flags = flags;
    d.chip = static_cast<std::uint8_t>(chip);
    d.buffer = kBuffer + chip * kPages;
    d.oob = argument;
    bench->put(d);
  }
  /// All that a drive does at boot: six descriptors.
  void bring_up(std::uint32_t chip) {
    using flash_flag::sdr;
    put(FlashOp::reset, chip);
    put(FlashOp::read_id, chip, flash_target::address(0x20), sdr);
    put(FlashOp::read_parameter_page, chip, flash_target::bytes(kPages), sdr);
    put(FlashOp::get_features, chip, flash_target::address(kMode), sdr);
    put(FlashOp::set_features, chip, flash_target::parameters(kMode, kNvDdr2Mode8), sdr);
    put(FlashOp::get_features, chip, flash_target::address(kMode));
  }
  void finish(std::size_t operations) {
    bench->ring();
    sc_core::sc_start();
    ASSERT_EQ(bench->done.size(), operations);
    EXPECT_EQ(bench->violations(), 0u);
    EXPECT_EQ(findings.text(), "");
    for (const Done& d : bench->done) EXPECT_EQ(d.completion.result, 0) << d.completion.cookie;
  }
  const FlashCompletion& of(std::uint32_t cookie) const {
    for (const Done& d : bench->done) {
      if (d.completion.cookie == cookie) return d.completion;
    }
    ADD_FAILURE() << "no completion of " << cookie;
    return bench->done.front().completion;
  }
  void expect_time(std::uint32_t cookie, TimePs bus, TimePs array_time) const {
    const FlashCompletion& c = of(cookie);
    if (GetParam() && array_time != 0) {
      EXPECT_GT(c.bus_ps, bus) << cookie;
      EXPECT_LE(c.bus_ps + c.array_ps, bus + 2 * array_time + us(5))
          << cookie << ": polls run beside the array";
      return;
    }
    EXPECT_EQ(c.bus_ps, bus) << cookie;
    EXPECT_EQ(c.array_ps, array_time) << cookie;
  }

  ArrayTiming array = slow_array();
  std::unique_ptr<ControllerBench> bench;
  std::unique_ptr<hw::ProtocolMonitor> monitor;
  Findings findings;
  std::vector<std::uint8_t> pages;
};

TEST_P(ControllerTarget, AnswersAtModeZeroAndThenAtTheOneThatIsSet) {
  boot(1);
  bring_up(0);
  finish(6);
  EXPECT_EQ(of(1).oob, 0x49464E4Fu) << "ONFI";
  EXPECT_EQ(std::vector<std::uint8_t>(bench->dram.data() + kBuffer, bench->dram.data() + kBuffer + kPages),
            pages);
  EXPECT_EQ(of(3).oob, 0u) << "SDR mode 0 behind FFh";
  EXPECT_EQ(of(5).oob, kNvDdr2Mode8);
  EXPECT_EQ(bench->controller->statistics().target_commands, 6u);

  const BusTiming& b = kFirst;
  expect_time(1, b.tCS + 2 * b.tWC + b.tWHR + b.data_out.of(8), 0);
  expect_time(2, asked(b) + answered(b, kPages), array.tR[0]);
  expect_time(3, asked(b) + answered(b, 4), array.tFEAT);
  expect_time(5, asked(kThen) + answered(kThen, 8), array.tFEAT);
  expect_time(
      0, kThen.tCS + kThen.tWC + kThen.tWB + kFirst.tCS + kFirst.tWC + kFirst.tWHR + kFirst.data_out.of(1),
      array.tRST_idle);
}

TEST_P(ControllerTarget, BringsUpItsChipsSideBySide) {
  boot(3, 2);
  for (std::uint32_t chip = 0; chip < 3; ++chip) bring_up(chip);
  finish(18);
  for (std::uint32_t chip = 0; chip < 3; ++chip) {
    EXPECT_EQ(of(chip * 6 + 1).oob, 0x49464E4Fu);
    EXPECT_EQ(of(chip * 6 + 5).oob, kNvDdr2Mode8);
    const std::uint8_t* const page = bench->dram.data() + kBuffer + chip * kPages;
    EXPECT_EQ(std::string(page, page + 4), "ONFI");
  }
  // two parameter pages wait while the third is on the bus, and tR runs meanwhile
  const TimePs page = answered(kFirst, kPages);
  TimePs last = 0;
  for (const Done& d : bench->done) last = std::max(last, d.visible_at);
  EXPECT_GT(last, array.tRST_idle + array.tR[0] + 3 * page);
  EXPECT_LT(last, array.tRST_idle + array.tR[0] + 3 * page + us(40));
}

TEST_P(ControllerTarget, ReadsPagesAsEverAfterwards) {
  boot(1);
  bench->program_now({0, 0, 1, 0});
  bring_up(0);
  bench->put(bench->descriptor(FlashOp::read, {0, 0, 1, 0}));
  finish(7);
  EXPECT_GE(of(6).bus_ps, kThen.data_out.of(4096));
  EXPECT_LT(of(6).bus_ps, kThen.data_out.of(4096) + us(20)) << "at SDR mode 0 it would be 400 us";
}

TEST_P(ControllerTarget, TellsOfAModeThatTheTargetRefuses) {
  expect_reports("twinplane.nand");
  boot(1);
  put(FlashOp::reset, 0);
  put(FlashOp::set_features, 0, flash_target::parameters(kMode, 0x8F), flash_flag::sdr); // SDR mode 31
  put(FlashOp::get_features, 0, flash_target::address(kMode), flash_flag::sdr);
  bench->ring();
  sc_core::sc_start();
  ASSERT_EQ(bench->done.size(), 3u);
  EXPECT_EQ(of(1).result, flash_result::fail);
  EXPECT_EQ(of(2).oob, 0u) << "as it was";
}

TEST_P(ControllerTarget, RejectsWhatNamesNoTarget) {
  boot(1, 2);
  put(FlashOp::read_id, 1);                                                // no such chip
  put(FlashOp::read_parameter_page, 0, flash_target::bytes(kPages + 1));   // beyond the copies
  put(FlashOp::read_parameter_page, 0, flash_target::bytes(0));            // none
  put(FlashOp::read_id, 0, 0, flash_flag::more), put(FlashOp::read_id, 0); // a group
  put(static_cast<FlashOp>(kFlashOps), 0);                                 // no operation
  bench->ring();
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_US));
  ASSERT_EQ(bench->done.size(), 6u);
  for (const Done& d : bench->done) EXPECT_EQ(d.completion.result, flash_result::fail);
  EXPECT_EQ(bench->controller->statistics().rejected_descriptors, 6u);
  EXPECT_EQ(bench->controller->statistics().target_commands, 0u);
}

TEST_P(ControllerTarget, NamesTheOperationsThatItKnows) {
  boot(1);
  const std::uint32_t operations = bench->read(reg::flash::operations);
  EXPECT_FALSE(knows(operations, static_cast<FlashOp>(0)));
  for (std::uint32_t op = 1; op < kFlashOps; ++op) EXPECT_TRUE(knows(operations, static_cast<FlashOp>(op)));
  EXPECT_FALSE(knows(operations, static_cast<FlashOp>(kFlashOps)));
}

INSTANTIATE_TEST_SUITE_P(ReadyBy, ControllerTarget, ::testing::Values(false, true),
                         [](const auto& drawn) { return drawn.param ? "Polls" : "Pin"; });

} // namespace
} // namespace twinplane::test::controller_target_test
