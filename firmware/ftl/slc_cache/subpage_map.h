// Where every subpage of every logical page is, and what the pages hold that are programmed in parts.
//
// A subpage is the unit of partial programming. Its place is a page and a slot of that page. In an SLC-mode
// page the slots are filled one after the other, by up to NOP programs, and hold any subpages; in a native
// page slot s holds subpage s of one logical page.
//
// A page is valid to the block table while one of its slots is. Forward 4 bytes per logical subpage, backward
// 4 bytes per slot: that is how the simulator keeps it; what a scheme's own tables would take is
// SlcCache::footprint().
#pragma once

#include <cstdint>

#include "firmware/ftl/block_table.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

constexpr std::uint32_t kMaxSubpages = 8;

/// Page number, then the slot.
using Psn = std::uint32_t;
constexpr Psn kNoPsn = 0xFFFFFFFFu;

constexpr std::uint8_t kUsedUp = 255;
constexpr std::uint8_t kProgramFailed = 254;

/// A page, since its block was opened.
struct PageRecord {
  std::uint8_t used;     // slots programmed, from the first on
  std::uint8_t valid;    // slots that are mapped to, as bits
  std::uint8_t programs; // at most NOP, or one of the above
  std::uint8_t updated;  // a subpage was rewritten in its own page
  std::uint32_t stamp;   // access clock of its last access
};

/// A block, since it was opened.
struct BlockSums {
  std::uint16_t used;  // slots
  std::uint16_t valid; // of them
  std::uint8_t level;  // 0: not in the cache
};

/// Planes whose blocks have lost valid pages, or subpages.
struct TouchedPlanes {
  std::uint32_t plane[kMaxSubpages];
  std::uint32_t count = 0;
};

class SubpageMap {
 public:
  void boot(BootMemory& memory, BlockTable& blocks, std::uint32_t exported_pages, std::uint32_t subpages);

  std::uint32_t subpages() const { return 1u << shift_; }
  std::uint32_t all() const { return low_mask(subpages()); }
  Psn at(std::uint32_t lpn, std::uint32_t subpage) const { return where_[index(lpn, subpage)] - 1; }
  Ppn page_of(Psn psn) const { return static_cast<Ppn>(psn >> shift_); }
  std::uint32_t slot_of(Psn psn) const { return psn & (subpages() - 1); }
  Psn psn(Ppn ppn, std::uint32_t slot) const { return static_cast<std::uint32_t>(ppn) << shift_ | slot; }
  /// The subpages that are anywhere, as bits.
  std::uint32_t mapped(std::uint32_t lpn) const;
  /// Those that are in pages of native blocks.
  std::uint32_t in_native(std::uint32_t lpn) const;

  /// Not only pages that lose their last valid subpage are to be reported, but all that lose one.
  void tell_of_every_subpage() { every_subpage_ = true; }

  const PageRecord& page(Ppn ppn) const { return pages_[page_index(ppn)]; }
  const BlockSums& sums(std::uint32_t plane, std::uint32_t block) const {
    return sums_[at_block(plane, block)];
  }
  /// Valid subpages in the plane's cache.
  std::uint32_t cached(std::uint32_t plane) const { return cached_[plane]; }
  /// In its native blocks.
  std::uint32_t native(std::uint32_t plane) const { return native_[plane]; }
  /// Logical page and subpage that the slot was last written with.
  std::uint32_t owner_lpn(Ppn ppn, std::uint32_t slot) const { return owner(ppn, slot) >> shift_; }
  std::uint32_t owner_subpage(Ppn ppn, std::uint32_t slot) const {
    return owner(ppn, slot) & (subpages() - 1);
  }

  /// The block has been opened for this level.
  void open(std::uint32_t plane, std::uint32_t block, std::uint32_t level);
  /// `slots` more slots of the page are programmed. Its subpages are linked first.
  void programmed(Ppn ppn, std::uint32_t slots);
  void accessed(Ppn ppn, std::uint32_t clock) { pages_[page_index(ppn)].stamp = clock; }
  /// It takes no more programs.
  void use_up(Ppn ppn) {
    if (!program_failed(ppn)) pages_[page_index(ppn)].programs = kUsedUp;
  }
  /// Nor can what is programmed there be relied upon.
  void fail_program(Ppn ppn) { pages_[page_index(ppn)].programs = kProgramFailed; }
  bool program_failed(Ppn ppn) const { return page(ppn).programs == kProgramFailed; }
  void rewritten(Ppn ppn) { pages_[page_index(ppn)].updated = 1; }
  /// Points the subpage to a slot; what it pointed to turns invalid.
  void link(std::uint32_t lpn, std::uint32_t subpage, Psn to, TouchedPlanes& touched);
  /// Forgets where the subpage is.
  void unlink(std::uint32_t lpn, std::uint32_t subpage, TouchedPlanes& touched);

  // recovery, while all blocks are free
  /// The slot was written with this subpage; with `newest` that is where it is.
  void found(Psn psn, std::uint32_t lpn, std::uint32_t subpage, bool newest) {
    owner_[(page_index(page_of(psn)) << shift_) + slot_of(psn)] =
        static_cast<std::uint32_t>(index(lpn, subpage));
    if (newest) where_[index(lpn, subpage)] = psn + 1;
  }
  /// It is nowhere: what has been found is void.
  void forget(std::uint32_t lpn, std::uint32_t subpage) { where_[index(lpn, subpage)] = 0; }
  /// How the page was used; what is valid in it follows.
  void found(Ppn ppn, const PageRecord& page) { pages_[page_index(ppn)] = page; }
  /// The block has been opened once more with all its pages as they were found.
  void reopen(std::uint32_t plane, std::uint32_t block, std::uint32_t level) {
    sums_[at_block(plane, block)] = BlockSums{0, 0, static_cast<std::uint8_t>(level)};
  }
  /// ... and these are taken one by one, in the order of their programs.
  void retake(Ppn ppn);

  void serialise(StateVisitor& state);

 private:
  std::size_t index(std::uint32_t lpn, std::uint32_t subpage) const {
    return (std::size_t{lpn} << shift_) + subpage;
  }
  std::size_t at_block(std::uint32_t plane, std::uint32_t block) const {
    return std::size_t{plane} * blocks_->blocks_per_plane() + block;
  }
  std::size_t page_index(Ppn ppn) const {
    return at_block(blocks_->plane_of(ppn), blocks_->block_of(ppn)) * blocks_->pages_per_block() +
           blocks_->page_of(ppn);
  }
  std::uint32_t owner(Ppn ppn, std::uint32_t slot) const {
    return owner_[(page_index(ppn) << shift_) + slot];
  }
  void invalidate(Psn psn, TouchedPlanes& touched);
  void take(std::uint32_t plane, std::uint32_t block, std::uint32_t page);

  BlockTable* blocks_ = nullptr;
  std::uint32_t shift_ = 0;        // log2 of the subpages per page
  std::uint32_t* where_ = nullptr; // psn + 1 by logical subpage, 0: nowhere
  std::uint32_t* owner_ = nullptr; // logical subpage by slot
  PageRecord* pages_ = nullptr;
  BlockSums* sums_ = nullptr;
  std::uint32_t* cached_ = nullptr; // by plane
  std::uint32_t* native_ = nullptr; // the same
  std::uint32_t exported_pages_ = 0;
  bool every_subpage_ = false;
};

} // namespace twinplane::fw
