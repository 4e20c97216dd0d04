// Metadata: what out-of-band words do not tell is written to the flash as well, before it is needed.
//
// A trim changes tables only. The page that held the LPN's newest version keeps its word, so after a power
// cut the LPN is found again as it was: allowed, for nobody was promised that a trim is kept. But once that
// page is erased an older version would be found, and that is somebody's old data. So the block that holds it
// is not erased before a page of metadata says that the LPN is unmapped (slice.h). The same page tells of
// lost sectors, and makes a write of zeroes durable, which is answered when it has been written.
//
// Every slice is written twice, into units of its own on different planes, one after the other: when a cut
// ruins the page that is being programmed and with it older ones of its wordline, the other copy is whole.
// Only what a trim or a loss has changed since is written, when a block is to be erased that waits for it
// (flush): trims are collected until then.
//
// Units are taken from the free blocks before the first trim, and only in drives whose over-provisioning has
// spare ones for it (kept() is false in others: they go without, and say so). A block that waits for metadata
// may be the one whose erase would make space for them, so a trim waits until there are pages for all that it
// may cause (ready()); collection goes further meanwhile. When a unit is nearly full new ones are begun: all
// slices are written there, then the old ones are erased. Nothing is written by drives whose hosts never
// trim.
//
// The block table is written at once when a block has gone bad or the drive becomes read-only, when the host
// shuts the drive down, and when it opens the drive again. Drives with too few spare blocks for it keep trims
// alone. With checkpoints (FtlConfig::checkpoint_interval) the map is written, too, every so many programs
// and at a shutdown: recovery then reads only what has been programmed since.
//
// In a drive with an SLC-mode cache an item, that is what a bit of a slice stands for, is a subpage, and
// units are blocks of the cache (subpages.cpp). In a drive of two partitions they are cold blocks.
#pragma once

#include <cstdint>

#include "firmware/ftl/board.h"
#include "firmware/ftl/metadata/slice.h"
#include "firmware/ftl/state.h"
#include "hw/spec/flash_descriptor.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

class Metadata final : public OpOwner {
 public:
  static constexpr std::uint32_t kCopies = 2;
  static constexpr std::uint32_t kSpareBlocks = 2; // of each plane: fewer, and none is kept
  /// What the drive has spare blocks for; each one with those before it.
  enum class Kept : std::uint8_t { nothing, trims, blocks, map };
  static Kept what_is_kept(const FtlConfig& config, const BlockTable& blocks, std::uint32_t exported_pages,
                           std::uint64_t spare);
  /// Of a drive with so many spare blocks, those that it sets aside for metadata: 0, as many as trims may
  /// take, or checkpoints as well. The block table alone takes of the former.
  static std::uint64_t blocks_kept(const FtlConfig& config, const BlockTable& blocks,
                                   std::uint32_t exported_pages, std::uint64_t spare);

  /// Behind all else: takes memory if the drive keeps metadata.
  void boot(BootMemory& memory, FtlState& state, Board& board);

  /// The drive has spare blocks for metadata.
  bool kept() const { return units_ != nullptr && !given_back_; }
  /// Its pages have numbers, which say what they are.
  static constexpr std::uint32_t number_of(std::uint32_t slice, std::uint32_t copy) {
    return slice * kCopies + copy;
  }
  /// The LPN in the word of a page. Its first byte is FFh: another one would mark the block as bad.
  static constexpr std::uint32_t lpn_of(std::uint32_t number) { return kNoLpn - (number + 1) * 0x100; }
  /// The number of the page with such a word, + 1; 0: not metadata's.
  static constexpr std::uint32_t number_in(std::uint32_t lpn, std::uint32_t exported_pages) {
    const std::uint32_t below = kNoLpn - lpn;
    return below % 0x100 == 0 && lpn >= exported_pages ? below / 0x100 : 0;
  }
  /// The copy that it is of, + 1; 0: not metadata's.
  static constexpr std::uint32_t copy_of(std::uint32_t lpn, std::uint32_t exported_pages) {
    const std::uint32_t number = number_in(lpn, exported_pages);
    return number == 0 ? 0 : (number - 1) % kCopies + 1;
  }
  const SliceLayout& layout() const { return layout_; }

