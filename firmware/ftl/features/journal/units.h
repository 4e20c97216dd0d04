// The units that pages of the journal are written to: each copy has its own, on different sites.
//
// They are taken from the free blocks of the last region, the cold one of two; in a drive with an SLC-mode cache
// from the cache, in SLC mode, so that a page endangers no other one, also where native pages are programmed by
// whole wordlines. In other drives of such wordlines each page has one for itself. When they are nearly full new ones are
// begun, and the old ones erased once all slices have been written there.
#pragma once

#include <cstdint>

#include "firmware/ftl/features/journal/slice.h"
#include "firmware/ftl/state.h"

namespace twinplane::fw {

/// Of a drive with so many spare blocks, those that it sets aside for the journal: 0, as many as trims may take, or
/// checkpoints as well. The block table alone takes of the former.
std::uint64_t journal_blocks(const FtlConfig& config, const BlockTable& blocks, std::uint32_t exported_pages,
                             std::uint64_t spare);
/// How a drive is cut into slices whose LPNs have so many items; into none: it has too few spare blocks.
SliceLayout journal_layout(const FtlState& state, std::uint32_t items);

class JournalUnits {
 public:
  void attach(FtlState& state);
  void boot(BootMemory& memory, std::uint32_t slices);
  /// So many slices are written whenever a checkpoint is: who lends blocks keeps those ready that they take.
  void keep_blocks(std::uint32_t slices);
  /// The drive keeps a journal; it has kept one so far.
  bool kept() const { return units_ != nullptr && !given_back_; }
  bool booted() const { return units_ != nullptr; }
  /// Of a unit.
  std::uint32_t pages() const { return pages_; }
  /// Pages that are programmed with each of them: the rest of its wordline, where that is programmed in one pass, holds
  /// nothing.
  std::uint32_t pass() const { return pass_; }
  std::uint32_t most() const { return most_; }
  /// Those of a copy that have room for each of so many slices twice.
  std::uint32_t for_slices(std::uint32_t slices) const { return (2 * slices + pages_ - 1) / pages_; }

  /// Pages of the copy that can still be written, and the next one of them, handed out.
  std::uint32_t room(std::uint32_t copy) const;
  Ppn take_page(std::uint32_t copy);
  /// Each copy has room for so many pages.
  bool have_room(std::uint32_t pages) const;
  /// Each copy that has not gets a unit. False: there are no blocks.
  [[nodiscard]] bool take(std::uint32_t room_wanted);
  /// What is there is mostly superfluous: so many slices are known.
  bool nearly_full(std::uint32_t slices) const;
  /// All slices are written to new ones: the units so far are old ones ...
  void renew();
  /// ... and are erased now.
  void renewed();
  /// Nothing more is taken, and no old one erased that has not been begun.
  void give_up();
  /// The last time that units were wanted there were none.
  bool allocation_failed() const { return unit_allocation_failed_; }
  /// All go back to the drive, for good.
  void give_back();
  bool given_back() const { return given_back_; }
  bool empty() const { return count_ == 0; }

  bool erases_wait() const { return next_erase() != count_; }
  /// The block that is erased next; kNoPpn: none.
  Ppn begin_erase();
  /// It has been. Behind the last block of a unit that is not one any more: true.
  [[nodiscard]] bool block_erased(std::uint32_t& site, std::uint32_t& block);

  /// A unit holds `written` pages of that copy: recovery has found it, or it is begun.
  void found(std::uint32_t site, std::uint32_t block, std::uint32_t copy, std::uint32_t written);

  void serialise(StateVisitor& visitor);
  void serialise_flags(StateVisitor& visitor);
  bool hold() const;

 private:
  struct Unit {
    std::uint32_t site;
    std::uint32_t block;
    std::uint32_t written; // pages
    std::uint8_t copy;
    bool old;              // to be erased once all of it has been written again
    std::uint8_t to_erase; // block that is erased next, + 1
    std::uint8_t unused;
  };

  bool can_take_block_from(std::uint32_t site) const;
  std::uint32_t site_with_most_free(std::uint32_t not_on) const;
  [[nodiscard]] bool take_one(std::uint32_t copy, std::uint32_t not_on);
  std::uint32_t next_erase() const;

  FtlState* state_ = nullptr;
  Unit* units_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t most_ = 0;
  std::uint32_t pages_ = 0;
  std::uint32_t pass_ = 1;
  std::uint32_t region_ = 0;  // of their blocks
  std::uint32_t erasing_ = 0; // unit
  bool renewing_ = false;
  bool unit_allocation_failed_ = false;
  bool given_back_ = false;
};

} // namespace twinplane::fw
