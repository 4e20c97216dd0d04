// What kind of operation a transaction is: a constant row for each kind, beside the code that owns it.
//
// The stages of the pipeline ask for the trait that they mean, never for a kind. Only an owner compares rows,
// and only its own. A new kind of operation is a new row; no stage changes.
#pragma once

#include <cstdint>

#include "firmware/ftl/statistics.h"
#include "firmware/hal/work_mark.h"
#include "firmware/hal/work_probe.h"
#include "hw/spec/flash_descriptor.h"

namespace twinplane::fw {

struct Transaction;

/// Queues of a die. Late-bound writes wait in the write lane of every die that may take them.
enum class Lane : std::uint8_t { read, write, gc_read, gc_write, erase, none };
constexpr std::uint32_t kLanes = 5;

/// Who places pages: the host's writes, or moves of valid pages.
enum class Stream : std::uint8_t { host, relocation };

/// Who has begun an operation and is told of its end.
class OpOwner {
 public:
  /// An operation of trait `late_page` is next on its die: names its page. False: it has nothing to do any
  /// more, and has ended.
  [[nodiscard]] virtual bool place(Transaction&) { return true; }
  /// An operation of trait `own_page` is about to be programmed: fills its buffer if that is still to be done,
  /// and returns the page's out-of-band word.
  [[nodiscard]] virtual std::uint64_t begin_program(Transaction&) { return 0; }
  /// What the operation has been put off for may have come (HostIo::deferred).
  virtual void resume(Transaction&) {}
  /// What the operation has waited for in Journal::wait() is in the flash.
  virtual void journal_written(Transaction&) {}

 protected:
  ~OpOwner() = default;
};

struct OpTraits {
  using Done = void (*)(OpOwner& owner, Transaction& t, const FlashCompletion& c);

  const char* name; // in messages
  Done done;        // its flash operation has completed; null: it is never in flight
  FlashOp op = FlashOp::read;
  Lane lane = Lane::read;
  WorkFor account = WorkFor::upkeep;
  WorkOrigin origin = WorkOrigin::collection;
  Stream stream = Stream::relocation;      // maps_page
  ProgramCause cause = ProgramCause::host; // own_page

  bool maps_page = false;      // programs: the map names what is written
  bool own_page = false;       // programs a page that its owner has named; the map knows nothing of it
  bool late_page = false;      // ... and names only when its turn comes (OpOwner::place)
  bool by_unit = false;        // drives mapped by unit: has a UnitWork, which says what it moves
  bool page_as_it_is = false;  // drives mapped by unit: uses page and block as other drives do
  bool reads_words = false;    // drives mapped by unit: reads the out-of-band words of a page
  bool to_host = false;        // reads: the host waits for the data
  bool urgent = false;         // writes of the host wait for it
  bool rewrites = false;       // programs for the reason Transaction::rewrite_cause
  bool counts_as_move = false; // in the counters of pages that are moved

  constexpr bool changes_cells() const { return op != FlashOp::read; }
  /// The same row with these traits as well.
  template <class... Trait>
  constexpr OpTraits with(Trait... traits) const {
    OpTraits row = *this;
    ((row.*traits = true), ...);
    return row;
  }
};

/// Row entries for OpTraits::done.
template <class Owner, void (Owner::*Member)(Transaction&, const FlashCompletion&)>
void ends_in(OpOwner& owner, Transaction& t, const FlashCompletion& c) {
  (static_cast<Owner&>(owner).*Member)(t, c);
}

} // namespace twinplane::fw
