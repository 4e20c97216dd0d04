// Garbage collection, one job at a time per site: per plane, or per die under twin block management.
//
// A job starts when the site, or a region of it, has less space than the threshold: it selects a victim,
// reads its valid pages (a few in flight), lets each page that is still mapped be programmed elsewhere, and
// erases the victim when nothing in it is needed or being read any more. The reverse map is the LPN
// stored out of band with each page.
//
// Pages are read in sets. The reads of a set, and sets, may complete in any order: what is open is counted.
// Twin blocks, letter (Algorithm 2): a set is all valid pages of one index in
// the victim's planes; they wait for each other, so that they can be given equal addresses again. Twin
// blocks, sharp (the authors' simulator): pages are dealt in rounds over the planes, one at a time.
// Otherwise a set is one page.
//
// Where there are several regions, each that is short of space gets its turn, and the decision about regions
// (regions/regions.h) says what is done: a victim, whose pages stay or leave, or an erased block of another
// region, which takes no job.
//
// The job of one die can bring in the other dies of its chip (ftl.tbm_gc): letter those within 5 % of
// the threshold in free pages, sharp all that have something to reclaim.
#pragma once

#include <cstdint>

#include "firmware/ftl/board.h"
#include "firmware/ftl/features/journal/journal.h"
#include "hw/spec/flash_descriptor.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

class LowerPages;

class Collector final : public OpOwner {
 public:
  /// Per plane: keeps the die fed while host reads go first. As many as a wordline has pages, at least.
  static constexpr std::uint32_t kMovesInFlight = 4;

  void boot(BootMemory& memory, FtlState& state, Board& board, Journal& journal, LowerPages& lower_pages);

  /// Notes that the plane may need a job or its job may go on. Cheap; the work is done in run().
  void consider(std::uint32_t plane) {
    const std::uint32_t site = state_->blocks.site_of(plane);
    const Job& job = jobs_[site];
    if (job.victim == kNoBlock && !wanted(site)) return; // nearly always
    if (!job.listed) list(site);
  }

  void consider(const TouchedPlanes& touched) {
    for (std::uint32_t i = 0; i < touched.count; ++i) consider(touched.plane[i]);
  }

  /// Advances the noted jobs. Jobs that find the pool empty stay noted.
  void run() {
    if (listed_count_ != 0) advance_listed();
  }

  /// True when a job was noted after the last run().
  bool noted_any() const { return fresh_; }

  /// The plane's block under reclamation, kNoBlock when there is none.
  std::uint32_t victim(std::uint32_t plane) const { return jobs_[state_->blocks.site_of(plane)].victim; }

  /// True while the page to be moved is still the newest version.
  bool current(const Transaction& t) const { return state_->policy.mapping->lookup(t.lpn) == t.source; }
  /// A move whose page was overwritten meanwhile; gives t back to the pool.
  void drop(Transaction& t);
  /// A move that finds no page, as failed programs or power cuts have used up the reserve: the data stay
  /// where they are. The job waits until nothing is left in the victim: see next_stranded().
  void give_up(Transaction& t);
  /// LPNs of pages in victims whose moves have been given up, one after the other: they are to be written
  /// wherever pages of the host are. kNoLpn: there is none left. Each is named once, and counts as being
  /// written until stranded_done().
  std::uint32_t next_stranded();
  bool any_stranded() const { return stranded_; }
  /// The program of such a page has failed. True when its victim has not been erased ...
  [[nodiscard]] bool can_take_back(const Transaction& t) const;
  /// ... then the LPN's page is the one there again, and will be moved or named once more.
  void take_back(const Transaction& t);
  void stranded_done() { --rewriting_; }
  /// Nothing can be written anywhere: they are named again when a block has been erased.
  void put_off_stranded();

  /// A page of a victim has been read as a whole, or programmed elsewhere.
  static const OpTraits kRead;
  static const OpTraits kMove;
  void read_done(Transaction& t, const FlashCompletion& c);
  void write_done(Transaction& t, const FlashCompletion& c);
  /// The move has been programmed, and counts when its wordline is complete: others may be begun meanwhile,
  /// but the victim is not erased.
  void waits_for_wordline(const Transaction& t);
  void wordline_complete(const Transaction& t);
  /// A victim is not erased because a write under way replaces one of its pages.
  bool erase_waits_for_writes() const { return erase_waits_; }

  // SLC-mode cache (collector_cached.cpp)
  [[nodiscard]] bool ready(Transaction& t);
  void send_to_native(Transaction& t);
  void give_up_subpages(Transaction& t);

