// Recovery: a drive whose cells have been written in an earlier life finds its tables again.
//
// Nothing but the cells is left of a power cut (docs/power_loss.md). Beside each page lie its LPN and its
// stamp (FtlState::make_oob), so the map is: of all readable pages of an LPN the newest one.
//
//   blocks   With checkpoints only: reads the first word of every block, which tells when it was begun, and
//            all words of the blocks that hold pages of metadata.
//   scan     reads the out-of-band word of every page that is written, a page of each plane at a time, planes
//            of a die together where they stand at equal addresses. Of a block its pages are read in the
//            order in which they were programmed until a blank one comes, so an erased block costs one read.
//            With a checkpoint a block whose last word is older than it as well is as it was then, and not
//            read; the step follows that of metadata.
//   metadata reads the pages of metadata (metadata/) that the scan has found: LPNs that are unmapped, and
//            lost sectors. What the words say is void if it is older than that.
//   rescue   Where lower pages are protected (lower_pages/): what can be read in copies alone is written
//            again as the host would, and lower pages whose program had not been answered get a copy.
//   rebuild  marks the pages that the map names valid, and opens and fills the units in the order in which
//            they were last written, so that victim policies find the ages that they look at. Units that were
//            partly written go on being written (BlockAllocation::resume).
//
// A page that cannot be read and whose word cannot either was being programmed at the cut, or shares a
// wordline with one that was, or its program had failed: it is written and belongs to nobody. One whose word
// can be read has too many errors in its data: it is the LPN's page all the same, and reads of it fail. A
// block that has not been erased to the end has only pages of the first kind and so is a victim without a
// valid page.
//
// Erase counts, blocks that have gone bad, what the front end counts and that the drive is read-only are in
// the block table (metadata/). What one copy of metadata alone tells is written again before the host sees it
// (Journal::rewrite_single_copies): that copy may be what the next cut ruins.
//
// Where bad blocks of twin units are replaced, blocks that have been written together are brought together again
// when all words are known (units.cpp).
//
// In a drive with an SLC-mode cache pages have a word for each subpage, and the cache makes its tables of
// them (slc_cache/slc_cache_recovery.cpp). The mode of a block is known by its number, or it is the one in
// which its pages can be read (modes.cpp). In a drive of two partitions the pages that are written tell which
// one a block serves, and those that nothing tells of are dealt to both (deal.cpp).
#pragma once

#include <cstdint>

#include "firmware/ftl/board.h"
#include "firmware/ftl/features/journal/journal.h"
#include "firmware/ftl/features/lower_pages/lower_pages.h"
#include "firmware/ftl/gc/collector.h"
#include "firmware/ftl/io/host_path.h"
#include "firmware/ftl/recovery/recovery_counters.h"
#include "firmware/ftl/recovery/told_slices.h"
#include "firmware/ftl/state.h"
#include "firmware/ftl/write_stamp.h"
#include "hw/spec/flash_descriptor.h"

namespace twinplane::fw {

class Recovery final : public OpOwner {
 public:
  /// Whom it needs.
  struct Parts {
    Board& board;
    Collector& collector;
    Journal& journal;
    LowerPages& lower_pages;
    HostPath& host;
  };
  /// Takes memory and begins only if `config` says that the cells have been written. All else has booted.
  void boot(BootMemory& memory, FtlState& state, const Parts& parts);

  /// The tables are not complete yet: nothing of the host may be begun.
  bool busy() const { return busy_; }
  /// Goes on as far as it can; whatever is queued waits for the dispatcher.
  void run();
  /// Nothing that it has begun is under way any more, and all that has been read is in the tables.
  bool rescued() const {
    return pass_ == Pass::rescue && lower_pages_->all_protected() && host_->rewriter.under_way() == 0 &&
           journal_->durable_up_to(settled_);
  }
  const RecoveryCounters& counters() const { return counters_; }

 private:
  static const OpTraits kScan;
  static const OpTraits kReadMetadata;

  /// A page has been read. Gives t back to the pool.
  void scanned(Transaction& t, const FlashCompletion& c);
  /// Whether the mode of a block is known, or how it is being read to find out (modes.cpp).
  enum class Look : std::uint8_t { told, first, native, slc };
  /// What the scan has found in a block.
  struct Found {
    std::uint64_t first_word;
    std::uint32_t first_lost; // sectors of the first page that are marked as lost
    std::uint64_t oldest;     // stamps; of the first and the last page that has one
    std::uint64_t newest;
    std::uint16_t written[kMaxPageTypes];
    bool stamped; // one has
    bool torn;    // one has a word that cannot be read
    bool known;   // the checkpoint tells of its pages: they have not been read
    Look look;
    std::uint8_t copy;   // of metadata, + 1; 0: it holds none
    std::uint16_t taken; // pages that a cut may have ruined when they were complete
    std::uint16_t twice; // pages that the map names and of which there is another one
    std::uint16_t named; // pages that the map names; where bad blocks are replaced

