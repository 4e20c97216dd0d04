// Recovery: what pages of metadata say.
#include <algorithm>
#include <cstring>
#include <utility>

#include "firmware/ftl/recovery/recovery.h"
#include "firmware/ftl/write_stamp.h"

namespace twinplane::fw {

/// Copy of metadata that the unit holds, + 1; 0: none.
std::uint32_t Recovery::copy_of(std::uint32_t site, std::uint32_t block) const {
  const BlockTable& blocks = state_->blocks;
  std::uint32_t copy = 0;
  for (std::uint32_t p = 0; p < blocks.twins(); ++p) {
    const Found& f = found(blocks.first_plane_of(site) + p, block);
    if (f.copy != 0) copy = f.copy;
  }
  return copy;
}

/// The next written page of a block of metadata. False: there is none left.
bool Recovery::next_metadata_page(Ppn& ppn) {
  const BlockTable& blocks = state_->blocks;
  for (; next_block_ < blocks.geometry().blocks(); ++next_block_, next_page_ = 0) {
    const Found& f = found_[next_block_];
    if (f.copy == 0 || next_page_ == f.pages()) continue;
    ppn = blocks.ppn(next_block_ / blocks.blocks_per_plane(), next_block_ % blocks.blocks_per_plane(),
                     next_page_);
    return true;
  }
  return false;
}

/// Begins as many reads as the pool has transactions for. False when no page is left.
bool Recovery::read_metadata() {
  Ppn ppn = kNoPpn;
  while (next_metadata_page(ppn)) {
    Transaction* const t = state_->pool.take(PoolUser::firmware);
    if (t == nullptr) return true;
    state_->begin(*t, kReadMetadata, *this, ppn);
    ++next_page_;
    ++reading_;
    board_->enqueue(*t);
  }
  return false;
}

/// Of slices of the map both copies share a place, for of them the newest page is enough.
std::uint32_t Recovery::page_of_copy(std::uint32_t slice, std::uint32_t copy) const {
  const SliceLayout& layout = journal_->slices.layout();
  if (copy == 0 || layout.kind(slice) == SliceKind::map) return slice;
  const std::uint32_t blocks = layout.begin(SliceKind::blocks);
  return layout.with_parts() + (slice < blocks ? slice : layout.begin(SliceKind::map) + slice - blocks);
}

/// In whatever order they come: of each slice the newest page of each copy is kept.
void Recovery::metadata_read(Transaction& t, const FlashCompletion& c) {
  --reading_;
  ++counters_.pages_read;
  if (pass_ == Pass::parts) return part_read(t, c);
  SliceHeader header;
  const bool good = c.result == 0 && journal_->kept();
  const std::uint8_t* const page = good ? journal_->contents.open(t, c.oob, header) : nullptr;
  if (page == nullptr) {
    note_unreadable(t.ppn, c.oob);
  } else {
    ++counters_.metadata_pages;
    told_.read(header.slice, found(t.ppn).copy - 1u, header.stamp);
    if (journal_->slices.layout().kind(header.slice) == SliceKind::parts) {
      note_part(header, t.ppn);
    } else {
      const std::uint32_t at = page_of_copy(header.slice, found(t.ppn).copy - 1u);
      if (slice_read_[at] == 0 || kPageStamps.newer(header.stamp, slice_stamp_[at])) {
        std::memcpy(slice_page(at), page, journal_->slices.layout().page_bytes());
        slice_stamp_[at] = header.stamp;
        slice_read_[at] = 1;
      }
    }
  }
  state_->charge(1, state_->config.cost.map_lookup);
  state_->pool.release(t);
}

void Recovery::note_unreadable(Ppn page, std::uint64_t oob) {
  if (!journal_->kept()) return;
  const JournalWord word = journal_->items.read_word(oob);
  if (word.number == 0) return told_.wordless(found(page).copy - 1u);
  const std::uint32_t slice = (word.number - 1) / kJournalCopies;
  if (slice < journal_->slices.layout().with_parts())
    told_.unreadable(slice, (word.number - 1) % kJournalCopies, word.stamp);
}

/// What both copies have told last and neither does any more: trims may have been undone, and losses and bad blocks
/// forgotten. What is found instead counts from now on.
void Recovery::count_gone() {
  counters_.metadata_gone =
      told_.for_each_gone([&](SliceKind kind, std::uint32_t first, std::uint32_t items) {
        if (kind == SliceKind::blocks) {
          blocks_gone_ = true;
          return;
        }
        counters_.sectors_untold += std::uint64_t{items} * journal_->items.sectors();
        journal_->slices.changed(first);
        settles_ = true;
      });
}

/// Of a slice, or what page_of_copy() says.
std::uint8_t* Recovery::slice_page(std::uint32_t slice) const {
  const SliceLayout& layout = journal_->slices.layout();
  const std::uint32_t parts = layout.with_parts() - layout.slices();
  return slices_ + std::size_t{slice < layout.slices() ? slice : slice - parts} * layout.page_bytes();
}

/// From now on a slice's own page is the newer one, whatever copy it is of.
void Recovery::newest_copies_first() {
  if (slices_ == nullptr) return;
  const SliceLayout& layout = journal_->slices.layout();
  for (std::uint32_t s = 0; s < layout.slices(); ++s) {
    const std::uint32_t other = other_copy(s);
    if (other == s || slice_read_[other] == 0) continue;
    if (slice_read_[s] != 0 && !kPageStamps.newer(slice_stamp_[other], slice_stamp_[s])) continue;
    std::swap_ranges(slice_page(s), slice_page(s) + layout.page_bytes(), slice_page(other));
    std::swap(slice_stamp_[s], slice_stamp_[other]);
    std::swap(slice_read_[s], slice_read_[other]);
  }
}

/// The map of the checkpoint, if all its pages have been found. Words of blocks that had to be read before
/// win as all do: if they are newer than it.
bool Recovery::load_map() {
  const SliceLayout& layout = journal_->slices.layout();
  const std::uint32_t begin = layout.begin(SliceKind::map);
  const std::uint32_t end = layout.begin(SliceKind::blocks);
  for (std::uint32_t s = begin; s < end; ++s) {
    if (slice_read_[s] == 0) return false;
    SliceHeader header;
    std::memcpy(&header, slice_page(s), sizeof header);
    if (s == begin || kPageStamps.newer(checkpoint_, header.scan_from)) checkpoint_ = header.scan_from;
  }
  Mapping& mapping = *state_->policy.mapping;
  for (std::uint32_t s = begin; s < end; ++s) {
    for (std::uint32_t n = 0; n < layout.items(s); ++n) {
      const std::uint32_t lpn = layout.first(s) + n;
      const Ppn named = mapping.lookup(lpn);
      Ppn entry = static_cast<Ppn>(layout.word(slice_page(s), s, n));
      if (is_page(entry)) entry = state_->blocks.numbered(entry);
      if (is_page(named) && kPageStamps.newer(stamps_[lpn], checkpoint_)) continue;
      if (is_page(named) && named == entry) {
        confirmed_[lpn / 32] |= 1u << lpn % 32;
        continue;
      }
      mapping.exchange(lpn, entry);
      stamps_[lpn] = checkpoint_;
      count_losses(lpn, 0);
    }
  }
  state_->charge(state_->exported_pages, state_->config.cost.map_lookup);
  return true;
}

/// Entries of pages that are not there any more, which nothing newer has replaced: what was lost behind the
/// checkpoint. That they were there is noted: they may have copies.
void Recovery::drop_stale_entries() {
  Mapping& mapping = *state_->policy.mapping;
  for (std::uint32_t lpn = 0; lpn < state_->exported_pages; ++lpn) {
    const Ppn named = mapping.lookup(lpn);
    if (!is_page(named) || stamps_[lpn] != checkpoint_ || found(named).known) continue;
    if ((confirmed_[lpn / 32] >> lpn % 32 & 1) != 0) continue;
    mapping.exchange(lpn, kNoPpn);
    confirmed_[lpn / 32] |= 1u << lpn % 32;
  }
}

/// While all blocks are free yet.
void Recovery::load_blocks() {
  if (!journal_->keeps_blocks()) return;
  const std::uint32_t per_plane = state_->blocks.blocks_per_plane();
  const SliceLayout& layout = journal_->slices.layout();
  for (std::uint32_t s = layout.begin(SliceKind::blocks); s < layout.slices(); ++s) {
    for (std::uint32_t n = 0; slice_read_[s] != 0 && n < layout.items(s); ++n) {
      const std::uint32_t number = layout.first(s) + n;
      load_block(number / per_plane, number % per_plane, layout.word(slice_page(s), s, n), slice_stamp_[s]);
    }
  }
}

/// As the page with this stamp says: how often the number has been erased, and whether the die's block is bad. A
/// unit that holds words yet goes bad again, for its last erase is still to come. Where blocks are replaced it is
/// not known yet which ones are a unit.
void Recovery::load_block(std::uint32_t plane, std::uint32_t block, std::uint32_t entry,
                          std::uint32_t stamp) {
  BlockTable& blocks = state_->blocks;
  const std::uint32_t twins = blocks.twins();
  const std::uint32_t site = plane / twins;
  const Found& f = found(plane, block);
  const bool again = f.stamped && kPageStamps.newer(f.oldest, stamp);
  const std::uint32_t erases = (entry & kBlockErases) + (again ? 1 : 0);
  if (erases > blocks.unit(site, block).erases) blocks.recall(site, block, erases);
  block = blocks.number_of(plane, block);
  if ((entry & (kBlockHasFailed | kBlockIsBad)) != 0) blocks.mark_grown_bad(blocks.ppn(plane, block, 0));
  if ((entry & kBlockIsBad) == 0) return;
  if (blocks.replaces_blocks() && !lower_pages_->copies.is_ours(site, block)) return;
  for (std::uint32_t p = 0; p < twins; ++p) {
    if (found(blocks.first_plane_of(site) + p, block).stamped) return;
  }
  lower_pages_->copies.found_bad(site, block);
  if (blocks.block(plane, block).state == BlockState::free)
    retire(plane, block, (entry & kBlockIsFirst) != 0 ? 0 : 1);
  for (std::uint32_t p = 0; p < twins; ++p) found(blocks.first_plane_of(site) + p, block) = Found();
}

/// The region's list stays shorter by it.
void Recovery::retire(std::uint32_t plane, std::uint32_t block, Region region) {
  BlockTable& blocks = state_->blocks;
  const std::uint32_t twins = blocks.twins();
  if (blocks.regions() != 1) give(plane, block, region);
  if (cache_ != nullptr) blocks.read_in_slc_mode(plane, block, false);
  blocks.retire_marked(plane / twins, block, 1u << plane % twins);
}

/// Behind all else, for metadata must not write before the tables are complete.
void Recovery::settle() {
  const bool blocks = journal_->keeps_blocks() && (blocks_gone_ || !blocks_told_twice());
  if (blocks) journal_->block_table_changed();
  if (blocks || settles_) settled_ = journal_->rewrite_single_copies();
}

/// Both copies say the same of blocks that have gone bad, and that the drive is read-only.
bool Recovery::blocks_told_twice() const {
  constexpr std::uint32_t kBad = kBlockIsBad | kBlockHasFailed;
  const SliceLayout& layout = journal_->slices.layout();
  for (std::uint32_t s = layout.begin(SliceKind::blocks); s < layout.slices(); ++s) {
    if (slice_read_[s] == 0) continue;
    const std::uint8_t* const page = slice_page(s);
    const bool both = slice_read_[other_copy(s)] != 0;
    const std::uint8_t* const other = both ? slice_page(other_copy(s)) : nullptr;
    if (!both ? layout.record(page)->read_only != 0
              : layout.record(page)->read_only != layout.record(other)->read_only)
      return false;
    for (std::uint32_t n = 0; n < layout.items(s); ++n) {
      const std::uint32_t told = both ? layout.word(other, s, n) : 0;
      if (((layout.word(page, s, n) ^ told) & kBad) != 0) return false;
    }
  }
  return true;
}

/// What the front end has counted, as of the newest page of the block table.
const KeptRecord* Recovery::newest_record() const {
  if (slices_ == nullptr) return nullptr;
  const SliceLayout& layout = journal_->slices.layout();
  const std::uint32_t begin = layout.begin(SliceKind::blocks);
  std::uint32_t best = layout.slices();
  for (std::uint32_t s = begin; s < layout.slices(); ++s) {
    if (slice_read_[s] == 0) continue;
    if (best == layout.slices() || kPageStamps.newer(slice_stamp_[s], slice_stamp_[best])) best = s;
  }
  return best == layout.slices() ? nullptr : layout.record(slice_page(best));
}

/// Its blocks are written one behind the other. Where a page has been torn it is as if the unit were full:
/// the next one might share its wordline with the only page left that holds some slice. The same where blocks
/// have been erased already.
std::uint32_t Recovery::metadata_written(std::uint32_t site, std::uint32_t block) const {
  const BlockTable& blocks = state_->blocks;
  std::uint32_t sum = 0;
  for (std::uint32_t p = 0; p < blocks.twins(); ++p) {
    const Found& f = found(blocks.first_plane_of(site) + p, block);
    const std::uint32_t written = f.pages();
    if (f.torn || (written != 0 && sum != p * blocks.pages_per_block())) return journal_->units.pages();
    sum += written;
  }
  return sum;
}

/// While all blocks are free yet.
void Recovery::hand_over_metadata() {
  const BlockTable& blocks = state_->blocks;
  for (std::uint32_t site = 0; site < blocks.sites(); ++site) {
    for (std::uint32_t block = 0; block < blocks.blocks_per_plane(); ++block) {
      const std::uint32_t copy = copy_of(site, block);
      if (copy == 0) continue;
      to_last_region(site, block);
      journal_->units.found(site, block, copy - 1, metadata_written(site, block));
    }
  }
  if (!journal_->kept()) return;
  for (std::uint32_t s = 0; s < journal_->slices.layout().slices(); ++s) {
    if (slice_read_[s] == 0) continue;
    if (journal_->slices.layout().kind(s) != SliceKind::blocks) apply_slice(slice_page(s));
    journal_->slices.known(s);
  }
  for (std::uint32_t s = journal_->slices.layout().slices(); s < journal_->slices.layout().with_parts();
       ++s) {
    if (counts(s)) journal_->slices.known(s);
  }
  state_->charge(state_->exported_pages / 32, state_->config.cost.map_lookup);
}

} // namespace twinplane::fw