  // native pages by whole wordlines (collector_fold.cpp)
  /// Collects in `moves` what is ready of those that wait with `first`, `most` at most; 0: they go on
  /// waiting, or have been taken care of.
  [[nodiscard]] std::uint32_t take_fold(Transaction& first, std::uint32_t most, Transaction** moves);
  void give_up_fold(Transaction& first);

  /// From now on blocks are collected as long as there is one with invalid pages (or again only when space is
  /// short).
  void keep_more(bool more);

  /// Nothing is valid any more: all closed blocks are erased, whatever space there is (or no longer).
  void purge(bool begins);
  /// There is a block to erase, or one is being erased.
  [[nodiscard]] bool purging() const;

  /// Nothing is begun any more until resume(): no victim, read or erase. Moves under way end.
  void rest();
  void resume();
  bool resting() const { return resting_; }
  /// serialise() has filled the tables.
  void loaded();

  std::uint32_t active_jobs() const { return active_; } // those that have something to do
  /// The plane's block is being reclaimed for the sake of wear.
  bool for_wear(std::uint32_t plane) const { return jobs_[state_->blocks.site_of(plane)].for_wear; }
  bool waiting_for_pool() const { return listed_count_ != 0; }

  /// Nothing may be queued or in flight.
  void serialise(StateVisitor& state);

 private:
  static const OpTraits kErase;
  static const OpTraits kGather;
  static const OpTraits kMoveSubpages;

  void erase_done(Transaction& t, const FlashCompletion& c);
  void gathered(Transaction& t, const FlashCompletion& c);
  void cache_move_done(Transaction& t, const FlashCompletion& c);
  /// Open at once: each has a read in flight, and none is begun while the moves allowed are in flight.
  static constexpr std::uint32_t kMostSets = kMovesInFlight * kMaxPlanesPerDie;

  struct Job {
    std::uint32_t victim = kNoBlock;
    std::uint16_t moving = 0;     // moves in flight
    std::uint16_t programmed = 0; // moves that wait for their wordlines
    bool listed = false;
    bool nudged = false;   // by a neighbouring die: collect although enough is free
    bool all_read = false; // no valid page left to read
    bool erasing = false;
    bool stalled = false;      // see give_up()
    bool stranded = false;     // and the pages left in the victim are still to be named
    bool stays = false;        // one that has been named is still there, see take_back()
    std::uint8_t to_erase = 0; // planes whose block is to be erased, as bits
    std::uint8_t erases = 0;   // in flight
    std::uint8_t slot = 0;     // SLC-mode cache, packed: of the page at the cursor, the next one
    std::uint8_t holds = 0;    // moves in `held`, by wordlines
    bool folding = false;      // one of them has been given to the die, for all of them
    bool for_wear = false;     // the victim lags behind in wear
    bool pads = false;         // they wait for nothing more: the pool is empty
    std::uint8_t turn = 0;     // sharp: plane whose page is dealt next
    std::uint16_t cursor[kMaxPlanesPerDie] = {}; // per plane of the unit: next page to look at
    std::uint8_t unread[kMostSets] = {};         // per set: reads in flight, 0 = there is no such set
    TransactionList held; // read, waiting for the rest of their set, or of their wordline
  };
  /// Pages of the victim to be read together: one index, planes of the unit as bits (0: none left).
  struct Set {
    std::uint32_t planes = 0;
    std::uint32_t page = 0;
  };

