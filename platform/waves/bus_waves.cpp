#include "platform/waves/bus_waves.h"

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
  visit_phases(bus.scripts.get(), tenure, {start, end},
               [this, &bus](TimePs at, BusPhase phase, std::int32_t opcode) {
                 signals_.put(bus.phase, at, static_cast<std::uint64_t>(phase));
                 if (opcode >= 0) signals_.put(bus.opcode, at, static_cast<std::uint64_t>(opcode));
               });
}

} // namespace twinplane::platform
