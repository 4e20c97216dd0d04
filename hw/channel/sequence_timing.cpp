#include "hw/channel/sequence_timing.h"

namespace twinplane::hw {

SequenceTiming::SequenceTiming(const TenureTiming& timing) {
  visit_sequences(timing, 1, [&](const SequenceProbe& probe) { measure_first(probe, timing.bus()); });
  visit_sequences(timing, 2, [&](const SequenceProbe& probe) { measure_next(probe); });
}

/// Of a probe with one plane. Its data, if any, is its only data phase.
void SequenceTiming::measure_first(const SequenceProbe& probe, const BusTiming& bus) {
  const OnfiTenure& tenure = probe.tenure;
  Shape& shape = shapes_[variant_of(tenure)];
  const TimePs plane_end = tenure.phases[tenure.phase_count - 1].end;
  TimePs data = plane_end;
  for (std::uint32_t i = probe.first_phase(0); i < tenure.phase_count; ++i) {
    const PhaseKind kind = tenure.phases[i].kind;
    if (kind == PhaseKind::data_in || kind == PhaseKind::data_out) data = tenure.phases[i].start;
  }
  shape.lead_first = tenure.phases[probe.first_phase(0)].start;
  shape.to_data = data - shape.lead_first;
  shape.from_data = plane_end - data;
  shape.tail = probe.end - plane_end;
  shape.use_first = probe.use;
  if (tenure.sequence == Sequence::program) {
    shape.rate = bus.data_in;
  } else if (tenure.sequence == Sequence::data_out) {
    shape.rate = bus.data_out;
    shape.data_use = BusUse::data_out;
  }
}

/// Of a probe with two planes: what the second one adds.
void SequenceTiming::measure_next(const SequenceProbe& probe) {
  Shape& shape = shapes_[variant_of(probe.tenure)];
  const std::uint32_t second = probe.first_phase(1);
  shape.lead_next = probe.tenure.phases[second].start - probe.tenure.phases[second - 1].end;
  for (std::size_t use = 0; use < kBusUses; ++use) {
    shape.use_next[use] = probe.use[use] - shape.use_first[use];
  }
}

BusUseTimes SequenceTiming::use() const {
  BusUseTimes sum{};
  for (const Shape& shape : shapes_) {
    for (std::size_t i = 0; i < kBusUses; ++i)
      sum[i] += shape.tenures * shape.use_first[i] + (shape.planes - shape.tenures) * shape.use_next[i];
    sum[static_cast<std::size_t>(shape.data_use)] += shape.data_time;
  }
  return sum;
}

void SequenceTiming::reset_use() {
  for (Shape& shape : shapes_) shape.tenures = shape.planes = shape.data_time = 0;
}

} // namespace twinplane::hw
