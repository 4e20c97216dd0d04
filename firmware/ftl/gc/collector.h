// Garbage collection, one job at a time per site: per plane, or per die under twin block management.
//
// A job starts when the site, or a region of it, has less space than the threshold (SpaceNeed): it selects a
// victim, lets what is valid be moved elsewhere (Mover), and erases the victim when nothing in it is needed or being
// read any more.
//
// Where there are several regions, the decision about regions (regions/regions.h) says what is done for the one
// that is short of space: a victim, whose pages stay or leave, or an erased block of another region, which
// takes no job.
//
// The job of one die can bring in the other dies of its chip (ftl.tbm_gc): paper those within 5 % of
// the threshold in free pages, simulator all that have something to reclaim.
#pragma once

#include "firmware/ftl/gc/page_mover.h"
#include "firmware/ftl/gc/unit_mover.h"
#include "firmware/ftl/gc/victim_choice.h"

namespace twinplane::fw {

class Collector final : public OpOwner {
 public:
  void boot(BootMemory& memory, FtlState& state, DieQueues& board);

  /// Advances the noted jobs. Jobs that find the pool empty stay noted.
  void run() {
    if (jobs.any_listed()) advance_listed();
  }
  /// A victim is not erased because a write under way replaces one of its pages.
  bool erase_waits_for_writes() const { return erase_waits_; }
  /// All that the collections under way have to do is to erase, and metadata must be written first.
  bool erases_wait_for_metadata() const { return erases_held_ != 0 && erases_held_ == jobs.listed(); }

  /// The move has been programmed, and counts when its wordline is complete: others may be begun meanwhile,
  /// but the victim is not erased.
  void waits_for_wordline(const Transaction& t);
  void wordline_complete(const Transaction& t);

  /// A job whose moves have found no page tries once more, for another site can do without one by now. False: none does.
  [[nodiscard]] bool retry_stalled();

  /// From now on blocks are collected as long as there is one with invalid pages (or again only when space is
  /// short).
  void collect_all(bool all);
  /// While the host is away space is made ahead of need (or no longer).
  void collect_ahead(const AheadOfNeed& wish);
  /// Nothing is valid any more: all closed blocks are erased, whatever space there is (or no longer).
  void purge(bool begins);
  /// There is a block to erase, or one is being erased.
  [[nodiscard]] bool purging() const;

  /// The drive is read-only: no space is made any more, and the host may have what has been kept for that.
  void end();

  /// Nothing is begun any more until resume(): no victim, read or erase. Moves under way end.
  void quiesce();
  void resume();
  bool quiesced() const { return quiesced_; }

  Mover& mover() { return *mover_; }

  /// Nothing may be queued or in flight.
  void serialise(StateVisitor& visitor);
  /// serialise() has filled the tables.
  void loaded();

  GcJobs jobs;
  UnrelocatablePages unrelocatable;
  PageMover pages;

 private:
  static const OpTraits kErase;

  void erase_done(Transaction& t, const FlashCompletion& c);
  void advance_listed();
  [[nodiscard]] bool advance(std::uint32_t site);
  [[nodiscard]] bool find_job(std::uint32_t site);
  [[nodiscard]] bool start(std::uint32_t site);
  [[nodiscard]] bool start_in_region(std::uint32_t site);
  void start_purge(std::uint32_t site);
  void begin_in_region(const Reclaim& reclaim);
  void note_wear(std::uint32_t site, std::uint32_t victim);
  void begin(std::uint32_t site, std::uint32_t victim);
  std::uint16_t pace_of(std::uint32_t site, std::uint32_t victim) const;
  void trigger_sibling_dies(std::uint32_t die);
  [[nodiscard]] bool erase(std::uint32_t site);
  [[nodiscard]] bool may_erase(std::uint32_t site);
  [[nodiscard]] bool old_versions_count() const;
  [[nodiscard]] bool holds_old_versions(std::uint32_t site) const;
  void forget_old_versions(std::uint32_t site);

  FtlState* state_ = nullptr;
  DieQueues* board_ = nullptr;
  UnitMover units_;
  Mover* mover_ = nullptr; // one of the two
  SpaceNeed need_;
  VictimChoice victims_;
  bool old_versions_count_ = false; // programs under way do not survive a power cut
  bool chips_collect_ = false;      // a die's job brings in others (TbmGc)
  bool erase_waits_ = false;        // see erase_waits_for_writes()
  std::uint32_t erases_held_ = 0;   // see erases_wait_for_metadata()
  bool quiesced_ = false;
};

} // namespace twinplane::fw
