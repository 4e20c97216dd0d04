// An SLC-mode cache before native blocks: what the stages of the pipeline ask about subpages.
//
// Two regions (regions/regions.h): the cache, whose blocks are used in SLC mode and programmed subpage by
// subpage, and native blocks, whose pages are programmed as a whole. All writes go to the cache first, as
// long as it has pages; what is evicted goes to native blocks. A scheme (scheme.h) says the rest.
//
// A transaction names one logical page. Which of its subpages it moves, and from where, is its CacheWork
// (cache_work.h). Its page buffer is twice as long as a page: data lie in the first half in the order of the
// logical page, and on their way from and to the flash in the second half in the order of the physical one.
// Behind it are the out-of-band words that a program stores, one for each subpage (subpage_word.h).
//
// A logical page has its native subpages in one page: whatever goes there takes them along. So native blocks
// are mapped by page, and what the host sees fits into them whatever the cache holds. Or else what is moved
// is packed (slc_cache_pack.cpp): then native pages hold subpages of any logical pages.
//
// The pointer is null in drives without a cache, and nothing here is asked.
#pragma once

#include <cstdint>

#include "firmware/ftl/block_allocation/block_allocation.h"
#include "firmware/ftl/lost_sectors.h"
#include "firmware/ftl/mapping/mapping.h"
#include "firmware/ftl/page_buffer.h"
#include "firmware/ftl/slc_cache/cache_extent.h"
#include "firmware/ftl/slc_cache/cache_work.h"
#include "firmware/ftl/slc_cache/scheme.h"
#include "firmware/ftl/slc_cache/subpage_word.h"
#include "firmware/ftl/statistics.h"
#include "firmware/ftl/transaction.h"
#include "firmware/hal/hal.h"
#include "hw/spec/flash_descriptor.h"

namespace twinplane::fw {

class SlcCache {
 public:
  void boot(BootMemory& memory, BlockTable& blocks, const FtlConfig& config, std::uint32_t exported_pages,
            FtlStatistics& statistics);
  /// DRAM bytes of the out-of-band words of a page: behind the page buffer of each transaction, and once more
  /// for functional writes.
  std::uint32_t words_bytes() const {
    return map.subpages() * static_cast<std::uint32_t>(sizeof(std::uint64_t));
  }
  /// `transactions` in the pool, payload bytes per sector, DRAM offset of the words of functional writes.
  void attach(BootMemory& memory, Hal& hal, std::uint32_t transactions, std::uint32_t payload,
              std::uint32_t untimed_words);
  const SubpageWords& words() const { return words_; }

  SubpageMap map;
  const CacheScheme& scheme() const { return *scheme_; }
  CacheWork& work(const Transaction& t) { return works_[t.index]; }

  std::uint32_t sectors_of(std::uint32_t subpages) const;
  std::uint32_t subpage_sectors(std::uint32_t subpage) const {
    return low_mask(sectors_per_subpage_) << subpage * sectors_per_subpage_;
  }
  std::uint32_t sectors_per_subpage() const { return sectors_per_subpage_; }
  /// The subpages that these sectors touch.
  std::uint32_t cover(std::uint32_t sectors) const;

  // reading
  /// Subpages of a logical page that lie in one physical page.
  struct Run {
    Ppn ppn = kNoPpn;
    std::uint32_t subpages = 0;
  };
  /// The run of the first one of `subpages`, all of which are mapped.
  Run run_of(std::uint32_t lpn, std::uint32_t subpages) const;
  /// The same of what a move takes along.
  Run run_of(const Transaction& t, std::uint32_t subpages) const;
  void begin_read(Transaction& t) { works_[t.index] = CacheWork(); }
  /// What a read of these sectors of a run moves; remembers it for arrived().
  void aim(Transaction& t, const Run& run, std::uint32_t sectors);
  /// The sectors have been read: puts them where they belong in the logical page.
  void arrived(Transaction& t, std::uint32_t sectors);
  /// Of the read under way, the sectors that the flash has not delivered; in the order of the logical page.
  std::uint32_t failed_sectors(const Transaction& t, const FlashCompletion& c) const;
  void host_read(const Run& run);

