#include "firmware/ftl/sched/issue_probe.h"

namespace twinplane::fw {

namespace {

/// How much of a lane is looked at for work that a command leaves out.
constexpr std::uint32_t kLooks = 64;

/// A command of which kind the work wants to be in.
bool same_kind(FlashOp op, const OpTraits& kind) {
  return op == kind.op || (op == FlashOp::copyback && kind.op == FlashOp::program);
}

/// Why a transaction of one of the die's lanes is not in the command.
HeldReason obstacle(const FtlState& state, const GroupRules& rules, const CommandGroup& g,
                    const Transaction& t) {
  if (!same_kind(g.op, *t.traits)) return HeldReason::kind;
  // A move gets its page when it is taken: whether it would have fitted, GroupRules::fits() has said.
  if (g.op == FlashOp::program || g.op == FlashOp::copyback) return HeldReason::policy;
  return mismatch(state, rules.slot_of(*g.item[0]), rules.slot_of(t), kAnyPage);
}

} // namespace

HeldReason mismatch(const FtlState& state, const PageSlot& a, const PageSlot& b, PageHint hint) {
  const PageOrderTable& order = state.blocks.order();
  if (a.slc != b.slc) return HeldReason::kind;
  if (state.config.pac && a.page != b.page) {
    const bool typed = hint != kAnyPage && !a.slc && order.type(a.page) != order.type(b.page);
    return typed ? HeldReason::kind : HeldReason::pac;
  }
  return state.config.bac && a.block != b.block ? HeldReason::bac : HeldReason::policy;
}

IssuedWork issued_work(const FtlState& state, DieQueues& board, const GroupRules& rules,
                       const CommandGroup& g) {
  const std::uint32_t planes = state.config.geometry.planes_per_die;
  const DieQueue& d = board.die(g.die);
  IssuedWork work;
  work.channel = d.channel;
  work.die = g.die;
  work.op = g.op;
  work.origin = g.kind().origin;
  work.host_write = g.kind().maps_page && g.kind().stream == Stream::host;
  work.count = g.count;
  for (std::uint32_t i = 0; i < g.count; ++i) {
    const Transaction& t = *g.item[i];
    const std::uint32_t c = work.host_write ? board.class_of_plane(t.plane) : kNoClass;
    work.pages[i] = {t.index, t.plane, c, t.queued_ps};
  }
  for (HeldReason& held : work.held) held = HeldReason::no_work;
  const std::uint32_t first = g.die * planes;
  for (const TransactionList& lane : d.lanes) {
    std::uint32_t looks = kLooks;
    for (const Transaction* t = lane.front(); t != nullptr && looks != 0; t = t->next, --looks) {
      const std::uint32_t plane = t->plane - first;
      if (plane >= planes) continue; // a write that joins a page: its plane is not known yet
      const HeldReason why = obstacle(state, rules, g, *t);
      if (why < work.held[plane]) work.held[plane] = why;
    }
  }
  for (std::uint32_t p = 0; p < planes; ++p) {
    if (board.writes_wait_for(first + p)) work.writes_wait |= 1u << p;
  }
  return work;
}

} // namespace twinplane::fw
