// What a drive whose map's unit is smaller than a page decides about units: which page an update goes to, what a move
// takes along. An SLC-mode cache is such a decision (features/slc_cache/cache_placement.h).
#pragma once

#include "firmware/ftl/map/unit_work.h"

namespace twinplane::fw {

class UnitPolicy {
 public:
  /// The units that a write of these ones programs: those, or more.
  [[nodiscard]] virtual std::uint32_t units_to_write(std::uint32_t /*lpn*/, std::uint32_t units) const {
    return units;
  }
  /// Where a write goes depends on where its old version is: fits_in_place() and hint_for() say where.
  [[nodiscard]] virtual bool follows_old_version() const { return false; }
  /// The page with the old version, where the write is to be programmed as well.
  [[nodiscard]] virtual bool fits_in_place(const Transaction&, Ppn&) const { return false; }
  /// Hint of the page for a write, of which a classifier has said `hint`. Of a drive with levels: that of a new page.
  [[nodiscard]] virtual PageHint hint_for(std::uint32_t /*lpn*/, const UnitWork&, PageHint hint) const {
    return hint;
  }
  /// A page takes units of as many writes as find room when it is programmed.
  [[nodiscard]] virtual bool fills_pages() const { return true; }
  /// ... also beside those that are moved there.
  [[nodiscard]] virtual bool joins_moves() const { return true; }
  /// Level of the page that a move of this page's units goes to.
  [[nodiscard]] virtual std::uint32_t level_of_move(Ppn) const { return 0; }

  /// What is collected in that plane now is moved for the sake of wear.
  [[nodiscard]] virtual bool moves_for_wear(std::uint32_t /*plane*/) const { return false; }

  // --- what happens ---
  /// A write of the host goes to this page.
  virtual void host_writes(const UnitWork&, std::uint32_t /*lpn*/, Ppn) {}
  /// The host reads the page. True: that counts as an access.
  virtual bool host_reads(Ppn) { return false; }
  /// So many units leave a block in SLC mode for a native page.
  virtual void evicts(std::uint32_t /*units*/) {}
  /// A page that holds something is programmed once more.
  virtual void programs_again(Ppn) {}
  /// A page takes no more.
  virtual void spoilt(Ppn) {}
  /// Recovery has found a page with words, programmed so often.
  virtual void found(PageRecord&) const {}

 protected:
  ~UnitPolicy() = default;
};

} // namespace twinplane::fw