  // --- block table and checkpoints ---
  /// The block table is written: there are spare blocks enough.
  bool keeps_blocks() const { return kept() && layout_.keeps_blocks(); }
  /// So is the map.
  bool checkpoints() const { return kept() && layout_.checkpoints(); }
  bool checkpoint_due() const {
    return next_checkpoint_ != ~std::uint64_t{0} && pages_of_others() >= next_checkpoint_;
  }
  /// All tables that are kept are to be written; with `shut_down` the host has said that it is done. Returns
  /// what durable_up_to() tells the end by.
  std::uint32_t begin_checkpoint(bool shut_down);
  /// Blocks have gone bad, the drive is read-only, or what the front end counts must not be lost.
  void block_table_changed();
  /// All blocks of the unit have been erased: it is free again, or lost as a whole, which is told and
  /// written.
  [[nodiscard]] BlockState unit_erased(std::uint32_t site, std::uint32_t block);
  /// The longest that a checkpoint may take, when nothing is written but it; 0: none is written.
  std::uint64_t longest_checkpoint_ps() const;
  /// A host is here, again perhaps.
  void opened();

  // --- what changes ---
  /// There are pages to write whatever a trim may ask for. False: they are being seen to.
  [[nodiscard]] bool ready();
  std::uint64_t begin_program(Transaction& t) override;
  /// What the word of a page says.
  struct Word {
    std::uint32_t number = 0; // + 1; 0: it is none of metadata's
    std::uint32_t stamp = 0;
  };
  Word read_word(std::uint64_t oob) const;

  /// The LPN is unmapped; `newest` (or kNoPpn) holds its newest version, or some of it.
  void trimmed(std::uint32_t lpn, Ppn newest);
  /// A version of the LPN that the host knows to be written has gone with a trim before it came to the flash:
  /// what lies there is older than a flush promises.
  void dropped(std::uint32_t lpn);
  /// The LPN's program has failed, so its newest version is `before`; if it has been trimmed meanwhile, that
  /// page has to wait as well.
  void program_failed(Ppn before);
  /// The same of the program of subpages.
  void subpages_failed(const Transaction& t);
  /// Sectors of the LPN are lost.
  void lost(std::uint32_t lpn);

  // --- who waits ---
  /// The unit must not be erased yet; what it waits for is being written.
  [[nodiscard]] bool holds(std::uint32_t site, std::uint32_t block);
  /// It need not wait: what has made its pages invalid has been written.
  bool has_told(std::uint32_t site, std::uint32_t block) const {
    return kept() && held_since(site, block) <= durable_;
  }
  /// All that has happened is to be written; durable_up_to() tells when it has been.
  [[nodiscard]] std::uint32_t begin_commit();
  /// What a flush of the host has to wait for, too (durable_up_to); it is being written.
  [[nodiscard]] std::uint32_t begin_flush_of_host();
  bool durable_up_to(std::uint32_t epoch) const { return epoch <= durable_; }
  /// A zeroed page (work unmap): given back by take_durable() once its LPN's slice has been written.
  void wait(Transaction& t);
  /// Nothing that has happened to the LPN has to be written.
  bool durable(std::uint32_t lpn) const {
    if (!kept()) return true;
    const std::uint32_t slice = slice_of(lpn);
    const std::uint32_t part = part_of(lpn);
    return (dirty_[slice] | pending_[slice] | dirty_[part] | pending_[part]) == 0;
  }
  /// The next one of those that have waited; nullptr: none is ready.
  Transaction* take_durable();

  // --- its own pages ---
  /// There may be something to do: else run() need not be called, which it would be for each event.
  bool busy() const { return busy_ || checkpoint_due(); }
  /// There is nothing to do, or never will be, as the drive keeps none.
  [[nodiscard]] bool idle() const {
    return units_ == nullptr ||
           (step_ == Step::idle && flushing_ == 0 && wanted_ <= durable_ && !trim_waits_ && !erases_wait());
  }
  /// True when what somebody may wait for has become durable, or pages have been found for a trim that waits.
  bool run();
  /// Collection should make space for a unit; until then nothing can be written.
  bool waits_for_unit() const { return waits_for_unit_; }
  /// There will be none, for nothing is under way: whoever waits goes on without. What has been written
  /// stays.
  void give_up();
  /// The drive is out of space: the units go back to it, for good. False: there are none.
  [[nodiscard]] bool give_back();

  /// Pages of a unit.
  std::uint32_t unit_pages() const;

