#include "platform/observe/energy_meter.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "platform/report/timeline.h"

namespace twinplane::platform {
namespace {

constexpr std::uint32_t kSettleEvery = 4096; // announcements: bounds what PowerPeak holds

std::int64_t microwatts(double mw) {
  return std::llround(mw * 1000);
}

double energy_nj(std::int64_t uw, TimePs time) {
  return static_cast<double>(uw) * static_cast<double>(time) * 1e-9;
}

} // namespace

EnergyMeter::EnergyMeter(const Geometry& geometry, const EnergyModel& model, std::function<TimePs()> now)
    : geometry_(geometry), model_(model), now_(std::move(now)), planes_(geometry.planes()) {}

EnergyMeter::Plane& EnergyMeter::plane_of(std::uint32_t channel, const hw::ArrayOperation& operation) {
  const std::uint32_t chip = channel * geometry_.chips_per_channel + operation.chip;
  return planes_[(chip * geometry_.dies_per_chip + operation.lun) * geometry_.planes_per_die +
                 operation.plane];
}

void EnergyMeter::add(EnergyCause cause, TimePs start, TimePs end, std::int64_t uw) {
  if (end <= start) return;
  nj_[static_cast<std::size_t>(cause)] += energy_nj(uw, end - start);
  peak_.add(start, end, uw);
  if (bins_ != nullptr) feed(start, end, uw);
  if (++unsettled_ < kSettleEvery) return;
  unsettled_ = 0;
  peak_.settle(now_());
}

void EnergyMeter::feed(TimePs start, TimePs end, std::int64_t uw) {
  constexpr auto kPower = static_cast<std::uint32_t>(Lane::power);
  const auto units = static_cast<std::uint64_t>((uw < 0 ? -uw : uw) / kMicrowattsPerUnit);
  if (uw < 0) {
    bins_->remove(kPower, start, end, units);
  } else {
    bins_->add(kPower, start, end, units);
  }
}

/// A reset draws nothing of its own: data sheets name no current for it.
void EnergyMeter::on_array(std::uint32_t channel, const hw::ArrayOperation& operation) {
  struct Kind {
    EnergyCause cause;
    double ma;
  };
  const Kind kinds[] = {{EnergyCause::array_read, 0},
                        {EnergyCause::array_read, model_.ICC1},
                        {EnergyCause::array_program, model_.ICC2},
                        {EnergyCause::array_erase, model_.ICC3},
                        {EnergyCause::array_erase, 0}};
  const Kind& kind = kinds[static_cast<std::size_t>(operation.state)];
  const double planes = operation.planes_in_group;
  const double share = (1 + (planes - 1) * model_.further_planes) / planes;
  Plane& plane = plane_of(channel, operation);
  const TimePs start = std::max(operation.start, plane.last.end); // as the activity of planes is counted
  if (operation.end <= start) return;
  plane.before = plane.last;
  plane.last = {start, operation.end, kind.cause, microwatts(kind.ma * model_.VCC * share)};
  add(kind.cause, start, operation.end, plane.last.uw);
}

/// What was announced behind the change does not happen; what is resumed goes on from there.
void EnergyMeter::on_array_change(std::uint32_t channel, hw::ArrayChange change,
                                  const hw::ArrayOperation& operation) {
  if (change == hw::ArrayChange::resumed) return on_array(channel, operation);
  Plane& plane = plane_of(channel, operation);
  cut(plane.last, operation.start);
  cut(plane.before, operation.start);
  if (plane.last.end < plane.before.end) plane.last = std::exchange(plane.before, {});
}

void EnergyMeter::cut(Draw& draw, TimePs at) {
  const TimePs from = std::max(draw.start, at);
  if (from >= draw.end) return;
  add(draw.cause, from, draw.end, -draw.uw);
  draw.end = from == draw.start ? 0 : from;
}

std::array<double, kEnergyCauses> EnergyMeter::nj(TimePs now) const {
  std::array<double, kEnergyCauses> sum = nj_;
  for (const Plane& plane : planes_) {
    for (const Draw& draw : {plane.last, plane.before}) {
      if (draw.end <= now) continue;
      const TimePs rest = draw.end - std::max(draw.start, now);
      sum[static_cast<std::size_t>(draw.cause)] -= energy_nj(draw.uw, rest);
    }
  }
  return sum;
}

void EnergyMeter::transfer(bool in, TimePs start, TimePs time) {
  const double mw = in ? model_.ICC4W * model_.VCC + model_.ICCQ4W * model_.VCCQ
                       : model_.ICC4R * model_.VCC + model_.ICCQ4R * model_.VCCQ;
  add(in ? EnergyCause::bus_in : EnergyCause::bus_out, start, start + time, microwatts(mw));
}

void EnergyMeter::on_timing(std::uint32_t channel, const BusTiming& bus, TimePs) {
  if (rates_.size() <= channel) rates_.resize(channel + 1);
  rates_[channel] = {bus.data_in, bus.data_out};
}

void EnergyMeter::on_tenure(std::uint32_t channel, std::uint32_t, const hw::OnfiTenure& tenure, TimePs,
                            TimePs) {
  if (tenure.sequence == hw::Sequence::program || tenure.sequence == hw::Sequence::data_out) {
    const bool in = tenure.sequence == hw::Sequence::program;
    const ByteTime rate = in ? rates_[channel].in : rates_[channel].out;
    for (std::uint32_t i = 0; i < tenure.plane_count; ++i) {
      const hw::OnfiPlane& plane = tenure.planes[i];
      transfer(in, plane.data, rate.of(plane.bytes));
      page_bytes_ += plane.bytes;
    }
    return;
  }
  if (tenure.sequence != hw::Sequence::raw) return;
  for (std::uint32_t i = 0; i < tenure.phase_count; ++i) {
    const hw::OnfiPhase& phase = tenure.phases[i];
    const bool in = phase.kind == hw::PhaseKind::data_in;
    const bool page_out = phase.kind == hw::PhaseKind::data_out && phase.data == nullptr;
    if (!in && !page_out) continue; // status bytes draw nothing in either form of a tenure
    transfer(in, phase.start, phase.end - phase.start);
    if (phase.data == nullptr) page_bytes_ += phase.bytes;
  }
}

double EnergyMeter::with_constant(std::int64_t uw) const {
  return static_cast<double>(uw) / 1000 + model_.constant_mw();
}

double EnergyMeter::peak_mw() {
  peak_.settle(now_() + 1);
  return with_constant(peak_.highest_uw());
}

double EnergyMeter::recent_peak_mw() {
  peak_.settle(now_() + 1);
  return with_constant(peak_.take_recent_uw());
}

} // namespace twinplane::platform
