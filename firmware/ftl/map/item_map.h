// The map as recovery and the journal go over it: one entry for each item. An item is a logical page, or where the
// map's unit is smaller a unit of one; its place is a slot of a page, of which a page that is mapped as a whole has one.
#pragma once

#include "firmware/ftl/map/page_map.h"
#include "firmware/ftl/map/unit_map.h"

namespace twinplane::fw {

class ItemMap {
 public:
  /// `units`: nullptr in drives that are mapped by page.
  void boot(Mapping& pages, UnitMap* units, std::uint32_t exported_pages) {
    pages_ = &pages;
    units_ = units;
    shift_ = units == nullptr ? 0 : lowest_bit(units->units());
    count_ = exported_pages << shift_;
  }
  static constexpr std::uint32_t kRun = 64;

  std::uint32_t count() const { return count_; }
  /// Items of a page.
  std::uint32_t each() const { return 1u << shift_; }
  /// The first one of a logical page, and the page of one.
  std::uint32_t first_of(std::uint32_t lpn) const { return lpn << shift_; }
  std::uint32_t lpn_of(std::uint32_t item) const { return item >> shift_; }
  /// Of its page, the number of the item.
  std::uint32_t unit_of(std::uint32_t item) const { return item & low_mask(shift_); }

  /// Where it is; kNoPun: nowhere.
  Pun at(std::uint32_t item) const {
    if (units_ == nullptr) return static_cast<Pun>(pages_->lookup(item));
    return units_->at(lpn_of(item), unit_of(item));
  }
  /// So many from `first` on, kRun at most.
  void run(std::uint32_t first, std::uint32_t count, Pun* places) const {
    Ppn pages[kRun];
    if (units_ == nullptr) pages_->lookup_run(first, count, pages);
    for (std::uint32_t n = 0; n < count; ++n)
      places[n] = units_ == nullptr ? static_cast<Pun>(pages[n]) : at(first + n);
  }
  Ppn page_of(Pun place) const { return place == kNoPun ? kNoPpn : static_cast<Ppn>(place >> shift_); }
  Pun place(Ppn page, std::uint32_t slot) const { return static_cast<std::uint32_t>(page) << shift_ | slot; }
  /// The same place of a page with another number.
  template <typename To>
  Pun renamed(Pun place, const To& to) const {
    if (place == kNoPun) return place;
    return this->place(to(page_of(place)), place & low_mask(shift_));
  }
  /// Recovery has found it there, or nowhere. What becomes valid or invalid is for others to say.
  void set(std::uint32_t item, Pun place) {
    if (units_ == nullptr) {
      pages_->exchange(item, static_cast<Ppn>(place));
    } else {
      units_->set(lpn_of(item), unit_of(item), place);
    }
  }

 private:
  Mapping* pages_ = nullptr;
  UnitMap* units_ = nullptr;
  std::uint32_t shift_ = 0; // log2 of the items of a page
  std::uint32_t count_ = 0;
};

} // namespace twinplane::fw
