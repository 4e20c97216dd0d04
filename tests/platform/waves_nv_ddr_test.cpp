// Do the pins of NV-DDR show what the tenure says, and keep the distances of the data sheet? A decoder that
// knows the interface only, and the timing table, read the VCD.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "hw/channel/tenure_timing.h"
#include "hw/spec/bus_interfaces.h"
#include "platform/observe/waves/wave_recorder.h"
#include "tests/support/nv_ddr_decoder.h"
#include "tests/support/parameter_names.h"
#include "tests/support/pin_replay.h"
#include "tests/support/sc_reports.h"
#include "tests/support/temp_folder.h"

namespace twinplane::platform::waves_nv_ddr_test {
namespace {

using hw::OnfiPhase;
using hw::OnfiTenure;
using hw::PhaseKind;
using test::hex;
using Decoder = test::NvDdrDecoder;

constexpr TimePs kStart = us(1);
constexpr TimePs kGap = us(2); // between tenures

class NvDdrPins : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  NvDdrPins() : bus_(*find_bus_timing("nv-ddr", GetParam())) {
    geometry_.channels = 1;
    geometry_.chips_per_channel = 2;
    geometry_.sector_size = 512;
    geometry_.page_size = 1024;
    for (std::size_t i = 0; i < page_.size(); ++i) page_[i] = static_cast<std::uint8_t>(i * 7 + 3);
    WaveRecorder::Options o;
    o.folder = folder_.path();
    o.scope = "ch0.pins";
    o.level = WaveLevel::pins;
    o.data = DataMode::full;
    waves_ = std::make_unique<WaveRecorder>(geometry_, o);
    waves_->on_timing(0, bus_, 0);
  }
  void command(OnfiTenure& t, std::uint8_t opcode) {
    t.command(opcode);
    say("c", opcode);
  }
  void address(OnfiTenure& t, std::initializer_list<std::uint8_t> cycles) {
    OnfiPhase& phase = t.add(PhaseKind::address);
    for (const std::uint8_t byte : cycles) {
      phase.address[phase.address_cycles++] = byte;
      say("a", byte);
    }
  }
  void page(OnfiTenure& t, PhaseKind kind) {
    OnfiPhase& phase = t.add(kind);
    phase.bytes = 512;
    phase.sectors = page_.data();
    phase.sector_mask = 2; // the second sector
    for (std::size_t i = 0; i < 512; ++i) say(kind == PhaseKind::data_in ? "i" : "o", page_[512 + i]);
  }
  void few(OnfiTenure& t, PhaseKind kind, std::uint8_t* bytes, std::uint32_t count) {
    OnfiPhase& phase = t.add(kind);
    phase.bytes = count;
    phase.data = bytes;
    for (std::uint32_t i = 0; i < count; ++i) say(kind == PhaseKind::data_in ? "i" : "o", bytes[i]);
  }
  void send(OnfiTenure& t) {
    hw::BusUseTimes use{};
    const TimePs end = hw::TenureTiming(bus_, 0).stamp(t, now_, use);
    waves_->on_tenure(0, 1, t, now_, end);
    tenures_.push_back(std::make_unique<OnfiTenure>(t));
    now_ = end + kGap;
  }
  /// A program, its status, a read and its data out, Set Features.
  void send_all() {
    OnfiTenure program, status, read, out, set;
    command(program, 0x80);
    address(program, {0, 0, 0x12, 0x34, 0x05});
    page(program, PhaseKind::data_in);
    command(program, 0x10);
    send(program);
    status.kind = hw::TenureKind::status;
    command(status, 0x70);
    few(status, PhaseKind::data_out, status_.data(), 2);
    send(status);
    command(read, 0x00);
    address(read, {0, 0, 0x12, 0x34, 0x05});
    command(read, 0x30);
    send(read);
    page(out, PhaseKind::data_out);
    command(out, 0x05);
    send(out);
    command(set, 0xEF);
    address(set, {0x01});
    few(set, PhaseKind::data_in, features_.data(), 8);
    send(set);
  }
  test::VcdFile read() {
    waves_->finish(now_);
    test::VcdFile file(folder_.path() / "waves.vcd");
    EXPECT_TRUE(file.complaints().empty()) << file.complaints().front();
    return file;
  }
  TimePs clock() const { return bus_.tCK; }

  test::TempFolder folder_;
  Geometry geometry_;
  BusTiming bus_;
  std::array<std::uint8_t, 1024> page_{};
  std::array<std::uint8_t, 2> status_{0xE0, 0xE0};
  std::array<std::uint8_t, 8> features_{0x15, 0x15, 0, 0, 0, 0, 0, 0}; // each byte twice
  std::unique_ptr<WaveRecorder> waves_;
  std::vector<std::unique_ptr<OnfiTenure>> tenures_;
  TimePs now_ = kStart;
  std::string sent_;

