// What pages of metadata say of trims and losses, against what words say.
#pragma once

#include "firmware/ftl/features/journal/found_slices.h"
#include "firmware/ftl/recovery/found_map.h"

namespace twinplane::fw {

class TrimReplay : private RecoveryPart {
 public:
  TrimReplay(const RecoveryPart& part, Journal& journal, FoundMap& map, const FoundSlices& slices)
      : RecoveryPart(part), journal_(journal), map_(map), slices_(slices), layout_(slices.layout()) {}
  /// What is older than the page is void of items that it calls unmapped, and lost where it says so.
  void apply(const std::uint8_t* page) {
    const SliceHeader header = header_of(page);
    const SliceKind kind = layout_.kind(header.slice);
    const std::uint32_t first = layout_.first(header.slice);
    if (kind != SliceKind::trims) {
      void_items(page, first, first + header.items);
      for (std::uint32_t n = 0; kind == SliceKind::parts && n < header.items; ++n)
        lose(header, first + n, layout_.lost(page, n));
      return;
    }
    for (std::uint32_t n = 0; n < layout_.parts(header.slice); ++n) {
      const std::uint32_t part = layout_.part(header.slice, n);
      if (!slices_.counts(part))
        void_items(page, layout_.first(part), layout_.first(part) + layout_.items(part));
    }
    for (std::uint32_t i = 0; i < header.losses; ++i) {
      const auto loss = entry<SliceLoss>(page, header.programs + i);
      if (layout_.holds(header.slice, loss.lpn) && !slices_.counts(layout_.part_of(loss.lpn)))
        lose(header, loss.lpn, loss.sectors);
    }
  }
  /// No page tells of these items any more: trims may have been undone, and losses forgotten. What has been found
  /// instead counts from now on.
  void gone(std::uint32_t first, std::uint32_t items) {
    counters_.sectors_untold += std::uint64_t{items} * journal_.items.losses.sectors();
    journal_.slices.changed(first);
    needs_settling_ = true;
  }
  /// The checkpoint names a page that is not there any more, no newer one is, and no trim has come behind the
  /// checkpoint: it has been taken by an interrupted upper page, and what is older does not count.
  void lose_taken() {
    if (!journal_.checkpoints() || !endangers_pages(state_.config)) return;
    for (std::uint32_t item = 0; item < state_.items.count(); ++item) {
      if (!map_.dropped(item) || journal_.items.losses.of(item) != 0) continue;
      journal_.items.losses.set(item, low_mask(journal_.items.losses.sectors()));
      journal_.slices.changed(item);
      needs_settling_ = true;
    }
  }
  /// Blocks that a checkpoint tells of are not read the next time, and the pages in them that are marked neither.
  /// The slices that tell of losses are written before it.
  void keep_losses() const {
    if (!journal_.checkpoints() || !state_.lost.any()) return;
    for (std::uint32_t lpn = 0; lpn < state_.exported_pages; ++lpn) {
      if (state_.lost.of(lpn) != 0) journal_.unmapped(lpn, kNoPpn);
    }
  }
  /// One copy alone has told of a trim or a loss, or none does any more: metadata have to tell of it again.
  bool needs_settling() const { return needs_settling_; }

 private:
  bool mapped(std::uint32_t item) const { return is_page(map_.page_of(item)); }
  bool newer(std::uint32_t item, std::uint32_t than) const {
    return mapped(item) && kPageStamps.newer(map_.stamp_of(item), than);
  }
  void lose(const SliceHeader& header, std::uint32_t item, std::uint32_t sectors) {
    if (sectors == 0 || newer(item, header.stamp)) return;
    journal_.items.losses.set(item, sectors);
    if (!lost_twice(header, item, sectors)) settle(item);
  }
  void void_items(const std::uint8_t* page, std::uint32_t first, std::uint32_t end) {
    const SliceHeader header = header_of(page);
    const SliceKind kind = layout_.kind(header.slice);
    for (std::uint32_t item = first; item < end; ++item) {
      if (!layout_.unmapped(page, kind, item - layout_.first(header.slice))) continue;
      map_.told_unmapped(item, header.stamp);
      if (!mapped(item) || newer(item, header.stamp) || was_under_way(page, item)) continue;
      if (kind != SliceKind::map && !unmapped_twice(header, item)) settle(item);
      map_.forget(item);
      map_.set_losses(item, 0);
      ++counters_.lpns_unmapped;
    }
  }
  bool unmapped_twice(const SliceHeader& header, std::uint32_t item) const {
    const std::uint8_t* const page = slices_.other_page(header.slice);
    if (page == nullptr) return false;
    const SliceHeader other = header_of(page);
    return layout_.unmapped(page, SliceKind::trims, item - layout_.first(other.slice)) &&
           !newer(item, other.stamp) && !was_under_way(page, item);
  }
  bool lost_twice(const SliceHeader& header, std::uint32_t item, std::uint32_t sectors) const {
    const std::uint8_t* const page = slices_.other_page(header.slice);
    if (page == nullptr) return false;
    const SliceHeader other = header_of(page);
    for (std::uint32_t i = 0; i < other.losses; ++i) {
      const auto loss = entry<SliceLoss>(page, other.programs + i);
      if (loss.lpn == item) return loss.sectors == sectors && !newer(item, other.stamp);
    }
    return false;
  }
  /// Its page was being programmed when the page of metadata was written.
  bool was_under_way(const std::uint8_t* page, std::uint32_t item) const {
    const std::uint32_t programs = header_of(page).programs;
    for (std::uint32_t i = 0; i < programs; ++i) {
      const auto program = entry<SliceProgram>(page, i);
      if (program.lpn == item && !kPageStamps.newer(program.stamp, map_.stamp_of(item))) return true;
    }
    return false;
  }
  template <class Entry>
  Entry entry(const std::uint8_t* page, std::uint32_t n) const {
    Entry found;
    std::memcpy(&found, page + layout_.entry_at(n), sizeof found);
    return found;
  }
  /// The page, which holds an older version, is not erased before both copies tell.
  void settle(std::uint32_t item) {
    needs_settling_ = true;
    state_.hooks.unmapped(state_.items.lpn_of(item), map_.page_of(item));
  }
  Journal& journal_;
  FoundMap& map_;
  const FoundSlices& slices_;
  const SliceLayout& layout_;
  bool needs_settling_ = false;
};

} // namespace twinplane::fw
