// DieBook: which cause has each picosecond of a plane. The first that applies takes it.
#include <algorithm>

#include "platform/plane_time/die_book.h"

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

} // namespace

void DieBook::settle(TimePs from, TimePs to, const Surroundings& around) {
  TimePs reach = 0;
  for (Command& c : commands_) c.reach = reach = std::max(reach, c.stop());
  for (std::uint32_t p = 0; p < planes_.size(); ++p) {
    PlaneBook& plane = planes_[p];
    plane.rest.reset(from, to);
    plane.rest.take(plane.array, [this](TimePs b, TimePs e, const ArraySpan& s) { give(s.cause, b, e); });
    const auto as = [this](PlaneCause cause) {
      return [this, cause](TimePs b, TimePs e, const Span&) { give(cause, b, e); };
    };
    plane.rest.take(plane.transfers.spans(), as(PlaneCause::transfer));
    plane.rest.take(plane.suspended, as(PlaneCause::suspended));
    settle_commands(p, around);
    settle_waits(p, plane.waiting, false);
    if (around.by_plane[p] != nullptr) {
      settle_waits(p, around.by_plane[p]->waiting, true);
      plane.rest.take(around.by_plane[p]->dependency.spans(), as(PlaneCause::dependency));
    }
    plane.rest.take(plane.decoding.spans(), as(PlaneCause::ecc));
  }
}

void DieBook::settle_held(std::uint32_t plane, Rest& part, const Command* last) {
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

/// The plane's own commands, which wait for the die, the bus, or what they move.
void DieBook::settle_commands(std::uint32_t plane, const Surroundings& around) {
  Rest& rest = planes_[plane].rest;
  for (const Command& c : commands_) {
    if (rest.empty() || c.issue >= rest.left().back().end) return;
    if (!c.has(plane) || c.stop() <= rest.left().front().begin) continue;
    settle_unsent(plane, c, around);
    pieces_.clear();
    rest.take(Span{std::min(c.begin, c.stop()), c.stop()}, [this](TimePs b, TimePs e, const Span&) {
      pieces_.push_back({b, e});
    });
    const PlaneCause idle_bus = c.op == FlashOp::reset                   ? PlaneCause::reset
                                : c.op == FlashOp::read && !around.polls ? PlaneCause::ecc
                                                                         : PlaneCause::bus;
    for (const Span& piece : pieces_) {
      part_.reset(piece.begin, piece.end);
      part_.take(around.bus->spans(),
                 [this](TimePs b, TimePs e, const Span&) { give(PlaneCause::bus, b, e); });
      for (const Span& left : part_.left()) give(idle_bus, left.begin, left.end);
    }
  }
}

/// From the doorbell to the command's first tenure.
void DieBook::settle_unsent(std::uint32_t plane, const Command& command, const Surroundings& around) {
  pieces_.clear();
  planes_[plane].rest.take(Span{command.issue, std::min(command.begin, command.stop())},
                           [this](TimePs b, TimePs e, const Span&) {
                             pieces_.push_back({b, e});
                           });
  const PlaneCause idle_bus = command.op == FlashOp::program ? PlaneCause::dma : PlaneCause::bus;
  for (const Span& piece : pieces_) {
    part_.reset(piece.begin, piece.end);
    settle_held(plane, part_, &command);
    part_.take(around.bus->spans(), [this](TimePs b, TimePs e, const Span&) { give(PlaneCause::bus, b, e); });
    for (const Span& left : part_.left()) give(idle_bus, left.begin, left.end);
  }
}

/// Work that has not been issued: the die is at another command, or the firmware has not come to it.
void DieBook::settle_waits(std::uint32_t plane, const SpanSet& waiting, bool for_class) {
  pieces_.clear();
  planes_[plane].rest.take(waiting.spans(), [this](TimePs b, TimePs e, const Span&) {
    pieces_.push_back({b, e});
  });
  for (const Span& piece : pieces_) {
    part_.reset(piece.begin, piece.end);
    settle_held(plane, part_, commands_.data() + commands_.size());
    if (for_class) {
      part_.take(space_.spans(), [this](TimePs b, TimePs e, const Span&) { give(PlaneCause::space, b, e); });
    }
    for (const Span& left : part_.left()) give(PlaneCause::core, left.begin, left.end);
  }
}

} // namespace twinplane::platform
