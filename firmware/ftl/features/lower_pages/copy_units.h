// The units that copies of lower pages are written to, and what each of their pages holds.
//
// Each site has so many units that there is always one whose copies mostly do not count any more. They are the
// highest numbered good ones, so they are known at boot, and with them the mode in which they are to be read.
//
// Space. Let M be the most lower pages of a site that are in danger at a time, U the pages of a unit. At most
// M copies count for these, and M more for pages that a cut has left in copies alone: those are written again
// before the host is let in. A new unit is begun for copies only while another one stays erased, for what
// still counts in the unit that is erased next. With 2 M / U units, rounded up, and two more, whenever all
// but one are written some unit has fewer counting copies than pages, so each round gains a page. One more
// may go bad.
//
// Without reserve() there are none, of any site.
#pragma once

#include <cstddef>
#include <cstdint>

#include "firmware/ftl/features/lower_pages/wordline_progress.h"
#include "firmware/ftl/state.h"

namespace twinplane::fw {

class CopyUnits {
 public:
  static constexpr std::uint32_t kNoUnit = 0xFFFFFFFFu;
  /// What a page of a unit holds.
  struct Copy {
    std::uint32_t lpn = kNoLpn; // kNoLpn: nothing, or nothing that can be read
    std::uint32_t stamp = 0;
    Ppn page = kNoPpn;        // that it stands for; none: the LPN has no other, or it does not count
    std::uint32_t erases = 0; // of that page's block
  };

  /// For so many lower pages of a site in danger. False: there are too few blocks.
  [[nodiscard]] bool reserve(BootMemory& memory, FtlState& state, const WordlineProgress& progress,
                             std::uint32_t danger);
  /// Of each site.
  std::uint32_t units() const { return units_per_site_; }
  bool is_ours(std::uint32_t site, std::uint32_t block) const { return unit_of(site, block) != kNoUnit; }
  bool is_ours(Ppn page) const {
    return units_ != nullptr &&
           is_ours(state_->blocks.site_of(state_->blocks.plane_of(page)), state_->blocks.block_of(page));
  }

  // --- writing ---
  /// A copy that stands for the page from now on.
  Copy copy_for(Ppn page, std::uint32_t lpn, std::uint32_t stamp) const {
    return Copy{lpn, stamp, page, progress_->erases(page)};
  }
  bool has_copy(std::uint32_t site, Ppn page) const;
  Copy& at(Ppn page) const;
  /// There is a page to be written. A unit is begun only while so many are erased.
  [[nodiscard]] bool has_head(std::uint32_t site, std::uint32_t erased_units);
  /// It, handed out; or the unit is not written any more.
  Ppn take_page(std::uint32_t site);
  void close_head(std::uint32_t site) { unit(site, heads_[site]).written = unit_pages_; }

  // --- erasing ---
  /// The unit with the fewest copies that count. kNoUnit: none would gain anything, until wordlines are complete.
  std::uint32_t choose_victim(std::uint32_t site);
  /// The next page of the unit whose copy counts, kNoPpn: none does.
  Ppn next_counting(std::uint32_t site, std::uint32_t u) const;
  /// The block that is erased next; kNoPpn: reads of the host go on in pages that it has been mapped to.
  Ppn begin_erase(std::uint32_t site, std::uint32_t u);
  /// It has been. True: it was the last one, and the unit, whose block this is, holds nothing.
  [[nodiscard]] bool block_erased(std::uint32_t site, std::uint32_t u, std::uint32_t& block);
  /// The unit may be written again, or is lost. False: too few are left.
  void set_aside(std::uint32_t site, std::uint32_t u);
  [[nodiscard]] bool lose(std::uint32_t site, std::uint32_t u);

  // --- recovery, while all other blocks are free ---
  /// A page of a unit holds that word.
  void found(Ppn page, std::uint64_t oob) {
    at(page) = Copy{oob_lpn(oob), static_cast<std::uint32_t>(oob >> 32), kNoPpn, 0};
  }
  /// Of a block of a unit so many pages are written. For all blocks, in the order of their planes.
  void found_block(std::uint32_t plane, std::uint32_t block, std::uint32_t pages);
  /// A block of the unit, if it is one of ours, has gone bad in an earlier life.
  void found_bad(std::uint32_t site, std::uint32_t block);
  /// What the next page of the units holds and which page that is, from `at` on, which is moved behind it. False:
  /// there is none.
  [[nodiscard]] bool next(std::size_t& at, Copy& copy, Ppn& page) const;
  /// The map is known: copies of pages in danger go on counting, others do no more. `stamp_of` an LPN's page.
  void recovered(const std::uint32_t* stamp_of);
  /// The next LPN whose only page is a copy, from `at` on, which is moved behind it; kNoLpn: there is none.
  std::uint32_t next_rescued(std::size_t& at) const;

  void serialise(StateVisitor& visitor);

 private:
  template <typename Each>
  void for_each(const Each& each) const;
  struct Unit {
    std::uint32_t block = 0;
    std::uint32_t written = 0;  // pages
    std::uint32_t to_erase = 0; // block of the unit that is erased next
    std::uint32_t lost = 0;     // it has gone bad
  };

  [[nodiscard]] bool reserve_units(std::uint32_t site);
  std::uint32_t unit_of(std::uint32_t site, std::uint32_t block) const;
  Unit& unit(std::uint32_t site, std::uint32_t u) const { return units_[site * units_per_site_ + u]; }
  Copy& copy(std::uint32_t site, std::uint32_t u, std::uint32_t n) const {
    return copies_[(std::size_t{site} * units_per_site_ + u) * unit_pages_ + n];
  }
  Ppn page_of(std::uint32_t site, std::uint32_t u, std::uint32_t n) const;
  bool counts(const Copy& c, Ppn at) const;
  bool hold(std::uint32_t site) const;

  FtlState* state_ = nullptr;
  const WordlineProgress* progress_ = nullptr;
  Unit* units_ = nullptr;          // units_per_site_ of each site
  Copy* copies_ = nullptr;         // by page of the units
  std::uint32_t* heads_ = nullptr; // by site: the unit that is being written
  std::uint32_t units_per_site_ = 0;
  std::uint32_t fewest_ = 0;      // good units of a site that are enough
  std::uint32_t block_pages_ = 0; // in SLC mode
  std::uint32_t unit_pages_ = 0;
};

template <typename Each>
void CopyUnits::for_each(const Each& each) const {
  for (std::uint32_t site = 0; units_ != nullptr && site < state_->blocks.sites(); ++site) {
    for (std::uint32_t u = 0; u < units_per_site_; ++u) {
      for (std::uint32_t n = 0; n < unit_pages_; ++n) each(copy(site, u, n), page_of(site, u, n));
    }
  }
}

} // namespace twinplane::fw
