// Garbage collection, one job per plane.
//
// A job starts when the plane has less space than the threshold: it selects a victim, reads its
// valid pages (a few in flight), lets each page that is still mapped be programmed elsewhere, and
// erases the victim when nothing in it is needed or being read any more. The reverse map is the LPN
// stored out of band with each page.
#pragma once

#include <cstdint>

#include "firmware/ftl/board.h"
#include "hw/spec/flash_descriptor.h"

namespace twinplane::fw {

class Collector {
 public:
  void boot(BootMemory& memory, FtlState& state, Board& board);

  /// Notes that the plane may need a job or its job may go on. Cheap; the work is done in run().
  void consider(std::uint32_t plane) {
    const Job& job = jobs_[plane];
    if (!job.listed && (job.victim != kNoBlock || wanted(plane))) list(plane);
  }

  /// Advances the noted jobs. Jobs that find the pool empty stay noted.
  void run();

  /// True when a job was noted after the last run().
  bool noted_any() const { return fresh_; }

  /// The plane's block under reclamation, kNoBlock when there is none.
  std::uint32_t victim(std::uint32_t plane) const { return jobs_[plane].victim; }

  /// True while the page to be moved is still the newest version.
  bool current(const Transaction& t) const { return state_->policy.mapping->lookup(t.lpn) == t.source; }
  /// A move whose page was overwritten meanwhile; gives t back to the pool.
  void drop(Transaction& t);

  void read_done(Transaction& t, const FlashCompletion& c);
  void write_done(Transaction& t, const FlashCompletion& c);
  void erase_done(Transaction& t, const FlashCompletion& c);

  std::uint32_t active_jobs() const { return active_; }

 private:
  struct Job {
    std::uint32_t victim = kNoBlock;
    std::uint32_t cursor = 0; // next page of the victim to look at
    std::uint16_t moving = 0; // moves in flight
    bool listed = false;
    bool erasing = false;
  };

  bool wanted(std::uint32_t plane) const {
    const PlaneInfo& p = state_->blocks.plane(plane);
    return p.space < threshold_ && p.reclaimable != 0;
  }
  void list(std::uint32_t plane) {
    jobs_[plane].listed = true;
    listed_[listed_count_++] = plane;
    fresh_ = true;
  }
  void start(std::uint32_t plane);
  bool advance(std::uint32_t plane);
  bool move_pages(std::uint32_t plane);
  bool erase(std::uint32_t plane);
  void end_move(Transaction& t, std::uint32_t plane);
  void lose(Transaction& t, Ppn page);

  FtlState* state_ = nullptr;
  Board* board_ = nullptr;
  Job* jobs_ = nullptr;
  std::uint32_t* listed_ = nullptr;
  std::uint32_t listed_count_ = 0;
  std::uint32_t threshold_ = 0; // see PlaneInfo::space
  std::uint32_t active_ = 0;
  bool fresh_ = false;
};

} // namespace twinplane::fw
