// Moves of units that are smaller than a page: what leaves a block are units of one logical page at a time, or packed ones
// of any, read page by page wherever they are and programmed together.
//
// No lock: the host writes what it likes meanwhile. Just before a move is programmed it is judged by the map:
// what is no longer where it was read stays out, and what native blocks have got meanwhile is read as well.
//
// Where native pages are programmed by whole wordlines (wordline_moves.cpp), moves to native blocks that have all their
// data wait for each other, plane by plane, until there are as many as a wordline has pages. They never wait for
// anything else. When all moves of the job wait and nothing is left to be read, or the pool has no transaction
// for more, the wordline is completed with padding. One of those that wait is given to the die for all of them;
// when the die takes it they are judged by the map, as every move is, and if too few are left they go on
// waiting.
#pragma once

#include "firmware/ftl/gc/mover.h"

namespace twinplane::fw {

class UnitMover final : public Mover {
 public:
  /// `resting`: no move is begun any more.
  void boot(BootMemory& memory, const bool& resting);

  [[nodiscard]] bool move(std::uint32_t site) override;
  void stop_waiting() override;
  [[nodiscard]] bool names_stranded() const override { return false; }
  void serialise(StateVisitor& visitor) override {
    visitor.table(claims_, std::size_t{state_->blocks.sites()} * kMovesInFlight);
  }

  /// A move waits until it has what native blocks have got meanwhile.
  [[nodiscard]] bool is_ready(const Transaction& t) const override;
  [[nodiscard]] bool ready(Transaction& t) override;
  /// Where the cache has no page for it the move is one to a native page, with all that native blocks have of the
  /// logical page.
  [[nodiscard]] bool fits(Transaction& t, const PageSlot& slot) override;
  [[nodiscard]] std::uint32_t take_pass(Transaction& first, std::uint32_t most, Transaction** moves) override;
  void give_up_pass(Transaction& first) override;

 private:
  static const OpTraits kGather;
  static const OpTraits kMove;

  void gathered(Transaction& t, const FlashCompletion& c);
  void move_done(Transaction& t, const FlashCompletion& c);
  [[nodiscard]] bool next_unit(std::uint32_t site, Ppn& page, std::uint32_t& slot);
  bool being_moved(std::uint32_t site, std::uint32_t lpn) const;
  std::uint32_t& claim(std::uint32_t site, std::uint32_t lpn);
  void read_on(Transaction& t);
  void begin_move(Transaction& t, Ppn page, std::uint32_t slot);
  void to_program(Transaction& t);
  void release_pass(std::uint32_t site);
  [[nodiscard]] bool no_more_to_come(std::uint32_t site, std::uint32_t waiting);
  void leave(Transaction& t) override;
  void forget(const Transaction& t) override;
  void gathered_in_part(Transaction& t, std::uint32_t failed);

  const bool* resting_ = nullptr;
  std::uint32_t fold_ = 1;          // native pages of a pass
  std::uint32_t* claims_ = nullptr; // LPNs being moved, kMovesInFlight per plane
};

} // namespace twinplane::fw
