// What a bit of a slice stands for, an item of the map (map/item_map.h).
#pragma once

#include <cstdint>

#include "firmware/ftl/features/journal/slice.h"
#include "firmware/ftl/map/item_losses.h"
#include "firmware/ftl/state.h"

namespace twinplane::fw {

class JournalItems {
 public:
  void boot(FtlState& state);
  /// The first one of an LPN.
  std::uint32_t of(std::uint32_t lpn) const { return map_->first_of(lpn); }
  /// Items that have no page have lost sectors: what a page lacks its word tells. Looks at all items.
  bool alone_tell_losses() const;
  /// The places of so many items, a run at a time, and the number of its first one among these.
  template <typename Each>
  void for_runs(std::uint32_t first, std::uint32_t items, const Each& each) const {
    constexpr std::uint32_t kRun = ItemMap::kRun;
    Pun places[kRun];
    for (std::uint32_t n = 0; n < items; n += kRun) {
      const std::uint32_t count = items - n < kRun ? items - n : kRun;
      map_->run(first + n, count, places);
      each(n, count, places);
    }
  }
  /// Marks in a page those of its items that are unmapped.
  void mark_unmapped(std::uint8_t* page, std::uint32_t first, std::uint32_t items) const;
  /// Programs under way of items of the slice that have had no page before. What the map names may be under way
  /// as well, and replace them: then the first one of these.
  template <typename Each>
  void for_first_programs(const SliceLayout& layout, std::uint32_t slice, const Each& each) const;
  /// Each item of the slice whose place in the map is being programmed, and the place that it had before all programs
  /// that are under way; kNoPun: none.
  template <typename Each>
  void for_named(const SliceLayout& layout, std::uint32_t slice, const Each& each) const;
  /// Older than every program under way.
  std::uint32_t all_ended_up_to() const;

  /// False: there are not as many numbers of pages beyond those of items.
  [[nodiscard]] bool number_pages(std::uint32_t numbers);
  /// The word that a page with this LPN is programmed with; `sequence`: of its program.
  std::uint64_t word_of(std::uint32_t lpn, std::uint64_t sequence) const;
  JournalWord read_word(std::uint64_t oob) const;

  ItemLosses losses;

 private:
  /// The page that the program's LPN had before.
  static Ppn before(const Transaction& t) { return t.is_host_page() ? t.replaced() : t.home; }
  /// Is being programmed, or about to be again, or waits for the rest of its wordline.
  static bool programs(const Transaction& t) { return is_page(t.ppn) && t.programs(t.ppn); }
  const Transaction& first_under_way(const Transaction& t) const;
  Pun settled(const Transaction& t, std::uint32_t unit) const;
  /// Drives that are mapped by page: each program of an LPN of the slice that the map names.
  template <typename Each>
  void for_pages(const SliceLayout& layout, std::uint32_t slice, const Each& each) const;
  /// Others: each unit of the slice that a transaction has in hand, by its place in the work, and as an item.
  template <typename Each>
  void for_units(const SliceLayout& layout, std::uint32_t slice, const Each& each) const;

  FtlState* state_ = nullptr;
  Units* units_ = nullptr;
  const ItemMap* map_ = nullptr;
};

template <typename Each>
void JournalItems::for_pages(const SliceLayout& layout, std::uint32_t slice, const Each& each) const {
  state_->pool.for_each([&](const Transaction& t) {
    if (programs(t) && layout.holds(slice, t.lpn) && map_->at(t.lpn) == map_->place(t.ppn, 0)) each(t);
  });
}

template <typename Each>
void JournalItems::for_units(const SliceLayout& layout, std::uint32_t slice, const Each& each) const {
  state_->pool.for_each([&](const Transaction& t) {
    for (std::uint32_t left = t.traits->by_unit ? units_->io.in_hand(t) : 0; left != 0; left &= left - 1) {
      const std::uint32_t unit = lowest_bit(left);
      const LogicalUnit l = units_->io.logical(t, unit);
      const std::uint32_t item = of(l.lpn) + l.unit;
      if (layout.holds(slice, item)) each(t, unit, item);
    }
  });
}

template <typename Each>
void JournalItems::for_named(const SliceLayout& layout, std::uint32_t slice, const Each& each) const {
  if (units_ != nullptr) {
    return for_units(layout, slice, [&](const Transaction& t, std::uint32_t unit, std::uint32_t item) {
      if (map_->at(item) == units_->io.work(t).at[unit]) each(item, settled(t, unit));
    });
  }
  for_pages(layout, slice, [&](const Transaction& t) {
    const Ppn page = before(first_under_way(t));
    each(t.lpn, is_page(page) ? map_->place(page, 0) : kNoPun);
  });
}

template <typename Each>
void JournalItems::for_first_programs(const SliceLayout& layout, std::uint32_t slice,
                                      const Each& each) const {
  if (units_ != nullptr) {
    return for_units(layout, slice, [&](const Transaction& t, std::uint32_t unit, std::uint32_t item) {
      if (!is_page(units_->io.replaced(t, unit)) && map_->at(item) != kNoPun)
        each(SliceProgram{item, t.stamp});
    });
  }
  for_pages(layout, slice, [&](const Transaction& t) {
    const Transaction& first = first_under_way(t);
    if (!is_page(before(first))) each(SliceProgram{first.lpn, first.stamp});
  });
}

} // namespace twinplane::fw
