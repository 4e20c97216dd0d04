// What is valid in a victim leaves it: it is read, and programmed elsewhere if it is still the newest version then.
// Pages that are mapped as a whole are moved by PageMover, units of them by UnitMover.
#pragma once

#include "firmware/ftl/gc/unrelocatable_pages.h"

namespace twinplane::fw {

class Mover : public OpOwner {
 public:
  /// `resting`: no move is begun any more.
  void boot(FtlState& state, GcJobs& jobs, UnrelocatablePages& unrelocatable, const bool& resting);

  /// Begins moves out of the site's victim. False when the pool is empty and the job has to try again.
  [[nodiscard]] virtual bool move(std::uint32_t site) = 0;
  /// Whether the move can be programmed as it is.
  [[nodiscard]] virtual bool is_ready(const Transaction& t) const = 0;
  /// The same of a move that has left its queue. If not, it has been put off.
  [[nodiscard]] virtual bool ready(Transaction& t) = 0;
  /// A move that is not ready and has left its queue: it ends, or gets what it lacks.
  virtual void put_off(Transaction& t) { (void)ready(t); }
  /// ... and as it is to that page.
  [[nodiscard]] virtual bool fits(Transaction&, const PageSlot&) { return true; }
  /// A move that finds no page, as failed programs or power cuts have used up the reserve, goes to another site that can do
  /// without one. Where there is none the data stay where they are, and the job waits until nothing is left in the victim.
  void give_up(Transaction& t);

  /// Where a move can go that has found no page; kNoSite: nowhere now.
  static constexpr std::uint32_t kNoSite = 0xFFFFFFFFu;
  [[nodiscard]] std::uint32_t site_that_spares_a_page() const;

  // --- moves that wait for each other, as their pages are programmed in one pass (wordline_moves.cpp) ---
  bool goes_in_pass(const Transaction& t) const {
    return pass_ != 1 && (t.hint == 0 || state_->units == nullptr);
  }
  /// Collects in `moves` what is ready of those that wait with `first`, `most` at most; 0: they go on
  /// waiting, or have been taken care of.
  [[nodiscard]] std::uint32_t take_pass(Transaction& first, std::uint32_t most, Transaction** moves);
  void give_up_pass(Transaction& first);
  /// Beside those that t has been taken with as many wait of its job as a wordline has; and the first of them, which stands
  /// for all.
  bool has_pass(const Transaction& t) const {
    const GcJob& job = jobs_->of_page(t.home);
    return !job.folding && job.holds >= pass_;
  }
  [[nodiscard]] Transaction& begin_pass(const Transaction& t) { return begin_pass(jobs_->of_page(t.home)); }
  /// The first of the moves that wait with that one, linked through `next`.
  const Transaction* waiting_with(const Transaction& first) const {
    return jobs_->of_page(first.home).held.front();
  }
  /// No move is added any more to those that wait for each other.
  void stop_waiting();

  /// Pages that no move has found a place for are written by the host's path instead (UnrelocatablePages).
  [[nodiscard]] virtual bool names_unrelocatable() const { return true; }
  virtual void serialise(StateVisitor&) {}

 protected:
  ~Mover() = default;
  /// t has ended, whatever has become of it.
  void end(Transaction& t);
  /// What t should have moved is where it was, as far as t's program has failed.
  virtual void leave(Transaction& t) = 0;
  /// ... and the job comes to it once more.
  void leave_home(Transaction& t);
  /// Moves of the site's victim are still to be begun.
  [[nodiscard]] virtual bool any_left(std::uint32_t site) = 0;
  /// The move has all its data.
  void to_program(Transaction& t);
  /// The moves that wait are programmed, if there are enough or no others will come. `pool_empty`: none can now.
  void release_pass(std::uint32_t site, bool pool_empty = false);
  /// The job does not move what t stands for any more.
  virtual void forget(const Transaction&) {}

  FtlState* state_ = nullptr;
  GcJobs* jobs_ = nullptr;
  UnrelocatablePages* unrelocatable_ = nullptr;
  std::uint32_t pass_ = 1;                    // pages that are programmed in one pass, or 1
  std::uint32_t most_moves_ = kMovesInFlight; // of a job

 private:
  [[nodiscard]] bool goes_to_other_site(Transaction& t);
  [[nodiscard]] bool goes_on(std::uint32_t site) const;
  Transaction& begin_pass(GcJob& job);
  [[nodiscard]] bool no_more_to_come(std::uint32_t site, std::uint32_t waiting);

  const bool* resting_ = nullptr;
  const Transaction* elsewhere_ = nullptr; // a move that has found no page at home
  std::uint32_t together_ =
      1; // moves that wait for each other: a pass of a plane, or of all planes of the unit
};

} // namespace twinplane::fw
