// Do currents and times become the energy that they are, once, and power the highest sum at an instant?
#include <gtest/gtest.h>

#include <array>

#include "platform/observe/energy_meter.h"
#include "platform/report/timeline.h"

namespace twinplane::platform::energy_meter_test {
namespace {

using hw::PlaneState;

EnergyModel part() {
  EnergyModel m;
  m.VCC = 2;
  m.VCCQ = 1;
  m.ICC1 = 10;
  m.ICC2 = 20;
  m.ICC3 = 30;
  m.further_planes = 0.5;
  m.ICC4R = 4;
  m.ICC4W = 5;
  m.ICCQ4R = 6;
  m.ICCQ4W = 7;
  m.ISB = 0.5;
  m.dies = 1;
  return m;
}

class EnergyMeterTest : public ::testing::Test {
 protected:
  TimePs now_ = 0;
  EnergyMeter meter_{Geometry{}, part(), [this] { return now_; }}; // one die of two planes

  static hw::ArrayOperation operation(std::uint32_t plane, PlaneState state, TimePs start, TimePs end) {
    hw::ArrayOperation operation;
    operation.plane = plane;
    operation.state = state;
    operation.start = start;
    operation.end = end;
    return operation;
  }
  void run(std::uint32_t plane, PlaneState state, TimePs start, TimePs end, std::uint32_t planes = 1) {
    hw::ArrayOperation o = operation(plane, state, start, end);
    o.planes_in_group = planes;
    meter_.on_array(0, o);
  }
  void change(hw::ArrayChange what, PlaneState state, TimePs start, TimePs end) {
    meter_.on_array_change(0, what, operation(0, state, start, end));
  }
  double nj(EnergyCause cause, TimePs until = kNever) const {
    return meter_.nj(until)[static_cast<std::size_t>(cause)];
  }
  double peak_at(TimePs now) {
    now_ = now;
    return meter_.peak_mw();
  }
};

TEST_F(EnergyMeterTest, AnArrayDrawsItsCurrentForItsTime) {
  run(0, PlaneState::reading, us(0), us(50));
  run(0, PlaneState::programming, us(100), us(400));
  run(1, PlaneState::erasing, us(100), us(2100));
  EXPECT_DOUBLE_EQ(nj(EnergyCause::array_read), 20e-3 * 50e3); // 20 mW for 50 us
  EXPECT_DOUBLE_EQ(nj(EnergyCause::array_program), 40e-3 * 300e3);
  EXPECT_DOUBLE_EQ(nj(EnergyCause::array_erase), 60e-3 * 2000e3);
}

TEST_F(EnergyMeterTest, OfOperationsUnderWayCountsWhatIsOver) {
  run(0, PlaneState::programming, us(0), us(300));
  run(0, PlaneState::programming, us(300), us(600)); // announced behind it: a cache program
  run(1, PlaneState::erasing, us(100), us(2100));
  EXPECT_DOUBLE_EQ(nj(EnergyCause::array_program, us(200)), 40e-3 * 200e3);
  EXPECT_DOUBLE_EQ(nj(EnergyCause::array_program, us(400)), 40e-3 * 400e3);
  EXPECT_DOUBLE_EQ(nj(EnergyCause::array_erase, us(400)), 60e-3 * 300e3);
}

TEST_F(EnergyMeterTest, FurtherPlanesOfACommandDrawTheirShare) {
  run(0, PlaneState::programming, us(0), us(100), 2);
  run(1, PlaneState::programming, us(0), us(100), 2);
  EXPECT_DOUBLE_EQ(nj(EnergyCause::array_program), 40e-3 * 1.5 * 100e3);
}

TEST_F(EnergyMeterTest, ASuspendedEraseDrawsForItsOwnTimeOnly) {
  run(0, PlaneState::erasing, us(100), us(1900));
  change(hw::ArrayChange::suspended, PlaneState::erasing, us(400), kNever);
  run(0, PlaneState::reading, us(500), us(550));
  change(hw::ArrayChange::resumed, PlaneState::erasing, us(600), us(2100));
  EXPECT_DOUBLE_EQ(nj(EnergyCause::array_erase), 60e-3 * 1800e3);
  EXPECT_DOUBLE_EQ(nj(EnergyCause::array_read), 20e-3 * 50e3);
  EXPECT_DOUBLE_EQ(peak_at(us(3000)), 60 + 1) << "reading and erasing took turns; 1 mW is standby";
}

TEST_F(EnergyMeterTest, AResetEndsTwoCacheProgramsOfDifferentSize) {
  run(0, PlaneState::programming, us(100), us(700), 2);
  run(0, PlaneState::programming, us(700), us(1300)); // behind it, of one plane
  change(hw::ArrayChange::aborted, PlaneState::programming, us(300), us(300));
  change(hw::ArrayChange::aborted, PlaneState::programming, us(300), us(300));
  EXPECT_DOUBLE_EQ(nj(EnergyCause::array_program), 40e-3 * 0.75 * 200e3);
  EXPECT_DOUBLE_EQ(peak_at(us(3000)), 30 + 1);
}

TEST_F(EnergyMeterTest, ThePeakIsTheHighestSumAndTouchingOperationsDoNotAdd) {
  run(0, PlaneState::programming, us(0), us(100));
  run(1, PlaneState::reading, us(50), us(100));
  run(1, PlaneState::erasing, us(100), us(200)); // begins where the others end
  EXPECT_DOUBLE_EQ(peak_at(us(49)), 40 + 1);
  EXPECT_DOUBLE_EQ(peak_at(us(1000)), 60 + 1);
}

TEST_F(EnergyMeterTest, TheRecentPeakForgetsWhatWasBefore) {
  run(0, PlaneState::erasing, us(0), us(100));
  run(0, PlaneState::reading, us(200), us(300));
  now_ = us(150);
  EXPECT_DOUBLE_EQ(meter_.recent_peak_mw(), 60 + 1);
  now_ = us(400);
  EXPECT_DOUBLE_EQ(meter_.recent_peak_mw(), 20 + 1);
  EXPECT_DOUBLE_EQ(meter_.peak_mw(), 60 + 1);
}

TEST_F(EnergyMeterTest, DataDrawOnlyWhileTheyCrossTheBus) {
  BusTiming bus;
  bus.data_in = {3000, 1}; // 3 ns a byte
  bus.data_out = {5000, 1};
  meter_.on_timing(0, bus, 0);
  hw::OnfiTenure tenure;
  tenure.sequence = hw::Sequence::program;
  tenure.plane_count = 2;
  tenure.planes[0].bytes = 4096;
  tenure.planes[0].data = us(1);
  tenure.planes[0].end = us(100); // commands and waits behind the data
  tenure.planes[1].bytes = 1024;
  tenure.planes[1].data = us(200);
  meter_.on_tenure(0, 0, tenure, 0, us(300));
  tenure.sequence = hw::Sequence::data_out;
  tenure.plane_count = 1;
  meter_.on_tenure(0, 0, tenure, 0, us(300));
  EXPECT_DOUBLE_EQ(nj(EnergyCause::bus_in), 17e-3 * 3 * 5120);
  EXPECT_DOUBLE_EQ(nj(EnergyCause::bus_out), 14e-3 * 5 * 4096);
  EXPECT_EQ(meter_.page_bytes(), 5120u + 4096u);
}

/// As in the short form of a status tenure, which has no data at all; and the limit of current asks for none.
TEST_F(EnergyMeterTest, AStatusByteDrawsNothingInPhasesEither) {
  hw::OnfiTenure tenure;
  auto& phases = tenure.phases;
  std::uint8_t status = 0xE0;
  phases[0].kind = phases[1].kind = hw::PhaseKind::data_out;
  phases[0].data = &status;
  phases[0].bytes = 1;
  phases[0].start = us(1);
  phases[0].end = us(2);
  phases[1].bytes = 4096;
  phases[1].start = us(5);
  phases[1].end = us(8);
  tenure.sequence = hw::Sequence::raw;
  tenure.phase_count = 2;
  meter_.on_tenure(0, 0, tenure, 0, us(9));
  EXPECT_DOUBLE_EQ(nj(EnergyCause::bus_out), 14 * 3.0);
  EXPECT_EQ(meter_.page_bytes(), 4096u);
}

TEST_F(EnergyMeterTest, FeedsThePowerOfEachInterval) {
  ActivityBins bins{kLanes, ms(1)};
  meter_.feed(bins);
  run(0, PlaneState::erasing, us(500), us(2500));
  change(hw::ArrayChange::suspended, PlaneState::erasing, us(1500), kNever);
  const auto mean_mw = [&bins] {
    const double units = static_cast<double>(bins.busy(static_cast<std::uint32_t>(Lane::power)));
    return units * kMicrowattsPerUnit / 1000 / static_cast<double>(ms(1));
  };
  EXPECT_DOUBLE_EQ(mean_mw(), 30);
  bins.advance(1);
  EXPECT_DOUBLE_EQ(mean_mw(), 30);
  bins.advance(1);
  EXPECT_DOUBLE_EQ(mean_mw(), 0);
}

} // namespace
} // namespace twinplane::platform::energy_meter_test
