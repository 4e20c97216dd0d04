// Metadata in a drive with an SLC-mode cache: its items are subpages, its units blocks of the cache, which
// are programmed in SLC mode, so that a page endangers no other one, also where native pages are programmed
// by whole wordlines.
#include <cstring>

#include "firmware/ftl/metadata/metadata.h"

namespace twinplane::fw {

std::uint32_t Metadata::unit_pages() const {
  return of_cache() ? state_->blocks.region_pages(kCache) : state_->blocks.unit_pages();
}

std::uint64_t Metadata::word_of(const Transaction& t, std::uint64_t sequence) const {
  if (of_cache())
    return state_->policy.cache->io.own_word(sequence, number_in(t.lpn, state_->exported_pages) - 1);
  return FtlState::oob_of(static_cast<std::uint32_t>(sequence), t.lpn);
}

Metadata::Word Metadata::read_word(std::uint64_t oob) const {
  if (oob == kNoWord) return {};
  if (!of_cache())
    return {number_in(oob_lpn(oob), state_->exported_pages), static_cast<std::uint32_t>(oob >> 32)};
  const SlcCache& cache = *state_->policy.cache;
  return {cache.io.own_number(oob), static_cast<std::uint32_t>(cache.io.words().sequence(oob))};
}

/// Of each copy the units that are written, and as many old ones that are not erased yet.
Metadata::Kept Metadata::what_cache_keeps() const {
  for (const Kept kept : {Kept::blocks, Kept::trims}) {
    const std::uint32_t per_copy = units_for(layout_of(kept).slices());
    if (state_->policy.cache->space.spare_blocks() >= 2 * kCopies * (per_copy + 1)) return kept;
  }
  return Kept::nothing;
}

/// The pages that the program should have replaced hold the newest versions, also of what has been trimmed
/// since; if they have not been erased, and nothing is known of that.
void Metadata::subpages_failed(const Transaction& t) {
  const SlcCache& cache = *state_->policy.cache;
  for (std::uint32_t left = cache.io.written(t); left != 0; left &= left - 1) {
    const LogicalSubpage l = cache.io.logical(t, lowest_bit(left));
    program_failed(cache.io.replaced(t, lowest_bit(left)));
    if (cache.map.at(l.lpn, l.subpage) == kNoPsn) lost(l.lpn);
  }
}

/// Programs under way of subpages that have had no page before, or one that is under way as well: the first
/// one of each.
template <typename Each>
void Metadata::for_first_subpages(std::uint32_t slice, const Each& each) const {
  SlcCache& cache = *state_->policy.cache;
  state_->pool.for_each([&](const Transaction& t) {
    if (!t.traits->by_subpage) return;
    for (std::uint32_t left = cache.io.in_hand(t); left != 0; left &= left - 1) {
      const std::uint32_t subpage = lowest_bit(left);
      const LogicalSubpage l = cache.io.logical(t, subpage);
      const std::uint32_t item = (l.lpn << item_shift_) + l.subpage;
      if (is_page(cache.io.replaced(t, subpage)) || !layout_.holds(slice, item)) continue;
      if (cache.map.at(l.lpn, l.subpage) != kNoPsn) each(SliceProgram{item, t.stamp});
    }
  });
}

std::uint32_t Metadata::first_subpages(std::uint32_t slice) const {
  std::uint32_t programs = 0;
  for_first_subpages(slice, [&](const SliceProgram&) { ++programs; });
  return programs;
}

void Metadata::fill_subpage_trims(std::uint8_t* page, SliceHeader& header) const {
  const SlcCache& cache = *state_->policy.cache;
  const std::uint32_t first = layout_.first(header.slice);
  for_first_subpages(header.slice, [&](const SliceProgram& program) {
    SliceLayout::set_unmapped(page, program.lpn - first);
    if (header.programs < layout_.most_entries())
      std::memcpy(page + layout_.entry_at(header.programs), &program, sizeof program);
    ++header.programs;
  });
  for (std::uint32_t n = 0; n < header.items; ++n) {
    const std::uint32_t lpn = (first + n) >> item_shift_;
    const std::uint32_t subpage = (first + n) & low_mask(item_shift_);
    if (cache.map.at(lpn, subpage) == kNoPsn) SliceLayout::set_unmapped(page, n);
  }
  fill_losses(page, header);
}

} // namespace twinplane::fw
