// Moves between twin blocks. Their planes are assigned here, when they are programmed, in the strict rotation that
// twin block allocation asks for.
//
// paper (Algorithm 2): pages of one index, which the collector releases together, go to one stripe, so
// that they keep equal addresses. Of the sets that fit what is left of the stripe the largest goes
// first; single pages fill stripes up. When only sets are left that do not fit, one is split. Programmed
// one plane at a time, the pages of a set follow each other: nothing but reads comes in between.
// simulator: a page stays in its plane while that plane has pages waiting, else the oldest takes the turn.
#include "firmware/ftl/features/twin_blocks/twin_blocks.h"

namespace twinplane::fw {

namespace {

/// A place in a lane: the transaction behind `previous`, or the first one.
struct Choice {
  Transaction* previous = nullptr;
  std::uint32_t count = 0; // 0: none
};

/// The largest set of at most `room` pages; when there is none, the pages of the first set that fit.
Choice choose_set(const TransactionList& lane, const BlockTable& blocks, std::uint32_t room, bool may_split) {
  Choice best;
  Transaction* previous = nullptr;
  for (Transaction* first = lane.front(); first != nullptr;) {
    const std::uint32_t page = blocks.page_of(first->source);
    std::uint32_t count = 1;
    Transaction* last = first;
    while (last->next != nullptr && blocks.page_of(last->next->source) == page) {
      last = last->next;
      ++count;
    }
    if (count <= room && count > best.count) best = Choice{previous, count};
    if (best.count == room) return best;
    previous = last;
    first = last->next;
  }
  if (best.count == 0 && may_split) best.count = room;
  return best;
}

/// The first page that comes from `plane` (device-wide), else the first of all.
Choice choose_page(const TransactionList& lane, const BlockTable& blocks, std::uint32_t plane) {
  Transaction* previous = nullptr;
  for (Transaction* t = lane.front(); t != nullptr; t = t->next) {
    if (blocks.plane_of(t->source) == plane) return Choice{previous, 1};
    previous = t;
  }
  return Choice{nullptr, 1};
}

/// The page of that index; none when it was overwritten meanwhile.
Choice choose_index(const TransactionList& lane, const BlockTable& blocks, std::uint32_t page) {
  Transaction* previous = nullptr;
  for (Transaction* t = lane.front(); t != nullptr; t = t->next) {
    if (blocks.page_of(t->source) == page) return Choice{previous, 1};
    previous = t;
  }
  return Choice{};
}

class TwinMoves final : public MoveGroups {
 public:
  TwinMoves(BootMemory& memory, const MoveContext& c)
      : c_(c),
        mover_(c.collector.mover()),
        blocks_(c.state.blocks),
        dies_(c.state.config.geometry.dies()),
        planes_per_die_(c.state.config.geometry.planes_per_die),
        multi_(c.state.config.gc_moves == GcMoves::multi),
        as_in_paper_(c.state.config.tbm_gc == TbmGc::paper) {
    if (multi_ || !as_in_paper_) return;
    set_page_ = memory.array<std::uint32_t>(dies_);
    for (std::uint32_t die = 0; set_page_ != nullptr && die < dies_; ++die) set_page_[die] = kNoSet;
  }

  bool form(TransactionList& lane, CommandGroup& g) override {
    g.op = FlashOp::program;
    drop_all_stale(lane);
    return set_page_ != nullptr ? form_one_of_set(lane, g) : form_stripe(lane, g);
  }
  bool set_under_way(std::uint32_t die) const override {
    return set_page_ != nullptr && set_page_[die] != kNoSet;
  }
  void serialise(StateVisitor& state) override { state.table(set_page_, dies_); }

 private:
  static constexpr std::uint32_t kNoSet = 0xFFFFFFFFu;

  std::uint32_t next_plane(std::uint32_t die) const {
    return c_.state.policy.allocation->next_plane(die, Stream::relocation, kAnyPage);
  }

  bool form_stripe(TransactionList& lane, CommandGroup& g) {
    if (lane.empty()) return false;
    std::uint32_t plane = g.last_plane = next_plane(g.die);
    do {
      Choice choice = as_in_paper_ ? choose_set(lane, blocks_, planes_per_die_ - plane, g.count == 0)
                                   : choose_page(lane, blocks_, g.die * planes_per_die_ + plane);
      if (choice.count == 0) break;
      if (!multi_) choice.count = 1;
      for (; choice.count != 0; --choice.count) {
        if (!add(lane, choice.previous, g)) return g.count != 0;
      }
      plane = g.last_plane + 1;
    } while (multi_ && plane < planes_per_die_ && !lane.empty());
    return true;
  }

  /// Letter, one plane at a time: the rest of the set under way, else the first page of a set.
  bool form_one_of_set(TransactionList& lane, CommandGroup& g) {
    std::uint32_t& page = set_page_[g.die];
    Choice choice;
    if (page != kNoSet) choice = choose_index(lane, blocks_, page);
    page = kNoSet;
    if (lane.empty()) return false;
    g.last_plane = next_plane(g.die);
    const std::uint32_t room = planes_per_die_ - g.last_plane;
    if (choice.count == 0) choice = choose_set(lane, blocks_, room, true);
    if (!add(lane, choice.previous, g)) return false;
    const std::uint32_t index = blocks_.page_of(g.item[0]->source);
    if (room > 1 && choose_index(lane, blocks_, index).count != 0) page = index;
    return true;
  }

  /// Takes the move behind `previous` (null: the first) for the next plane of the stripe. False when there is
  /// no page for it, or when its page has to be read for it: a copyback stays in its plane.
  bool add(TransactionList& lane, Transaction* previous, CommandGroup& g) {
    const std::uint32_t plane = g.count == 0 ? g.last_plane : g.last_plane + 1;
    const std::uint32_t device_plane = g.die * planes_per_die_ + plane;
    Transaction& t = previous == nullptr ? c_.board.take(lane) : c_.board.take_after(lane, *previous);
    PageSlot slot;
    if (t.copies() && blocks_.plane_of(t.source) != device_plane) {
      c_.collector.pages.read_as_well(t);
      return false;
    }
    if (!c_.rules.peek(t, device_plane, Stream::relocation, slot)) {
      mover_.give_up(t);
      return false;
    }
    if (t.copies()) g.op = FlashOp::copyback;
    t.plane = device_plane;
    c_.rules.add(g, t, plane, slot);
    return true;
  }

  /// Moves whose pages were overwritten since they were read end here.
  void drop_all_stale(TransactionList& lane) {
    while (!lane.empty() && !mover_.is_ready(*lane.front())) mover_.put_off(c_.board.take(lane));
    for (Transaction* previous = lane.front(); previous != nullptr && previous->next != nullptr;) {
      if (mover_.is_ready(*previous->next)) {
        previous = previous->next;
      } else {
        mover_.put_off(c_.board.take_after(lane, *previous));
      }
    }
  }

  const MoveContext c_;
  Mover& mover_;
  const BlockTable& blocks_;
  const std::uint32_t dies_;
  const std::uint32_t planes_per_die_;
  const bool multi_;
  const bool as_in_paper_;
  /// Letter, one plane at a time: per die the index of the pages that go to one stripe and of which some are still
  /// to be programmed.
  std::uint32_t* set_page_ = nullptr;
};

} // namespace

MoveGroups* make_twin_moves(BootMemory& memory, const MoveContext& c) {
  return memory.make<TwinMoves>(memory, c);
}

} // namespace twinplane::fw
