// Dispatcher: moves between twin blocks. Their planes are dealt here, when they are programmed, in the
// strict rotation that twin block allocation asks for.
//
// letter (Algorithm 2): pages of one index, which the collector releases together, go to one stripe, so
// that they keep equal addresses. Of the sets that fit what is left of the stripe the largest goes
// first; single pages fill stripes up. When only sets are left that do not fit, one is split. Programmed
// one plane at a time, the pages of a set follow each other: nothing but reads comes in between.
// sharp: a page stays in its plane while that plane has pages waiting, else the oldest takes the turn.
#include "firmware/ftl/dispatcher.h"

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

} // namespace

bool Dispatcher::form_twin_moves(TransactionList& lane, Group& g) {
  drop_all_stale(lane);
  if (set_page_ != nullptr) return form_twin_move(lane, g);
  if (lane.empty()) return false;
  const std::uint32_t first = state_->policy.allocation->next_plane(g.die, Stream::relocation, kAnyPage);
  const bool multi = state_->config.gc_moves == GcMoves::multi;
  const bool letter = state_->config.tbm_gc == TbmGc::letter;
  std::uint32_t plane = first;
  g.last_plane = first;
  do {
    const std::uint32_t room = planes_per_die_ - plane;
    Choice choice = letter ? choose_set(lane, state_->blocks, room, g.count == 0)
                           : choose_page(lane, state_->blocks, g.die * planes_per_die_ + plane);
    if (choice.count == 0) break;
    if (!multi) choice.count = 1;
    for (; choice.count != 0; --choice.count) {
      if (!add_twin_move(lane, choice.previous, g)) return g.count != 0;
    }
    plane = g.last_plane + 1;
  } while (multi && plane < planes_per_die_ && !lane.empty());
  return true;
}

/// Letter, one plane at a time: the rest of the set under way, else the first page of a set.
bool Dispatcher::form_twin_move(TransactionList& lane, Group& g) {
  const BlockTable& blocks = state_->blocks;
  std::uint32_t& page = set_page_[g.die];
  Choice choice;
  if (page != kNoSet) choice = choose_index(lane, blocks, page);
  page = kNoSet;
  if (lane.empty()) return false;
  g.last_plane = state_->policy.allocation->next_plane(g.die, Stream::relocation, kAnyPage);
  const std::uint32_t room = planes_per_die_ - g.last_plane;
  if (choice.count == 0) choice = choose_set(lane, blocks, room, true);
  if (!add_twin_move(lane, choice.previous, g)) return false;
  const std::uint32_t index = blocks.page_of(g.item[0]->source);
  if (room > 1 && choose_index(lane, blocks, index).count != 0) page = index;
  return true;
}

/// Takes the move behind `previous` (null: the first) for the next plane of the stripe. False when there is
/// no page for it.
bool Dispatcher::add_twin_move(TransactionList& lane, Transaction* previous, Group& g) {
  const std::uint32_t plane = g.count == 0 ? g.last_plane : g.last_plane + 1;
  const std::uint32_t device_plane = g.die * planes_per_die_ + plane;
  Transaction& t = previous == nullptr ? board_->take(lane) : board_->take_after(lane, *previous);
  PageSlot slot;
  if (!peek(t, device_plane, Stream::relocation, slot)) {
    collector_->give_up(t);
    return false;
  }
  t.plane = device_plane;
  add(g, t, plane, slot);
  return true;
}

void Dispatcher::drop_all_stale(TransactionList& lane) {
  drop_stale(lane);
  for (Transaction* previous = lane.front(); previous != nullptr && previous->next != nullptr;) {
    if (collector_->current(*previous->next)) {
      previous = previous->next;
    } else {
      collector_->drop(board_->take_after(lane, *previous));
    }
  }
}

} // namespace twinplane::fw
