// Moves of subpages in a drive with an SLC-mode cache: what leaves a block are subpages of one logical page at a
// time, read page by page wherever they are and programmed together.
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

class SubpageMover final : public Mover {
 public:
  /// `resting`: no move is begun any more.
  void boot(BootMemory& memory, FtlState& state, GcJobs& jobs, Journal& journal, const bool& resting);

  [[nodiscard]] bool move(std::uint32_t site) override;
  [[nodiscard]] bool holds_old_versions(std::uint32_t site, bool under_way) const override;
  void stop_waiting() override;
  [[nodiscard]] bool names_stranded() const override { return false; }
  void serialise(StateVisitor& visitor) override {
    visitor.table(claims_, std::size_t{state_->blocks.sites()} * kMovesInFlight);
  }

  /// Whether the move can be programmed as it is. If not, it has been taken care of.
  [[nodiscard]] bool ready(Transaction& t);
  /// The cache has no page for it: a native one, with all that native blocks have of the logical page.
  void send_to_native(Transaction& t);
  /// No page at all, as failed programs have used up the reserve: the data stay where they are.
  void give_up(Transaction& t);
  /// Collects in `moves` what is ready of those that wait with `first`, `most` at most; 0: they go on
  /// waiting, or have been taken care of.
  [[nodiscard]] std::uint32_t take_wordline(Transaction& first, std::uint32_t most, Transaction** moves);
  void give_up_wordline(Transaction& first);

 private:
  static const OpTraits kGather;
  static const OpTraits kMove;

  void gathered(Transaction& t, const FlashCompletion& c);
  void move_done(Transaction& t, const FlashCompletion& c);
  [[nodiscard]] bool next_subpage(std::uint32_t site, Ppn& page, std::uint32_t& slot);
  bool being_moved(std::uint32_t site, std::uint32_t lpn) const;
  std::uint32_t& claim(std::uint32_t site, std::uint32_t lpn);
  void read_on(Transaction& t);
  void begin_move(Transaction& t, Ppn page, std::uint32_t slot);
  void to_program(Transaction& t);
  void release_wordline(std::uint32_t site);
  [[nodiscard]] bool no_more_to_come(std::uint32_t site, std::uint32_t waiting);
  void lose_subpage(const LogicalUnit& l);
  void leave_failed(const Transaction& t);
  void gathered_in_part(Transaction& t, std::uint32_t failed);
  void end(Transaction& t);

  FtlState* state_ = nullptr;
  GcJobs* jobs_ = nullptr;
  Journal* journal_ = nullptr;
  const bool* resting_ = nullptr;
  std::uint32_t fold_ = 1;          // native pages of a pass
  std::uint32_t* claims_ = nullptr; // LPNs being moved, kMovesInFlight per plane
};

} // namespace twinplane::fw
