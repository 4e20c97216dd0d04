// Recovery: what pages of metadata say of trims and losses.
//
// Of an LPN the newer one of two pages counts: that of its slice, or that of its part of the slice. There may
// be many parts, of which few are ever written, so memory is for the slices alone: where the newest page of a
// part lies is noted, and it is read once more when all words are known.
#include <cstring>
#include <utility>

#include "firmware/ftl/recovery/recovery.h"
#include "firmware/ftl/write_stamp.h"

namespace twinplane::fw {

void Recovery::note_part(const SliceHeader& header, Ppn page) {
  const std::uint32_t s = header.slice;
  Ppn* const pages = part_pages_ + 2 * (s - journal_->slices.layout().slices());
  if (slice_read_[s] != 0 && !kPageStamps.newer(header.stamp, slice_stamp_[s])) return;
  pages[1] = slice_read_[s] != 0 ? pages[0] : kNoPpn;
  pages[0] = page;
  slice_stamp_[s] = header.stamp;
  slice_read_[s] = 1;
}

/// It is newer than the page of the slice as a whole, if there is one.
bool Recovery::counts(std::uint32_t part) const {
  const std::uint32_t whole = journal_->slices.layout().whole_of(part);
  return slice_read_[part] != 0 &&
         (slice_read_[whole] == 0 || kPageStamps.newer(slice_stamp_[part], slice_stamp_[whole]));
}

/// As read_metadata().
bool Recovery::read_parts() {
  if (!journal_->kept()) return false;
  const SliceLayout& layout = journal_->slices.layout();
  for (; next_part_ < layout.with_parts(); ++next_part_) {
    if (!counts(next_part_)) continue;
    Transaction* const t = state_->pool.take(PoolUser::firmware);
    if (t == nullptr) return true;
    state_->begin(*t, kReadMetadata, *this, part_pages_[2 * (next_part_ - layout.slices())]);
    t->slice = next_part_;
    ++reading_;
    board_->enqueue(*t);
  }
  return false;
}

/// A page that has been good before. If it is not any more the one before it counts, or none of them.
void Recovery::part_read(Transaction& t, const FlashCompletion& c) {
  SliceHeader header;
  const std::uint32_t part = t.slice;
  const std::uint8_t* const page = c.result == 0 ? journal_->contents.open(t, c.oob, header) : nullptr;
  if (page == nullptr) note_unreadable(t.ppn, c.oob);
  Ppn& other = part_pages_[2 * (part - journal_->slices.layout().slices()) + 1];
  if (page != nullptr) {
    apply_slice(page);
  } else if (is_page(other)) {
    state_->begin(t, kReadMetadata, *this, std::exchange(other, kNoPpn));
    ++reading_;
    return board_->enqueue(t);
  } else {
    slice_read_[part] = 0;
  }
  state_->pool.release(t);
}

/// What is older than the page is void of items that it calls unmapped, and lost where it says so.
void Recovery::apply_slice(const std::uint8_t* page) {
  const SliceLayout& layout = journal_->slices.layout();
  SliceHeader header;
  std::memcpy(&header, page, sizeof header);
  const SliceKind kind = layout.kind(header.slice);
  const std::uint32_t first = layout.first(header.slice);
  if (kind != SliceKind::trims) {
    void_items(page, first, first + header.items);
    for (std::uint32_t n = 0; kind == SliceKind::parts && n < header.items; ++n)
      lose(page, first + n, layout.lost(page, n));
    return;
  }
  for (std::uint32_t n = 0; n < layout.parts(header.slice); ++n) {
    const std::uint32_t part = layout.part(header.slice, n);
    if (!counts(part)) void_items(page, layout.first(part), layout.first(part) + layout.items(part));
  }
  for (std::uint32_t i = 0; i < header.losses; ++i) {
    SliceLoss loss;
    std::memcpy(&loss, page + layout.entry_at(header.programs + i), sizeof loss);
    if (layout.holds(header.slice, loss.lpn) && !counts(layout.part_of(loss.lpn)))
      lose(page, loss.lpn, loss.sectors);
  }
}

void Recovery::lose(const std::uint8_t* page, std::uint32_t item, std::uint32_t sectors) {
  SliceHeader header;
  std::memcpy(&header, page, sizeof header);
  if (sectors == 0 || newer(item, header.stamp)) return;
  journal_->items.set_lost(item, sectors);
  if (!lost_twice(header, item, sectors)) to_be_settled(item);
}

void Recovery::void_items(const std::uint8_t* page, std::uint32_t first, std::uint32_t end) {
  const SliceLayout& layout = journal_->slices.layout();
  SliceHeader header;
  std::memcpy(&header, page, sizeof header);
  for (std::uint32_t item = first; item < end; ++item) {
    const std::uint32_t n = item - layout.first(header.slice);
    if (!layout.unmapped(page, layout.kind(header.slice), n)) continue;
    if (from_checkpoint_ && kPageStamps.newer(header.stamp, checkpoint_))
      confirmed_[item / 32] &= ~(1u << item % 32); // trimmed behind it
    if (!mapped(item)) continue;
    if (newer(item, header.stamp) || was_under_way(page, header, item)) continue;
    if (layout.kind(header.slice) != SliceKind::map && !unmapped_twice(header, item)) to_be_settled(item);
    forget(item);
    count_losses(item, 0);
    ++counters_.lpns_unmapped;
  }
}

/// Blocks that a checkpoint tells of are not read the next time, and the pages in them that are marked neither.
/// The slices that tell of losses are written before it.
void Recovery::keep_losses() const {
  for (std::uint32_t lpn = 0; lpn < state_->exported_pages; ++lpn) {
    if (state_->lost.of(lpn) != 0) journal_->trimmed(lpn, kNoPpn);
  }
}

/// The page of the same slice that the other copy has, or nullptr. Of parts it is not known.
const std::uint8_t* Recovery::other_page(const SliceHeader& header) const {
  if (header.slice >= journal_->slices.layout().slices()) return nullptr;
  const std::uint32_t other = other_copy(header.slice);
  return slice_read_[other] != 0 ? slice_page(other) : nullptr;
}

bool Recovery::unmapped_twice(const SliceHeader& header, std::uint32_t item) const {
  const SliceLayout& layout = journal_->slices.layout();
  const std::uint8_t* const page = other_page(header);
  if (page == nullptr) return false;
  SliceHeader other;
  std::memcpy(&other, page, sizeof other);
  return layout.unmapped(page, SliceKind::trims, item - layout.first(other.slice)) &&
         !newer(item, other.stamp) && !was_under_way(page, other, item);
}

bool Recovery::lost_twice(const SliceHeader& header, std::uint32_t item, std::uint32_t sectors) const {
  const std::uint8_t* const page = other_page(header);
  if (page == nullptr) return false;
  SliceHeader other;
  std::memcpy(&other, page, sizeof other);
  for (std::uint32_t i = 0; i < other.losses; ++i) {
    SliceLoss loss;
    std::memcpy(&loss, page + journal_->slices.layout().entry_at(other.programs + i), sizeof loss);
    if (loss.lpn == item) return loss.sectors == sectors && !newer(item, other.stamp);
  }
  return false;
}

/// Its page, which holds an older version, is not erased before both copies tell.
void Recovery::to_be_settled(std::uint32_t item) {
  settles_ = true;
  if (cache_ == nullptr) return journal_->trimmed(item, state_->policy.mapping->lookup(item));
  const SubpageMap& map = cache_->map;
  const Psn at = map.at(item / map.subpages(), item % map.subpages());
  journal_->trimmed(item / map.subpages(), at == kNoPsn ? kNoPpn : map.page_of(at));
}

/// Its page was being programmed when the page of metadata was written.
bool Recovery::was_under_way(const std::uint8_t* page, const SliceHeader& header, std::uint32_t item) const {
  for (std::uint32_t i = 0; i < header.programs; ++i) {
    SliceProgram program;
    std::memcpy(&program, page + journal_->slices.layout().entry_at(i), sizeof program);
    if (program.lpn == item && !kPageStamps.newer(program.stamp, stamp_of(item))) return true;
  }
  return false;
}

bool Recovery::newer(std::uint32_t item, std::uint32_t than) const {
  return mapped(item) && kPageStamps.newer(stamp_of(item), than);
}

bool Recovery::mapped(std::uint32_t item) const {
  if (cache_ == nullptr) return is_page(state_->policy.mapping->lookup(item));
  return cache_->map.at(item / cache_->map.subpages(), item % cache_->map.subpages()) != kNoPsn;
}

/// Of what the map names. Pages of metadata have as much of the cache's sequence as a stamp.
std::uint64_t Recovery::stamp_of(std::uint32_t item) const {
  return cache_ == nullptr ? stamps_[item] : cache_->recovery.sequence_of(item);
}

void Recovery::forget(std::uint32_t item) {
  if (cache_ == nullptr) {
    state_->policy.mapping->exchange(item, kNoPpn);
  } else {
    cache_->map.forget(item / cache_->map.subpages(), item % cache_->map.subpages());
  }
}

} // namespace twinplane::fw
