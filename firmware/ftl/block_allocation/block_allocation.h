// Block allocation (BLAlloc): which block and page of a given plane takes the next page?
//
// Split in two so that a scheduler can test the multi-plane rules before it commits: peek() names the
// page, take() hands it out. Between them nothing else may be taken from the plane.
#pragma once

#include <cstdint>

#include "firmware/ftl/media/write_stream.h"
#include "firmware/ftl/transaction.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

/// Whose data: decides the frontier and whether the garbage collector's reserve may be used.
struct Placement {
  std::uint32_t plane = 0; // device-wide plane index
  Stream stream = Stream::host;
  PageHint hint = kAnyPage;
};

class BlockAllocation {
 public:
  /// The page that the next take() with the same placement hands out; opens a block when needed.
  /// False when there is none: for the host also when taking it would eat the space that garbage
  /// collection needs. `reclaiming` is the plane's victim or kNoBlock.
  [[nodiscard]] virtual bool peek(const Placement& where, std::uint32_t reclaiming, PageSlot& slot) = 0;

  /// The same for the host without a look at the space rule: true while it goes on in an open block whose
  /// next pages it has been granted.
  [[nodiscard]] bool granted(std::uint32_t plane, PageSlot& slot) const {
    if (host_ == nullptr || host_[plane].next >= host_[plane].granted) return false;
    slot = PageSlot{host_[plane].block, host_[plane].next, false, pass_};
    return true;
  }

  /// Hands out the page that was named; the block table has been told (FtlState::place, FtlState::waste).
  void take(const Placement& where, const PageSlot& slot) {
    if (host_ != nullptr && where.stream == Stream::host) {
      ++host_[where.plane].next;
    } else {
      taken(where, slot);
    }
  }

  /// The plane has lost space in another way than by take(): a program or an erase has failed.
  void revoke(std::uint32_t plane) {
    if (host_ != nullptr) host_[plane].granted = 0;
  }

  /// The block was closed and is going to be erased: whatever it has left will not be written.
  virtual void given_up(std::uint32_t /*plane*/, std::uint32_t /*block*/) {}

  /// No block is collected any more: the host may take what has been kept for that.
  virtual void end_collection() = 0;

  /// Moves empty that closed unit of the site from now on; kNoBlock: none.
  virtual void collects(std::uint32_t /*site*/, std::uint32_t /*block*/) {}
  /// The plane's moves go where hot pages of the host do.
  [[nodiscard]] virtual bool moves_hot(std::uint32_t /*plane*/) const { return false; }

  /// Hot pages of the host find no space: from now on they go where all others do. False: they do already.
  [[nodiscard]] virtual bool end_hot_stream() { return false; }

  /// Nothing is valid, and everything is to be erased: the partly written blocks of the site are closed.
  virtual void close_open(std::uint32_t /*site*/) {}
  /// It can do that.
  [[nodiscard]] virtual bool can_close_open() const { return true; }

  /// Recovery has found the unit partly written and opened it: `written` has kMaxPageTypes counts for each of
  /// its planes, of the pages of each type. Called in the order in which the units were opened. False: the
  /// unit cannot go on being written; what is left of it will be used up by the caller.
  [[nodiscard]] virtual bool resume(std::uint32_t /*site*/, std::uint32_t /*block*/,
                                    const std::uint32_t* /*written*/) {
    return false;
  }

  /// The page that the next take() with the same placement hands out in a block that is open already,
  /// whatever the space rule says; the plane is the one whose turn it is. Of several regions of the last one, whose
  /// blocks use all pages. False: none is open.
  [[nodiscard]] virtual bool goes_on(const Placement& /*where*/, PageSlot& /*slot*/) const { return false; }

  /// Pages that the wordline lacks in which the host's writes go on, where wordlines are programmed in one pass.
  [[nodiscard]] virtual std::uint32_t left_of_pass(std::uint32_t /*plane*/) const { return 0; }

  /// Allocations that deal planes only (twin: must, pa-twin: should): the plane (in the die) that the
  /// stream's next page goes to; the pages after it go to the planes after it. Else every plane takes pages
  /// on its own.
  [[nodiscard]] virtual std::uint32_t next_plane(std::uint32_t /*die*/, Stream /*stream*/,
                                                 PageHint /*hint*/) const {
    return 0;
  }

  /// All that lasts, for saving and restoring; a policy without state has nothing to do.
  virtual void serialise(StateVisitor& state) = 0;

 protected:
  ~BlockAllocation() = default;

  /// take() where it is not a matter of `host_` alone.
  virtual void taken(const Placement& where, const PageSlot& slot) = 0;

  OpenUnit* host_ = nullptr; // per plane; null in a policy that grants nothing in advance
  std::uint8_t pass_ = 1;    // of its pages
};

/// Pages in BlockAllocation::resume()'s counts of one plane.
inline std::uint32_t pages_written(const std::uint32_t* written) {
  std::uint32_t sum = 0;
  for (std::uint32_t t = 0; t < kMaxPageTypes; ++t) sum += written[t];
  return sum;
}

class Regions;
class SuperblockTable;

/// Pages of a block in the order of their use, the next free block first fit. In a drive of one region, or in those
/// that `regions`, which is null there, decides about.
BlockAllocation* make_conventional_allocation(BootMemory& memory, BlockTable& blocks, const FtlConfig& config,
                                              Regions* regions);

/// Pages of every plane that can never hold exported data under it.
std::uint32_t conventional_reserve_pages(const Geometry& g);

/// Units of the blocks of all planes of a die, filled stripe by stripe (striped.cpp).
/// `superblocks`: that its units join, or null.
BlockAllocation* make_striped_allocation(BootMemory& memory, BlockTable& blocks, const FtlConfig& config,
                                         SuperblockTable* superblocks);

/// The same of it: two units of each die, and the rest of a stripe, of which each plane has so many pages.
constexpr std::uint32_t striped_reserve_pages(const Geometry& g, std::uint32_t pages_of_stripe) {
  return 2 * g.pages_per_block + pages_of_stripe;
}

} // namespace twinplane::fw
