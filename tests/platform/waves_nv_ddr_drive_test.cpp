// Do the pins of a whole drive on NV-DDR tell the same story as its tenures? One side is decoded from the
// VCD, the other is written down by an observer of the channel.
#include <gtest/gtest.h>

#include "hw/spec/bus_interfaces.h"
#include "platform/observe/waves/wave_recorder.h"
#include "tests/nvme/drive_bench.h"
#include "tests/support/nv_ddr_decoder.h"
#include "tests/support/parameter_names.h"
#include "tests/support/pin_replay.h"
#include "tests/support/sc_reports.h"
#include "tests/support/temp_folder.h"

namespace twinplane::test::waves_nv_ddr_drive_test {
namespace {

constexpr std::uint32_t kSectorBytes = 512;

/// Command, address and data cycles in the decoder's words, by the time at which their phase begins.
class Transcript final : public hw::BusObserver {
 public:
  void on_tenure(std::uint32_t, std::uint32_t, const hw::OnfiTenure& tenure, TimePs, TimePs) override {
    for (std::uint32_t i = 0; i < tenure.phase_count; ++i) {
      const hw::OnfiPhase& phase = tenure.phases[i];
      std::string& out = phases_[phase.start];
      switch (phase.kind) {
        case hw::PhaseKind::command:
          out = " c" + hex(phase.opcode);
          break;
        case hw::PhaseKind::address:
          for (std::uint32_t k = 0; k < phase.address_cycles; ++k) out += " a" + hex(phase.address[k]);
          break;
        case hw::PhaseKind::data_in:
        case hw::PhaseKind::data_out:
          for (std::uint32_t k = 0; k < phase.bytes; ++k) {
            out += (phase.kind == hw::PhaseKind::data_in ? " i" : " o") + byte(phase, k);
          }
      }
    }
  }
  std::string text() const {
    std::string all;
    for (const auto& [at, text] : phases_) all += text;
    return all.empty() ? all : all.substr(1);
  }

 private:
  static std::string byte(const hw::OnfiPhase& phase, std::uint32_t k) {
    if (phase.data != nullptr) return hex(phase.data[k]);
    const auto first = static_cast<std::uint32_t>(__builtin_ctz(phase.sector_mask));
    const std::uint32_t sector = first + k / kSectorBytes;
    if (phase.sectors == nullptr || (phase.sector_mask >> sector & 1) == 0) return "x";
    return hex(phase.sectors[std::size_t{sector} * kSectorBytes + k % kSectorBytes]);
  }
  std::map<TimePs, std::string> phases_;
};

class NvDdrDrive : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(NvDdrDrive, ShowsItsTenuresOnThePins) {
  DriveBench b(
      "[geometry]\nchannels=1\nplanes_per_die=1\npage_size=\"2048B\"\nsector_size=\"512B\"\nspare_size="
      "\"64B\"\n[bus]\n"
      "interface=\"nv-ddr\"\nmode=" +
      std::to_string(GetParam()) + "\n");
  const TempFolder folder;
  platform::WaveRecorder::Options o;
  o.folder = folder.path();
  o.level = platform::WaveLevel::pins;
  o.data = DataMode::full;
  o.module = b.ssd.name();
  o.now = [] { return sc_core::sc_time_stamp().value(); };
  platform::WaveRecorder waves(b.ssd.config().geometry, o);
  Transcript transcript;
  b.start(); // at SDR until boot has set the mode
  b.ssd.attach(static_cast<hw::NandObserver&>(waves));
  b.ssd.attach(static_cast<hw::BusObserver&>(waves));
  b.ssd.attach(transcript);
  ASSERT_TRUE(b.host.create_pair(1, 16, 16));
  for (std::uint32_t i = 0; i < kSectorBytes; ++i) {
    b.host.memory.store<std::uint8_t>(DriveBench::kData + i, static_cast<std::uint8_t>(i * 5 + 1));
  }
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(b.host.execute(1, DriveBench::io(nvme::io::write, 4 * i, 4)), 0);
    EXPECT_EQ(b.host.execute(1, DriveBench::io(nvme::io::read, 4 * i, i + 1)), 0);
  }
  EXPECT_EQ(b.host.execute(1, DriveBench::io(nvme::io::write, 1, 1)), 0); // reads the rest of its page first
  waves.finish(sc_core::sc_time_stamp().value());
  const VcdFile file(folder.path() / "waves.vcd");
  EXPECT_TRUE(file.complaints().empty());
  const NvDdrDecoder pins(file, 0);
  EXPECT_EQ(pins.text(), transcript.text());
  EXPECT_EQ(pins.data_cycles.size() * 2, pins.bytes.size());
  EXPECT_GT(pins.bytes.size(), 4u * 2048);
  expect_reports("twinplane.pins");
  EXPECT_EQ(broken_rules(file, 0, GetParam()), "") << "what a controller on wires is held to";
}

INSTANTIATE_TEST_SUITE_P(Modes, NvDdrDrive, ::testing::Range(0u, timing::kNvDdrModes), parameter_name);

} // namespace
} // namespace twinplane::test::waves_nv_ddr_drive_test
