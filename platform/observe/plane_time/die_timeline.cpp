// DieTimeline: facts as they come.
#include "platform/observe/plane_time/die_timeline.h"

#include <algorithm>

#include "hw/spec/onfi_commands.h"

namespace twinplane::platform {

void DieTimeline::issued(const fw::IssuedWork& work, TimePs at) {
  Command c;
  c.issue = at;
  c.op = work.op;
  c.origin = work.origin;
  c.tag = work.pages[0].index;
  std::copy(std::begin(work.held), std::end(work.held), c.held.begin());
  const auto planes = static_cast<std::uint32_t>(planes_.size());
  for (std::uint32_t i = 0; i < work.count; ++i) {
    const std::uint32_t plane = work.pages[i].plane % planes;
    c.planes |= 1u << plane;
    c.cookie[i] = work.pages[i].index;
    c.unseen |= 1u << i;
  }
  c.in_die = c.planes;
  commands_.push_back(c);
}

void DieTimeline::short_of_power(std::uint32_t plane, TimePs since, TimePs until) {
  if (plane < planes_.size()) return planes_[plane].power.add(since, until);
  for (PlaneTimeline& each : planes_) each.power.add(since, until);
}

DieTimeline::Command* DieTimeline::of_tag(std::uint32_t tag) {
  constexpr std::ptrdiff_t kLooks = 32; // more are not under way
  const auto end =
      commands_.rend() - commands_.rbegin() > kLooks ? commands_.rbegin() + kLooks : commands_.rend();
  for (auto c = commands_.rbegin(); c != end; ++c) {
    if (c->tag == tag && c->unseen != 0) return &*c;
  }
  return nullptr;
}

void DieTimeline::done(std::uint32_t cookie, std::uint32_t plane, TimePs ecc, TimePs seen) {
  for (auto last = commands_.rbegin(); last != commands_.rend(); ++last) {
    Command& c = *last;
    const std::uint32_t page = c.unseen_page(cookie);
    if (page == kMaxPagesPerCommand) continue;
    c.unseen &= ~(1u << page);
    if (c.unseen == 0) {
      c.ended = true;
      if (c.begin == kNever) c.begin = c.end = seen; // refused by its controller
    }
    break;
  }
  const auto& out = planes_[plane].transfers.spans();
  if (ecc == 0 || out.empty()) return;
  const TimePs from = std::min(out.back().end, seen - std::min(seen, ecc));
  planes_[plane].decoding.add(from, from + ecc);
}

PlaneCause DieTimeline::cause_of(hw::PlaneState state, const Command* command) {
  const bool host = command != nullptr && command->origin == fw::WorkOrigin::host;
  const bool gc = command != nullptr && !host;
  switch (state) {
    case hw::PlaneState::programming:
      return host ? PlaneCause::program_host : gc ? PlaneCause::program_gc : PlaneCause::program_other;
    case hw::PlaneState::erasing:
      return gc ? PlaneCause::erase_gc : PlaneCause::erase_other;
    case hw::PlaneState::resetting:
      return PlaneCause::reset;
    case hw::PlaneState::idle:
    case hw::PlaneState::reading:
      break;
  }
  return host ? PlaneCause::read_host : gc ? PlaneCause::read_gc : PlaneCause::read_other;
}

void DieTimeline::add_array(PlaneTimeline& plane, TimePs begin, TimePs end, PlaneCause cause) {
  if (!plane.array.empty()) begin = std::max(begin, plane.array.back().end);
  if (begin < end) plane.array.push_back({begin, end, cause});
}

void DieTimeline::array(const hw::ArrayOperation& operation, std::uint32_t plane) {
  add_array(planes_[plane], operation.start, operation.end,
            cause_of(operation.state, of_tag(operation.request_tag)));
}

/// What was announced behind the change does not happen; what is resumed goes on for whom it was begun.
void DieTimeline::array_changed(hw::ArrayChange change, const hw::ArrayOperation& operation) {
  PlaneTimeline& plane = planes_[operation.plane];
  const TimePs at = operation.start;
  const bool was_suspended = !plane.suspended.empty() && plane.suspended.back().end == kNever;
  if (was_suspended && change != hw::ArrayChange::suspended) plane.suspended.back().end = at;
  if (change == hw::ArrayChange::resumed) {
    const bool program = operation.state == hw::PlaneState::programming;
    const auto same = [program](const ArraySpan& s) {
      const bool programs = s.cause >= PlaneCause::program_host && s.cause <= PlaneCause::program_other;
      const bool erases = s.cause == PlaneCause::erase_gc || s.cause == PlaneCause::erase_other;
      return program ? programs : erases;
    };
    const auto before = std::find_if(plane.array.rbegin(), plane.array.rend(), same);
    const PlaneCause cause = before != plane.array.rend()
                                 ? before->cause
                                 : cause_of(operation.state, of_tag(operation.request_tag));
    return add_array(plane, at, operation.end, cause);
  }
  while (!plane.array.empty() && plane.array.back().begin >= at) plane.array.pop_back();
  if (!plane.array.empty()) plane.array.back().end = std::min(plane.array.back().end, at);
  if (change == hw::ArrayChange::suspended) plane.suspended.push_back({at, kNever});
}

/// Planes that the addresses of a raw tenure name; all of the die when it has none.
std::uint32_t DieTimeline::raw_planes(const hw::OnfiTenure& tenure, const RowLayout& rows) const {
  std::uint32_t planes = 0;
  for (std::uint32_t i = 0; i < tenure.phase_count; ++i) {
    const hw::OnfiPhase& p = tenure.phases[i];
    if (p.kind != hw::PhaseKind::address || p.address_cycles < tenure.row_cycles) continue;
    std::uint32_t row = 0;
    for (std::uint32_t byte = 1; byte <= tenure.row_cycles; ++byte) {
      row = row << 8 | p.address[p.address_cycles - byte];
    }
    planes |= 1u << rows.plane(row) % planes_.size();
  }
  return planes != 0 ? planes : (1u << planes_.size()) - 1;
}

/// Whether the command's last tenure was its last one at all, unless it is retried.
void DieTimeline::note_progress(Command& command, const hw::OnfiTenure& tenure, const RowLayout& rows) {
  if (tenure.sequence == hw::Sequence::data_out) {
    for (std::uint32_t i = 0; i < tenure.plane_count; ++i) {
      command.in_die &= ~(1u << rows.plane(tenure.planes[i].row) % planes_.size());
    }
    command.ended = command.in_die == 0;
  } else if (tenure.sequence == hw::Sequence::status) {
    const bool ready = (tenure.planes[0].status & onfi::status::rdy) != 0;
    command.ended = ready && command.op != FlashOp::read && command.op != FlashOp::copyback;
  } else {
    command.ended = false;
    if (tenure.kind == hw::TenureKind::read_command) command.in_die = command.planes;
  }
}

void DieTimeline::tenure(const hw::OnfiTenure& tenure, const RowLayout& rows, TimePs start, TimePs end) {
  if (tenure.sequence == hw::Sequence::raw) {
    for (std::uint32_t planes = raw_planes(tenure, rows); planes != 0; planes &= planes - 1) {
      planes_[static_cast<std::size_t>(__builtin_ctz(planes))].transfers.add(start, end);
    }
  } else {
    TimePs from = start;
    for (std::uint32_t i = 0; i < tenure.plane_count; ++i) {
      const TimePs to = i + 1 < tenure.plane_count ? tenure.planes[i + 1].begin : end;
      planes_[rows.plane(tenure.planes[i].row) % planes_.size()].transfers.add(from, to);
      from = to;
    }
  }
  Command* const command = of_tag(tenure.request_tag);
  if (command == nullptr || command->unseen == 0) return;
  command->begin = std::min(command->begin, start);
  command->end = std::max(command->end, end);
  note_progress(*command, tenure, rows);
}

void DieTimeline::add_work(std::vector<Span>& work, TimePs until, bool arrays) const {
  const auto add = [&work, until](const auto& spans) {
    for (const auto& s : spans) {
      if (s.begin >= until) break;
      work.push_back({s.begin, s.end});
    }
  };
  for (const Command& c : commands_) {
    if (c.issue >= until) break;
    work.push_back({c.issue, c.stop()});
  }
  for (const PlaneTimeline& plane : planes_) {
    add(plane.waiting.spans());
    if (!arrays) continue;
    add(plane.array);
    add(plane.transfers.spans());
  }
}

void DieTimeline::drop_before(TimePs time) {
  for (PlaneTimeline& plane : planes_) {
    drop_ended(plane.array, time, 1); // the last one tells whom a suspended operation works for
    drop_ended(plane.suspended, time);
    plane.transfers.drop_before(time);
    plane.waiting.drop_before(time);
    plane.decoding.drop_before(time);
    plane.power.drop_before(time);
  }
  space_.drop_before(time);
  const auto over = [time](const Command& c) { return c.unseen == 0 && c.stop() <= time; };
  std::size_t issued = 0;
  while (issued < commands_.size() && commands_[issued].issue <= time) ++issued;
  commands_.drop_of_front(issued, over);
}

} // namespace twinplane::platform
