// SlcCache: packed eviction. What leaves a block goes to native pages that are filled with subpages of any
// logical pages, so native blocks are mapped by subpage.
//
// Then a page of a native block may be valid for the sake of one subpage, and collection must pack as well:
// it gains a page where a block holds as many subpages less than it can as a page has. Native blocks are
// counted one page short (FtlCore::usable_pages_of), so that of the closed ones there is always one like that
// somewhere.
#include "firmware/ftl/slc_cache/slc_cache.h"

namespace twinplane::fw {

LogicalSubpage SlcCache::logical(const CacheWork& w, std::uint32_t lpn, std::uint32_t subpage) const {
  if (!w.packed) return LogicalSubpage{lpn, subpage};
  const Psn from = w.from[subpage]; // its block has not been erased: a move out of it is under way
  return LogicalSubpage{map.owner_lpn(map.page_of(from), map.slot_of(from)),
                        map.owner_subpage(map.page_of(from), map.slot_of(from))};
}

SlcCache::Run SlcCache::run_of(const Transaction& t, std::uint32_t subpages) const {
  const CacheWork& w = works_[t.index];
  if (!w.packed) return run_of(t.lpn, subpages);
  Run run;
  run.ppn = map.page_of(w.from[lowest_bit(subpages)]);
  for (; subpages != 0; subpages &= subpages - 1) {
    if (map.page_of(w.from[lowest_bit(subpages)]) == run.ppn) run.subpages |= 1u << lowest_bit(subpages);
  }
  return run;
}

std::uint32_t SlcCache::still_there(const Transaction& t) const {
  const CacheWork& w = works_[t.index];
  return w.packed ? current(t) : w.todo & map.mapped(t.lpn);
}

SlcCache::SlotOfBlock SlcCache::begin_pack(Transaction& t, Ppn page, std::uint32_t slot) {
  CacheWork& w = work(t);
  w = CacheWork();
  w.packed = true;
  t.lpn = map.owner_lpn(page, slot);
  t.hint = 0;
  const std::uint32_t plane = blocks_->plane_of(page);
  const std::uint32_t block = blocks_->block_of(page);
  SlotOfBlock next{blocks_->page_of(page), slot};
  std::uint32_t count = 0;
  while (next.page != blocks_->pages_per_block()) {
    const Ppn ppn = blocks_->ppn(plane, block, next.page);
    std::uint32_t left = map.page(ppn).valid & ~low_mask(next.slot);
    for (; left != 0 && count != map.subpages(); left &= left - 1) {
      w.from[count++] = map.psn(ppn, lowest_bit(left));
      next.slot = lowest_bit(left) + 1;
    }
    if (count == map.subpages()) break;
    next = SlotOfBlock{blocks_->next_valid(plane, block, next.page + 1), 0};
  }
  w.todo = static_cast<std::uint8_t>(low_mask(count));
  return next;
}

bool SlcCache::native_collectable(std::uint32_t plane) const {
  const bool any = blocks_->domain(blocks_->domain_of(plane, kNative)).reclaimable != 0;
  if (any && config_.fold == 1) return true;
  return picks_native() && native_victim(plane) != kNoBlock;
}

/// The one with the fewest valid subpages (pages, where eviction is not packed), the lowest number among
/// equals, if that gains a page, or a wordline where these are programmed as a whole.
std::uint32_t SlcCache::native_victim(std::uint32_t plane) const {
  const std::uint32_t domain = blocks_->domain_of(plane, kNative);
  const bool packed = config_.packed_eviction;
  std::uint32_t least =
      (blocks_->pages_per_block() - config_.fold) * (packed ? map.subpages() : 1) + 1; // fold: at least 1
  std::uint32_t best = kNoBlock;
  for (std::uint32_t b = 0; b < blocks_->blocks_per_plane(); ++b) {
    if (!blocks_->is_member(domain, b) || blocks_->block(plane, b).state != BlockState::closed) continue;
    const std::uint32_t valid = packed ? map.sums(plane, b).valid : blocks_->block(plane, b).valid;
    if (valid >= least) continue;
    least = valid;
    best = b;
  }
  return best;
}

/// Native pages that collecting a native block may still take. Packed: each move under way has one valid
/// subpage at least, and all of them take less pages than the block had.
std::uint32_t SlcCache::most_moved(std::uint32_t plane, std::uint32_t block) const {
  if (!config_.packed_eviction) return whole_wordlines(blocks_->block(plane, block).valid);
  const std::uint32_t valid = map.sums(plane, block).valid;
  return whole_wordlines(valid < blocks_->pages_per_block() ? valid : blocks_->pages_per_block());
}

std::uint32_t SlcCache::place_in(const Transaction& writer, const LogicalSubpage& l) const {
  if (!writer.traits->by_subpage) return kNoPlace;
  const Psn now = map.at(l.lpn, l.subpage);
  for (std::uint32_t left = now == kNoPsn ? 0 : in_hand(writer); left != 0; left &= left - 1) {
    const LogicalSubpage there = logical(writer, lowest_bit(left));
    const bool same = there.lpn == l.lpn && there.subpage == l.subpage;
    if (same && works_[writer.index].at[lowest_bit(left)] == now) return lowest_bit(left);
  }
  return kNoPlace;
}

std::uint32_t SlcCache::part_of(const Transaction& t, const LogicalSubpage& l) const {
  for (std::uint32_t left = works_[t.index].written; left != 0; left &= left - 1) {
    const LogicalSubpage there = logical(t, lowest_bit(left));
    if (there.lpn == l.lpn && there.subpage == l.subpage) return lowest_bit(left);
  }
  return kNoPlace;
}

void SlcCache::copy_subpage(const Transaction& from, std::uint32_t at, Transaction& to, std::uint32_t subpage,
                            std::uint32_t sectors) {
  const std::uint32_t bytes = sectors_per_subpage_ * payload_;
  copy_sectors(*hal_, payload_, to.buffer + subpage * bytes, from.buffer + at * bytes,
               sectors >> subpage * sectors_per_subpage_);
  work(to).have |= sectors;
}

} // namespace twinplane::fw
