#include "platform/waves/bus_waves.h"

#include <cassert>

namespace twinplane::platform {

BusWaves::BusWaves(const Geometry& geometry, WaveSignals& signals)
    : signals_(signals), chip_bits_(signal_bits(geometry.chips_per_channel)), buses_(geometry.channels) {}

void BusWaves::declare(std::uint32_t channel) {
  const std::string name = "ssd.ch" + std::to_string(channel) + ".bus.";
  Bus& bus = buses_[channel];
  bus.phase = signals_.wire(name + "phase", 3, 0);
  bus.opcode = signals_.wire(name + "opcode", 8, kUnknown);
  bus.chip = signals_.wire(name + "chip", chip_bits_, kUnknown);
  bus.recorded = bus.phase || bus.opcode || bus.chip;
}

void BusWaves::set_timing(std::uint32_t channel, const BusTiming& bus, TimePs tDBSY) {
  if (buses_[channel].recorded) buses_[channel].scripts = std::make_unique<PhaseScripts>(bus, tDBSY);
}

void BusWaves::record(std::uint32_t channel, std::uint32_t chip, const hw::OnfiTenure& tenure, TimePs start,
                      TimePs end) {
  const Bus& bus = buses_[channel];
  if (!bus.recorded) return;
  signals_.put(bus.chip, start, chip);
  const bool raw = tenure.sequence == hw::Sequence::raw;
  const TimePs cursor = raw ? show_phases(bus, tenure, start) : show_sequence(bus, tenure);
  if (cursor < end) show(bus, cursor, BusPhase::wait);
  show(bus, end, BusPhase::idle);
}

// Both return the end of the last phase.
TimePs BusWaves::show_sequence(const Bus& bus, const hw::OnfiTenure& tenure) {
  assert(bus.scripts != nullptr && "set_timing comes before the first sequence");
  for (std::uint32_t i = 0; i < tenure.plane_count; ++i) {
    const hw::OnfiPlane& plane = tenure.planes[i];
    for (const PhaseStep& step : bus.scripts->of(tenure, i)) {
      const TimePs at = step.at(plane);
      show(bus, at, step.phase);
      if (step.opcode >= 0) signals_.put(bus.opcode, at, static_cast<std::uint64_t>(step.opcode));
    }
  }
  return tenure.planes[tenure.plane_count - 1].end;
}

TimePs BusWaves::show_phases(const Bus& bus, const hw::OnfiTenure& tenure, TimePs start) {
  TimePs cursor = start;
  for (std::uint32_t i = 0; i < tenure.phase_count; ++i) {
    const hw::OnfiPhase& phase = tenure.phases[i];
    if (phase.start > cursor) show(bus, cursor, BusPhase::wait);
    show(bus, phase.start, shown_phase(phase.kind, tenure.kind == hw::TenureKind::status));
    if (phase.kind == hw::PhaseKind::command) signals_.put(bus.opcode, phase.start, phase.opcode);
    cursor = phase.end;
  }
  return cursor;
}

} // namespace twinplane::platform
