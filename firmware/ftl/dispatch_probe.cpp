// Dispatcher: what WorkProbe is told of the commands it forms. Nothing here changes anything.
#include "firmware/ftl/dispatcher.h"

namespace twinplane::fw {

namespace {

/// How much of a lane is looked at for work that a command leaves out.
constexpr std::uint32_t kLooks = 64;

/// A command of which kind the work wants to be in.
bool same_kind(FlashOp op, const OpTraits& kind) {
  return op == kind.op || (op == FlashOp::copyback && kind.op == FlashOp::program);
}

} // namespace

HeldReason Dispatcher::mismatch(const PageSlot& a, const PageSlot& b, PageHint hint) const {
  const PageOrderTable& order = state_->blocks.order();
  if (a.slc != b.slc) return HeldReason::kind;
  if (state_->config.pac && a.page != b.page) {
    const bool typed = hint != kAnyPage && !a.slc && order.type(a.page) != order.type(b.page);
    return typed ? HeldReason::kind : HeldReason::pac;
  }
  return state_->config.bac && a.block != b.block ? HeldReason::bac : HeldReason::policy;
}

/// Why a transaction of one of the die's lanes is not in the command.
HeldReason Dispatcher::obstacle(const Group& g, const Transaction& t) const {
  if (!same_kind(g.op, *t.traits)) return HeldReason::kind;
  // A move gets its page when it is taken: whether it would have fitted, tell_refused() has said.
  if (g.op == FlashOp::program || g.op == FlashOp::copyback) return HeldReason::policy;
  return mismatch(slot_of(*g.item[0]), slot_of(t), kAnyPage);
}

void Dispatcher::tell_refused(const Dispatcher& d, const Group& g, const PageSlot& slot,
                              std::uint32_t plane_and_hint) {
  const auto hint = static_cast<PageHint>(plane_and_hint & 0xFF);
  d.state_->probe->on_refused(plane_and_hint >> 8, d.mismatch(g.slot[0], slot, hint));
}

void Dispatcher::tell_doorbells(const Dispatcher& d, const FtlState& state) {
  state.probe->on_doorbells(d.posted_, state.hal->now_ps());
}

void Dispatcher::tell(const Dispatcher& d, const Group& g) {
  d.state_->probe->on_issue(d.issued_work(g));
}

IssuedWork Dispatcher::issued_work(const Group& g) const {
  const DieBoard& d = board_->die(g.die);
  IssuedWork work;
  work.channel = d.channel;
  work.die = g.die;
  work.op = g.op;
  work.origin = g.item[0]->traits->origin;
  work.host_write = g.item[0]->traits->maps_page && g.item[0]->traits->stream == Stream::host;
  work.count = g.count;
  for (std::uint32_t i = 0; i < g.count; ++i) {
    const Transaction& t = *g.item[i];
    const std::uint32_t c = work.host_write ? board_->class_of_plane(t.plane) : kNoClass;
    work.pages[i] = {t.index, t.plane, c, t.queued_ps};
  }
  for (HeldReason& held : work.held) held = HeldReason::no_work;
  const std::uint32_t first = g.die * planes_per_die_;
  for (const TransactionList& lane : d.lanes) {
    std::uint32_t looks = kLooks;
    for (const Transaction* t = lane.front(); t != nullptr && looks != 0; t = t->next, --looks) {
      const std::uint32_t plane = t->plane - first;
      if (plane >= planes_per_die_) continue; // a write that joins a page: its plane is not known yet
      const HeldReason why = obstacle(g, *t);
      if (why < work.held[plane]) work.held[plane] = why;
    }
  }
  for (std::uint32_t p = 0; p < planes_per_die_; ++p) {
    if (!board_->writes(board_->class_of_plane(first + p)).empty()) work.writes_wait |= 1u << p;
  }
  return work;
}

} // namespace twinplane::fw
