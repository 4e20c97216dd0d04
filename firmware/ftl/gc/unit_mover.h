// Moves of units that are smaller than a page: what leaves a block are units of one logical page at a time, or packed ones
// of any, read page by page wherever they are and programmed together.
//
// No lock: the host writes what it likes meanwhile. Just before a move is programmed it is judged by the map:
// what is no longer where it was read stays out, and what native blocks have got meanwhile is read as well.
//
// Where native pages are programmed by whole wordlines, moves to native blocks wait for each other (wordline_moves.cpp).
#pragma once

#include "firmware/ftl/gc/mover.h"

namespace twinplane::fw {

class UnitMover final : public Mover {
 public:
  void boot(BootMemory& memory);

  [[nodiscard]] bool move(std::uint32_t site) override;
  /// Of a cache none is: its own blocks are emptied to native ones, and these are collected first.
  [[nodiscard]] bool names_unrelocatable() const override { return state_->blocks.regions() == 1; }
  void serialise(StateVisitor& visitor) override {
    visitor.table(lpns_being_moved_, std::size_t{state_->blocks.sites()} * kMovesInFlight);
  }

  /// A move waits until it has what native blocks have got meanwhile.
  [[nodiscard]] bool is_ready(const Transaction& t) const override;
  [[nodiscard]] bool ready(Transaction& t) override;
  /// Where the cache has no page for it the move is one to a native page, with all that native blocks have of the
  /// logical page.
  [[nodiscard]] bool fits(Transaction& t, const PageSlot& slot) override;

 private:
  static const OpTraits kGather;
  static const OpTraits kMove;

  void gathered(Transaction& t, const FlashCompletion& c);
  void move_done(Transaction& t, const FlashCompletion& c);
  [[nodiscard]] bool next_unit(std::uint32_t site, Ppn& page, std::uint32_t& slot);
  [[nodiscard]] bool next_of_plane(std::uint32_t site, std::uint32_t p, Ppn& page, std::uint32_t& slot);
  bool being_moved(std::uint32_t site, std::uint32_t lpn) const;
  std::uint32_t& claim(std::uint32_t site, std::uint32_t lpn);
  void read_on(Transaction& t);
  void begin_move(Transaction& t, Ppn page, std::uint32_t slot);
  [[nodiscard]] bool any_left(std::uint32_t site) override;
  void leave(Transaction& t) override;
  void forget(const Transaction& t) override;
  void gathered_in_part(Transaction& t, std::uint32_t failed);

  std::uint32_t* lpns_being_moved_ = nullptr; // LPNs being moved, kMovesInFlight per plane
};

} // namespace twinplane::fw