  // --- recovery ---
  /// A unit with `written` pages of metadata.
  void found(std::uint32_t site, std::uint32_t block, std::uint32_t copy, std::uint32_t written);
  /// A page of the slice has been found, or written.
  void known(std::uint32_t slice) {
    if (layout_.kind(slice) == SliceKind::parts) parts_known_ += 1u - known_[slice];
    known_[slice] = 1;
  }
  /// Exactly these sectors of an item of its slices are lost.
  void found_lost(std::uint32_t item, std::uint32_t sectors);
  std::uint32_t item_sectors() const { return state_->config.geometry.sectors_per_page() >> item_shift_; }
  /// What the tables say of the item, and of those beside it, is to be written.
  void tell_again(std::uint32_t item) { dirty_[layout_.slice_of(item)] = dirty_[layout_.part_of(item)] = 1; }
  /// What t has read, whose word is `oob`; nullptr: not a page of metadata that can be read.
  const std::uint8_t* content(const Transaction& t, std::uint64_t oob, SliceHeader& header);
  /// The tables are complete, from words and checkpoint; `record` is what the newest page of the block table
  /// says, or nullptr. The front end's counters go on from there.
  void recovered(const KeptRecord* record);
  /// What has been found in one copy alone is written before the host sees it: the next cut may ruin that
  /// one. Returns what durable_up_to() tells the end by.
  [[nodiscard]] std::uint32_t settle();

  /// Nothing may be under way.
  void serialise(StateVisitor& visitor);

 private:
  static const OpTraits kPage;
  static const OpTraits kErase;

  struct Unit {
    std::uint32_t site;
    std::uint32_t block;
    std::uint32_t written; // pages
    std::uint8_t copy;
    bool old; // to be erased once all of it has been written again
    std::uint8_t to_erase;
    std::uint8_t unused;
  };
  enum class Step : std::uint8_t { idle, writing, erasing };

  /// Units are blocks of an SLC-mode cache.
  bool of_cache() const { return state_->policy.cache != nullptr; }
  /// That of the LPN's trims.
  std::uint32_t slice_of(std::uint32_t lpn) const { return layout_.slice_of(lpn << item_shift_); }
  std::uint32_t part_of(std::uint32_t lpn) const { return layout_.part_of(lpn << item_shift_); }
  /// The number of a page of metadata that outlasts this life.
  std::uint32_t kept_as(Ppn page) const { return static_cast<std::uint32_t>(state_->blocks.in_die(page)); }
  void changed(std::uint32_t lpn) { dirty_[slice_of(lpn)] = dirty_[part_of(lpn)] = 1; }
  /// Units of a copy that have room for each of so many slices twice.
  std::uint32_t units_for(std::uint32_t slices) const {
    return (2 * slices + unit_pages() - 1) / unit_pages();
  }
  SliceLayout layout_of(Kept kept) const;
  [[nodiscard]] bool number_pages();
  Kept what_cache_keeps() const;
  std::uint32_t region_of_units() const;
  std::uint32_t list_of(std::uint32_t site) const;
  template <typename Each>
  void for_first_subpages(std::uint32_t slice, const Each& each) const;
  std::uint32_t first_subpages(std::uint32_t slice) const;
  void fill_subpage_trims(std::uint8_t* page, SliceHeader& header) const;

