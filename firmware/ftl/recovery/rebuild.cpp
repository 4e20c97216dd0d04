// Recovery: the block table and the open blocks, from what the scan has found.
#include <algorithm>

#include "firmware/ftl/recovery/recovery.h"
#include "firmware/ftl/write_stamp.h"

namespace twinplane::fw {

/// All words are known.
void Recovery::begin_parts() {
  state_->write_sequence = newest_;
  if (from_checkpoint_) drop_stale_entries();
  map_copies();
  join_units();
  next_part_ = journal_->kept() ? journal_->slices.layout().slices() : 0;
  pass_ = Pass::parts;
}

void Recovery::rebuild() {
  if (cache_ != nullptr) deal_cache_blocks();
  if (endangers_pages(state_->config)) count_taken();
  hand_over_metadata();
  count_gone();
  if (from_checkpoint_ && endangers_pages(state_->config)) lose_taken();
  if (journal_->checkpoints() && state_->lost.any()) keep_losses();
  if (cache_ == nullptr) {
    mark_valid();
    choose_copies();
    if (state_->blocks.regions() != 1) deal_blocks();
  }
  hand_over_copies();
  for (const bool full : {true, false}) {
    const std::uint32_t count = list_units(units_, full);
    std::sort(units_, units_ + count, [](const Unit& a, const Unit& b) {
      if (a.age != b.age) return a.age > b.age;
      return a.site != b.site ? a.site < b.site : a.block < b.block;
    });
    for (std::uint32_t i = 0; i < count; ++i) full ? fill(units_[i]) : go_on(units_[i]);
  }
  if (cache_ != nullptr) cache_->recovery.recovered(newest_);
  lower_pages_->copies.recovered(stamps_);
  for (std::uint32_t p = 0; p < state_->blocks.geometry().planes(); ++p) collector_->jobs.consider(p);
  end_step(counters_.rebuild_ps);
  journal_->recovered(newest_record());
  if (DriveRecord* const counted = state_->sink->record()) counted->media_errors += counters_.metadata_gone;
  settle();
  pass_ = Pass::rescue;
  tell(pass_);
  lower_pages_->protect();
}

// --- what an interrupted upper page has taken ---

/// A block without a word whose pages are all written has been erased in part, as a rule. But cuts may have torn all
/// its wordlines, of which small blocks have one or two, so it counts as well.
void Recovery::count_taken() {
  const std::uint32_t blocks = state_->blocks.geometry().blocks();
  for (std::uint32_t b = 0; b < blocks; ++b) counters_.pages_taken += found_[b].taken;
}

/// The checkpoint names a page that is not there any more, no newer one is, and nobody has trimmed the LPN: it
/// has been taken, and what is older does not count.
void Recovery::lose_taken() {
  for (std::uint32_t lpn = 0; lpn < state_->exported_pages; ++lpn) {
    if (!dropped(lpn) || state_->lost.of(lpn) != 0) continue;
    journal_->items.set_lost(lpn, state_->full_mask);
    journal_->trimmed(lpn, kNoPpn); // its slice is to be written
    settles_ = true;
  }
}

// --- copies of lower pages ---

/// An LPN's newest page may be one that can be read in its copy alone. Where the checkpoint calls an LPN
/// unmapped copies that are older are void; where it names a page that is not there any more they are not.
void Recovery::map_copies() {
  Mapping& mapping = *state_->policy.mapping;
  lower_pages_->copies.for_each([&](const CopyUnits::Copy& copy, Ppn page) {
    if (copy.lpn >= state_->exported_pages) return;
    const bool any = is_page(mapping.lookup(copy.lpn)) || (from_checkpoint_ && !dropped(copy.lpn));
    if (any && !kPageStamps.newer(copy.stamp, stamps_[copy.lpn])) return;
    mapping.exchange(copy.lpn, page);
    stamps_[copy.lpn] = copy.stamp;
    count_losses(copy.lpn, 0); // it is read when it is written again
  });
}

/// See drop_stale_entries().
bool Recovery::dropped(std::uint32_t lpn) const {
  return !is_page(state_->policy.mapping->lookup(lpn)) && (confirmed_[lpn / 32] >> lpn % 32 & 1) != 0;
}

void Recovery::hand_over_copies() {
  const BlockTable& blocks = state_->blocks;
  if (!lower_pages_->kept()) return;
  for (std::uint32_t plane = 0; plane < blocks.geometry().planes(); ++plane) {
    for (std::uint32_t block = 0; block < blocks.blocks_per_plane(); ++block) {
      const Found& f = found(plane, block);
      if (is_copy(plane, block)) lower_pages_->copies.found_block(plane, block, f.pages());
      lower_pages_->progress.complete_up_to(plane, block, f.written[blocks.order().types() - 1]);
    }
  }
}

/// False: it goes on.
bool Recovery::rescue() {
  return (cache_ != nullptr ? join_split() : write_again()) && rescued();
}

/// False: there are more pages than can be written now.
bool Recovery::write_again() {
  for (;;) {
    const std::size_t here = next_copy_;
    const std::uint32_t lpn = lower_pages_->copies.next_rescued(next_copy_);
    if (lpn == kNoLpn) return true;
    if (!host_->rewriter.rewrite(lpn, ProgramCause::backup)) {
      next_copy_ = here;
      return false;
    }
    ++counters_.pages_rescued;
  }
}

void Recovery::end_rescue() {
  end_step(counters_.rescue_ps);
  const KeptRecord* const record = newest_record();
  if (record != nullptr && record->read_only != 0) state_->statistics.read_only = true;
  busy_ = false;
  state_->hal->trace_event(TraceEvent::recovery_end, 0, 0);
  state_->sink->on_recovered();
}

/// While all blocks are free yet: what they gain when they are closed follows from it.
void Recovery::mark_valid() {
  BlockTable& blocks = state_->blocks;
  for (std::uint32_t lpn = 0; lpn < state_->exported_pages; ++lpn) {
    const Ppn ppn = state_->policy.mapping->lookup(lpn);
    if (is_page(ppn)) blocks.make_valid(blocks.plane_of(ppn), blocks.block_of(ppn), blocks.page_of(ppn));
  }
  state_->charge(state_->exported_pages, state_->config.cost.map_lookup);
}

Recovery::Found& Recovery::found(Ppn ppn) const {
  return found(state_->blocks.plane_of(ppn), state_->blocks.block_of(ppn));
}

/// Of two equal pages the map has to name the copy, or collection that was under way would not find the space
/// that it had: what it had moved would lie in the victim again. Which of two full blocks the victim is
/// cannot be seen from their pages. But the victim's other valid pages are as many at most as there are free
/// pages for them, so whichever block has fewer of its own may be taken for it. A block that is not full
/// holds the copies, for it could not be collected (but by page-type allocation).
void Recovery::choose_copies() {
  BlockTable& blocks = state_->blocks;
  Mapping& mapping = *state_->policy.mapping;
  const auto own = [&](Ppn ppn) {
    const std::uint32_t plane = blocks.plane_of(ppn);
    const std::uint32_t block = blocks.block_of(ppn);
    const std::uint32_t site = blocks.site_of(plane);
    const bool full = pages_of(site, block) == pages_in_use(site, block);
    return blocks.block(plane, block).valid - found(ppn).twice + (full ? 0 : blocks.pages_per_block());
  };
  const auto is_twice = [&](const Twice& t) {
    const Ppn named = mapping.lookup(t.lpn);
    return is_page(named) && named != t.other && t.stamp == stamps_[t.lpn];
  };
  for (std::uint32_t i = 0; i < twice_count_; ++i) {
    if (is_twice(twice_[i])) ++found(mapping.lookup(twice_[i].lpn)).twice;
  }
  for (std::uint32_t i = 0; i < twice_count_; ++i) {
    const Twice& t = twice_[i];
    const Ppn named = mapping.lookup(t.lpn);
    if (!is_twice(t) || own(named) > own(t.other)) continue;
    mapping.exchange(t.lpn, t.other);
    blocks.invalidate(named);
    blocks.make_valid(blocks.plane_of(t.other), blocks.block_of(t.other), blocks.page_of(t.other));
    --found(named).twice;
    ++found(t.other).twice;
  }
}

std::uint32_t Recovery::pages_of(std::uint32_t site, std::uint32_t block) const {
  const BlockTable& blocks = state_->blocks;
  std::uint32_t sum = 0;
  for (std::uint32_t p = 0; p < blocks.twins(); ++p) {
    sum += found(blocks.first_plane_of(site) + p, block).pages();
  }
  return sum;
}

/// Full units by their last program, when they were closed; others by their first one, when they were opened.
/// Without a single stamp a full unit is as old as can be, another one as new: it must not take a frontier's
/// place.
std::uint32_t Recovery::list_units(Unit* units, bool full) {
  const BlockTable& blocks = state_->blocks;
  std::uint32_t count = 0;
  for (std::uint32_t site = 0; site < blocks.sites(); ++site) {
    for (std::uint32_t block = 0; block < blocks.blocks_per_plane(); ++block) {
      const std::uint32_t pages = pages_of(site, block);
      if (pages == 0 || (pages == pages_in_use(site, block)) != full || copy_of(site, block) != 0) continue;
      if (lower_pages_->copies.is_ours(site, block)) continue;
      Unit& unit = units[count++] = Unit{full ? ~std::uint64_t{0} : 0, site, block};
      bool any = false;
      for (std::uint32_t p = 0; p < blocks.twins(); ++p) {
        const Found& f = found(blocks.first_plane_of(site) + p, block);
        if (!f.stamped) continue;
        const std::uint64_t age = order_.behind(full ? f.newest : f.oldest, newest_);
        if (!any || (full ? age < unit.age : age > unit.age)) unit.age = age;
        any = true;
      }
    }
  }
  counters_.units_found += count;
  return count;
}

void Recovery::take_written(const Unit& unit) {
  BlockTable& blocks = state_->blocks;
  if (cache_ != nullptr)
    return cache_->recovery.reopen(unit.site, unit.block, pages_of(unit.site, unit.block));
  if (blocks.regions() == 1) {
    blocks.transition_unit(unit.site, unit.block, BlockState::open);
  } else {
    blocks.open_in_region(unit.site, unit.block);
  }
  for (std::uint32_t p = 0; p < blocks.twins(); ++p) {
    const std::uint32_t plane = blocks.first_plane_of(unit.site) + p;
    const Found& f = found(plane, unit.block);
    for (std::uint32_t t = 0; t < blocks.order().types(); ++t) {
      for (std::uint32_t n = 0; n < f.written[t]; ++n)
        blocks.take_page(plane, unit.block, blocks.order().page(n, static_cast<PageType>(t)));
      state_->copybacks.unknown(plane, unit.block);
    }
  }
  if (blocks.regions() != 1) blocks.close_if_full(unit.site, unit.block);
}

void Recovery::fill(const Unit& unit) {
  take_written(unit);
}

/// What cannot go on is used up: it is closed, and its blank pages count as invalid ones.
void Recovery::go_on(const Unit& unit) {
  BlockTable& blocks = state_->blocks;
  take_written(unit);
  std::uint32_t written[kMaxPlanesPerDie * kMaxPageTypes];
  const std::uint32_t first = blocks.first_plane_of(unit.site);
  for (std::uint32_t p = 0; p < blocks.twins(); ++p) {
    for (std::uint32_t t = 0; t < kMaxPageTypes; ++t)
      written[p * kMaxPageTypes + t] = found(first + p, unit.block).written[t];
  }
  const bool one_mode = found(first, unit.block).look == Look::told;
  if (one_mode && state_->policy.allocation->resume(unit.site, unit.block, written)) {
    ++counters_.units_resumed;
    return;
  }
  ++counters_.units_closed;
  if (!lower_pages_->adopt(unit.site, unit.block)) give_up_rest(unit);
}

void Recovery::give_up_rest(const Unit& unit) {
  BlockTable& blocks = state_->blocks;
  if (cache_ != nullptr) return cache_->recovery.give_up_rest(unit.site, unit.block);
  const std::uint32_t first = blocks.first_plane_of(unit.site);
  for (std::uint32_t p = 0; p < blocks.twins(); ++p) {
    const Found& f = found(first + p, unit.block);
    const bool fast = blocks.mode(blocks.block(first + p, unit.block).region) == PageMode::fast;
    for (std::uint32_t t = 0; t < (fast ? 1 : blocks.order().types()); ++t) {
      for (std::uint32_t n = f.written[t]; n < blocks.order().wordlines(); ++n)
        blocks.take_page(first + p, unit.block, blocks.order().page(n, static_cast<PageType>(t)));
    }
    if (fast) blocks.close_if_full(first + p, unit.block);
    lower_pages_->progress.complete_up_to(first + p, unit.block, blocks.order().wordlines());
  }
}

} // namespace twinplane::fw
