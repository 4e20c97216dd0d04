#include "firmware/ftl/sched/move_groups.h"

namespace twinplane::fw {

namespace {

class PlainMoves final : public MoveGroups {
 public:
  explicit PlainMoves(const MoveContext& c)
      : c_(c),
        mover_(c.collector.mover()),
        multi_(c.state.config.gc_moves == GcMoves::multi),
        by_unit_(c.state.units != nullptr) {}

  bool form(TransactionList& lane, CommandGroup& g) override {
    g.op = FlashOp::program;
    while (!lane.empty()) {
      Transaction& t = c_.board.take(lane);
      if (mover_.goes_in_pass(t)) {
        if (!form_pass(t, g)) continue;
        if (multi_) join_passes(lane, g);
        return true;
      }
      if (!mover_.ready(t)) continue;
      PageSlot slot;
      if (!c_.rules.peek(t, t.plane, Stream::relocation, slot)) {
        mover_.give_up(t);
        if (!by_unit_) return false;
        continue;
      }
      if (!mover_.fits(t, slot)) continue;
      if (by_unit_) c_.rules.fill_page(t);
      c_.rules.add(g, t, c_.rules.plane_in_die(t), slot);
      if (t.copies()) g.op = FlashOp::copyback;
      if (multi_) join(lane, g);
      return true;
    }
    return false;
  }

 private:
  /// Others of the die's planes, of pages that are programmed one by one.
  void join(TransactionList& lane, CommandGroup& g) {
    PageSlot slot;
    while (!lane.empty() && !mover_.goes_in_pass(*lane.front())) {
      const Transaction& front = *lane.front();
      if (!mover_.is_ready(front)) {
        mover_.put_off(c_.board.take(lane));
        continue;
      }
      const std::uint32_t plane = c_.rules.plane_in_die(front);
      if ((g.open_planes >> plane & 1) == 0 || (by_unit_ && has_page_of(g, front))) break;
      if (!c_.rules.peek(front, front.plane, Stream::relocation, slot) || slot.pass != 1) break;
      if (!c_.rules.fits(g, slot, front.plane, front.hint)) break;
      Transaction& t = c_.board.take(lane);
      if (by_unit_ && !(mover_.ready(t) && mover_.fits(t, slot))) continue;
      if (by_unit_) c_.rules.fill_page(t);
      c_.rules.add(g, t, plane, slot);
    }
  }

  /// A move of the same logical page may take along what native blocks have of it, and waits for what that leaves.
  static bool has_page_of(const CommandGroup& g, const Transaction& t) {
    for (std::uint32_t i = 0; i < g.count; ++i) {
      if (g.item[i]->lpn == t.lpn) return true;
    }
    return false;
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
      if (by_unit_) c_.rules.fill_page(*moves[i]);
      c_.rules.add(g, *moves[i], plane, slot);
      ++slot.page;
    }
    return count != 0;
  }

  /// Wordlines of other planes beside it.
  void join_passes(TransactionList& lane, CommandGroup& g) {
    PageSlot slot;
    while (!lane.empty() && mover_.goes_in_pass(*lane.front())) {
      const Transaction& front = *lane.front();
      const std::uint32_t plane = c_.rules.plane_in_die(front);
      if ((g.open_planes >> plane & 1) == 0 || shares_page(g, front)) return;
      if (!c_.rules.peek(front, front.plane, Stream::relocation, slot) || !g.begins_alike(slot)) return;
      if (!c_.rules.fits(g, slot, front.plane, front.hint)) return;
      (void)form_pass(c_.board.take(lane), g);
    }
  }

  /// It, or one that waits with it, is of a logical page that the group has.
  bool shares_page(const CommandGroup& g, const Transaction& t) const {
    if (!by_unit_) return false;
    for (const Transaction* other = mover_.waiting_with(t); other != nullptr; other = other->next) {
      if (has_page_of(g, *other)) return true;
    }
    return has_page_of(g, t);
  }

  const MoveContext c_;
  Mover& mover_;
  const bool multi_;
  const bool by_unit_;
};

} // namespace

MoveGroups* make_plain_moves(BootMemory& memory, const MoveContext& c) {
  return memory.make<PlainMoves>(c);
}

} // namespace twinplane::fw
