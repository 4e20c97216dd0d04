// Block allocation (BLAlloc): which block and page of a given plane takes the next page?
//
// Split in two so that a scheduler can test the multi-plane rules before it commits: peek() names the
// page, take() hands it out. Between them nothing else may be taken from the plane.
#pragma once

#include <cstdint>

#include "firmware/ftl/block_table.h"
#include "firmware/ftl/transaction.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

/// Whose data: decides the frontier and whether the garbage collector's reserve may be used.
struct Placement {
  std::uint32_t plane = 0; // device-wide plane index
  Stream stream = Stream::host;
  PageHint hint = kAnyPage;
};

struct PageSlot {
  std::uint32_t block = 0;
  std::uint32_t page = 0;
  bool slc = false;      // of a block in SLC mode, in a drive that has others as well
  std::uint8_t pass = 1; // pages of the block that are programmed together: 1, or those of a wordline
};

/// A block that is being filled page by page.
struct OpenBlock {
  std::uint32_t block = 0;
  std::uint32_t next = 0;    // page; pages per block: none is open
  std::uint32_t granted = 0; // the host may take the pages before this one whatever happens but revoke()
};

constexpr const char* kNoFrontier = "it is damaged (a block that is not open is to be written)";
/// Whether a frontier in blocks of so many pages, which has come from outside, can be one of the plane.
inline bool can_be(const BlockTable& blocks, std::uint32_t plane, const OpenBlock& open,
                   std::uint32_t pages) {
  if (open.block >= blocks.blocks_per_plane() || open.next > pages || open.granted > pages) return false;
  const BlockInfo& block = blocks.block(plane, open.block);
  return open.next == pages || (block.state == BlockState::open && block.written == open.next);
}

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
    slot = PageSlot{host_[plane].block, host_[plane].next};
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
  /// whatever the space rule says; the plane is the one whose turn it is. False: none is open.
  [[nodiscard]] virtual bool goes_on(const Placement& /*where*/, PageSlot& /*slot*/) const { return false; }

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

  OpenBlock* host_ = nullptr; // per plane; null in a policy that grants nothing in advance
};

/// Pages in BlockAllocation::resume()'s counts of one plane.
inline std::uint32_t pages_written(const std::uint32_t* written) {
  std::uint32_t sum = 0;
  for (std::uint32_t t = 0; t < kMaxPageTypes; ++t) sum += written[t];
  return sum;
}

BlockAllocation* make_conventional_allocation(BootMemory& memory, BlockTable& blocks,
                                              const FtlConfig& config);

class Regions;

/// The same in each of several regions.
BlockAllocation* make_regional_allocation(BootMemory& memory, BlockTable& blocks, const FtlConfig& config,
                                          Regions& regions);

class SlcCache;

/// Of a cache and native blocks.
BlockAllocation* make_cached_allocation(BootMemory& memory, const BlockTable& blocks, SlcCache& cache);

/// Page-type aware (pa-BLAlloc of PA-SSD); needs the relaxed program order.
BlockAllocation* make_page_type_allocation(BootMemory& memory, BlockTable& blocks, const FtlConfig& config);
/// The same, with the planes of a die kept level in every type, so that pages of one type pair.
BlockAllocation* make_page_type_twin_allocation(BootMemory& memory, BlockTable& blocks,
                                                const FtlConfig& config);
BlockAllocation* make_twin_allocation(BootMemory& memory, BlockTable& blocks, const FtlConfig& config);

/// Pages of every plane that can never hold exported data under the policy.
std::uint32_t page_type_reserve_pages(const Geometry& g);
std::uint32_t conventional_reserve_pages(const Geometry& g);
/// The same of blocks that have so many pages: each of several regions keeps it.
constexpr std::uint32_t conventional_reserve_pages(std::uint32_t pages_per_block) {
  return 2 * pages_per_block + 1;
}
std::uint32_t twin_reserve_pages(const Geometry& g);

/// Where wordlines are completed before anything is answered (lower_pages/): the most pages behind one that
/// complete its wordline. So many of each block may hold nothing.
std::uint32_t padding_pages(const FtlConfig& config, const PageOrderTable& order);

/// The same of twin units, whose planes take pages in turn.
constexpr std::uint32_t unit_padding(std::uint32_t padding, std::uint32_t twins) {
  return padding == 0 ? 0 : (padding + 1) * twins - 1;
}

/// Pages of every plane that the host leaves to a collection under way beside what its victim needs. A power
/// cut wastes the page that a move is being programmed into, and what was to be moved needs another one;
/// where no hold-up energy completes such programs, so many cuts within one collection are provided for.
/// Where they are not enough the victim is emptied to other dies (StrandedPages). Each cut wastes
/// the padding of two frontiers as well, and the end of the collection needs some.
constexpr std::uint32_t torn_reserve_pages(const FtlConfig& config, std::uint32_t padding) {
  constexpr std::uint32_t kCuts = 4;
  return config.hold_up_pages == 0 ? kCuts * (1 + 2 * padding) + padding : 0;
}

} // namespace twinplane::fw
