// Dispatcher in a drive with an SLC-mode cache: pages that are programmed subpage by subpage.
#include "firmware/ftl/dispatcher.h"

namespace twinplane::fw {

/// The first write that belongs into a page of this die. When that page cannot take it any more it waits for
/// another one, as all do.
bool Dispatcher::form_in_place(TransactionList& lane, Group& g) {
  Transaction& t = board_->take(lane);
  Ppn ppn = kNoPpn;
  if (!cache_->fits_in_place(t, ppn) || state_->blocks.die_of(ppn) != g.die) {
    host_->hand_over(t);
    return false;
  }
  t.plane = state_->blocks.plane_of(ppn);
  g.op = FlashOp::program;
  add(g, t, plane_in_die(t),
      PageSlot{state_->blocks.block_of(ppn), state_->blocks.page_of(ppn), state_->blocks.slc_mode(ppn)});
  return true;
}

/// Of the writes that wait for class c, those whose place would be a native page, for which they lack
/// something, go and read it. False when the first one left has no place.
bool Dispatcher::find_complete(std::uint32_t c, std::uint32_t plane, PageSlot& slot) {
  while (!cache_->complete_for(*board_->writes(c).front(), plane, slot)) {
    host_->complete_for_native(board_->take_write(c));
    const Transaction* head = board_->writes(c).front();
    if (head == nullptr || !peek_for_host(*head, plane, slot)) return false;
  }
  return true;
}

/// One move at a time.
bool Dispatcher::form_cached_move(TransactionList& lane, Group& g) {
  while (!lane.empty()) {
    Transaction& t = board_->take(lane);
    if (folds_ && t.hint == 0) {
      if (form_fold(t, g)) return true;
      continue;
    }
    if (!collector_->ready(t)) continue;
    PageSlot slot;
    if (!peek(t, t.plane, Stream::relocation, slot)) {
      collector_->give_up_subpages(t);
    } else if (folds_ && !slot.slc) {
      collector_->send_to_native(t);
    } else if (cache_->complete_for(t, t.plane, slot)) {
      add(g, t, plane_in_die(t), slot);
      return true;
    } else {
      collector_->send_to_native(t);
    }
  }
  return false;
}

/// Words are newer now than what tells of sectors that are lost.
void Dispatcher::tell_losses(const Transaction& t) {
  for (std::uint32_t left = cache_->written(t); left != 0; left &= left - 1) {
    const LogicalSubpage l = cache_->logical(t, lowest_bit(left));
    if ((state_->lost.of(l.lpn) & cache_->subpage_sectors(l.subpage)) != 0) journal_->lost(l.lpn);
  }
}

/// See commit(). A write that has not fitted into its page keeps its LPN.
void Dispatcher::commit_cached(const Group& g) {
  FtlState& s = *state_;
  SlcCache& cache = *cache_;
  const Stream stream = g.item[0]->traits->stream;
  const bool host = stream == Stream::host;
  std::uint32_t left_out = 0;
  for (std::uint32_t i = 0; i < g.count; ++i) {
    Transaction& t = *g.item[i];
    const PageSlot& slot = g.slot[i];
    t.ppn = s.blocks.ppn(t.plane, slot.block, slot.page);
    t.page_type = slot.slc ? 0 : s.blocks.order().type(slot.page);
    ++s.statistics.programs_by_type[t.page_type];
    RegionCounters& r = s.statistics.regions[s.blocks.block(t.plane, slot.block).region];
    ++(host ? r.host_pages : r.moved_pages);
    TouchedPlanes touched;
    cache.place(t, slot, ++s.write_sequence, touched);
    t.stamp = static_cast<std::uint32_t>(s.write_sequence);
    left_out += bits_set(s.full_mask & ~cache.work(t).cells);
    s.policy.allocation->take(Placement{t.plane, stream, t.hint}, slot);
    collector_->consider(touched);
    collector_->consider(t.plane);
    if (!host) {
      if (s.lost.any()) tell_losses(t);
      cache.place_losses(t, s.lost);
      continue;
    }
    const CacheWork& w = cache.work(t);
    // with the place, also of a part: from now on reads go there
    const std::uint32_t written = cache.sectors_of(w.written);
    const std::uint32_t before = s.lost.of(t.lpn);
    const std::uint32_t lost = (before & ~written) | (t.lost & written);
    if (lost != before) {
      cache.note_replaced_losses(t, before);
      s.lost.set(t.lpn, lost);
    }
    cache.place_losses(t, s.lost);
    if ((lost & written) != 0) journal_->lost(t.lpn); // its word is newer than what tells it
    if (w.todo != 0) continue;
    t.lost = lost;
    host_->placed(t);
  }
  const ProgramCause moved =
      !host && cache.levelling(g.item[0]->plane) ? ProgramCause::wear : ProgramCause::gc;
  const Transaction& first = *g.item[0];
  const bool rewrites = host && first.request == nullptr && first.cache_slot == kNoSlot; // one at a time
  const ProgramCause cause = rewrites ? first.rewrite_cause : host ? ProgramCause::host : moved;
  s.statistics.pages_programmed[static_cast<std::uint32_t>(cause)] += g.count;
  s.statistics.sectors_left_out[static_cast<std::uint32_t>(cause)] += left_out;
  if (!host) s.statistics.gc_pages_moved += g.count;
}

} // namespace twinplane::fw