  // writing
  void begin_write(Transaction& t);
  /// The page with the old version, where the write is to be programmed as well.
  [[nodiscard]] bool fits_in_place(const Transaction& t, Ppn& ppn) const;
  /// Level of a new page for it.
  std::uint32_t level_for(const Transaction& t) const { return level_for(t.lpn, works_[t.index]); }
  std::uint32_t level_for(std::uint32_t lpn, const CacheWork& w) const;
  /// It may be programmed there: a native page gets all that native blocks have of the logical page.
  [[nodiscard]] bool complete_for(const Transaction& t, std::uint32_t plane, const PageSlot& slot) const;
  /// Hands out the slots that it takes of the page t.ppn; the rest is left to do. `sequence`: of the program,
  /// stored with what it writes (subpage_word.h).
  void place(Transaction& t, const PageSlot& slot, std::uint64_t sequence, TouchedPlanes& touched);

  /// Of what place() has placed, these sectors are lost.
  void place_losses(const Transaction& t, const LostSectors& lost);

  // the same for functional writes, of whole pages
  CacheWork whole_page() const;
  void place_untimed(CacheWork& w, std::uint32_t lpn, Ppn ppn, std::uint64_t sequence,
                     TouchedPlanes& touched);
  /// DRAM offset of the out-of-band words of what was placed last.
  std::uint32_t words_untimed() const { return untimed_words_; }
  /// What the page got of `payload`, as its cells hold it.
  void arrange(const CacheWork& w, const std::uint8_t* payload, std::uint8_t* cells) const;

  // moving
  /// Sets what a move out of that page takes along, beginning with this slot.
  void begin_move(Transaction& t, Ppn page, std::uint32_t slot);
  /// The subpages of a move that are still where they were read.
  std::uint32_t current(const Transaction& t) const;
  /// Of what a move takes along, what is still to be moved.
  std::uint32_t still_there(const Transaction& t) const;
  LogicalSubpage logical(const Transaction& t, std::uint32_t subpage) const {
    return logical(works_[t.index], t.lpn, subpage);
  }

  // packed (slc_cache_pack.cpp)
  bool packs_native() const { return config_.packed_eviction; }

  // by wordlines (slc_cache_fold.cpp)
  /// Native pages that are programmed together: those of a wordline; 1: each for itself.
  std::uint32_t fold() const { return config_.fold; }
  /// Native blocks are not worth collecting for the sake of a single page: native_victim() says which are.
  bool picks_native() const { return config_.packed_eviction || config_.fold != 1; }
  /// Pages that the wordline lacks in which the host's native frontier stands; 0: it has begun none.
  std::uint32_t left_of_wordline(std::uint32_t plane) const;
  /// A page of a wordline that nothing is written to.
  void pad(Ppn ppn);

  struct SlotOfBlock {
    std::uint32_t page = 0;
    std::uint32_t slot = 0;
  };
  /// Makes t a move of the block's valid subpages from this slot on, as many as a page holds; returns where
  /// it goes on.
  SlotOfBlock begin_pack(Transaction& t, Ppn page, std::uint32_t slot);
  /// A native block of the plane can be collected.
  bool native_collectable(std::uint32_t plane) const;
  /// Which one, where eviction is packed; kNoBlock when there is none.
  std::uint32_t native_victim(std::uint32_t plane) const;
  /// Where in that write's or move's buffer are the data that the subpage has now, as their program is under
  /// way or has failed and will be repeated; kNoPlace: not there.
  static constexpr std::uint32_t kNoPlace = kMaxSubpages;
  std::uint32_t place_in(const Transaction& writer, const LogicalSubpage& l) const;
  /// Copies sectors of one subpage of a buffer to another one.
  void copy_subpage(const Transaction& from, std::uint32_t at, Transaction& to, std::uint32_t subpage,
                    std::uint32_t sectors);

  /// One of these subpages of a move is still in the block that is collected.
  bool any_at_home(const Transaction& t, std::uint32_t subpages) const;
  /// Of the read under way, those that have not been moved since.
  std::uint32_t reading_there(const Transaction& t) const;

