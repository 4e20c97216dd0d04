// Which page a write or move of subpages goes to, and how subpages enter it.
//
// A logical page has its native subpages in one page: whatever goes there takes them along. So native blocks
// are mapped by page, and what the host sees fits into them whatever the cache holds. Or else what is moved
// is packed: what leaves a block goes to native pages that are filled with subpages of any logical pages, so native
// blocks are mapped by subpage. Then a page of a native block may be valid for the sake of one subpage, and
// collection must pack as well: it gains a page where a block holds as many subpages less than it can as a page
// has. Native blocks are counted one page short (Capacity), so that of the closed ones there is always one like
// that somewhere.
#pragma once

#include "firmware/ftl/lost_sectors.h"
#include "firmware/ftl/mapping/mapping.h"
#include "firmware/ftl/slc_cache/cache_space.h"
#include "firmware/ftl/slc_cache/subpage_io.h"

namespace twinplane::fw {

class CachePlacement : public CachePart {
 public:
  void boot(const CacheContext& c, SubpageIo& io, CacheSpace& space);

  // --- writing ---
  void begin_write(Transaction& t);
  /// The page with the old version, where the write is to be programmed as well.
  [[nodiscard]] bool fits_in_place(const Transaction& t, Ppn& ppn) const;
  /// Level of a new page for it.
  std::uint32_t level_for(const Transaction& t) const { return level_for(t.lpn, io_->work(t)); }
  std::uint32_t level_for(std::uint32_t lpn, const CacheWork& w) const;
  /// It may be programmed there: a native page gets all that native blocks have of the logical page.
  [[nodiscard]] bool complete_for(const Transaction& t, std::uint32_t plane, const PageSlot& slot) const;
  /// Hands out the slots that it takes of the page t.ppn; the rest is left to do. `sequence`: of the program,
  /// stored with what it writes (subpage_word.h).
  void place(Transaction& t, const PageSlot& slot, std::uint64_t sequence, TouchedPlanes& touched);
  /// Of what place() has placed, these sectors are lost.
  void place_losses(const Transaction& t, const LostSectors& lost);
  /// What has just been placed replaces subpages of which these sectors are lost: where nothing else is left of
  /// them the version before is none to go back to.
  void note_replaced_losses(const Transaction& t, std::uint32_t lost);
  // the same for functional writes, of whole pages
  CacheWork whole_page() const;
  void place_untimed(CacheWork& w, std::uint32_t lpn, Ppn ppn, std::uint64_t sequence,
                     TouchedPlanes& touched);

  // --- moving ---
  /// Sets what a move out of that page takes along, beginning with this slot.
  void begin_move(Transaction& t, Ppn page, std::uint32_t slot);
  bool packs_native() const { return config_.packed_eviction; }
  struct SlotOfBlock {
    std::uint32_t page = 0;
    std::uint32_t slot = 0;
  };
  /// Makes t a move of the block's valid subpages from this slot on, as many as a page holds; returns where
  /// it goes on.
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
  /// Where the version is that this subpage of a work whose program has failed should have replaced; kNoPsn:
  /// there is none any more, or there was none.
  Psn version_before(const Transaction& t, std::uint32_t subpage) const;
  /// The move of these subpages is to be programmed once more.
  void repeat_move(Transaction& t, std::uint32_t subpages);

  /// Forgets these subpages of the logical page; true when there was something.
  bool unmap(std::uint32_t lpn, std::uint32_t subpages, TouchedPlanes& touched);
  void host_read(const SubpageIo::Run& run);
  /// Accesses by the host.
  std::uint32_t clock() const { return clock_; }
  void set_clock(std::uint32_t accesses) { clock_ = accesses; }
  void serialise(StateVisitor& state) { state.value(clock_); }

 private:
  using Written = SubpageIo::Written;
  Written link(CacheWork& w, std::uint32_t lpn, Ppn ppn, TouchedPlanes& touched);
  void count_disturbed(Ppn ppn);
  void count_host(const CacheWork& w, std::uint32_t lpn, Ppn ppn);
  Ppn page_of_old(std::uint32_t lpn, std::uint32_t subpages) const;

  SubpageIo* io_ = nullptr;
  CacheSpace* space_ = nullptr;
  std::uint32_t clock_ = 0;
};

} // namespace twinplane::fw
