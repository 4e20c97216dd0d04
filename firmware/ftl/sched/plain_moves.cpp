#include "firmware/ftl/sched/move_groups.h"

namespace twinplane::fw {

namespace {

class PlainMoves final : public MoveGroups {
 public:
  explicit PlainMoves(const MoveContext& c)
      : c_(c),
        mover_(c.collector.mover()),
        multi_(c.state.config.gc_moves == GcMoves::multi),
        in_passes_(c.state.pass_pages != 1) {}

  bool form(TransactionList& lane, CommandGroup& g) override {
    g.op = FlashOp::program;
    while (!lane.empty()) {
      Transaction& t = c_.board.take(lane);
      if (in_passes_ && t.hint == 0) {
        if (form_pass(t, g)) return true;
        continue;
      }
      if (!mover_.ready(t)) continue;
      PageSlot slot;
      if (!c_.rules.peek(t, t.plane, Stream::relocation, slot)) {
        mover_.give_up(t);
        if (c_.state.units == nullptr) return false;
        continue;
      }
      if (!mover_.fits(t, slot)) continue;
      c_.rules.add(g, t, c_.rules.plane_in_die(t), slot);
      if (t.copies()) g.op = FlashOp::copyback;
      if (multi_) join(lane, g);
      return true;
    }
    return false;
  }

 private:
  /// Others of the die's planes, of pages that are mapped as a whole.
  void join(TransactionList& lane, CommandGroup& g) {
    PageSlot slot;
    for (drop_stale(c_, lane); !lane.empty(); drop_stale(c_, lane)) {
      const Transaction& t = *lane.front();
      const std::uint32_t plane = c_.rules.plane_in_die(t);
      if ((g.open_planes >> plane & 1) == 0) break;
      if (!c_.rules.peek(t, t.plane, Stream::relocation, slot)) break;
      if (!c_.rules.fits(g, slot, t.plane, t.hint)) break;
      c_.rules.add(g, c_.board.take(lane), plane, slot);
    }
  }

  /// Pages that are programmed in one pass: the moves that wait for each other. The pages from the frontier to the end
  /// of its pass: all of it, unless untimed writes have begun it.
  bool form_pass(Transaction& first, CommandGroup& g) {
    PageSlot slot;
    if (!c_.rules.peek(first, first.plane, Stream::relocation, slot)) {
      mover_.give_up_pass(first);
      return false;
    }
    const std::uint32_t plane = c_.rules.plane_in_die(first);
    Transaction* moves[kMaxPageTypes];
    const std::uint32_t count = mover_.take_pass(first, slot.pass - slot.page % slot.pass, moves);
    for (std::uint32_t i = 0; i < count; ++i) {
      c_.rules.add(g, *moves[i], plane, slot);
      ++slot.page;
    }
    return count != 0;
  }

  const MoveContext c_;
  Mover& mover_;
  const bool multi_;
  const bool in_passes_;
};

} // namespace

MoveGroups* make_plain_moves(BootMemory& memory, const MoveContext& c) {
  return memory.make<PlainMoves>(c);
}

} // namespace twinplane::fw
