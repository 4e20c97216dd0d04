// Metadata: what out-of-band words do not tell is written to the flash as well, before it is needed.
//
// A trim changes tables only. The page that held the LPN's newest version keeps its word, so after a power
// cut the LPN is found again as it was: allowed, for no trim is promised to be kept. But once that page is erased an
// older version would be found, and that is data that should be gone. So the block that holds it
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
// Its parts are the slices (slices.h), what a page says (contents.h, of items.h), the units that pages are written to
// (units.h), who waits (epochs.h), checkpoints (checkpoint.h), and what writes it all (writer.h).
#pragma once

#include <cstdint>

#include "firmware/ftl/metadata/writer.h"

namespace twinplane::fw {

class Metadata {
 public:
  static constexpr std::uint32_t kCopies = kJournalCopies;
  using Word = JournalWord;
  static constexpr std::uint32_t number_of(std::uint32_t slice, std::uint32_t copy) {
    return journal_number(slice, copy);
  }
  static constexpr std::uint32_t lpn_of(std::uint32_t number) { return journal_lpn(number); }
  static constexpr std::uint32_t copy_of(std::uint32_t lpn, std::uint32_t exported_pages) {
    return journal_copy_in(lpn, exported_pages);
  }
  const SliceLayout& layout() const { return parts.slices.layout(); }
  Word read_word(std::uint64_t oob) const { return parts.items.read_word(oob); }
  bool checkpoint_due() const { return parts.checkpoint.due(); }
  bool busy() const { return writer.busy(); }
  bool idle() const { return writer.idle(); }
  bool run() { return writer.run(); }
  bool waits_for_unit() const { return writer.waits_for_unit(); }
  void give_up() { writer.give_up(); }
  bool give_back() { return writer.give_back(); }
  std::uint32_t unit_pages() const { return parts.units.pages(); }
  void found(std::uint32_t site, std::uint32_t block, std::uint32_t copy, std::uint32_t written) {
    parts.units.found(site, block, copy, written);
  }
  void known(std::uint32_t slice) { parts.slices.known(slice); }
  void found_lost(std::uint32_t item, std::uint32_t sectors) { parts.items.set_lost(item, sectors); }
  std::uint32_t item_sectors() const { return parts.items.sectors(); }
  void tell_again(std::uint32_t item) { parts.slices.changed(item); }
  const std::uint8_t* content(const Transaction& t, std::uint64_t oob, SliceHeader& header) {
    return parts.contents.open(t, oob, header);
  }

  /// Behind all else: takes memory if the drive keeps a journal.
  void boot(BootMemory& memory, FtlState& state, Board& board);

  /// The drive has spare blocks for a journal; for the block table as well; for the map, too.
  bool kept() const { return parts.units.kept(); }
  bool keeps_blocks() const { return parts.keeps_blocks(); }
  bool checkpoints() const { return parts.keeps_map(); }

  // --- block table and checkpoints ---
  /// All tables that are kept are to be written; with `shut_down` the host has said that it is done. Returns
  /// what durable_up_to() tells the end by.
  std::uint32_t begin_checkpoint(bool shut_down);
  /// Blocks have gone bad, the drive is read-only, or what the front end counts must not be lost.
  void block_table_changed() { writer.want_blocks(); }
  /// All blocks of the unit have been erased: it is free again, or lost as a whole, which is told and
  /// written.
  [[nodiscard]] BlockState unit_erased(std::uint32_t site, std::uint32_t block) {
    return writer.unit_erased(site, block);
  }
  /// The longest that a checkpoint may take, when nothing is written but it; 0: none is written.
  std::uint64_t longest_checkpoint_ps() const;
  /// A host is here, again perhaps.
  void opened();

  // --- what changes ---
  /// There are pages to write whatever a trim may ask for. False: they are being seen to.
  [[nodiscard]] bool ready() { return writer.ready_for_trim(); }
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
  /// Sectors of the LPN are lost. It is told at once: nothing else keeps older versions from being found.
  void lost(std::uint32_t lpn);

  // --- who waits ---
  /// The unit must not be erased yet; what it waits for is being written.
  [[nodiscard]] bool holds(std::uint32_t site, std::uint32_t block);
  /// It need not wait: what has made its pages invalid has been written.
  bool has_told(std::uint32_t site, std::uint32_t block) const {
    return kept() && parts.held.since(site, block) <= parts.epochs.durable();
  }
  /// All that has happened is to be written; durable_up_to() tells when it has been.
  [[nodiscard]] std::uint32_t begin_commit() { return kept() ? settle() : 0; }
  /// What a flush of the host has to wait for, too (durable_up_to); it is being written.
  [[nodiscard]] std::uint32_t begin_flush_of_host();
  bool durable_up_to(std::uint32_t epoch) const { return epoch <= parts.epochs.durable(); }
  /// A zeroed page (work unmap): given back by take_durable() once its LPN's slice has been written.
  void wait(Transaction& t);
  /// Nothing that has happened to the LPN has to be written.
  bool durable(std::uint32_t lpn) const { return !kept() || parts.slices.clean(parts.items.of(lpn)); }
  /// The next one of those that have waited; nullptr: none is ready.
  Transaction* take_durable() { return parts.epochs.take_durable(); }

  // --- recovery ---
  /// The tables are complete, from words and checkpoint; `record` is what the newest page of the block table
  /// says, or nullptr. The front end's counters go on from there.
  void recovered(const KeptRecord* record);
  /// What has been found in one copy alone is written before the host sees it: the next cut may ruin that
  /// one. Returns what durable_up_to() tells the end by.
  [[nodiscard]] std::uint32_t settle();

  /// Nothing may be under way.
  void serialise(StateVisitor& visitor);

  JournalParts parts;
  JournalWriter writer;

 private:
  void hold(Ppn newest);

  FtlState* state_ = nullptr;
};

} // namespace twinplane::fw