 private:
  void say(const char* kind, std::uint8_t byte) { sent_ += (sent_.empty() ? "" : " ") + (kind + hex(byte)); }
};

TEST_P(NvDdrPins, CarryWhatWasSentAndNothingElse) {
  send_all();
  const test::VcdFile file = read();
  const Decoder pins(file, 1);
  EXPECT_EQ(pins.text(), sent_);
  EXPECT_EQ(pins.data_cycles.size() * 2, pins.bytes.size()) << "two bytes per clock";
}

TEST_P(NvDdrPins, KeepSetUpAndHoldOfWhatTheClockLatches) {
  send_all();
  const test::VcdFile file = read();
  const Decoder pins(file, 1);
  for (const TimePs at : pins.latches) {
    for (const char* pin : {"cle", "ale", "re_n"}) {
      EXPECT_GE(pins.stable_before(pin, at), bus_.tCLS) << pin << " " << at;
      EXPECT_GE(pins.stable_after(pin, at), bus_.tCLH) << pin << " " << at;
    }
    EXPECT_GE(pins.stable_before("dq", at), bus_.tCAS) << at;
    EXPECT_GE(pins.stable_after("dq", at), bus_.tCAH) << at;
  }
  for (const TimePs at : pins.edges("we_n", true)) {
    for (const char* pin : {"cle", "ale"}) {
      EXPECT_GE(pins.stable_before(pin, at), bus_.tCLS) << pin << " " << at;
      EXPECT_GE(pins.stable_after(pin, at), bus_.tCLH) << pin << " " << at;
    }
  }
  for (std::size_t i = 1; i < pins.latches.size(); ++i) {
    EXPECT_GE(pins.latches[i] - pins.latches[i - 1], bus_.tWC) << "tCAD";
  }
}

TEST_P(NvDdrPins, RunTheClockWithItsPeriodAndEvenly) {
  send_all();
  const test::VcdFile file = read();
  const Decoder pins(file, 1);
  const std::vector<TimePs> rises = pins.edges("we_n", true);
  const TimePs shortest = std::min(clock(), bus_.tWC); // mode 0: cycles follow each other faster
  for (std::size_t i = 1; i < rises.size(); ++i) {
    const TimePs period = rises[i] - rises[i - 1];
    EXPECT_GE(period + 1, shortest) << rises[i];
    if (period >= kGap) continue; // it stands while CE# is high
    EXPECT_LT(period, 2 * clock()) << rises[i];
  }
  for (std::size_t i = 1; i < pins.data_cycles.size(); ++i) {
    const TimePs period = pins.data_cycles[i] - pins.data_cycles[i - 1];
    EXPECT_TRUE(period == clock() || period > us(1)) << "of a burst: " << period;
  }
}

TEST_P(NvDdrPins, StrobeDataInWithItsPreambleOnTheMiddleOfTheBytes) {
  send_all();
  const test::VcdFile file = read();
  const Decoder pins(file, 1);
  const OnfiPhase& data = tenures_[0]->phases[2];
  std::optional<TimePs> first, announced;
  for (const TimePs at : pins.bytes) {
    if (at < data.start || at >= data.end) continue;
    if (!first) first = at;
    EXPECT_GE(pins.stable_before("dq", at), bus_.tDS) << at;
    EXPECT_GE(pins.stable_after("dq", at), bus_.tDH) << at;
    EXPECT_EQ(pins.level("re_n", at), "1") << "the host drives";
  }
  ASSERT_TRUE(first);
  EXPECT_EQ(pins.level("dqs", *first), "1");
  EXPECT_EQ(pins.stable_before("dqs", *first - 1) + 1, bus_.tWPRE);
  EXPECT_EQ(pins.level("dqs", data.end + bus_.tWPST), "z");
  EXPECT_NE(pins.level("dqs", data.end + bus_.tWPST - 1), "z");
  for (const TimePs at : pins.data_cycles) {
    if (!announced && at < data.end) announced = at;
  }
  ASSERT_TRUE(announced);
  EXPECT_GE((*first - *announced) * 4, 3 * clock()) << "tDQSS is 0.75 to 1.25 tCK";
  EXPECT_LE((*first - *announced) * 4, 5 * clock());
}

TEST_P(NvDdrPins, TurnTheBusRoundForDataOut) {
  send_all();
  const test::VcdFile file = read();
  const Decoder pins(file, 1);
  for (const OnfiPhase* data : {&tenures_[1]->phases[1], &tenures_[3]->phases[0]}) {
    TimePs edge = 0; // of the clock, the first that asks for data
    for (const TimePs at : pins.data_cycles) {
      if (at >= data->start - us(1) && at < data->end && edge == 0) edge = at;
    }
    EXPECT_EQ(data->start - edge, bus_.tDQSRE) << "tDQSCK";
    EXPECT_EQ(pins.level("re_n", edge), "0");
    EXPECT_EQ(pins.stable_before("re_n", edge), bus_.tRPRE) << "tWRCK";
    EXPECT_EQ(pins.level("re_n", data->end), "1");
    EXPECT_EQ(pins.level("dqs", data->end + bus_.tRPST), "z") << "tDQSHZ";
    const auto first = std::lower_bound(pins.bytes.begin(), pins.bytes.end(), data->start);
    EXPECT_EQ(*first, data->start) << "DQS goes with its bytes";
  }
  EXPECT_EQ(pins.changes("re_n").size(), 1 + 2 * 2u) << "the host drives all the rest of the time";
}

TEST_P(NvDdrPins, KeepAllThatAControllerOnWiresIsHeldTo) {
  test::expect_reports("twinplane.pins");
  send_all();
  const test::VcdFile file = read();
  EXPECT_EQ(test::broken_rules(file, 1, GetParam()), "");
  if (GetParam() < 2) return; // mode 0 would excuse the clock
  EXPECT_NE(test::broken_rules(file, 1, GetParam() - 1).find("tCK "), std::string::npos)
      << "too fast for the mode below";
}

INSTANTIATE_TEST_SUITE_P(Modes, NvDdrPins, ::testing::Range(0u, timing::kNvDdrModes),
                         twinplane::test::parameter_name);

} // namespace
} // namespace twinplane::platform::waves_nv_ddr_test
