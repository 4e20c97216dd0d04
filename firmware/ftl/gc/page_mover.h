// Moves of whole pages: the valid pages of a victim are read, a few in flight, and each that is still mapped is
// programmed elsewhere. Whose it is tells the LPN stored out of band with it.
//
// Pages are read in sets. The reads of a set, and sets, may complete in any order: what is open is counted.
// Twin blocks as in the paper (Algorithm 2): a set is all valid pages of one index in the victim's planes;
// they wait for each other, so that they can be given equal addresses again. Twin blocks as in the authors'
// simulator: pages are assigned in rounds over the planes, one at a time.
// Otherwise a set is one page.
#pragma once

#include "firmware/ftl/gc/mover.h"

namespace twinplane::fw {

class PageMover final : public Mover {
 public:
  /// A page of a victim has been read as a whole, or programmed elsewhere.
  static const OpTraits kRead;
  static const OpTraits kMove;

  void boot(FtlState& state, GcJobs& jobs, UnrelocatablePages& unrelocatable, const bool& resting);

  [[nodiscard]] bool move(std::uint32_t site) override;
  /// True while the page to be moved is still the newest version.
  [[nodiscard]] bool is_ready(const Transaction& t) const override {
    return state_->policy.mapping->lookup(t.lpn) == t.source;
  }
  /// A move whose page was overwritten meanwhile ends.
  [[nodiscard]] bool ready(Transaction& t) override {
    const bool current = is_ready(t);
    if (!current) end(t);
    return current;
  }
  void put_off(Transaction& t) override { end(t); }

  /// A move that was to be a copyback, and cannot be one where it is to go: its page is read as a whole.
  void read_as_well(Transaction& t);
  void read_done(Transaction& t, const FlashCompletion& c);
  void write_done(Transaction& t, const FlashCompletion& c);

 private:
  /// Pages of the victim to be read together: one index, planes of the unit as bits (0: none left).
  struct Set {
    std::uint32_t planes = 0;
    std::uint32_t page = 0;
  };

  Set next_index(std::uint32_t site) const;
  Set next_assigned(std::uint32_t site);
  [[nodiscard]] bool read_set(std::uint32_t site, const Set& set);
  static std::uint32_t unused_set(const GcJob& job);
  void one_read(GcJob& job, std::uint32_t set);
  [[nodiscard]] bool move_again(Transaction& t);
  void return_home(const Transaction& t);
  /// A move that waits for others of its pass is given up as it is, and its page may have been overwritten meanwhile.
  void leave(Transaction& t) override {
    if (state_->policy.mapping->lookup(t.lpn) == t.ppn) return_home(t);
  }
  [[nodiscard]] bool any_left(std::uint32_t site) override { return next_index(site).planes != 0; }
  std::uint32_t owner_of(Ppn page) const;
  void read_failed(Transaction& t, std::uint32_t failed);

  bool assigns_ = false; // pages are assigned to the planes of twin blocks in turn
};

} // namespace twinplane::fw
