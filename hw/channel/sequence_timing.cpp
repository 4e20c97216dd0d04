#include "hw/channel/sequence_timing.h"

#include <cassert>
#include <memory>

#include "hw/nand/tenure_expansion.h"

namespace twinplane::hw {

SequenceTiming::SequenceTiming(const TenureTiming& timing) {
  const auto probe = std::make_unique<OnfiTenure>();
  for (const std::uint8_t row_cycles : {std::uint8_t{3}, std::uint8_t{4}}) {
    for (const Sequence sequence :
         {Sequence::read_command, Sequence::program, Sequence::erase, Sequence::data_out, Sequence::status}) {
      for (std::uint8_t form = 0; form <= sequence_form::mask; ++form) {
        probe->row_cycles = row_cycles;
        probe->sequence = sequence;
        probe->form = form;
        shapes_[index(*probe)] = measure(timing, *probe);
      }
    }
  }
}

SequenceTiming::Shape SequenceTiming::measure(const TenureTiming& timing, OnfiTenure& probe) {
  Shape shape;
  probe.plane_count = 1;
  expand(probe, timing.bus().ddr);
  const TimePs end = timing.stamp(probe, 0, shape.use_first);

  // The plane's cycles are all but the prefix; its data, if any, is its only data phase.
  const bool operation = probe.sequence != Sequence::data_out && probe.sequence != Sequence::status;
  const std::uint32_t phases = probe.phase_count;
  const std::uint32_t first = operation && probe.has(sequence_form::slc) ? 1 : 0;
  const TimePs plane_end = probe.phases[phases - 1].end;
  TimePs data = plane_end;
  for (std::uint32_t i = first; i < phases; ++i) {
    const PhaseKind kind = probe.phases[i].kind;
    if (kind == PhaseKind::data_in || kind == PhaseKind::data_out) data = probe.phases[i].start;
  }
  shape.lead_first = probe.phases[first].start;
  shape.to_data = data - shape.lead_first;
  shape.from_data = plane_end - data;
  shape.tail = end - plane_end;
  if (probe.sequence == Sequence::program) {
    shape.rate = timing.bus().data_in;
  } else if (probe.sequence == Sequence::data_out) {
    shape.rate = timing.bus().data_out;
    shape.data_use = BusUse::data_out;
  }

  probe.plane_count = 2;
  expand(probe, timing.bus().ddr);
  timing.stamp(probe, 0, shape.use_next);
  for (std::size_t use = 0; use < kBusUses; ++use) shape.use_next[use] -= shape.use_first[use];
  shape.lead_next = probe.phases[phases].start - probe.phases[phases - 1].end;
  return shape;
}

TimePs SequenceTiming::schedule(OnfiTenure& tenure, TimePs start) {
  assert(tenure.sequence != Sequence::raw && tenure.plane_count != 0 && "a sequence has planes");
  Shape& shape = shapes_[index(tenure)];
  const TimePs to_data = shape.to_data;
  const TimePs from_data = shape.from_data;
  const TimePs lead_next = shape.lead_next;
  const ByteTime rate = shape.rate;
  const std::uint32_t count = tenure.plane_count;
  TimePs begin = start + shape.lead_first;
  TimePs end = begin;
  TimePs data_time = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    OnfiPlane& plane = tenure.planes[i];
    const TimePs length = rate.of(plane.bytes);
    plane.begin = begin;
    plane.data = begin + to_data;
    plane.end = end = plane.data + length + from_data;
    begin = end + lead_next;
    data_time += length;
  }
  ++shape.tenures;
  shape.planes += count;
  shape.data_time += data_time;
  return end + shape.tail;
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