  bool can_be(std::uint32_t site, const Job& job) const;
  bool list_holds() const;
  bool gains(std::uint32_t site, std::uint32_t victim) const {
    return padding_ == 0 || state_->blocks.unit(site, victim).invalid() > padding_;
  }
  bool wanted(std::uint32_t site) const {
    if (purges_or_regions_) return wanted_otherwise(site);
    const PlaneInfo& d = state_->blocks.domain(site);
    return d.space < threshold_ && d.reclaimable != 0;
  }
  bool wanted_otherwise(std::uint32_t site) const {
    return purges_ ? invalid_domain(site) != kNoDomain : short_region(site) != kNoRegion;
  }
  static constexpr std::uint32_t kNoDomain = 0xFFFFFFFFu;
  std::uint32_t invalid_domain(std::uint32_t site) const;
  static constexpr std::uint32_t kNoRegion = kMaxRegions;
  std::uint32_t short_region(std::uint32_t site) const;
  [[nodiscard]] bool start_in_region(std::uint32_t site);
  void begin(std::uint32_t site, std::uint32_t victim);
  std::uint32_t choose_victim(std::uint32_t site) const;
  std::uint32_t lagging_for_wear(std::uint32_t site) const;
  bool short_of_torn_pages(std::uint32_t domain) const;
  void grab(std::uint32_t site, Region region);
  bool near_threshold(std::uint32_t site) const;
  void list(std::uint32_t site) {
    jobs_[site].listed = true;
    listed_[listed_count_++] = site;
    fresh_ = true;
  }
  [[nodiscard]] bool start(std::uint32_t site);
  void start_purge(std::uint32_t site);
  void nudge_chip(std::uint32_t die);
  void advance_listed();
  [[nodiscard]] bool advance(std::uint32_t site);
  [[nodiscard]] bool move_pages(std::uint32_t site);
  Set next_index(std::uint32_t site) const;
  Set next_dealt(std::uint32_t site);
  [[nodiscard]] bool read_set(std::uint32_t site, const Set& set);
  [[nodiscard]] bool erase(std::uint32_t site);
  bool holds_old_versions(std::uint32_t site) const;
  bool holds_old_subpages(std::uint32_t site) const;
  void forget_old_versions(std::uint32_t site);
  static std::uint32_t unused_set(const Job& job);
  void name_stranded();
  void one_read(Job& job, std::uint32_t set);
  void enqueue(Transaction& t) {
    if (stamps_) {
      t.queued_ps = state_->now_ps();
    } else {
      probe_point<Watch::planes, &Collector::stamp>(state_->probe != nullptr, *state_, t);
    }
    board_->enqueue(t);
  }
  /// Those who look want to know how long it waits.
  static void stamp(FtlState& state, Transaction& t) { t.queued_ps = state.hal->now_ps(); }
  [[nodiscard]] bool move_subpages(std::uint32_t site);
  [[nodiscard]] bool next_subpage(std::uint32_t site, Ppn& page, std::uint32_t& slot);
  bool being_moved(std::uint32_t site, std::uint32_t lpn) const;
  std::uint32_t& claim(std::uint32_t site, std::uint32_t lpn);
  void read_on(Transaction& t);
  void begin_move(Transaction& t, Ppn page, std::uint32_t slot);
  void to_program(Transaction& t);
  void release_fold(std::uint32_t site);
  [[nodiscard]] bool no_more_to_come(std::uint32_t site, std::uint32_t waiting);
  void lose_subpage(const LogicalSubpage& l);
  void leave_failed(const Transaction& t);
  void gathered_in_part(Transaction& t, std::uint32_t failed);
  void end_subpages(Transaction& t);
  void end_move(Transaction& t);
  [[nodiscard]] bool move_again(Transaction& t);
  void return_home(const Transaction& t);
  void put_back(std::uint32_t lpn, Ppn page);
  void leave(Transaction& t);
  void look_again(Ppn page);
  std::uint32_t owner_of(Ppn page) const;
  void read_failed(Transaction& t, std::uint32_t failed);

  FtlState* state_ = nullptr;
  Board* board_ = nullptr;
  Journal* journal_ = nullptr;
  LowerPages* lower_pages_ = nullptr;
  Job* jobs_ = nullptr;
  std::uint32_t* listed_ = nullptr;
  std::uint32_t listed_count_ = 0;
  std::uint32_t threshold_ = 0; // see PlaneInfo::space
  std::uint32_t regions_ = 1;
  std::uint32_t fold_ = 1;          // SLC-mode cache: native pages of a pass
  std::uint32_t* claims_ = nullptr; // SLC-mode cache: LPNs being moved, kMovesInFlight per plane
  std::uint8_t* turn_ = nullptr;    // several regions: per site, the one that is looked at first
  std::uint32_t active_ = 0;
  std::uint32_t most_moves_ = 0;    // in flight per job
  bool old_versions_count_ = false; // programs under way do not survive a power cut
  bool erase_waits_ = false;        // see erase_waits_for_writes()
  std::uint32_t padding_ = 0;       // pages that may hold nothing at the end of a victim
  bool sharp_ = false;
  bool fresh_ = false;
  bool resting_ = false;
  bool purges_ = false;
  bool purges_or_regions_ = false;  // or there are several regions
  bool put_off_ = false;            // see put_off_stranded()
  bool stranded_ = false;           // some are to be named now
  std::uint32_t rewriting_ = 0;     // have been named and are not done
  std::uint32_t stranded_site_ = 0; // next_stranded() goes on there
  std::uint32_t stranded_lpn_ = 0;
  bool stamps_ = false; // somebody asks how long work has waited
};

} // namespace twinplane::fw
