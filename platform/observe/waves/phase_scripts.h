// What the bus shows while a sequence runs, worked out once per bus timing: for every variant of every
// sequence the phases of one plane and the waits before and between them, as offsets from the plane's
// begin or end. Saves composing the cycles of each tenure (hw/nand/tenure_expansion.h) to draw them.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <vector>

#include "hw/channel/sequence_probe.h"
#include "hw/core/onfi_tenure.h"
#include "hw/spec/nand_timing.h"
#include "platform/observe/waves/wave_codes.h"

namespace twinplane::platform {

/// From `offset` after one of the times of a segment on, the bus shows `phase`.
struct PhaseStep {
  enum Base : std::uint8_t { begin, end, rest, idle, never }; // of SegmentTimes

  std::int64_t offset = 0; // picoseconds
  Base base = begin;
  BusPhase phase = BusPhase::idle;
  std::int16_t opcode = -1; // of a command
  bool plain = false;       // always changes the phase and nothing but it

  bool operator==(const PhaseStep& other) const { // `plain` follows from the rest
    return offset == other.offset && base == other.base && phase == other.phase && opcode == other.opcode;
  }
};

/// What steps count from: begin and end of a plane, from when on the bus is held after it, and when it falls
/// idle; both kNever: it goes on with another segment.
struct SegmentTimes {
  std::array<TimePs, 5> base{0, 0, kNever, kNever, kNever};

  SegmentTimes() = default;
  SegmentTimes(TimePs begin, TimePs end) : base{begin, end, kNever, kNever, kNever} {}

  TimePs of(const PhaseStep& step) const { return base[step.base] + static_cast<TimePs>(step.offset); }
};

/// What ends every run of steps: the bus that is held behind a plane, the idle bus, and the end.
constexpr PhaseStep kRestStep{0, PhaseStep::rest, BusPhase::wait, -1, true};
constexpr PhaseStep kIdleStep{0, PhaseStep::idle, BusPhase::idle, -1};
constexpr PhaseStep kEndStep{0, PhaseStep::never, BusPhase::idle, -1};

/// The steps of a plane, from the end of the plane before it (the first: from the tenure's start) to its
/// own end; kRestStep, kIdleStep and kEndStep follow.
struct PhaseScript {
  static constexpr std::uint32_t kMaxSteps = 14;

  std::array<PhaseStep, kMaxSteps + 3> steps;
  std::uint32_t count = 0;

  bool operator==(const PhaseScript& other) const {
    return count == other.count && std::equal(begin(), end(), other.begin());
  }
  const PhaseStep* begin() const { return steps.data(); }
  const PhaseStep* end() const { return steps.data() + count; }
};

class PhaseScripts {
 public:
  PhaseScripts(const BusTiming& bus, TimePs tDBSY);

  bool operator==(const PhaseScripts& other) const { return scripts_ == other.scripts_; }

  /// `tenure` is no raw one, `plane` is below its plane_count.
  const PhaseScript& of(const hw::OnfiTenure& tenure, std::uint32_t plane) const {
    return scripts_[hw::variant_of(tenure) * kPositions + position(plane, tenure.plane_count)];
  }

 private:
  static constexpr std::size_t kPositions = 4; // the only plane, the first, one between, the last

  void add(const hw::SequenceProbe& probe);
  static std::size_t position(std::uint32_t plane, std::uint32_t planes) {
    if (planes == 1) return 0;
    return plane == 0 ? 1 : plane + 1 == planes ? 3 : 2;
  }

  std::vector<PhaseScript> scripts_;
};

/// What a phase shows.
BusPhase shown_phase(hw::PhaseKind kind, bool status);

struct TenureTimes {
  TimePs start = 0;
  TimePs end = 0;
};

/// A step at the begin, with what ends it; -1 as opcode but for commands.
const PhaseStep* single_step(BusPhase phase, std::int32_t opcode);

/// What the bus shows from `times.start` to `times.end`, when it falls idle, in order; of raw tenures. Calls
/// visit(TimePs at, BusPhase phase, std::int32_t opcode).
template <typename Visit>
void visit_raw(const hw::OnfiTenure& tenure, const TenureTimes& times, Visit&& visit) {
  TimePs cursor = times.start;
  for (std::uint32_t i = 0; i < tenure.phase_count; ++i) {
    const hw::OnfiPhase& phase = tenure.phases[i];
    if (phase.start > cursor) visit(cursor, BusPhase::wait, -1);
    const BusPhase shown = shown_phase(phase.kind, tenure.kind == hw::TenureKind::status);
    visit(phase.start, shown, phase.kind == hw::PhaseKind::command ? phase.opcode : -1);
    cursor = phase.end;
  }
  if (cursor < times.end) visit(cursor, BusPhase::wait, -1);
}

/// The same of any tenure, and idle at the end. Raw tenures need no scripts.
template <typename Visit>
void visit_phases(const PhaseScripts* scripts, const hw::OnfiTenure& tenure, const TenureTimes& times,
                  Visit&& visit) {
  if (tenure.sequence == hw::Sequence::raw) {
    visit_raw(tenure, times, visit);
  } else {
    assert(scripts != nullptr && "on_timing comes before the first sequence");
    TimePs cursor = times.start;
    for (std::uint32_t i = 0; i < tenure.plane_count; ++i) {
      const SegmentTimes plane(tenure.planes[i].begin, tenure.planes[i].end);
      for (const PhaseStep& step : scripts->of(tenure, i)) visit(plane.of(step), step.phase, step.opcode);
      cursor = tenure.planes[i].end;
    }
    if (cursor < times.end) visit(cursor, BusPhase::wait, -1);
  }
  visit(times.end, BusPhase::idle, -1);
}

} // namespace twinplane::platform
