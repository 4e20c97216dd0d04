// The map of a drive whose unit is smaller than a page: where every unit of every logical page is, and what the pages
// hold.
//
// The place of a unit is a page and a slot of that page. Pages of blocks in SLC mode may be programmed in parts: their
// slots are filled one after the other, by up to NOP programs, and hold any units. Other pages, native ones, are
// programmed as a whole: slot s holds unit s of one logical page, or, where the drive packs them, the slots hold any
// units.
//
// A page is valid to the block table while one of its slots is. Forward 4 bytes per logical unit, backward
// 4 bytes per slot: that is how the simulator keeps it; what the tables of an SLC-mode cache's scheme would take is
// SlcCache::footprint().
#pragma once

#include <cstdint>

#include "firmware/ftl/block_table.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

/// Of a page: 4 KiB of 64 KiB.
constexpr std::uint32_t kMaxUnits = 16;

/// Page number, then the slot.
using Pun = std::uint32_t;
constexpr Pun kNoPun = 0xFFFFFFFFu;
/// Of what a write replaces: a version that nothing holds any more, see kErasedPpn.
constexpr Pun kErasedPun = 0xFFFFFFFEu;

constexpr std::uint8_t kUsedUp = 255;
constexpr std::uint8_t kProgramFailed = 254;

/// A page, since its block was opened.
struct PageRecord {
  std::uint16_t valid;      // slots that are mapped to, as bits
  std::uint8_t used : 7;    // slots programmed, from the first on
  std::uint8_t updated : 1; // a unit was rewritten in its own page
  std::uint8_t programs;    // at most NOP, or one of the above
  std::uint32_t stamp;      // access clock of its last access
};

/// Levels of blocks, 0 of native ones: as many as a word has room for (unit_word.h).
constexpr std::uint32_t kMostLevel = 3;

/// A block, since it was opened.
struct BlockSums {
  std::uint32_t used;  // slots
  std::uint32_t valid; // of them
  std::uint8_t level;
};

struct UnitShape {
  std::uint32_t pages = 0; // logical ones
  std::uint32_t units = 1; // of each
  std::uint32_t sectors_per_page = 0;
  bool packs = false; // native pages hold units of any logical pages
};

/// Planes whose blocks have lost valid pages, or units, or have them back.
struct TouchedPlanes {
  std::uint32_t plane[2 * kMaxUnits];
  std::uint32_t count = 0;
};

class UnitMap {
 public:
  void boot(BootMemory& memory, BlockTable& blocks, const UnitShape& shape);

  /// Native pages hold units of any logical pages. Then all pages that lose a unit are reported, not only those
  /// that lose their last one.
  bool packs() const { return packs_; }
  std::uint32_t pages() const { return exported_pages_; }
  std::uint32_t units() const { return 1u << shift_; }
  std::uint32_t all() const { return low_mask(units()); }
  Pun at(std::uint32_t lpn, std::uint32_t unit) const { return where_[index(lpn, unit)] - 1; }
  Ppn page_of(Pun pun) const { return static_cast<Ppn>(pun >> shift_); }
  std::uint32_t slot_of(Pun pun) const { return pun & (units() - 1); }
  Pun pun(Ppn ppn, std::uint32_t slot) const { return static_cast<std::uint32_t>(ppn) << shift_ | slot; }
  /// The units that are anywhere, as bits.
  std::uint32_t mapped(std::uint32_t lpn) const;
  /// Those that are in pages of native blocks.
  std::uint32_t in_native(std::uint32_t lpn) const;

  const PageRecord& page(Ppn ppn) const { return pages_[page_index(ppn)]; }
  const BlockSums& sums(std::uint32_t plane, std::uint32_t block) const {
    return sums_[at_block(plane, block)];
  }
  /// Valid units in the plane's blocks of other levels.
  std::uint32_t cached(std::uint32_t plane) const { return cached_[plane]; }
  /// In its native blocks.
  std::uint32_t native(std::uint32_t plane) const { return native_[plane]; }
  /// Logical page and unit that the slot was last written with.
  std::uint32_t owner_lpn(Ppn ppn, std::uint32_t slot) const { return owner(ppn, slot) >> shift_; }
  std::uint32_t owner_unit(Ppn ppn, std::uint32_t slot) const { return owner(ppn, slot) & (units() - 1); }

  /// The block has been opened for this level.
  void open(std::uint32_t plane, std::uint32_t block, std::uint32_t level);
  /// It has been erased, and holds nothing; its level is the last one until it is opened again.
  void erased(std::uint32_t plane, std::uint32_t block) { open(plane, block, sums(plane, block).level); }
  /// `slots` more slots of the page are programmed. Its units are linked first.
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
  /// Points the unit to a slot; what it pointed to turns invalid.
  void link(std::uint32_t lpn, std::uint32_t unit, Pun to, TouchedPlanes& touched);
  /// Forgets where the unit is.
  void unlink(std::uint32_t lpn, std::uint32_t unit, TouchedPlanes& touched);

  // recovery, while all blocks are free
  /// The slot was written with this unit.
  void found(Pun pun, std::uint32_t lpn, std::uint32_t unit) {
    owner_[(page_index(page_of(pun)) << shift_) + slot_of(pun)] =
        static_cast<std::uint32_t>(index(lpn, unit));
  }
  /// The page was programmed as a whole, at that time; with what is not known, but for what is found() later.
  void found_whole(Ppn ppn, std::uint32_t stamp);
  /// How the page was used, and the level of its block; what is valid follows.
  void found(Ppn ppn, const PageRecord& page) { pages_[page_index(ppn)] = page; }
  void found_level(Ppn ppn, std::uint32_t level) {
    sums_[at_block(blocks_->plane_of(ppn), blocks_->block_of(ppn))].level = static_cast<std::uint8_t>(level);
  }
  /// That is where it is; kNoPun: nowhere.
  void set(std::uint32_t lpn, std::uint32_t unit, Pun place) { where_[index(lpn, unit)] = place + 1; }
  /// All words are known, and the slot is valid. True: it is the first one of its page.
  [[nodiscard]] bool found_valid(Pun pun);
  /// The block has been opened once more. Of one in SLC mode without a word the level is the first one.
  void reopen(std::uint32_t plane, std::uint32_t block);
  /// ... and its pages are taken one by one, in the order of their programs.
  void retake(Ppn ppn);
  /// The die's blocks behind two numbers of a plane have changed places (BlockTable::exchange_blocks()), and so has what
  /// was found in them.
  void exchange_blocks(std::uint32_t plane, std::uint32_t a, std::uint32_t b);

  void serialise(StateVisitor& state);

 private:
  std::size_t index(std::uint32_t lpn, std::uint32_t unit) const {
    return (std::size_t{lpn} << shift_) + unit;
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
  void invalidate(Pun pun, TouchedPlanes& touched);
  void take(std::uint32_t plane, std::uint32_t block, std::uint32_t page);

  BlockTable* blocks_ = nullptr;
  std::uint32_t shift_ = 0;        // log2 of the units per page
  std::uint32_t* where_ = nullptr; // pun + 1 by logical unit, 0: nowhere
  std::uint32_t* owner_ = nullptr; // logical unit by slot
  PageRecord* pages_ = nullptr;
  BlockSums* sums_ = nullptr;
  std::uint32_t* cached_ = nullptr; // by plane
  std::uint32_t* native_ = nullptr; // the same
  std::uint32_t exported_pages_ = 0;
  bool packs_ = false;
};

} // namespace twinplane::fw
