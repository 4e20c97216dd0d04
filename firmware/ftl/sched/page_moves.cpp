#include "firmware/ftl/sched/move_groups.h"

namespace twinplane::fw {

namespace {

class PageMoves final : public MoveGroups {
 public:
  explicit PageMoves(const MoveContext& c) : c_(c), multi_(c.state.config.gc_moves == GcMoves::multi) {}

  bool form(TransactionList& lane, CommandGroup& g) override {
    drop_stale(c_, lane);
    if (lane.empty()) return false;
    PageSlot slot;
    Transaction& first = c_.board.take(lane);
    if (!c_.rules.peek(first, first.plane, Stream::relocation, slot)) {
      c_.collector.pages.give_up(first);
      return false;
    }
    c_.rules.add(g, first, c_.rules.plane_in_die(first), slot);
    g.op = first.copies() ? FlashOp::copyback : FlashOp::program;
    if (!multi_) return true;
    for (drop_stale(c_, lane); !lane.empty(); drop_stale(c_, lane)) {
      const Transaction& t = *lane.front();
      const std::uint32_t plane = c_.rules.plane_in_die(t);
      if ((g.open_planes >> plane & 1) == 0) break;
      if (!c_.rules.peek(t, t.plane, Stream::relocation, slot)) break;
      if (!c_.rules.fits(g, slot, t.plane, t.hint)) break;
      c_.rules.add(g, c_.board.take(lane), plane, slot);
    }
    return true;
  }

 private:
  const MoveContext c_;
  const bool multi_;
};

} // namespace

MoveGroups* make_page_moves(BootMemory& memory, const MoveContext& c) {
  return memory.make<PageMoves>(c);
}

MoveGroups* make_move_groups(BootMemory& memory, const MoveContext& c) {
  if (c.state.units != nullptr) return make_subpage_moves(memory, c);
  return c.state.blocks.twins() != 1 ? make_twin_moves(memory, c) : make_page_moves(memory, c);
}

} // namespace twinplane::fw