  // failures
  /// The page cannot be read: nothing more goes there.
  void spoilt(Ppn ppn);
  /// Of the program that has ended: it failed, or one before it in the same page did, when this one had been
  /// given to the die already. Then its data are not safe there, whatever the die says.
  [[nodiscard]] bool has_failed(const Transaction& t, const FlashCompletion& c);
  /// Of the program that has ended, those that are still mapped to that page.
  std::uint32_t failed_at(const Transaction& t) const;
  /// The write is to be programmed once more, as far as nobody has written newer data meanwhile: what else it
  /// has in its buffer is old.
  void write_again(Transaction& t) {
    CacheWork& w = work(t);
    const std::uint32_t failed = failed_at(t);
    w.todo = static_cast<std::uint8_t>(w.todo | failed);
    w.overtaken = static_cast<std::uint8_t>(w.overtaken | (w.written & ~failed));
    w.again = static_cast<std::uint8_t>(w.again | failed);
    const std::uint32_t newest = sectors_of(w.todo);
    t.mask &= newest;
    t.lost &= newest;
    w.have &= newest;
  }
  /// The page that the program under way replaces with this subpage of its work, kNoPpn: none.
  Ppn replaced(const Transaction& t, std::uint32_t subpage) const {
    return works_[t.index].replaced[subpage];
  }
  /// Where the version is that this subpage of a work whose program has failed should have replaced; kNoPsn:
  /// there is none any more, or there was none.
  Psn version_before(const Transaction& t, std::uint32_t subpage) const;
  /// The program of t is that of this slot of its page.
  bool programs_slot(const Transaction& t, std::uint32_t slot) const {
    return (works_[t.index].cells >> slot * sectors_per_subpage_ & 1) != 0;
  }
  void set_replaced(const Transaction& t, std::uint32_t subpage, Ppn page) {
    works_[t.index].replaced[subpage] = page;
  }
  /// What has just been placed replaces subpages of which these sectors are lost: where nothing else is left of
  /// them the version before is none to go back to.
  void note_replaced_losses(const Transaction& t, std::uint32_t lost) {
    CacheWork& w = work(t);
    for (std::uint32_t left = w.written; left != 0; left &= left - 1) {
      Ppn& page = w.replaced[lowest_bit(left)];
      if (page == kNoPpn && (lost & subpage_sectors(lowest_bit(left))) != 0) page = kErasedPpn;
    }
  }
  /// The part of its work that is this subpage; kNoPlace: none of what it has written.
  std::uint32_t part_of(const Transaction& t, const LogicalSubpage& l) const;
  /// The program has ended well: nothing is replaced by it any more.
  void ended(const Transaction& t) { works_[t.index].written = 0; }
  /// By the program under way, or the one that has failed last.
  std::uint32_t written(const Transaction& t) const { return works_[t.index].written; }
  /// Being programmed, or about to be again, whatever the work reads for it or writes elsewhere before that.
  std::uint32_t in_hand(const Transaction& t) const {
    return works_[t.index].written | works_[t.index].again;
  }
  /// Of a write whose program has failed: what newer ones have written instead.
  std::uint32_t overtaken(const Transaction& t) const { return works_[t.index].overtaken; }
  /// The move of these subpages is to be programmed once more.
  void repeat_move(Transaction& t, std::uint32_t subpages);

  /// Forgets these subpages of the logical page; true when there was something.
  bool unmap(std::uint32_t lpn, std::uint32_t subpages, TouchedPlanes& touched);

