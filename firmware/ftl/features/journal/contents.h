// What a page of the journal says: a function of the tables at the moment of its program.
#pragma once

#include <cstdint>

#include "firmware/ftl/features/journal/items.h"

namespace twinplane::fw {

class JournalContents {
 public:
  void boot(BootMemory& memory, FtlState& state, const JournalItems& items, const SliceLayout& layout);
  /// Fills t's buffer with its slice, as the next program; `shut_down`: the host has said that it is done. False:
  /// there is not enough room, and the page does not count.
  [[nodiscard]] bool fill(const Transaction& t, bool shut_down);
  /// What t has read, whose word is `oob`; nullptr: not a page of the journal that can be read.
  const std::uint8_t* open(const Transaction& t, std::uint64_t oob, SliceHeader& header);
  /// The block of the page has been erased.
  void erased(Ppn page);

  /// There is room for twice the programs under way, for more may have begun when the page is filled.
  bool fits(std::uint32_t slice) const {
    return layout_->kind(slice) == SliceKind::blocks || 2 * first_programs(slice) <= layout_->most_entries();
  }
  /// Its programs would fit, but not its losses beside them.
  bool overflows(std::uint32_t slice) const;
  /// A map that is written with losses before it is as old as this moment.
  void note_moment() { scan_from_ = items_->all_ended_up_to(); }

 private:
  std::uint32_t first_programs(std::uint32_t slice) const;
  void name_first_programs(std::uint8_t* page, SliceHeader& header) const;
  void fill_trims(std::uint8_t* page, SliceHeader& header) const;
  void fill_losses(std::uint8_t* page, SliceHeader& header) const;
  void fill_map(std::uint8_t* page, SliceHeader& header) const;
  void fill_blocks(std::uint8_t* page, const SliceHeader& header, bool shut_down) const;
  /// The number of a page that outlasts this life.
  std::uint32_t kept_as(Ppn page) const { return static_cast<std::uint32_t>(state_->blocks.in_die(page)); }

  FtlState* state_ = nullptr;
  const JournalItems* items_ = nullptr;
  const SliceLayout* layout_ = nullptr;
  std::uint8_t* scratch_ = nullptr; // a page, where buffers hold less than its bytes
  std::uint32_t scan_from_ = 0;     // of the map, if there are losses
};

} // namespace twinplane::fw
