// How units enter a page and the map, and what becomes of them when that fails.
//
// Where native pages are not packed a logical page has its native units in one page: whatever goes there takes them
// along. So native blocks are mapped by page, and what the host sees fits into them whatever other blocks hold.
// Packed, what leaves a block goes to native pages that are filled with units of any logical pages. Then a page of a
// native block may be valid for the sake of one unit, and collection must pack as well: it gains a page where a block
// holds as many units less than it can as a page has. Native blocks are counted one page short (Capacity), so that of
// the closed ones there is always one like that somewhere.
#pragma once

#include "firmware/ftl/block_allocation/block_allocation.h"
#include "firmware/ftl/map/lost_sectors.h"
#include "firmware/ftl/map/page_map.h"
#include "firmware/ftl/map/unit_io.h"
#include "firmware/ftl/map/unit_policy.h"
#include "firmware/ftl/statistics.h"

namespace twinplane::fw {

class UnitPlacement {
 public:
  void boot(UnitMap& map, UnitIo& io, BlockTable& blocks, FtlStatistics& statistics);
  void attach(UnitPolicy& policy) { policy_ = &policy; }

  // --- writing ---
  void begin_write(Transaction& t);
  /// What native blocks have of its logical page goes along.
  void take_native(const Transaction& t);
  /// It may be programmed there: a native page gets all that native blocks have of the logical page.
  [[nodiscard]] bool complete_for(const Transaction& t, const PageSlot& slot) const {
    return slot.slc || map_->packs() || (map_->in_native(t.lpn) & ~io_->work(t).todo) == 0;
  }
  /// Hands out the slots that it and its riders take of the page t.ppn; the rest is left to do. `sequence`: of the
  /// program, stored with what it writes (unit_word.h).
  void place(Transaction& t, const PageSlot& slot, std::uint64_t sequence, TouchedPlanes& touched);
  /// Of what place() has placed, these sectors are lost.
  void place_losses(const Transaction& t, const LostSectors& lost);
  /// What has just been placed replaces units of which these sectors are lost: where nothing else is left of
  /// them the version before is none to go back to.
  void note_replaced_losses(const Transaction& t, std::uint32_t lost);
  // the same for functional writes, of whole pages
  UnitWork whole_page() const;
  void place_untimed(UnitWork& w, std::uint32_t lpn, Ppn ppn, std::uint64_t sequence, TouchedPlanes& touched);
  /// ... of as many units as a page has, each once, in the order of its slots.
  void place_untimed(const std::uint32_t* numbers, Ppn ppn, std::uint64_t sequence, TouchedPlanes& touched);

  // --- moving ---
  /// Sets what a move out of that page takes along, beginning with this slot.
  void begin_move(Transaction& t, Ppn page, std::uint32_t slot);
  struct SlotOfBlock {
    std::uint32_t page = 0;
    std::uint32_t slot = 0;
  };
  /// Level of the page that what is valid in this one moves to.
  std::uint32_t level_of_move(Ppn page) const;
  /// Makes t a move of the block's valid units from this slot on that go to native pages, as many as one holds; returns
  /// where it goes on.
  SlotOfBlock begin_pack(Transaction& t, Ppn page, std::uint32_t slot);

  // --- failures ---
  /// The page cannot be read: nothing more goes there.
  void spoilt(Ppn ppn);
  /// Of the program that has ended: it failed, or one before it in the same page did, when this one had been
  /// given to the die already. Then its data are not safe there, whatever the die says.
  [[nodiscard]] bool has_failed(const Transaction& t, const FlashCompletion& c);
  /// Of the program that has ended, those that are still mapped to that page.
  std::uint32_t failed_at(const Transaction& t) const;
  /// The write is to be programmed once more, as far as no newer data have been written meanwhile: what else it
  /// has in its buffer is old.
  void write_again(Transaction& t);
  /// Where the version is that this unit of a work whose program has failed should have replaced; kNoPun:
  /// there is none any more, or there was none.
  Pun version_before(const Transaction& t, std::uint32_t unit) const;
  /// The move of these units is to be programmed once more.
  void repeat_move(Transaction& t, std::uint32_t units);

  /// Forgets these units of the logical page; true when there was something.
  bool unmap(std::uint32_t lpn, std::uint32_t units, TouchedPlanes& touched);
  void host_read(Ppn page) {
    if (policy_->host_reads(page)) map_->accessed(page, ++clock_);
  }
  /// Accesses by the host.
  std::uint32_t clock() const { return clock_; }
  void set_clock(std::uint32_t accesses) { clock_ = accesses; }
  void serialise(StateVisitor& state) { state.value(clock_); }

 private:
  using Written = UnitIo::Written;
  /// A page that is being filled.
  struct Filling {
    Ppn ppn;
    std::uint32_t before; // slots that were used
    std::uint32_t used;
  };
  Filling begin_page(Ppn ppn) const { return {ppn, map_->page(ppn).used, map_->page(ppn).used}; }
  Written link(UnitWork& w, std::uint32_t lpn, Filling& page, TouchedPlanes& touched);
  void end_page(UnitWork& w, const Filling& page);
  [[nodiscard]] std::uint32_t access_by_move(UnitWork& w, const Transaction& t, const PageSlot& slot);

  UnitMap* map_ = nullptr;
  UnitIo* io_ = nullptr;
  BlockTable* blocks_ = nullptr;
  UnitPolicy* policy_ = nullptr;
  FtlStatistics* statistics_ = nullptr;
  std::uint32_t clock_ = 0;
};

} // namespace twinplane::fw