  // space
  /// Names the page for a write or move of this level, or of the next one down where the cache has no page
  /// for it; false: it has none at all.
  [[nodiscard]] bool next_page(std::uint32_t plane, std::uint32_t level, PageSlot& slot);
  [[nodiscard]] bool next_native(std::uint32_t plane, Stream stream, PageSlot& slot);
  /// That page was handed out.
  void handed_out(const Placement& where, const PageSlot& slot);
  /// The plane's cache has fewer pages to hand out than the threshold, or no erased block.
  bool short_of_pages(std::uint32_t plane) const;
  /// Native pages beyond those that the collection under way, or the next one, must find.
  std::uint32_t native_spare(std::uint32_t plane, std::uint32_t reclaiming) const;
  /// The host may take a native page.
  bool native_for_host(std::uint32_t plane, std::uint32_t reclaiming) const;
  /// A block of the plane's cache can be collected, perhaps after some of its native blocks.
  bool can_evict(std::uint32_t plane) const;
  /// The plane's cache is larger than its data leave room for, and can be made smaller now.
  bool can_shrink(std::uint32_t plane) const;
  /// How many blocks it has.
  const CacheExtent& extent() const { return extent_; }
  /// Native pages that collecting the block may take.
  std::uint32_t most_evicted(std::uint32_t plane, std::uint32_t block) const;
  /// The closed block of the cache that is collected next, kNoBlock when there is none.
  std::uint32_t select(std::uint32_t plane);
  void collecting(std::uint32_t plane, std::uint32_t block);

  /// What the flash moves, and the half of the page buffer that it is moved through.
  void describe(const Transaction& t, FlashDescriptor& f) const {
    if (t.traits->page_as_it_is) return;
    f.buffer = landing(t);
    f.sector_mask = works_[t.index].cells;
    if (t.traits->reads_words) describe_words(t, f);
    if (t.traits->maps_page && works_[t.index].lost != 0) mark_lost(f, works_[t.index].lost);
  }
  /// ... and the words that a program stores, or a scan reads.
  void describe_words(const Transaction& t, FlashDescriptor& f) const {
    f.flags |= flash_flag::oob_words;
    f.oob = words_of(t);
  }
  // metadata, in blocks of the cache
  /// It has so many numbers, beyond those of all subpages. One more is never used: its word would be all ones.
  void number_own_pages(std::uint32_t numbers) { words_ = SubpageWords(all_subpages() + numbers + 1); }
  std::uint64_t own_word(std::uint64_t sequence, std::uint32_t number) const {
    return words_.word(sequence, 0, all_subpages() + number);
  }
  /// + 1; 0: the word is a subpage's.
  std::uint32_t own_number(std::uint64_t word) const {
    const std::uint32_t number = words_.number(word);
    return number < all_subpages() ? 0 : number - all_subpages() + 1;
  }
  /// Blocks that the cache can do without, of the whole drive, and when it is smallest.
  std::uint32_t spare_blocks() const;
  /// The plane has an erased one of these.
  bool can_give_block(std::uint32_t plane) const;

  // wear (slc_cache_wear.cpp)
  /// In native erases.
  double wear(std::uint32_t plane, std::uint32_t block) const;
  std::uint32_t lagging(std::uint32_t plane, Region region) const;
  void exchange_worn(std::uint32_t plane);
  /// The collection that begins in that plane is for the sake of wear, or not.
  void collected_for_wear(std::uint32_t plane, bool so);
  bool levelling(std::uint32_t plane) const { return levelling_[plane] != 0; }

  const SlcCacheConfig& config() const { return config_; }
  CacheFootprint footprint() const;
  void refresh_gauges(CacheGauges& g) const;

  // recovery (slc_cache_recovery.cpp), while all blocks are free
  void begin_recovery(BootMemory& memory);
  /// Of the newest word of that subpage, whose number is lpn * subpages + subpage, if it has one.
  std::uint64_t sequence_of(std::uint32_t number) const { return sequences_[number]; }
  /// What the words of a page say of it; a page that cannot be read has none.
  struct FoundPage {
    bool any = false;         // it has words
    std::uint32_t own = 0;    // number of the page of metadata that it is, + 1
    std::uint64_t oldest = 0; // their sequences
    std::uint64_t newest = 0;
  };
  /// The scan has read t.ppn, which is not blank: notes whose its slots are.
  FoundPage found(const Transaction& t);
  /// All pages have been found. Opens the block and takes its first `pages` pages, in their order.
  void reopen(std::uint32_t plane, std::uint32_t block, std::uint32_t pages);
  /// It goes on there. False: it does not, as others are open already.
  [[nodiscard]] bool resume(std::uint32_t plane, std::uint32_t block, std::uint32_t pages);
  /// What is left of it counts as used.
  void give_up_rest(std::uint32_t plane, std::uint32_t block);
  /// Native blocks have the logical page in several pages. What it lost in one of them was newer, and has not
  /// been found: it had not been answered, or its page cannot be read.
  bool is_split(std::uint32_t lpn) const;
  /// All blocks are as they were; `sequence`: of the newest program.
  void recovered(std::uint64_t sequence);

