// Regions: which blocks serve which data, and how are they used?
//
// A region has, in every plane,
//  * a list of blocks: each good block is on the list of one region and changes lists only while it is erased
//  * a page mode: which pages of its blocks are used between two erases
//  * frontiers: one of the host and one of the collector, or a shared one (media/write_stream.h)
//  * victims: chosen among the region's own blocks, by the one victim policy (a domain, block_table.h)
//  * a threshold: reclaim when fewer blocks of it are erased (ftl.gc_threshold), or fewer pages are left
//  * a space account: blocks, erased blocks, valid and reclaimable pages (PlaneInfo of the domain)
// Each region of a plane keeps the space rule of conventional allocation on its own, so it never deadlocks
// as long as its list has threshold + 2 blocks; and no region can take what another one's collection needs.
//
// The decision says which region serves a write and a page that is moved, and what is done when a region is
// short of space. A drive with one region has no such decision: the pointer is null, and nothing is asked.
//
// An SLC-mode cache before native blocks is such a drive, too (features/slc_cache); its levels
// are the business of its frontiers.
#pragma once

#include <cstdint>

#include "firmware/ftl/media/write_stream.h"
#include "firmware/ftl/statistics.h"
#include "firmware/ftl/transaction.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

/// What is done for a region of a plane that is short of space.
enum class Step : std::uint8_t {
  none,              // nothing can be
  collect,           // a victim of its own; its valid pages stay in the region
  across,            // a victim of its own; its valid pages go to the other region as far as that has room
  borrow_free_block, // takes an erased block of the other region; nothing is reclaimed
  make,              // a victim of the other region, which has no erased block to give, makes one
};
constexpr std::uint32_t kSteps = 5;

/// A region in a plane that is short, and what it could collect.
struct Shortage {
  std::uint32_t plane = 0;
  Region region = 0;
  std::uint32_t victim = kNoBlock; // that the victim policy has named; kNoBlock: nothing to reclaim
  std::uint32_t made_of =
      kNoBlock; // make: that victim, named by the decision; kNoBlock: by the victim policy
};

class Regions {
 public:
  /// The region for pages with this hint.
  [[nodiscard]] virtual Region of_hint(PageHint hint) const = 0;

  /// The region where the host's page goes: of_hint(), or another one while that is nearly full of data.
  [[nodiscard]] virtual Region for_host(std::uint32_t plane, PageHint hint) const = 0;

  /// The hint of a page of that LPN that is moved out of a block of `from` in that plane. It says which
  /// region should take it; where that has no room the page stays in its own.
  [[nodiscard]] virtual PageHint for_moved(std::uint32_t plane, Region from, std::uint32_t lpn) = 0;

  /// The region has less space than collection should leave it.
  [[nodiscard]] virtual bool short_of_space(std::uint32_t plane, Region region) const = 0;

  /// While the host is away the region is to be emptied, and a block of it can be.
  [[nodiscard]] virtual bool can_drain(std::uint32_t /*plane*/, Region /*region*/) const { return false; }

  /// Whether something can be done for a region that has nothing to reclaim: it takes an erased block of
  /// another one, or sends valid pages there.
  [[nodiscard]] virtual bool can_rebalance(std::uint32_t plane, Region region) const = 0;

  /// What to do now; may name another closed block of the region as the victim, or for `make` one of the
  /// other region. The caller does it, and tells by begun() when a collection is its part.
  [[nodiscard]] virtual Step plan_reclaim(Shortage& shortage) = 0;

  /// A victim of the region is being collected; `across`: its pages shall leave it.
  virtual void begun(std::uint32_t plane, Region region, std::uint32_t victim, bool across) = 0;

  /// A frontier has opened an erased block: the host's, or the collector's alone.
  virtual void opened(std::uint32_t plane, std::uint32_t block, bool by_collector) = 0;

  /// A page of the host with this hint was placed.
  virtual void host_page(PageHint hint, std::uint32_t lpn) = 0;

  // metadata
  /// The region whose blocks they take.
  [[nodiscard]] virtual Region for_metadata() const = 0;
  /// It lends them blocks as it says itself: so many of the whole drive, and whether one of the plane now. Else they
  /// have what the capacity leaves.
  [[nodiscard]] virtual bool lends_blocks() const { return false; }
  [[nodiscard]] virtual std::uint32_t blocks_to_lend() const { return 0; }
  [[nodiscard]] virtual bool can_lend_block(std::uint32_t /*plane*/) const { return false; }
  /// It lends so many at a time again and again: it keeps them erased, so that metadata need not wait for what waits for
  /// metadata.
  virtual void keep_to_lend(std::uint32_t /*blocks*/) {}

  /// What it has of gauges of its own.
  virtual void refresh_gauges(FtlStatistics& /*statistics*/) const {}

  // recovery, while all blocks are free
  /// Pages tell of `known` blocks of the plane, by region, which one they serve. Of `others` nothing tells:
  /// how many of them does the first region get?
  [[nodiscard]] virtual std::uint32_t deal(std::uint32_t /*plane*/, const std::uint32_t* /*known*/,
                                           std::uint32_t /*others*/) const {
    return 0;
  }
  /// So many programs ago was the LPN's page written, or moved.
  virtual void found(std::uint32_t /*lpn*/, std::uint32_t /*programs*/) {}

  /// All that lasts, for saving and restoring; a policy without state has nothing to do.
  virtual void serialise(StateVisitor& state) = 0;

 protected:
  ~Regions() = default;
};

/// A region of a plane works with so many blocks and more.
inline std::uint32_t fewest_region_blocks(const FtlConfig& config) {
  const std::uint32_t pages = config.geometry.pages_per_block;
  const std::uint32_t padded = padded_reserve_pages(config, longest_padding(config));
  return config.gc_threshold_blocks + 2 + (padded + pages - 1) / pages;
}

} // namespace twinplane::fw
