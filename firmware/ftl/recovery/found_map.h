// The map as the words of pages, a checkpoint and pages of metadata tell it: of all versions the newest one. An item
// is what a bit of a slice of metadata stands for: an LPN (pages.cpp), or a subpage of a drive with an SLC-mode cache.
#pragma once

#include "firmware/ftl/features/journal/journal.h"
#include "firmware/ftl/recovery/found_blocks.h"

namespace twinplane::fw {

class FoundSlices;

/// Of a page that is erased, or has more errors than ECC corrects.
constexpr std::uint64_t kNoPageWord = ~std::uint64_t{0};

class FoundMap : protected RecoveryPart {
 public:
  FoundMap(const RecoveryPart& part, Journal& journal) : RecoveryPart(part), journal_(journal) {}

  virtual void begin_read(Transaction&) {}
  /// t has read a page that is not blank.
  virtual void take_page(const Transaction& t, const FlashCompletion& c) = 0;
  /// With checkpoints the same of first pages in two steps: that the page is there, and whose it is. False: its word
  /// cannot be read.
  virtual bool note_word(Ppn, std::uint64_t /*oob*/) { return false; }
  virtual void map_word(Ppn, std::uint64_t /*oob*/, std::uint32_t /*lost*/) {}
  /// The block was read in the wrong mode: what its pages told is void.
  virtual void read_again(std::uint32_t /*plane*/, std::uint32_t /*block*/, bool /*slc*/) {}

  /// Takes the map of the checkpoint. False: there is none, or not all of it has been read.
  virtual bool load_checkpoint(const FoundSlices&) { return false; }
  /// Stamp: what is older and lies in a known block is in the map.
  std::uint32_t checkpoint() const { return checkpoint_; }
  /// The checkpoint names a page that is not there any more, and nothing newer tells of the LPN.
  virtual bool dropped(std::uint32_t /*lpn*/) const { return false; }

  struct Place {
    std::uint32_t lpn;
    Ppn page; // kNoPpn: nowhere
  };
  virtual Place locate(std::uint32_t item) const = 0;
  /// Of the version that the map names. Pages of metadata have as much of the cache's sequence as a stamp.
  virtual std::uint64_t stamp_of(std::uint32_t item) const = 0;
  virtual void forget(std::uint32_t item) = 0;
  /// A page of metadata with this stamp calls the item unmapped.
  virtual void told_unmapped(std::uint32_t /*item*/, std::uint32_t /*stamp*/) {}
  /// Of what the map names now exactly these sectors are lost.
  void set_losses(std::uint32_t item, std::uint32_t sectors) const {
    if (sectors != 0 || state_.lost.any()) journal_.items.set_lost(item, sectors);
  }

  // --- later steps: all words are known; the map is complete, and all blocks are free yet; all units are open ---
  virtual void words_known() {}
  virtual void complete() {}
  virtual void recovered() {}
  /// The next LPN that has to be written again, from `at` on, which is moved behind it; kNoLpn: there is none.
  virtual std::uint32_t next_to_rescue(std::size_t& at) const = 0;

 protected:
  ~FoundMap() = default;
  /// The page was being programmed at the cut; or it was complete, and one of the upper pages of its wordline was
  /// being programmed. `slc`: or more of its own subpages, of a page in SLC mode.
  void note_torn(Ppn page, bool slc) {
    ++counters_.pages_unreadable;
    FoundBlock& f = found_.at(page);
    f.torn = true;
    const bool last = blocks_.order().type(blocks_.page_of(page)) + 1u == blocks_.order().types();
    if (blocks_.slc_mode(page) ? slc : !last) ++f.taken;
  }

  Journal& journal_;
  std::uint32_t checkpoint_ = 0;
  bool from_checkpoint_ = false;
};

/// Of kinds of drives; nullptr when memory is exhausted.
FoundMap* make_found_pages(BootMemory&, const RecoveryPart&, Journal&);
FoundMap* make_found_subpages(BootMemory&, const RecoveryPart&, Journal&);

} // namespace twinplane::fw
