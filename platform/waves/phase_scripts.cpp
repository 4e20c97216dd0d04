#include "platform/waves/phase_scripts.h"

#include <cassert>
#include <memory>

#include "hw/channel/tenure_timing.h"
#include "hw/nand/tenure_expansion.h"

namespace twinplane::platform {
namespace {

bool is_data(hw::PhaseKind kind) {
  return kind == hw::PhaseKind::data_in || kind == hw::PhaseKind::data_out;
}

/// Phases [first, last) of an expanded, stamped probe belong to the plane; `cursor` is where the bus was
/// left before them. The probe moves no page data: behind the data everything hangs on the plane's end.
PhaseScript make_script(const hw::OnfiTenure& probe, std::uint32_t first, std::uint32_t last, TimePs cursor) {
  const bool prefix = probe.phases[first].kind == hw::PhaseKind::command && first == 0 &&
                      probe.has(hw::sequence_form::slc) && probe.sequence < hw::Sequence::data_out;
  const TimePs begin = probe.phases[first + (prefix ? 1 : 0)].start;
  const TimePs end = probe.phases[last - 1].end;
  PhaseScript script;
  bool from_end = false;
  const auto add = [&](TimePs at, BusPhase phase) -> PhaseStep& {
    assert(script.count < PhaseScript::kMaxSteps && "a plane has few phases");
    PhaseStep& step = script.steps[script.count++];
    step.offset = static_cast<std::int64_t>(at - (from_end ? end : begin));
    step.base = from_end ? PhaseStep::end : PhaseStep::begin;
    step.phase = phase;
    return step;
  };
  for (std::uint32_t i = first; i < last; ++i) {
    const hw::OnfiPhase& phase = probe.phases[i];
    if (phase.start > cursor) add(cursor, BusPhase::wait);
    PhaseStep& step = add(phase.start, shown_phase(phase.kind, probe.sequence == hw::Sequence::status));
    if (phase.kind == hw::PhaseKind::command) step.opcode = phase.opcode;
    from_end = from_end || is_data(phase.kind);
    cursor = phase.end;
  }
  script.steps[0].plain = first != 0 && script.steps[0].phase == BusPhase::wait; // behind another plane
  for (std::uint32_t i = 1; i < script.count; ++i) {
    PhaseStep& step = script.steps[i];
    step.plain = step.opcode < 0 && step.phase != script.steps[i - 1].phase;
  }
  script.steps[script.count] = kRestStep;
  script.steps[script.count + 1] = kIdleStep;
  script.steps[script.count + 2] = kEndStep;
  return script;
}

/// The phases, then the commands with their opcodes.
using SingleSteps = std::array<std::array<PhaseStep, 3>, kBusPhases + 256>;

constexpr SingleSteps make_single_steps() {
  SingleSteps steps{};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool command = i >= kBusPhases;
    steps[i][0].phase = command ? BusPhase::command : static_cast<BusPhase>(i);
    steps[i][0].opcode = static_cast<std::int16_t>(command ? i - kBusPhases : -1);
    steps[i][1] = kIdleStep;
    steps[i][2] = kEndStep;
  }
  return steps;
}
constexpr SingleSteps kSingleSteps = make_single_steps();

} // namespace

BusPhase shown_phase(hw::PhaseKind kind, bool status) {
  switch (kind) {
    case hw::PhaseKind::command:
      return BusPhase::command;
    case hw::PhaseKind::address:
      return BusPhase::address;
    case hw::PhaseKind::data_in:
      return BusPhase::data_in;
    case hw::PhaseKind::data_out:
      break;
  }
  return status ? BusPhase::status : BusPhase::data_out;
}

const PhaseStep* single_step(BusPhase phase, std::int32_t opcode) {
  const std::size_t place =
      opcode < 0 ? static_cast<std::size_t>(phase) : kBusPhases + static_cast<std::size_t>(opcode);
  return kSingleSteps[place].data();
}

PhaseScripts::PhaseScripts(const BusTiming& bus, TimePs tDBSY)
    : scripts_(2 * hw::kSequences * kForms * kPositions) {
  const hw::TenureTiming timing(bus, tDBSY);
  const auto probe = std::make_unique<hw::OnfiTenure>();
  for (const std::uint8_t row_cycles : {std::uint8_t{3}, std::uint8_t{4}}) {
    for (std::size_t sequence = 1; sequence < hw::kSequences; ++sequence) {
      for (std::uint8_t form = 0; form <= hw::sequence_form::mask; ++form) {
        probe->row_cycles = row_cycles;
        probe->sequence = static_cast<hw::Sequence>(sequence);
        probe->form = form;
        for (const std::uint32_t planes : {1u, 3u}) {
          probe->plane_count = planes;
          hw::expand(*probe, bus.ddr);
          hw::BusUseTimes use{};
          timing.stamp(*probe, 0, use);
          const std::uint32_t prefix = probe->phase_count % planes; // phases before the first plane's own
          const std::uint32_t own = probe->phase_count / planes;
          for (std::uint32_t plane = 0; plane < planes; ++plane) {
            const std::uint32_t first = plane == 0 ? 0 : prefix + plane * own;
            const TimePs cursor = first == 0 ? 0 : probe->phases[first - 1].end;
            scripts_[index(*probe) * kPositions + position(plane, planes)] =
                make_script(*probe, first, prefix + (plane + 1) * own, cursor);
          }
        }
      }
    }
  }
}

} // namespace twinplane::platform