    std::uint32_t pages() const {
      std::uint32_t sum = 0;
      for (const std::uint16_t of_type : written) sum += of_type;
      return sum;
    }
  };
  /// How far a plane has been read. Pages follow each other in runs: the block's, or those of each type.
  struct Cursor {
    std::uint32_t plane = 0;
    std::uint32_t block = 0;
    std::uint16_t page = 0; // of the run
    std::uint8_t run = 0;
    bool reading = false;
  };
  /// Another page of equal content, made by copyback.
  struct Twice {
    std::uint32_t lpn;
    std::uint32_t stamp;
    Ppn other;
  };
  struct Unit {
    std::uint64_t age; // programs since its last one, or since its first one
    std::uint32_t site;
    std::uint32_t block;
  };

  /// What is read: of all blocks everything (without checkpoints); else first words, then what belongs to
  /// metadata, then last words of what was begun before the checkpoint, then the rest.
  /// Behind all these: what is left in copies alone is written again, and lower pages get theirs.
  /// Before the tables are rebuilt, parts of slices once more: memory is for whole slices alone.
  enum class Pass : std::uint8_t { all, first, own, metadata, last, rest, rescue, parts };
  bool wanted(std::uint32_t plane, std::uint32_t block) const;
  void tell(Pass pass) const;
  void begin_pass(Pass pass);
  void end_pass();
  void end_step(std::uint64_t& step);
  bool read_words();
  bool read_on();
  void pass_last_word(std::uint32_t plane, std::uint64_t oob, bool blank);
  void know_block(Found& found, std::uint32_t types);
  void take_first_word(std::uint32_t plane, const FlashCompletion& c, bool blank);
  void read_next(std::uint32_t plane);
  void skip_unwanted(std::uint32_t plane);
  bool at_end(const Cursor& c) const;
  void next_block(Cursor& c) const;
  void pass(Cursor& c, bool blank) const;
  std::uint32_t page_at(const Cursor& c) const;
  bool note_word(Ppn page, std::uint64_t oob, Found& found);
  void note_torn(Ppn page, Found& found);
  void count_taken();
  void lose_taken();
  void note_stamp(std::uint64_t stamp, Found& found);
  void take_words(const Transaction& t, const FlashCompletion& c, Found& found);
  bool in_slc_mode(std::uint32_t plane, std::uint32_t block) const {
    return is_copy(plane, block) || (cache_ != nullptr && state_->blocks.block(plane, block).slc_mode != 0);
  }
  void map_word(Ppn ppn, std::uint64_t oob, std::uint32_t lost);
  void count_losses(std::uint32_t item, std::uint32_t sectors) const;
  void take_marks(Ppn page, std::uint32_t lost) const;
  void keep_losses() const;
  void look_further(Cursor& c, bool blank);
  void read_again(Cursor& c, std::uint32_t block, Look look);
  void deal_cache_blocks();

