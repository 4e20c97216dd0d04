#include "platform/observe/waves/bus_waves.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace twinplane::platform {

BusWaves::BusWaves(const Geometry& geometry, WaveSignals& signals)
    : signals_(signals), chip_bits_(signal_bits(geometry.chips_per_channel)), buses_(geometry.channels) {}

void BusWaves::declare(std::uint32_t channel) {
  const std::string name = signals_.channel(channel) + ".bus.";
  WaveWriter::BusWires wires;
  wires.phase = signals_.wire(name + "phase", 3, static_cast<WaveValue>(BusPhase::idle));
  wires.opcode = signals_.wire(name + "opcode", 8, kUnknown);
  wires.chip = signals_.wire(name + "chip", chip_bits_, kUnknown);
  Bus& bus = buses_[channel];
  bus.recorded = wires.phase || wires.opcode || wires.chip;
  if (bus.recorded) bus.stream = signals_.writer().add_bus(wires, chip_bits_);
}

// A channel whose targets have different timings changes it again and again: each is kept once.
void BusWaves::set_timing(std::uint32_t channel, const BusTiming& timing, TimePs tDBSY) {
  Bus& bus = buses_[channel];
  if (!bus.recorded) return;
  auto scripts = std::make_unique<const PhaseScripts>(timing, tDBSY);
  const auto same =
      std::find_if(bus.known.begin(), bus.known.end(), [&](const auto& known) { return *known == *scripts; });
  if (same != bus.known.end()) {
    bus.scripts = same->get();
    return;
  }
  bus.scripts = scripts.get();
  bus.known.push_back(std::move(scripts));
}

void BusWaves::record(std::uint32_t channel, std::uint32_t chip, const hw::OnfiTenure& tenure, TimePs start,
                      TimePs end) {
  const Bus& bus = buses_[channel];
  if (!bus.recorded) return;
  WaveWriter& writer = signals_.writer();
  const std::uint64_t tag = BusStreams::chip_tag(chip);
  SegmentTimes* last = nullptr;
  if (tenure.sequence != hw::Sequence::raw && tenure.plane_count != 0) {
    assert(bus.scripts != nullptr && "on_timing comes before the first sequence");
    const hw::OnfiPlane* plane = nullptr;
    for (std::uint32_t i = 0; i < tenure.plane_count; ++i) {
      plane = &tenure.planes[i];
      last = writer.stream(bus.stream, {bus.scripts->of(tenure, i).begin(), {plane->begin, plane->end}, tag});
    }
    if (last != nullptr) last->base[PhaseStep::rest] = plane->end;
  } else {
    visit_raw(tenure, {start, end}, [&](TimePs at, BusPhase phase, std::int32_t opcode) {
      last = writer.stream(bus.stream, {single_step(phase, opcode), {at, at}, tag});
    });
    if (start == end && tenure.phase_count == 0) {
      last = writer.stream(bus.stream, {single_step(BusPhase::idle, -1), {end, end}, tag});
    }
  }
  if (last != nullptr) last->base[PhaseStep::idle] = end;
}

} // namespace twinplane::platform
