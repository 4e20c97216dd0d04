// DieTimeline: which cause has each picosecond of a plane. The first that applies takes it.
#include <algorithm>
#include <array>

#include "platform/observe/plane_time/die_timeline.h"

namespace twinplane::platform {

namespace {

/// Nothing waited when the command was formed: what waits now has come too late.
PlaneCause held_by(fw::HeldReason reason) {
  switch (reason) {
    case fw::HeldReason::policy:
      return PlaneCause::held_policy;
    case fw::HeldReason::bac:
      return PlaneCause::held_bac;
    case fw::HeldReason::pac:
      return PlaneCause::held_pac;
    case fw::HeldReason::kind:
      return PlaneCause::held_kind;
    case fw::HeldReason::no_work:
      break;
  }
  return PlaneCause::held_late;
}

/// What a command waits for while the bus is free: before its first tenure, and between two of them.
PlaneCause of_unsent(FlashOp op) {
  return op == FlashOp::program ? PlaneCause::dma : PlaneCause::bus;
}
PlaneCause of_sent(FlashOp op, bool polls, bool dram_limits) {
  if (op == FlashOp::reset) return PlaneCause::reset;
  if (op != FlashOp::read || polls) return PlaneCause::bus;
  return dram_limits ? PlaneCause::dma : PlaneCause::ecc;
}

} // namespace

void DieTimeline::settle(TimePs from, TimePs to, const DriveContext& around) {
  TimePs reach = 0;
  issued_ = 0;
  for (; issued_ != commands_.size() && commands_[issued_].issue < to; ++issued_)
    commands_[issued_].reach = reach = std::max(reach, commands_[issued_].stop());
  for (std::uint32_t p = 0; p < planes_.size(); ++p) {
    PlaneTimeline& plane = planes_[p];
    rest_.reset(from, to);
    rest_.take(plane.array, [this](TimePs b, TimePs e, const ArraySpan& s) { give(s.cause, b, e); });
    const auto as = [this](PlaneCause cause) {
      return [this, cause](TimePs b, TimePs e, const Span&) { give(cause, b, e); };
    };
    rest_.take(plane.transfers.spans(), as(PlaneCause::transfer));
    rest_.take(plane.suspended, [&](TimePs begin, TimePs end, const Span&) {
      part_.reset(begin, end);
      part_.take(plane.power.spans(), as(PlaneCause::power));
      for (const Span& left : part_.left()) give(PlaneCause::suspended, left.begin, left.end);
    });
    settle_commands(p, around);
    settle_waits(p, plane.waiting, false);
    rest_.take(plane.decoding.spans(), as(PlaneCause::ecc));
    if (const ClassTimeline* const timeline = around.by_plane[p]) {
      settle_waits(p, timeline->waiting, true);
      rest_.take(timeline->dependency.spans(), as(PlaneCause::dependency));
    }
    settle_shared(p, around);
  }
}

/// What is left depends on the rest of the drive.
void DieTimeline::settle_shared(std::uint32_t plane, const DriveContext& around) {
  if (rest_.empty()) return;
  held_.clear();
  TimePs from = rest_.left().front().begin;
  const TimePs to = rest_.left().back().end;
  for (const Command& c : commands_) {
    if (c.issue >= to) break;
    if (c.has(plane) || c.stop() <= from) continue;
    held_.push_back({std::max(from, c.issue), c.stop(), held_by(c.held[plane])});
    from = c.stop();
  }
  rest_.take(held_, [&](TimePs b, TimePs e, const HeldSpan& held) { share(b, e, held.cause, around); });
  rest_.take(space_.spans(),
             [&](TimePs b, TimePs e, const Span&) { share(b, e, PlaneCause::space, around); });
  for (const Span& left : rest_.left()) share(left.begin, left.end, PlaneCause::core, around);
}

void DieTimeline::share(TimePs begin, TimePs end, PlaneCause waiting, const DriveContext& around) {
  constexpr std::array<PlaneCause, SharedClock::kParts> kCauses{
      PlaneCause::no_work,   PlaneCause::dependency, PlaneCause::core,   PlaneCause::page_buffers,
      PlaneCause::imbalance, PlaneCause::dma,        PlaneCause::no_work};
  around.clock->share(begin, end, [&](std::size_t part, TimePs time) {
    const PlaneCause cause = part == SharedClock::waiting ? waiting : kCauses[part];
    if (part >= SharedClock::unseen && part <= SharedClock::in_drive)
      return give_idle(cause, time, *around.bottleneck);
    times_[static_cast<std::size_t>(cause)] += time;
  });
}

/// Requests are in the drive, and none of them is this plane's: what they wait for, if that is one resource,
/// has the time.
void DieTimeline::give_idle(PlaneCause cause, TimePs time, const Bottleneck& bottleneck) {
  const TimePs limited = bottleneck.limits ? bottleneck.part_of(time) : time;
  times_[static_cast<std::size_t>(bottleneck.limits ? bottleneck.cause : cause)] += limited;
  times_[static_cast<std::size_t>(PlaneCause::joint)] += time - limited;
}

void DieTimeline::settle_held(std::uint32_t plane, Rest& part, const Command* last) {
  if (part.empty()) return;
  const Command* const first = commands_.data();
  const Command* c = std::upper_bound(first, last, part.left().front().begin,
                                      [](TimePs at, const Command& command) { return at < command.reach; });
  for (; c != last && !part.empty() && c->issue < part.left().back().end; ++c) {
    if (c->has(plane)) continue;
    const PlaneCause cause = held_by(c->held[plane]);
    part.take(Span{c->issue, c->stop()}, [&](TimePs b, TimePs e, const Span&) { give(cause, b, e); });
  }
}

/// The plane's own commands, which wait for the die, the bus, or what they move. The first one that has not
/// ended has the time.
void DieTimeline::settle_commands(std::uint32_t plane, const DriveContext& around) {
  if (rest_.empty()) return;
  own_.clear();
  TimePs from = rest_.left().front().begin;
  const TimePs to = rest_.left().back().end;
  for (const Command& c : commands_) {
    if (c.issue >= to) break;
    if (!c.has(plane) || c.stop() <= from) continue;
    const TimePs sent = std::min(c.begin, c.stop());
    from = std::max(from, c.issue);
    if (from < sent) own_.push_back({from, sent, &c, false});
    from = std::max(from, sent);
    own_.push_back({from, c.stop(), &c, true});
    from = c.stop();
  }
  rest_.take(own_, [&](TimePs begin, TimePs end, const OwnSpan& own) {
    part_.reset(begin, end);
    if (!own.sent) settle_held(plane, part_, own.command);
    part_.take(planes_[plane].power.spans(),
               [this](TimePs b, TimePs e, const Span&) { give(PlaneCause::power, b, e); });
    part_.take(around.bus->spans(), [this](TimePs b, TimePs e, const Span&) { give(PlaneCause::bus, b, e); });
    const PlaneCause idle_bus = own.sent ? of_sent(own.command->op, around.polls,
                                                   around.bottleneck->limits && around.bottleneck->dram)
                                         : of_unsent(own.command->op);
    for (const Span& left : part_.left()) give(idle_bus, left.begin, left.end);
  });
}

/// Work that has not been issued: the die is at another command, the firmware takes it for busy until a page
/// that it has given is decoded, or the firmware has not come to it.
void DieTimeline::settle_waits(std::uint32_t plane, const SpanSet& waiting, bool for_class) {
  rest_.take(waiting.spans(), [&](TimePs begin, TimePs end, const Span&) {
    part_.reset(begin, end);
    settle_held(plane, part_, commands_.data() + issued_);
    if (for_class) {
      part_.take(space_.spans(), [this](TimePs b, TimePs e, const Span&) { give(PlaneCause::space, b, e); });
    }
    for (const PlaneTimeline& of_die : planes_) {
      part_.take(of_die.decoding.spans(),
                 [this](TimePs b, TimePs e, const Span&) { give(PlaneCause::ecc, b, e); });
    }
    for (const Span& left : part_.left()) give(PlaneCause::core, left.begin, left.end);
  });
}

} // namespace twinplane::platform
