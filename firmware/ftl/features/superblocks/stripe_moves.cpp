// Moves between the units of a die's planes, in the order in which they wait. Their planes are assigned here, when they
// are programmed: each gets the next place of the stripe.
#include "firmware/ftl/features/superblocks/superblocks.h"

namespace twinplane::fw {

namespace {

class StripeMoves final : public MoveGroups {
 public:
  explicit StripeMoves(const MoveContext& c)
      : c_(c),
        mover_(c.collector.mover()),
        planes_per_die_(c.state.config.geometry.planes_per_die),
        multi_(c.state.config.gc_moves == GcMoves::multi),
        by_unit_(c.state.units != nullptr) {}

  bool form(TransactionList& lane, CommandGroup& g) override {
    g.op = FlashOp::program;
    g.last_plane = c_.state.policy.allocation->next_plane(g.die, Stream::relocation, kAnyPage);
    while (g.count == 0 && !lane.empty()) {
      if (!add_next(lane, g)) continue;
      while (multi_ && g.op == FlashOp::program && g.last_plane + 1 < planes_per_die_ && joins(lane, g)) {
      }
    }
    return g.count != 0;
  }

 private:
  /// The first move that can be programmed of those that wait, or the wordline that it stands for. False: the one that
  /// was looked at cannot.
  bool add_next(TransactionList& lane, CommandGroup& g) {
    const std::uint32_t plane = g.last_plane;
    Transaction& t = take_for(lane, g.die * planes_per_die_ + plane);
    PageSlot slot;
    if (mover_.goes_in_pass(t)) return form_pass(t, g, plane);
    if (!mover_.ready(t)) return false;
    if (t.copies() && t.plane != g.die * planes_per_die_ + plane) {
      c_.collector.pages.read_as_well(t);
      return false;
    }
    if (!peek(t, g.die, plane, slot)) {
      mover_.give_up(t);
      return false;
    }
    if (!mover_.fits(t, slot)) return false;
    if (t.copies()) g.op = FlashOp::copyback;
    add(t, g, plane, slot);
    return true;
  }

  /// For the plane behind that of the last one; what is not ready ends or gets what it lacks. False: none joins.
  bool joins(TransactionList& lane, CommandGroup& g) {
    if (!g.ends_with_pass()) return false;
    const std::uint32_t plane = g.last_plane + 1;
    PageSlot slot;
    if (g.slot[0].pass != 1) {
      const Transaction& of_job = *g.item[0];
      if (!mover_.has_pass(of_job) || !peek(of_job, g.die, plane, slot) || !g.begins_alike(slot))
        return false;
      return c_.rules.fits(g, slot, g.die * planes_per_die_ + plane, kAnyPage) &&
             form_pass(mover_.begin_pass(of_job), g, plane);
    }
    while (!lane.empty()) {
      Transaction& front = *lane.front();
      if (front.copies() || mover_.goes_in_pass(front)) return false;
      if (!mover_.is_ready(front)) {
        mover_.put_off(c_.board.take(lane));
        continue;
      }
      if (!peek(front, g.die, plane, slot)) return false;
      if (!c_.rules.fits(g, slot, g.die * planes_per_die_ + plane, front.hint)) return false;
      Transaction& t = c_.board.take(lane);
      if (!mover_.ready(t) || !mover_.fits(t, slot)) continue;
      add(t, g, plane, slot);
      return true;
    }
    return false;
  }

  /// The front, or where pages are copied back the first one that comes from that plane.
  Transaction& take_for(TransactionList& lane, std::uint32_t device_plane) {
    Transaction* previous = nullptr;
    Transaction* t = lane.front();
    while (t != nullptr && t->copies() && t->plane != device_plane) {
      previous = t;
      t = t->next;
    }
    return t == nullptr || previous == nullptr ? c_.board.take(lane) : c_.board.take_after(lane, *previous);
  }

  /// Pages that are programmed in one pass: the moves that wait for each other, from the frontier to the end of its
  /// wordline.
  bool form_pass(Transaction& first, CommandGroup& g, std::uint32_t plane) {
    PageSlot slot;
    if (!peek(first, g.die, plane, slot)) {
      mover_.give_up_pass(first);
      return false;
    }
    Transaction* moves[kMaxPageTypes];
    const std::uint32_t count = mover_.take_pass(first, slot.pass - slot.page % slot.pass, moves);
    for (std::uint32_t i = 0; i < count; ++i) {
      add(*moves[i], g, plane, slot);
      ++slot.page;
    }
    return count != 0;
  }

  bool peek(const Transaction& t, std::uint32_t die, std::uint32_t plane, PageSlot& slot) const {
    return c_.rules.peek(t, die * planes_per_die_ + plane, Stream::relocation, slot);
  }

  void add(Transaction& t, CommandGroup& g, std::uint32_t plane, const PageSlot& slot) {
    t.plane = g.die * planes_per_die_ + plane;
    if (by_unit_) c_.rules.fill_page(t);
    c_.rules.add(g, t, plane, slot);
  }

  const MoveContext c_;
  Mover& mover_;
  const std::uint32_t planes_per_die_;
  const bool multi_;
  const bool by_unit_;
};

} // namespace

MoveGroups* make_stripe_moves(BootMemory& memory, const MoveContext& c) {
  return memory.make<StripeMoves>(c);
}

} // namespace twinplane::fw
