// The pages of metadata that a recovery has read: of each slice the newest one of each copy.
//
// Of an LPN the newer one of two pages counts: that of its slice, or that of its part of the slice. There may be many
// parts, of which few are ever written, so memory is for the slices alone: where the newest page of a part lies is
// noted, and it is read once more when all words are known.
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>

#include "firmware/ftl/features/journal/journal.h"
#include "firmware/ftl/map/write_stamp.h"

namespace twinplane::fw {

inline SliceHeader header_of(const std::uint8_t* page) {
  SliceHeader header;
  std::memcpy(&header, page, sizeof header);
  return header;
}

class FoundSlices {
 public:
  /// Without slices if the drive keeps no metadata.
  FoundSlices(BootMemory& memory, const Journal& journal) {
    if (!journal.kept()) return;
    layout_ = journal.slices.layout();
    const std::uint32_t maps = layout_.begin(SliceKind::blocks) - layout_.begin(SliceKind::map);
    const std::uint32_t others = layout_.slices() - maps;
    pages_ = memory.zeroed<std::uint8_t>(std::size_t{layout_.slices() + others} * layout_.page_bytes());
    stamps_ = memory.zeroed<std::uint32_t>(layout_.with_parts() + others);
    read_ = memory.zeroed<std::uint8_t>(layout_.with_parts() + others);
    part_pages_ = memory.array<Ppn>(2 * (layout_.with_parts() - layout_.slices()));
  }
  const SliceLayout& layout() const { return layout_; }
  /// A page of a copy has been read there, in whatever order they come.
  void take(const SliceHeader& header, std::uint32_t copy, Ppn at, const std::uint8_t* page) {
    const bool part = layout_.kind(header.slice) == SliceKind::parts;
    const std::uint32_t place = part ? header.slice : place_of(header.slice, copy);
    if (has(place) && !kPageStamps.newer(header.stamp, stamps_[place])) return;
    if (part) {
      Ppn* const pages = part_pages(place);
      pages[1] = has(place) ? pages[0] : kNoPpn;
      pages[0] = at;
    } else {
      std::memcpy(content(place), page, layout_.page_bytes());
    }
    stamps_[place] = header.stamp;
    read_[place] = 1;
  }
  /// From now on a slice's own page is the newer one, whatever copy it is of.
  void newest_copies_first() {
    for (std::uint32_t s = 0; s < layout_.slices(); ++s) {
      const std::uint32_t other = place_of(s, 1);
      if (other == s || !has(other)) continue;
      if (has(s) && !kPageStamps.newer(stamps_[other], stamps_[s])) continue;
      std::swap_ranges(content(s), content(s) + layout_.page_bytes(), content(other));
      std::swap(stamps_[s], stamps_[other]);
      std::swap(read_[s], read_[other]);
    }
  }

  /// Of a slice or part a page has been read; and its stamp.
  bool has(std::uint32_t slice) const { return read_[slice] != 0; }
  std::uint32_t stamp(std::uint32_t slice) const { return stamps_[slice]; }
  const std::uint8_t* page(std::uint32_t slice) const { return content(slice); }
  /// The other copy's page of a slice; nullptr: there is none. Of parts it is not known.
  const std::uint8_t* other_page(std::uint32_t slice) const {
    if (slice >= layout_.slices() || !has(place_of(slice, 1))) return nullptr;
    return content(place_of(slice, 1));
  }
  /// What the newest page of the block table says of the drive, or nullptr.
  const KeptRecord* newest_record() const {
    const std::uint32_t none = layout_.slices();
    std::uint32_t best = none;
    for (std::uint32_t s = layout_.begin(SliceKind::blocks); s < none; ++s) {
      if (has(s) && (best == none || kPageStamps.newer(stamps_[s], stamps_[best]))) best = s;
    }
    return best == none ? nullptr : layout_.record(content(best));
  }

  /// The part has a page that is newer than the page of the slice as a whole, if there is one.
  bool counts(std::uint32_t part) const {
    const std::uint32_t whole = layout_.whole_of(part);
    return has(part) && (!has(whole) || kPageStamps.newer(stamp(part), stamp(whole)));
  }
  Ppn part_page(std::uint32_t part) const { return part_pages(part)[0]; }
  /// The newest page of the part cannot be read any more: the one before it, the first time; then none.
  Ppn page_before(std::uint32_t part) {
    const Ppn before = std::exchange(part_pages(part)[1], kNoPpn);
    if (!is_page(before)) read_[part] = 0;
    return before;
  }
  /// Blocks get other numbers: pages of parts become to(page).
  template <typename To>
  void rename_pages(const To& to) {
    for (std::uint32_t part = layout_.slices(); part < layout_.with_parts(); ++part) {
      for (std::uint32_t n = 0; has(part) && n < 2; ++n) {
        Ppn& page = part_pages(part)[n];
        if (is_page(page)) page = to(page);
      }
    }
  }

 private:
  /// Of slices of the map both copies share a place, for of them the newest page is enough.
  std::uint32_t place_of(std::uint32_t slice, std::uint32_t copy) const {
    if (copy == 0 || layout_.kind(slice) == SliceKind::map) return slice;
    const std::uint32_t blocks = layout_.begin(SliceKind::blocks);
    return layout_.with_parts() + (slice < blocks ? slice : layout_.begin(SliceKind::map) + slice - blocks);
  }
  std::uint8_t* content(std::uint32_t place) const {
    const std::uint32_t parts = layout_.with_parts() - layout_.slices();
    return pages_ + std::size_t{place < layout_.slices() ? place : place - parts} * layout_.page_bytes();
  }
  Ppn* part_pages(std::uint32_t part) const { return part_pages_ + 2 * (part - layout_.slices()); }

  SliceLayout layout_;
  // by slice, those below with parts, and behind all these the other copies (place_of())
  std::uint8_t* pages_ = nullptr;   // the newest page that has been read
  std::uint32_t* stamps_ = nullptr; // its stamp
  std::uint8_t* read_ = nullptr;    // one has been
  Ppn* part_pages_ = nullptr;       // by part: the newest page, and the newest but that one
};

} // namespace twinplane::fw
