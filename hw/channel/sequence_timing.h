// How long a sequence takes: a handful of constants per plane, plus its bytes.
//
// The constants are measured once, at construction (sequence_probe.h): TenureTiming is the only place that
// adds up bus timings.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>

#include "hw/channel/sequence_probe.h"
#include "hw/channel/tenure_timing.h"
#include "hw/core/onfi_tenure.h"

namespace twinplane::hw {

class SequenceTiming {
 public:
  explicit SequenceTiming(const TenureTiming& timing);

  /// Fills in the planes' times of a sequence that begins at `start` and returns the end of the tenure:
  /// what TenureTiming::stamp() says about the expanded sequence.
  TimePs schedule(OnfiTenure& tenure, TimePs start) {
    assert(tenure.sequence != Sequence::raw && tenure.plane_count != 0 && "a sequence has planes");
    Shape& shape = shapes_[variant_of(tenure)];
    ++shape.tenures;
    shape.planes += tenure.plane_count;
    TimePs end = shape.stamp(tenure.planes[0], start + shape.lead_first);
    for (std::uint32_t i = 1; i < tenure.plane_count; ++i)
      end = shape.stamp(tenure.planes[i], end + shape.lead_next);
    return end + shape.tail;
  }

  /// What the bus was used for in all sequences scheduled since the last reset_use(). Sequences are only
  /// counted when they pass; this is where the times are added up.
  BusUseTimes use() const;
  void reset_use();

 private:
  /// One variant of a sequence.
  struct Shape {
    TimePs lead_first = 0; // from the tenure's start to the first plane's begin
    TimePs lead_next = 0;  // from the end of a plane to the begin of the next one
    TimePs to_data = 0;    // from begin to data
    TimePs from_data = 0;  // from the end of the page data to the plane's end
    TimePs tail = 0;       // from the last plane's end to the tenure's end
    ByteTime rate;         // of page data; takes no time in sequences that move none
    BusUse data_use = BusUse::data_in;
    BusUseTimes use_first{}; // with one plane
    BusUseTimes use_next{};  // more with every further plane
    std::uint64_t tenures = 0;
    std::uint64_t planes = 0;
    TimePs data_time = 0;

    /// Returns the plane's end.
    TimePs stamp(OnfiPlane& plane, TimePs begin) {
      const TimePs length = rate.of(plane.bytes);
      data_time += length;
      plane.begin = begin;
      plane.data = begin + to_data;
      plane.end = plane.data + length + from_data;
      return plane.end;
    }
  };
  void measure_first(const SequenceProbe& probe, const BusTiming& bus);
  void measure_next(const SequenceProbe& probe);

  std::array<Shape, kSequenceVariants> shapes_; // by variant_of()
};

} // namespace twinplane::hw