  void serialise(StateVisitor& state);

 private:
  std::uint32_t all_subpages() const { return exported_pages_ * map.subpages(); }
  std::uint32_t landing(const Transaction& t) const { return t.own_buffer + page_bytes_; }
  std::uint32_t words_of(const Transaction& t) const { return t.own_buffer + 2 * page_bytes_; }
  struct Written {
    std::uint32_t subpages; // logical
    std::uint32_t slot;     // first physical slot, unless
    bool in_order;          // slots are those of the logical page
  };
  LogicalSubpage logical(const CacheWork& w, std::uint32_t lpn, std::uint32_t subpage) const;
  Written link(CacheWork& w, std::uint32_t lpn, Ppn ppn, TouchedPlanes& touched);
  void count_disturbed(Ppn ppn);
  void count_host(const CacheWork& w, std::uint32_t lpn, Ppn ppn);
  std::uint32_t where_read(const Transaction& t, std::uint32_t subpages) const;
  void gather_image(const Transaction& t, const Written& done);
  void store_words(std::uint32_t to, Ppn ppn, std::uint64_t sequence, const Written& done) const;
  struct Wear {
    double least = 0, mean = 0, most = 0;
  };
  Wear wear_of_all() const;
  std::uint32_t erased_block(std::uint32_t plane, Region region, bool most) const;
  bool open_block(std::uint32_t plane, std::uint32_t level, OpenBlock& open);
  OpenBlock& open(std::uint32_t plane, std::uint32_t level) {
    return open_[plane * kCacheLevels + level - 1];
  }
  bool frontiers_hold(std::uint32_t plane) const;
  std::uint32_t open_blocks(std::uint32_t plane) const;
  std::uint32_t native_reach(std::uint32_t plane) const;
  std::uint32_t whole_wordlines(std::uint32_t pages) const {
    return (pages + config_.fold - 1) / config_.fold * config_.fold;
  }
  std::uint32_t room_for_evicted(std::uint32_t pages) const;
  std::uint32_t most_moved(std::uint32_t plane, std::uint32_t block) const;
  bool closed_before(std::uint32_t plane, std::uint32_t a, std::uint32_t b) const;
  Ppn page_of_old(std::uint32_t lpn, std::uint32_t subpages) const;
  void note_word(Psn psn, std::uint64_t word);
  Ppn page_to_append(std::uint32_t plane) const;

  Hal* hal_ = nullptr;
  BlockTable* blocks_ = nullptr;
  FtlStatistics* statistics_ = nullptr;
  SlcCacheConfig config_;
  CacheExtent extent_;
  SubpageWords words_;
  CacheScheme* scheme_ = nullptr;
  CacheWork* works_ = nullptr;            // by transaction
  OpenBlock* open_ = nullptr;             // of the cache, by plane and level; for the host and for moves
  OpenBlock* native_host_ = nullptr;      // by plane
  OpenBlock* native_collector_ = nullptr; // the same when they share it
  Ppn* append_ = nullptr;                 // by plane: the page that is not full yet, of a scheme that packs
  std::uint32_t* slc_erases_ = nullptr;   // by block
  std::uint8_t* levelling_ = nullptr;     // by plane
  std::uint64_t* sequences_ = nullptr;    // recovery: by logical subpage, of the program that counts
  std::uint32_t sectors_per_subpage_ = 0;
  std::uint32_t payload_ = 0;    // bytes per sector
  std::uint32_t page_bytes_ = 0; // in a buffer
  std::uint32_t exported_pages_ = 0;
  std::uint32_t untimed_words_ = 0; // DRAM offset
  std::uint32_t clock_ = 0;         // accesses by the host
  std::uint32_t torn_ = 0;          // programs that cuts may waste within one collection
};

} // namespace twinplane::fw