  bool tables_hold() const;
  bool can_be(const Unit& unit) const;
  bool begin_flush();
  void end_flush();
  [[nodiscard]] bool advance();
  template <typename Each>
  void for_first_programs(std::uint32_t slice, const Each& each) const;
  std::uint32_t first_programs(std::uint32_t slice) const;
  bool fits(std::uint32_t slice) const;
  bool overflows(std::uint32_t slice) const;
  [[nodiscard]] bool next_pending();
  void write_parts(std::uint32_t slice);
  void written(std::uint32_t slice);
  static constexpr bool tells_trims(SliceKind kind) {
    return kind == SliceKind::trims || kind == SliceKind::parts;
  }
  void fill_trims(std::uint8_t* page, SliceHeader& header) const;
  void fill_losses(std::uint8_t* page, SliceHeader& header) const;
  std::uint32_t lost_of(std::uint32_t item) const;
  void fill_map(std::uint8_t* page, SliceHeader& header) const;
  void fill_blocks(std::uint8_t* page, const SliceHeader& header) const;
  void name_first_programs(std::uint8_t* page, SliceHeader& header) const;
  bool is_named(const Transaction& t) const;
  const Transaction& first_under_way(const Transaction& t) const;
  static Ppn before(const Transaction& t);
  std::uint32_t all_ended_up_to() const;
  /// Else a checkpoint would call for the next one.
  std::uint64_t pages_of_others() const { return state_->write_sequence - own_pages_; }
  void want_all(SliceKind kind);
  void end_checkpoint();
  [[nodiscard]] bool write(std::uint32_t slice, std::uint32_t copy);
  /// The word that the page t is programmed with; `sequence`: of its program.
  std::uint64_t word_of(const Transaction& t, std::uint64_t sequence) const;
  void fill(const Transaction& t);
  void page_done(Transaction& t, const FlashCompletion& c);
  void note_failure(const Transaction& t, const FlashCompletion& c);
  Unit* current(std::uint32_t copy);
  std::uint32_t room(std::uint32_t copy) const;
  std::uint32_t room_wanted() const { return 2 * (layout_.slices() + parts_known_) + 2; }
  bool has_room() const;
  void write_all_again();
  [[nodiscard]] bool get_ready();
  [[nodiscard]] bool begin_units();
  [[nodiscard]] bool take_unit(std::uint32_t copy, std::uint32_t not_on);
  std::uint32_t roomiest_site(std::uint32_t not_on) const;
  const PlaneInfo& space_of(std::uint32_t site) const;
  bool can_lend(std::uint32_t site) const;
  bool erases_wait() const;
  bool begin_erase();
  void erase_done(Transaction& t, const FlashCompletion& c);
  std::uint32_t pages_used() const;
  void mark(Ppn page);
  std::uint32_t held_since(std::uint32_t site, std::uint32_t block) const;
  void want(std::uint32_t epoch) {
    if (epoch > wanted_) wanted_ = epoch;
    busy_ = true;
  }

  FtlState* state_ = nullptr;
  Board* board_ = nullptr;
  SliceLayout layout_;
  std::uint32_t item_shift_ = 0; // log2 of the items of an LPN
  // by slice, with parts
  std::uint8_t* dirty_ = nullptr;   // to be written some time
  std::uint8_t* pending_ = nullptr; // by the flush that is going on
  std::uint8_t* known_ = nullptr;   // a page of it is in the flash, and needed
  std::uint32_t parts_known_ = 0;   // of them
  // by plane and block: epoch of the last trim or loss whose newest version the block holds, 0: none
  std::uint32_t* held_since_ = nullptr;
  Unit* units_ = nullptr;
  std::uint32_t unit_count_ = 0;
  std::uint32_t most_units_ = 0;
  std::uint8_t* scratch_ = nullptr; // a page, where buffers hold less than its bytes
  TransactionList waiting_;         // in the order of their epochs (in Transaction::stamp)
  std::uint32_t epoch_ = 1;         // of what happens now
  std::uint32_t flushing_ = 0;      // epoch up to which the flush that is going on writes, 0: none
  std::uint32_t durable_ = 0;       // epoch up to which all has been written
  std::uint32_t wanted_ = 0;        // epoch up to which somebody waits
  std::uint32_t dropped_ = 0;       // epoch of the last version that was dropped
  std::uint32_t slice_ = 0;         // that is being written
  std::uint32_t copy_ = 0;
  std::uint32_t scan_from_ = 0;                       // of the map, if there are losses
  std::uint32_t erasing_ = 0;                         // unit
  std::uint64_t own_pages_ = 0;                       // written
  std::uint64_t next_checkpoint_ = ~std::uint64_t{0}; // when so many pages of others have been written
  std::uint32_t checkpoint_ = 0;                      // epoch of the one that is being written, 0: none
  bool shut_down_ = false;
  bool recorded_ = true; // since the last power cycle: the block table tells of it
  Step step_ = Step::idle;
  bool busy_ = false;
  bool waits_for_unit_ = false;
  bool fresh_ = false; // all slices are to be written again, or are being
  bool given_back_ = false;
  bool void_ = false; // the page that is being written does not count
  bool trim_waits_ = false;
  bool went_without_ = false; // the last time that units were wanted there were none
};

/// Programs under way whose LPN has had no page before. What the map names may be under way as well, and
/// replace them.
template <typename Each>
void Metadata::for_first_programs(std::uint32_t slice, const Each& each) const {
  state_->pool.for_each([&](const Transaction& t) {
    if (!is_named(t) || !layout_.holds(slice, t.lpn)) return;
    const Transaction& first = first_under_way(t);
    if (!is_page(before(first))) each(first);
  });
}

} // namespace twinplane::fw
