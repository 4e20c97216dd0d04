// From the last confirm cycle to the cells: what a launch is judged by, and what it does with each plane.
// Facts: ONFI multi-plane addressing, Read Cache, Page Cache Program; PA-SSD section 4.3.1 for the relaxed order.
#include <algorithm>

#include "hw/nand/cell_launch.h"
#include "hw/nand/die.h"

namespace twinplane::hw {

namespace {

constexpr Fault kTooManyPlanes{Rule::distinct_planes, "more planes queued than the die has"};
constexpr Fault kNotAlone{Rule::busy, "expected 30h of one plane while other planes read"};
constexpr Fault kStillReading{Rule::busy, "expected 31h or 3Fh while a page is read ahead"};
constexpr Fault kNoCacheRead{Rule::suspend, "expected no cache read while a program is suspended"};
constexpr Fault kOtherErase{Rule::suspend, "expected no other erase while one is suspended"};
constexpr Fault kPlanesRead{Rule::busy, "expected 1Ah or 10h while no plane reads"};
constexpr Fault kArrayBusy{Rule::busy, "expected an idle array: a cache operation goes on"};

} // namespace

// --- the planes of a group ---

void Die::join(DieAccess& access, ArrayKind kind, const PlaneAddress& address, TimePs at) {
  if (access.queue.count == access.registers.count()) {
    refuse_group(access, access.registers.all(), kTooManyPlanes, {kind, false, address, at});
    return;
  }
  access.queue.kind = kind;
  access.queue.planes[access.queue.count++] = address;
  access.last.in_queue = false;
}

void Die::queue(DieAccess& access, ArrayKind kind, const PlaneAddress& address, TimePs at) {
  if (access.timed && timeline_.reads_by_plane(at)) {
    refuse_group(access, access.registers.all(), kNotAlone, {kind, false, address, at});
    return;
  }
  join(access, kind, address, at);
  if (access.timed && access.queue.holds(kind)) timeline_.occupy(at, context_.config.array.tDBSY);
}

void Die::launch(DieAccess& access, const ArrayCommand& command) {
  if (pass_ != nullptr && access.timed && command.kind == ArrayKind::program &&
      (!command.slc || pass_->open())) {
    return launch_pass(access, command);
  }
  const DieAccess::Stream before = access.stream;
  if (!may_launch(access, command)) return;
  CellArray::Outcome outcome;
  cells_.launch(access, command, access.timed ? timeline_.suspended_group() : nullptr, outcome);
  for (std::uint32_t i = 0; i < outcome.refused; ++i) {
    const CellArray::Outcome::Refused& r = outcome.refusals[i];
    refuse_plane(access, *r.fault, command, {r.plane, r.block, r.page});
  }
  access.queue.count = 0;
  access.last = {command.kind, static_cast<std::uint8_t>(outcome.accepted), command.slc, true};
  const bool read = command.kind == ArrayKind::read;
  if (read) access.registers.set_undefined(outcome.accepted > 1);
  if (outcome.accepted != 0) {
    if (access.timed) timeline_.start(access.queue, command, outcome.accepted, outcome.duration);
  } else if (read) {
    access.stream = before; // 3Fh has nothing to end
  }
}

/// Adds the last plane. False when a rule that concerns the whole group forbids it, or it resumed an erase.
inline bool Die::may_launch(DieAccess& access, const ArrayCommand& command) {
  std::uint32_t planes = access.registers.all();
  PlaneQueue& queue = access.queue;
  RuleResult fault = nullptr;
  if (queue.count == access.registers.count()) {
    fault = &kTooManyPlanes;
  } else {
    queue.planes[queue.count++] = command.address;
    const bool alone = queue.count == 1 && !command.cache && !command.copyback;
    if (!alone && access.timed && timeline_.reads_by_plane(command.at)) fault = &kNotAlone;
    if (fault == nullptr && queue.count > 1) fault = queue.check(context_.config, command.kind, planes);
    const bool suspended = access.timed && timeline_.suspended();
    if (fault == nullptr && (access.stream != DieAccess::Stream::none || command.cache || suspended)) {
      fault = enter_stream(access, command);
    }
  }
  if (fault != nullptr) refuse_group(access, planes, *fault, command);
  return queue.count != 0;
}

/// A launch that is a cache operation, comes inside a stream of them, or while something is suspended.
RuleResult Die::enter_stream(DieAccess& access, const ArrayCommand& command) {
  using Stream = DieAccess::Stream;
  const bool suspended = access.timed && timeline_.suspended();
  if (command.kind == ArrayKind::erase) {
    if (!suspended) return nullptr;
    if (!timeline_.suspended(ArrayKind::erase) || !timeline_.suspended_group()->holds_block(command.address))
      return &kOtherErase;
    access.queue.count = 0;
    resume(ArrayKind::erase, command.at);
    return nullptr;
  }
  if (command.kind == ArrayKind::program) {
    const TimePs busy = timeline_.array_until();
    if (access.timed && busy >= context_.power_cut_at) { // the page before is not over by then
      access.queue.count = 0;
      if (busy > command.at) timeline_.occupy(command.at, busy - command.at); // nor is that told before
      return nullptr;
    }
    if (access.stream == Stream::program) {
      access.failed_previous = access.failed_planes;
      access.failed_planes = 0;
    }
    access.stream = command.cache ? Stream::program : Stream::none;
    return nullptr;
  }
  if (!command.cache) {
    if (access.timed && timeline_.array_busy(command.at) && !timeline_.reads_by_plane(command.at))
      return &kStillReading;
    access.end_stream();
    return nullptr;
  }
  if (suspended && timeline_.suspended(ArrayKind::program)) return &kNoCacheRead;
  access.registers.show_ahead();
  access.stream = Stream::read;
  return nullptr;
}

// --- cache reads without address ---

void Die::read_ahead(DieAccess& access, TimePs at) {
  for (std::uint32_t i = 0; i < access.last.planes; ++i) ++access.queue.planes[i].page;
  access.queue.count = access.last.planes - 1u;
  launch(access, {ArrayKind::read, access.last.slc, access.queue.planes[access.queue.count], at, true});
}

void Die::end_read_ahead(DieAccess& access, TimePs at) {
  access.registers.show_ahead();
  access.stream = DieAccess::Stream::none;
  access.last.planes = 0;
  if (access.timed) timeline_.end_read_ahead(at);
}

// --- one-pass programming ---

void Die::load(DieAccess& access, const ArrayCommand& command) {
  if (!access.timed) return launch(access, command);
  if (!continue_pass(access, command, false)) return;
  pass_->load(access);
  update_restricted();
  timeline_.occupy(command.at, context_.config.array.tDCBSYW);
}

/// 10h.
void Die::launch_pass(DieAccess& access, ArrayCommand command) {
  if (!continue_pass(access, command, true)) return;
  command.pages = pass_->pages();
  const ArrayGroup* const held = timeline_.suspended_group();
  std::uint32_t accepted = 0;
  for (std::uint32_t i = 0; i < access.queue.count; ++i) {
    const PlaneAddress last = access.queue.planes[i];
    if (const RuleResult fault = pass_->check_cells(cells_, access.registers[last.plane], last, held)) {
      refuse_plane(access, *fault, command, last);
      continue;
    }
    pass_->program(cells_, access, command, last);
    access.queue.planes[accepted++] = last;
  }
  access.queue.count = 0;
  pass_->close();
  update_restricted();
  if (accepted != 0) timeline_.start(access.queue, command, accepted, context_.config.array.tPROG_wordline);
}

/// Adds the last plane of a step. False when a rule forbids it: then nothing is left of the pass.
bool Die::continue_pass(DieAccess& access, const ArrayCommand& command, bool last) {
  std::uint32_t planes = access.registers.all();
  RuleResult fault = access.queue.count == access.registers.count() ? &kTooManyPlanes : nullptr;
  access.end_stream();
  access.last.planes = 0;
  if (fault == nullptr) {
    access.queue.planes[access.queue.count++] = command.address;
    if (timeline_.reads_by_plane(command.at)) {
      fault = &kPlanesRead;
    } else if (timeline_.array_busy(command.at)) {
      fault = &kArrayBusy;
    } else {
      fault = pass_->check(command, access.queue, last, planes);
    }
  }
  if (fault == nullptr) return true;
  pass_->close();
  update_restricted();
  refuse_group(access, planes, *fault, command);
  return false;
}

// --- refusals ---

void Die::refuse_plane(DieAccess& access, const Fault& fault, const ArrayCommand& command,
                       const PlaneAddress& a) {
  if (command.kind == ArrayKind::read) access.registers.target(a.plane, command.cache).invalidate();
  refuse(access, 1u << a.plane, {fault.rule, fault.detail, command.at, lun_, a.plane, a.block, a.page});
}

void Die::refuse_group(DieAccess& access, std::uint32_t planes, const Fault& fault,
                       const ArrayCommand& command) {
  access.queue.count = 0;
  access.last.planes = 0;
  if (command.kind == ArrayKind::read) access.registers.invalidate();
  const PlaneAddress& a = command.address;
  refuse(access, planes, {fault.rule, fault.detail, command.at, lun_, a.plane, a.block, a.page});
}

} // namespace twinplane::hw
