// Do the pins show the cycles of the data sheet, one by one?
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "hw/channel/tenure_timing.h"
#include "platform/observe/waves/wave_recorder.h"
#include "tests/support/temp_folder.h"
#include "tests/support/vcd_file.h"

namespace twinplane::platform::waves_pins_test {
namespace {

using hw::OnfiTenure;
using hw::PhaseKind;
using Changes = test::VcdFile::Changes;

/// Sends one raw tenure at 1 us and reads the VCD back.
class WavePins : public ::testing::Test {
 protected:
  WavePins() {
    geometry_.channels = 1;
    geometry_.chips_per_channel = 2;
    geometry_.dies_per_chip = 2;
    geometry_.sector_size = 512;
    geometry_.page_size = 1024;
  }
  void open(const BusTiming& bus, DataMode data = DataMode::tag) {
    bus_ = bus;
    WaveRecorder::Options options;
    options.folder = folder_.path();
    options.scope = "ch0.pins";
    options.level = WaveLevel::pins;
    options.data = data;
    waves_ = std::make_unique<WaveRecorder>(geometry_, options);
    waves_->on_timing(0, bus, 0);
  }
  void record() {
    hw::BusUseTimes use{};
    const TimePs end = hw::TenureTiming(bus_, 0).stamp(tenure_, us(1), use);
    waves_->on_tenure(0, 1, tenure_, us(1), end);
  }
  test::VcdFile read() {
    waves_->finish(ms(1));
    const test::VcdFile file(folder_.path() / "waves.vcd");
    EXPECT_TRUE(file.complaints().empty()) << file.complaints().front();
    return file;
  }
  /// The bytes on DQ where a strobe has the edge that latches them.
  static std::vector<std::string> latched(const test::VcdFile& file, const char* strobe, bool both_edges) {
    std::vector<std::string> bytes;
    const Changes& edges = file.of(std::string("ssd.ch0.pins.") + strobe);
    for (std::size_t i = 1; i < edges.size(); ++i) {
      const bool level = edges[i - 1].second == "0" || edges[i - 1].second == "1";
      if (!level || edges[i].second == "z") continue;
      if (both_edges || edges[i].second == "1") bytes.push_back(file.at("ssd.ch0.pins.dq", edges[i].first));
    }
    return bytes;
  }

  test::TempFolder folder_;
  Geometry geometry_;
  BusTiming bus_;
  std::unique_ptr<WaveRecorder> waves_;
  OnfiTenure tenure_;
};

TEST_F(WavePins, LatchEachCommandAndAddressByteOnARisingEdgeOfWeUnderItsLatchEnable) {
  open(timing::sdr(5));
  tenure_.command(0x60);
  hw::OnfiPhase& row = tenure_.add(PhaseKind::address);
  row.address_cycles = 3;
  row.address = {0x12, 0x34, 0x05, 0, 0, 0};
  tenure_.command(0xD0);
  record();
  const test::VcdFile file = read();
  EXPECT_EQ(latched(file, "we_n", false),
            (std::vector<std::string>{"1100000", "10010", "110100", "101", "11010000"}));
  std::string latches;
  for (const auto& [at, level] : file.of("ssd.ch0.pins.we_n")) {
    if (level != "1" || at == 0) continue;
    latches += file.at("ssd.ch0.pins.cle", at) == "1"   ? 'c'
               : file.at("ssd.ch0.pins.ale", at) == "1" ? 'a'
                                                        : '?';
  }
  EXPECT_EQ(latches, "caaac");
}

TEST_F(WavePins, SelectTheChipForTheTenureAndNoOther) {
  open(timing::sdr(5));
  tenure_.command(0xFF);
  record();
  const test::VcdFile file = read();
  const TimePs end = us(1) + hw::TenureTiming(bus_, 0).duration(tenure_);
  EXPECT_EQ(file.of("ssd.ch0.pins.ce1_n"), (Changes{{0, "1"}, {us(1), "0"}, {end, "1"}}));
  EXPECT_EQ(file.of("ssd.ch0.pins.ce0_n").size(), 1u);
}

TEST_F(WavePins, StrobeEveryByteOfADdrBurstOnce) {
  open(timing::nv_ddr(8), DataMode::full);
  std::array<std::uint8_t, 1024> page{};
  for (std::size_t i = 0; i < page.size(); ++i) page[i] = static_cast<std::uint8_t>(i * 7);
  tenure_.command(0x80);
  hw::OnfiPhase& data = tenure_.add(PhaseKind::data_in);
  data.bytes = 512;
  data.sectors = page.data();
  data.sector_mask = 2; // the second sector
  record();
  const test::VcdFile file = read();
  const std::vector<std::string> bytes = latched(file, "dqs", true);
  ASSERT_EQ(bytes.size(), 512u);
  for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(std::stoull(bytes[i], nullptr, 2), page[512 + i]);
}

TEST_F(WavePins, ReadAStatusByteWithOnePulseOfRe) {
  open(timing::sdr(0));
  std::uint8_t status = 0xE0;
  tenure_.kind = hw::TenureKind::status;
  tenure_.command(0x70);
  hw::OnfiPhase& out = tenure_.add(PhaseKind::data_out);
  out.bytes = 1;
  out.data = &status;
  record();
  const test::VcdFile file = read();
  EXPECT_EQ(latched(file, "re_n", false), std::vector<std::string>{"11100000"});
  EXPECT_EQ(file.of("ssd.ch0.pins.dqs"), (Changes{{0, "z"}})); // an asynchronous bus has none
}

TEST_F(WavePins, ShowDataThatTheModelDoesNotCarryAsUnknown) {
  open(timing::nv_ddr(8), DataMode::tag);
  std::array<std::uint8_t, 2 * kTagBytes> tags{};
  hw::OnfiPhase& out = tenure_.add(PhaseKind::data_out);
  out.bytes = 512;
  out.sectors = tags.data();
  out.sector_mask = 1;
  record();
  const test::VcdFile file = read();
  EXPECT_EQ(file.at("ssd.ch0.pins.dq", out.start + ns(20)), "x");
  EXPECT_EQ(file.of("ssd.ch0.pins.dqs").size(), 1 + 1 + 512 + 1u); // z, preamble, one edge per byte, z
}

TEST_F(WavePins, HoldReadyBusyLowWhileOneOfTheChipsDiesIsBusy) {
  open(timing::sdr(5));
  const auto busy = [this](std::uint32_t lun, TimePs from, TimePs until) {
    waves_->on_ready_busy(0, 1, lun, false, from);
    waves_->on_ready_busy(0, 1, lun, true, until);
  };
  busy(0, us(10), us(50));
  busy(1, us(20), us(70));
  busy(0, us(90), us(500));  // an erase ...
  busy(0, us(100), us(120)); // ... cut short by a reset
  const test::VcdFile file = read();
  EXPECT_EQ(file.of("ssd.ch0.pins.rb1_n"),
            (Changes{{0, "1"}, {us(10), "0"}, {us(70), "1"}, {us(90), "0"}, {us(120), "1"}}));
  EXPECT_EQ(file.of("ssd.ch0.pins.rb0_n").size(), 1u);
}

} // namespace
} // namespace twinplane::platform::waves_pins_test
