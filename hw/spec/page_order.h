// Which page of a block belongs to which wordline and which page type: the data sheet's
// "shared pages" table, and the order in which a block must be programmed.
//
// Strict order (`diagonal`): N wordlines with k pages each. For d = 0 .. N+k-2 emit page type 0 of
// wordline d, type 1 of wordline d-1, ..., where the wordline exists. With k = 3 this is the order of
// PA-SSD section 2.1 (figure 4), with k = 2 the "distance 3" pairing of planar MLC, with k = 1 SLC.
// `even_odd` is the MLC table with two pages of each type per wordline ("distance 6").
// `wordline` counts the pages of a wordline one after the other, as parts do that program it in one pass:
// nothing of a wordline is programmed before its neighbour is complete.
// Page ids are positions in the strict program order.
#pragma once

#include <array>
#include <cstdint>

#include "hw/spec/geometry.h"

namespace twinplane {

/// Index of a page type inside its wordline, in program order: TLC 0 = LSB, 1 = CSB, 2 = MSB.
using PageType = std::uint8_t;

enum class PageTable : std::uint8_t { diagonal, even_odd, wordline };

/// How the die checks program order (facts: PA-SSD section 4.3.1 for `relaxed`).
enum class ProgramOrder : std::uint8_t {
  strict,    // page ids ascending, without gaps
  relaxed,   // each type ascending; type t of wordline k needs type t-1 of wordlines k-1, k, k+1
  slc,       // SLC-mode block: fast pages only, ascending
  ascending, // page ids ascending; pages may be left out, and then stay blank until the next erase
};

/// Size of a wordline buffer that holds every wordline: no lower page is ever read again to program the next.
constexpr std::uint32_t kAllWordlines = kMaxPagesPerBlock;

/// Name of a page type for reports: "lsb", "csb", "msb", "tsb" (SLC: "lsb"; MLC: "lsb", "msb").
inline const char* page_type_name(CellType cell, PageType type) {
  constexpr const char* kNames[kMaxPageTypes] = {"lsb", "csb", "msb", "tsb"};
  if (cell == CellType::mlc && type == 1) return "msb";
  return type < kMaxPageTypes ? kNames[type] : "?";
}

/// The table of one block. Built once (36 KiB, no heap); look-ups are array reads.
class PageOrderTable {
 public:
  /// `pages` must be a multiple of bits per cell and at most kMaxPagesPerBlock; valid() tells.
  PageOrderTable(CellType cell, std::uint32_t pages, PageTable table = PageTable::diagonal)
      : cell_(cell), pages_(pages), types_(static_cast<std::uint32_t>(cell)) {
    valid_ = pages > 0 && pages <= kMaxPagesPerBlock && pages % types_ == 0 &&
             (table != PageTable::even_odd || (cell == CellType::mlc && pages % 4 == 0 && pages >= 8));
    if (!valid_) return;
    if (table == PageTable::diagonal) {
      build_diagonal();
    } else if (table == PageTable::wordline) {
      for (std::uint32_t id = 0; id < pages_; ++id) put(id, id / types_, id % types_);
    } else {
      build_even_odd();
    }
  }

  bool valid() const { return valid_; }
  CellType cell() const { return cell_; }
  std::uint32_t pages() const { return pages_; }
  std::uint32_t types() const { return types_; }
  /// Positions of each type in a block; with the even_odd table two consecutive "wordlines" of this
  /// table share one physical wordline.
  std::uint32_t wordlines() const { return pages_ / types_; }

  PageType type(std::uint32_t page) const { return type_[page]; }
  std::uint32_t wordline(std::uint32_t page) const { return wordline_[page]; }
  std::uint32_t page(std::uint32_t wordline, PageType type) const {
    return page_[type * wordlines() + wordline];
  }

 private:
  void put(std::uint32_t page, std::uint32_t wordline, std::uint32_t type) {
    type_[page] = static_cast<PageType>(type);
    wordline_[page] = static_cast<std::uint16_t>(wordline);
    page_[type * wordlines() + wordline] = static_cast<std::uint16_t>(page);
  }

  void build_diagonal() {
    std::uint32_t id = 0;
    for (std::uint32_t d = 0; d < wordlines() + types_ - 1; ++d) {
      for (std::uint32_t t = 0; t < types_ && t <= d; ++t) {
        if (d - t < wordlines()) put(id++, d - t, t);
      }
    }
  }

  // Pair p: q = p / 2, r = p % 2; lower = r (q = 0) else 4q - 2 + r; upper = 4q + 4 + r, last q: 4q + 2 + r.
  void build_even_odd() {
    const std::uint32_t last = wordlines() / 2 - 1;
    for (std::uint32_t p = 0; p < wordlines(); ++p) {
      const std::uint32_t q = p / 2;
      const std::uint32_t r = p % 2;
      put(q == 0 ? r : 4 * q - 2 + r, p, 0);
      put(q == last ? 4 * q + 2 + r : 4 * q + 4 + r, p, 1);
    }
  }

  CellType cell_;
  std::uint32_t pages_;
  std::uint32_t types_;
  bool valid_ = false;
  std::array<PageType, kMaxPagesPerBlock> type_{};
  std::array<std::uint16_t, kMaxPagesPerBlock> wordline_{};
  std::array<std::uint16_t, kMaxPagesPerBlock> page_{};
};

} // namespace twinplane
