// What the bus shows while a sequence runs, worked out once per bus timing: for every variant of every
// sequence the phases of one plane and the waits before and between them, as offsets from the plane's
// begin or end. Saves composing the cycles of each tenure (hw/nand/tenure_expansion.h) to draw them.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <vector>

#include "hw/core/onfi_tenure.h"
#include "hw/spec/nand_timing.h"
#include "platform/waves/wave_codes.h"

namespace twinplane::platform {

/// From `offset` on the bus shows `phase`.
struct PhaseStep {
  std::int64_t offset = 0; // picoseconds, from the plane's end or begin
  bool from_end = false;
  BusPhase phase = BusPhase::idle;
  std::int16_t opcode = -1; // of a command

  TimePs at(const hw::OnfiPlane& plane) const {
    return (from_end ? plane.end : plane.begin) + static_cast<TimePs>(offset);
  }
};

/// The steps of a plane, from the end of the plane before it (the first: from the tenure's start) to its
/// own end.
struct PhaseScript {
  static constexpr std::uint32_t kMaxSteps = 14;

  std::array<PhaseStep, kMaxSteps> steps;
  std::uint32_t count = 0;

  const PhaseStep* begin() const { return steps.data(); }
  const PhaseStep* end() const { return steps.data() + count; }
};

class PhaseScripts {
 public:
  PhaseScripts(const BusTiming& bus, TimePs tDBSY);

  /// `tenure` is no raw one, `plane` is below its plane_count.
  const PhaseScript& of(const hw::OnfiTenure& tenure, std::uint32_t plane) const {
    return scripts_[index(tenure) * kPositions + position(plane, tenure.plane_count)];
  }

 private:
  static constexpr std::size_t kPositions = 4; // the only plane, the first, one between, the last
  static constexpr std::size_t kForms = hw::sequence_form::mask + 1u;

  static std::size_t index(const hw::OnfiTenure& tenure) {
    const std::size_t long_rows = tenure.row_cycles == 3 ? 0 : 1;
    return (long_rows * hw::kSequences + static_cast<std::size_t>(tenure.sequence)) * kForms + tenure.form;
  }
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

/// Calls visit(TimePs at, BusPhase phase, std::int32_t opcode) for everything that the bus shows from
/// `times.start` to `times.end`, where it falls idle; opcode is -1 but for commands. Raw tenures need no
/// scripts.
template <typename Visit>
void visit_phases(const PhaseScripts* scripts, const hw::OnfiTenure& tenure, const TenureTimes& times,
                  Visit&& visit) {
  TimePs cursor = times.start;
  if (tenure.sequence != hw::Sequence::raw) {
    assert(scripts != nullptr && "on_timing comes before the first sequence");
    for (std::uint32_t i = 0; i < tenure.plane_count; ++i) {
      const hw::OnfiPlane& plane = tenure.planes[i];
      for (const PhaseStep& step : scripts->of(tenure, i)) visit(step.at(plane), step.phase, step.opcode);
      cursor = plane.end;
    }
  } else {
    for (std::uint32_t i = 0; i < tenure.phase_count; ++i) {
      const hw::OnfiPhase& phase = tenure.phases[i];
      if (phase.start > cursor) visit(cursor, BusPhase::wait, -1);
      const BusPhase shown = shown_phase(phase.kind, tenure.kind == hw::TenureKind::status);
      visit(phase.start, shown, phase.kind == hw::PhaseKind::command ? phase.opcode : -1);
      cursor = phase.end;
    }
  }
  if (cursor < times.end) visit(cursor, BusPhase::wait, -1);
  visit(times.end, BusPhase::idle, -1);
}

} // namespace twinplane::platform
