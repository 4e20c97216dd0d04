// The collections under way, one for each site, and which of them have something to do.
#pragma once

#include <cstdint>

#include "firmware/ftl/die_queues.h"
#include "firmware/ftl/gc/space_need.h"
#include "hw/spec/flash_descriptor.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

struct GcJob {
  /// Sets open at once: each has a read in flight. None is begun while the moves allowed are in flight, but the last one
  /// may have a page of each plane; and pages that cannot be copied back are read once more, each as a set of its own.
  static constexpr std::uint32_t kMostSets = (kMovesInFlight + 1) * kMaxPlanesPerDie - 1;

  std::uint32_t victim = kNoBlock;
  std::uint16_t moving = 0;     // moves in flight
  std::uint16_t programmed = 0; // moves that wait for their wordlines
  std::uint16_t pace = 0; // that a page moved earns for the host, as kPage: its share of what the job gains
  bool listed = false;
  bool nudged = false;   // by a neighbouring die: collect although enough is free
  bool all_read = false; // no valid page left to read
  bool erasing = false;
  bool stalled = false;       // a move has found no page: see UnrelocatablePages
  bool unrelocatable = false; // and the pages left in the victim are still to be named
  bool stays = false;         // one that has been named is still there
  std::uint8_t to_erase = 0;  // planes whose block is to be erased, as bits
  std::uint8_t erases = 0;    // in flight
  std::uint8_t holds = 0;     // moves in `held`, by wordlines
  bool folding = false;       // one of them has been given to the die, for all of them
  ProgramCause cause =
      ProgramCause::gc;  // what the victim is collected for: gc, wear, or what a feature has said
  bool pads = false;     // they wait for nothing more: the pool is empty
  std::uint8_t turn = 0; // several planes: the one that is looked at next; behind the last: the first
  std::uint16_t cursor[kMaxPlanesPerDie] = {}; // per plane of the unit: next page to look at
  std::uint8_t unread[kMostSets] = {};         // per set: reads in flight, 0 = there is no such set
  TransactionList held; // read, waiting for the rest of their set, or of their wordline

  /// Where units are moved there are no sets, and this is the next unit of the page at the plane's cursor.
  std::uint8_t& slot(std::uint32_t p) { return unread[p]; }
};

class GcJobs {
 public:
  void boot(BootMemory& memory, FtlState& state, DieQueues& board, const SpaceNeed& need);

  GcJob& of_site(std::uint32_t site) { return jobs_[site]; }
  const GcJob& of_site(std::uint32_t site) const { return jobs_[site]; }
  GcJob& of_plane(std::uint32_t plane) { return jobs_[state_->blocks.site_of(plane)]; }
  GcJob& of_page(Ppn page) { return of_plane(state_->blocks.plane_of(page)); }
  /// The plane's block under reclamation, kNoBlock when there is none.
  std::uint32_t victim(std::uint32_t plane) const { return jobs_[state_->blocks.site_of(plane)].victim; }
  /// What the plane's block is being reclaimed for.
  ProgramCause cause(std::uint32_t plane) const { return jobs_[state_->blocks.site_of(plane)].cause; }

  /// Notes that the plane may need a job or its job may go on. Cheap; the work is done in Collector::run().
  void schedule_gc_check(std::uint32_t plane) {
    const std::uint32_t site = state_->blocks.site_of(plane);
    const GcJob& job = jobs_[site];
    if (job.victim == kNoBlock && !need_->wanted(site)) return; // nearly always
    if (!job.listed) list(site);
  }
  void schedule_gc_check(const TouchedPlanes& touched) {
    for (std::uint32_t i = 0; i < touched.count; ++i) schedule_gc_check(touched.plane[i]);
  }
  void consider_all();
  /// These units cannot be read any more: the map forgets them, features are told, and the planes that they were in may
  /// need a job.
  void lose(std::uint32_t lpn, std::uint32_t units);
  void list(std::uint32_t site) {
    jobs_[site].listed = true;
    listed_[listed_count_++] = site;
    fresh_ = true;
  }
  bool any_listed() const { return listed_count_ != 0; }
  std::uint32_t listed() const { return listed_count_; }
  /// True when a job was noted after the last pass over them.
  bool noted_any() const { return fresh_; }
  /// Calls `advance` for each listed site; those that it is false for stay listed.
  template <class Advance>
  void advance_listed(const Advance& advance);

  /// A move goes to the queues of its die.
  void enqueue(Transaction& t) {
    if (stamps_) {
      t.queued_ps = state_->now_ps();
    } else {
      probe_point<Watch::planes, &GcJobs::stamp>(state_->probe != nullptr, *state_, t);
    }
    board_->enqueue(t);
  }

  // --- jobs that have something to do ---
  std::uint32_t active() const { return active_; }
  void begins() { ++active_; }
  void ends() { --active_; }
  /// A move has found no page: the job waits until nothing is left in its victim.
  void stall(std::uint32_t plane);
  /// Pages that the job has passed are valid again: it looks for them from the first one on.
  void look_again(std::uint32_t site);
  /// Nothing is left.
  void go_on(std::uint32_t site);

  /// Nothing may be queued or in flight. What has been listed is told apart, behind the movers' tables.
  void serialise(StateVisitor& state);
  void serialise_news(StateVisitor& state);
  /// serialise() has filled the tables.
  void loaded();

 private:
  bool can_be(std::uint32_t site, const GcJob& job) const;
  bool list_holds() const;
  /// The probe is told how long it waits.
  static void stamp(FtlState& state, Transaction& t) { t.queued_ps = state.hal->now_ps(); }

  FtlState* state_ = nullptr;
  DieQueues* board_ = nullptr;
  const SpaceNeed* need_ = nullptr;
  GcJob* jobs_ = nullptr;
  std::uint32_t* listed_ = nullptr;
  std::uint32_t listed_count_ = 0;
  std::uint32_t active_ = 0;
  bool fresh_ = false;
  bool stamps_ = false; // scheduling asks how long work has waited
};

template <class Advance>
void GcJobs::advance_listed(const Advance& advance) {
  fresh_ = false;
  std::uint32_t kept = 0;
  const std::uint32_t count = listed_count_;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t site = listed_[i];
    if (advance(site)) {
      jobs_[site].listed = false;
    } else {
      listed_[kept++] = site;
    }
  }
  for (std::uint32_t i = count; i < listed_count_; ++i) listed_[kept++] = listed_[i]; // nudged meanwhile
  listed_count_ = kept;
}

} // namespace twinplane::fw
