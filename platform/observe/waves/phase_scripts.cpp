#include "platform/observe/waves/phase_scripts.h"

#include <cassert>

namespace twinplane::platform {
namespace {

bool is_data(hw::PhaseKind kind) {
  return kind == hw::PhaseKind::data_in || kind == hw::PhaseKind::data_out;
}

/// The phases of a plane; of the first one also the prefix. Behind the data everything hangs on the plane's
/// end.
PhaseScript make_script(const hw::SequenceProbe& sequence, std::uint32_t plane) {
  const hw::OnfiTenure& probe = sequence.tenure;
  const std::uint32_t first = plane == 0 ? 0 : sequence.first_phase(plane);
  const std::uint32_t last = sequence.first_phase(plane + 1);
  const TimePs begin = probe.phases[sequence.first_phase(plane)].start;
  const TimePs end = probe.phases[last - 1].end;
  TimePs cursor = first == 0 ? 0 : probe.phases[first - 1].end; // where the bus was left
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
    : scripts_(hw::kSequenceVariants * kPositions) {
  const hw::TenureTiming timing(bus, tDBSY);
  for (const std::uint32_t planes : {1u, 3u}) {
    hw::visit_sequences(timing, planes, [this](const hw::SequenceProbe& probe) { add(probe); });
  }
}

void PhaseScripts::add(const hw::SequenceProbe& probe) {
  const std::uint32_t planes = probe.tenure.plane_count;
  for (std::uint32_t plane = 0; plane < planes; ++plane) {
    scripts_[hw::variant_of(probe.tenure) * kPositions + position(plane, planes)] = make_script(probe, plane);
  }
}

} // namespace twinplane::platform
