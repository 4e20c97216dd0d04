// Four scenes on one channel that docs/waveforms.md shows: does the VCD hold what the text says?
// With TWINPLANE_SCENES=FOLDER in the environment the files go there (scripts/dev/wave_pictures).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "platform/observe/waves/wave_recorder.h"
#include "tests/support/flash_bench.h"
#include "tests/support/temp_folder.h"
#include "tests/support/vcd_file.h"

namespace twinplane::platform::waves_scenes_test {
namespace {

using hw::PhaseKind;
using test::Place;

/// A die of four planes per chip; 2 KiB sectors keep the transfers short against the array times.
hw::NandConfig four_planes() {
  hw::NandConfig c = test::small_part();
  c.geometry.channels = 1;
  c.geometry.dies_per_chip = 1;
  c.geometry.planes_per_die = 4;
  c.geometry.page_size = 4096;
  c.geometry.sector_size = 2048;
  return c;
}

class WaveScene : public ::testing::Test {
 protected:
  void open(const char* scene, std::uint32_t chips = 1, WaveLevel level = WaveLevel::phases) {
    const char* const wanted = std::getenv("TWINPLANE_SCENES");
    path_ = (wanted != nullptr ? std::filesystem::path(wanted) : folder_.path()) / scene;
    std::filesystem::create_directories(path_);
    config_.geometry.chips_per_channel = chips;
    bench_ = std::make_unique<test::FlashBench>(config_, chips);
    WaveRecorder::Options options;
    options.folder = path_;
    options.slack = ms(100);
    options.level = level;
    waves_ = std::make_unique<WaveRecorder>(config_.geometry, options);
    bench_->channel.attach(*waves_);
    for (auto& package : bench_->packages) package->attach(*waves_);
  }
  TimePs send(TimePs at = 0, std::uint32_t chip = 0) {
    bench_->now = bench_->send(std::max(at, bench_->now), chip);
    return bench_->now;
  }
  test::VcdFile finish(TimePs end) {
    waves_->finish(end);
    const test::VcdFile file(path_ / "waves.vcd");
    EXPECT_TRUE(file.complaints().empty()) << file.complaints().front();
    return file;
  }
  static std::string plane(std::uint32_t chip, std::uint32_t p, const char* signal) {
    return "ssd.ch0.chip" + std::to_string(chip) + ".die0.plane" + std::to_string(p) + "." + signal;
  }

  test::TempFolder folder_;
  std::filesystem::path path_;
  hw::NandConfig config_ = four_planes();
  std::unique_ptr<test::FlashBench> bench_;
  std::unique_ptr<WaveRecorder> waves_;
};

TEST_F(WaveScene, FourPlanesProgramTogether) {
  open("multiplane");
  bench_->cycles.clear();
  for (std::uint32_t p = 0; p < 4; ++p) {
    bench_->start_program({0, p, 2, 0}, p < 3 ? 0x11 : 0x10);
  }
  const TimePs sent = send(us(1));
  bench_->now = bench_->ready();
  bench_->status({}, 0x70);
  const test::VcdFile file = finish(bench_->now + us(1));
  for (std::uint32_t p = 0; p < 4; ++p) {
    EXPECT_EQ(file.of(plane(0, p, "state")),
              (test::VcdFile::Changes{{0, "0"}, {sent, "10"}, {sent + config_.array.tPROG[0], "0"}}));
  }
  EXPECT_EQ(file.number_at("ssd.ch0.chip0.die0.group", sent), 4u);
}

TEST_F(WaveScene, ADieRefusesPlanesWithDifferentPages) {
  open("pac");
  for (const std::uint32_t p : {0u, 1u}) bench_->program({0, p, 2, 0});
  bench_->cycles.clear();
  bench_->start_program({0, 0, 2, 1}, 0x11);
  bench_->start_program({0, 1, 2, 2}, 0x10);
  const TimePs sent = send(bench_->now + us(5));
  const TimePs asked = bench_->now + us(1);
  const std::uint8_t status = bench_->status({}, 0x70, asked);
  EXPECT_EQ(status, 0xE1);
  const test::VcdFile file = finish(bench_->now + us(10));
  EXPECT_EQ(file.number_at("ssd.ch0.chip0.die0.violation", sent), violation_code("pac"));
  EXPECT_EQ(file.number_at(plane(0, 0, "state"), sent), 0u);
}

TEST_F(WaveScene, ReadsOfFourChipsShareTheBus) {
  open("interleave", 4);
  for (std::uint32_t chip = 0; chip < 4; ++chip) { // something to read
    bench_->cycles.clear();
    bench_->start_program({0, chip, 1, 0});
    bench_->send_functional(chip);
  }
  TimePs ready[4] = {};
  for (std::uint32_t chip = 0; chip < 4; ++chip) {
    bench_->cycles.clear().command(0x00).page_address(bench_->row({0, chip, 1, 0})).command(0x30);
    send(us(1), chip);
    ready[chip] = bench_->ready();
  }
  for (std::uint32_t chip = 0; chip < 4; ++chip) {
    bench_->cycles.clear().command(0x00).page_data(PhaseKind::data_out, 3, nullptr, nullptr);
    send(ready[chip], chip);
  }
  const test::VcdFile file = finish(bench_->now + us(1));
  EXPECT_EQ(file.number_at("ssd.planes_busy", ready[0] - 1), 4u);
  EXPECT_EQ(bench_->all_violations(), 0u);
}

TEST_F(WaveScene, AnEraseIsSuspendedForARead) {
  config_.array.tBERS = ms(1); // for the picture's sake
  open("suspend");
  bench_->program({0, 1, 2, 0});
  const Place block{0, 0, 3, 0};
  bench_->cycles.clear().command(0x60).row_address(bench_->row(block)).command(0xD0);
  const TimePs started = send(bench_->now + us(20));
  bench_->cycles.clear().command(0x61).row_address(bench_->row(block));
  send(started + us(300));
  const TimePs suspended = bench_->ready();
  bench_->cycles.clear().command(0x00).page_address(bench_->row({0, 1, 2, 0})).command(0x30);
  const TimePs reading = send(suspended + us(2));
  bench_->now = bench_->ready();
  bench_->cycles.clear().command(0x00).page_data(PhaseKind::data_out, 3, nullptr, nullptr);
  send();
  bench_->cycles.clear().command(0xD2);
  const TimePs resumed = send();
  const TimePs end = bench_->ready();
  bench_->status({}, 0x70, end);
  const test::VcdFile file = finish(bench_->now + us(20));
  EXPECT_EQ(bench_->all_violations(), 0u);
  const test::VcdFile::Changes erase = {
      {0, "0"}, {started, "11"}, {suspended, "101"}, {resumed, "11"}, {end, "0"}};
  EXPECT_EQ(file.of(plane(0, 0, "state")), erase);
  EXPECT_EQ(file.number_at(plane(0, 1, "state"), reading), 1u);
}

TEST_F(WaveScene, PinsShowAnEraseAndItsStatus) {
  config_.bus = timing::sdr(5);
  open("pins", 1, WaveLevel::pins);
  bench_->cycles.clear().command(0x60).row_address(bench_->row({0, 1, 5, 0})).command(0xD0);
  const TimePs sent = send(us(1));
  bench_->status({}, 0x70, sent + us(1));
  const test::VcdFile file = finish(bench_->now + ns(200));
  EXPECT_EQ(file.at("ssd.ch0.pins.rb0_n", sent), "0");
}

} // namespace
} // namespace twinplane::platform::waves_scenes_test
