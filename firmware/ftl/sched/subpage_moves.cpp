#include "firmware/ftl/sched/move_groups.h"

namespace twinplane::fw {

namespace {

class SubpageMoves final : public MoveGroups {
 public:
  explicit SubpageMoves(const MoveContext& c)
      : c_(c), units_(*c.state.units), folds_(c.state.pass_pages != 1) {}

  bool form(TransactionList& lane, CommandGroup& g) override {
    g.op = FlashOp::program;
    while (!lane.empty()) {
      Transaction& t = c_.board.take(lane);
      if (folds_ && t.hint == 0 ? form_fold(t, g) : form_single(t, g)) return true;
    }
    return false;
  }

 private:
  bool form_single(Transaction& t, CommandGroup& g) {
    if (!c_.collector.subpages.ready(t)) return false;
    PageSlot slot;
    if (!c_.rules.peek(t, t.plane, Stream::relocation, slot)) {
      c_.collector.subpages.give_up(t);
      return false;
    }
    if ((folds_ && !slot.slc) || !units_.placement.complete_for(t, slot)) {
      c_.collector.subpages.send_to_native(t);
      return false;
    }
    c_.rules.add(g, t, c_.rules.plane_in_die(t), slot);
    return true;
  }

  /// Native pages that are programmed by whole wordlines, in one pass: the moves that wait for each other. The
  /// pages from the frontier to the end of its wordline: all of it, unless untimed writes have begun it.
  bool form_fold(Transaction& first, CommandGroup& g) {
    PageSlot slot;
    if (!c_.rules.peek(first, first.plane, Stream::relocation, slot)) {
      c_.collector.subpages.give_up_wordline(first);
      return false;
    }
    const std::uint32_t plane = c_.rules.plane_in_die(first);
    const std::uint32_t fold = c_.state.pass_pages;
    Transaction* moves[kMaxPageTypes];
    const std::uint32_t count = c_.collector.subpages.take_wordline(first, fold - slot.page % fold, moves);
    for (std::uint32_t i = 0; i < count; ++i) {
      c_.rules.add(g, *moves[i], plane, slot);
      ++slot.page;
    }
    return count != 0;
  }

  const MoveContext c_;
  Units& units_;
  const bool folds_;
};

} // namespace

MoveGroups* make_subpage_moves(BootMemory& memory, const MoveContext& c) {
  return memory.make<SubpageMoves>(c);
}

} // namespace twinplane::fw