  Found& found(std::uint32_t plane, std::uint32_t block) const;
  std::uint32_t pages_of(std::uint32_t site, std::uint32_t block) const;
  /// As many as its unit is filled with.
  std::uint32_t pages_in_use(std::uint32_t site, std::uint32_t block) const {
    const BlockTable& blocks = state_->blocks;
    return blocks.region_pages(blocks.unit(site, block).region) * blocks.twins();
  }
  [[nodiscard]] bool read_metadata();
  [[nodiscard]] bool next_metadata_page(Ppn& ppn);
  void metadata_read(Transaction& t, const FlashCompletion& c);
  void note_unreadable(Ppn page, std::uint64_t oob);
  void count_gone();
  std::uint32_t page_of_copy(std::uint32_t slice, std::uint32_t copy) const;
  std::uint32_t other_copy(std::uint32_t slice) const { return page_of_copy(slice, 1); }
  std::uint8_t* slice_page(std::uint32_t slice) const;
  void newest_copies_first();
  bool load_map();
  void load_blocks();
  void load_block(std::uint32_t plane, std::uint32_t block, std::uint32_t entry, std::uint32_t stamp);
  void retire(std::uint32_t plane, std::uint32_t block, Region region);
  void settle();
  bool blocks_told_twice() const;
  const KeptRecord* newest_record() const;
  void drop_stale_entries();
  void note_part(const SliceHeader& header, Ppn page);
  bool counts(std::uint32_t part) const;
  void begin_parts();
  [[nodiscard]] bool read_parts();
  void part_read(Transaction& t, const FlashCompletion& c);
  void apply_slice(const std::uint8_t* page);
  void lose(const std::uint8_t* page, std::uint32_t item, std::uint32_t sectors);
  const std::uint8_t* other_page(const SliceHeader& header) const;
  bool unmapped_twice(const SliceHeader& header, std::uint32_t item) const;
  bool lost_twice(const SliceHeader& header, std::uint32_t item, std::uint32_t sectors) const;
  void to_be_settled(std::uint32_t item);
  void void_items(const std::uint8_t* page, std::uint32_t first, std::uint32_t end);
  bool newer(std::uint32_t item, std::uint32_t than) const;
  bool mapped(std::uint32_t item) const;
  void forget(std::uint32_t item);
  std::uint64_t stamp_of(std::uint32_t item) const;
  bool was_under_way(const std::uint8_t* page, const SliceHeader& header, std::uint32_t item) const;
  void hand_over_metadata();
  std::uint32_t copy_of(std::uint32_t site, std::uint32_t block) const;
  std::uint32_t metadata_written(std::uint32_t site, std::uint32_t block) const;
  class UnitJoin;
  void join_units();
  template <typename To>
  void rename_pages(const To& to);
  void rebuild();
  [[nodiscard]] bool rescue();
  [[nodiscard]] bool join_split();
  [[nodiscard]] bool write_again();
  void end_rescue();
  void map_copies();
  bool dropped(std::uint32_t lpn) const;
  bool is_copy(std::uint32_t plane, std::uint32_t block) const {
    return lower_pages_->copies.is_ours(state_->blocks.site_of(plane), block);
  }
  void hand_over_copies();
  void mark_valid();
  Found& found(Ppn ppn) const;
  void choose_copies();
  enum class Use : std::uint8_t { none, fast, all, either, torn, erased };
  struct Side;
  Use use_of(std::uint32_t plane, std::uint32_t block) const;
  void deal_blocks();
  void deal_plane(std::uint32_t plane);
  void look_at(std::uint32_t plane, std::uint32_t block, Side& side) const;
  Region next_taker(std::uint32_t plane, std::uint32_t block, Use use, Side* side) const;
  void give(std::uint32_t plane, std::uint32_t block, Region region);
  void to_last_region(std::uint32_t site, std::uint32_t block);
  void tell_ages() const;
  std::uint32_t list_units(Unit* units, bool full);
  void fill(const Unit& unit);
  void go_on(const Unit& unit);
  void take_written(const Unit& unit);
  void give_up_rest(const Unit& unit);

  FtlState* state_ = nullptr;
  Board* board_ = nullptr;
  Collector* collector_ = nullptr;
  Journal* journal_ = nullptr;
  LowerPages* lower_pages_ = nullptr;
  HostPath* host_ = nullptr;
  SlcCache* cache_ = nullptr;       // its words are of subpages, and it keeps what they say
  Cursor* cursors_ = nullptr;       // per plane
  Found* found_ = nullptr;          // per plane and block
  std::uint32_t* stamps_ = nullptr; // per LPN: of the page that the map names
  Unit* units_ = nullptr;
  Twice* twice_ = nullptr; // a victim of each site may have been moved in part
  std::uint32_t twice_count_ = 0;
  // by slice of metadata, those below with parts, and behind all these the other copies (page_of_copy())
  std::uint8_t* slices_ = nullptr;       // the newest page that has been read
  std::uint32_t* slice_stamp_ = nullptr; // its stamp
  std::uint8_t* slice_read_ = nullptr;   // one has been
  std::uint32_t settled_ = 0;            // epoch of metadata
  bool settles_ = false;                 // one copy alone has told of a trim or a loss
  ToldSlices told_;                      // or none any more
  bool blocks_gone_ = false;             // the same of the block table
  Ppn* part_pages_ = nullptr;            // by part: the newest page, and the newest but that one
  std::uint32_t next_part_ = 0;          // slice number
  std::uint32_t* confirmed_ = nullptr;   // a bit per LPN: its entry in the map has been found by its word
  std::uint32_t checkpoint_ = 0;         // stamp: what is older and lies in a known block is in the map
  bool from_checkpoint_ = false;
  std::size_t next_copy_ = 0;    // of lower pages: that is looked at next
  std::uint32_t next_lpn_ = 0;   // of a drive with an SLC-mode cache: the same
  std::uint32_t next_block_ = 0; // of the drive: where pages of metadata are read next
  std::uint32_t next_page_ = 0;
  Pass pass_ = Pass::all;
  std::uint64_t newest_ = 0; // stamp of the drive
  StampOrder order_ = kPageStamps;
  std::uint32_t reading_ = 0;
  std::uint32_t runs_ = 1; // per block
  std::uint32_t lead_ = 0; // two partitions: fast pages of a block before its first slow one
  std::uint64_t step_began_ps_ = 0;
  bool any_stamp_ = false;
  bool busy_ = false;
  RecoveryCounters counters_;
};

} // namespace twinplane::fw
