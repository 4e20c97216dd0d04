// The units of blocks of a recovery: which blocks are one (units.cpp), which region each block serves, and how units go
// on (rebuild.cpp). Partitions (deal.cpp) and SLC-mode caches (cache_recovery.cpp) have more to find out.
#pragma once

#include "firmware/ftl/recovery/found_map.h"

namespace twinplane::fw {

class FoundMetadata;

class FoundUnits : protected RecoveryPart {
 public:
  struct Unit {
    std::uint64_t age; // programs since its last one, or since its first one
    std::uint32_t site;
    std::uint32_t block;
  };
  FoundUnits(BootMemory& memory, const RecoveryPart& part)
      : RecoveryPart(part), units_(memory.zeroed<Unit>(blocks_.geometry().blocks() / blocks_.twins())) {}

  /// In a drive that replaces bad blocks of twin units: brings blocks together that have been written together. What
  /// names their pages follows.
  void join(FoundMap& map, FoundMetadata& metadata);
  /// The block has gone bad in an earlier life; of two partitions it was on that one's list.
  void found_bad(std::uint32_t plane, std::uint32_t block, Region region);
  /// All words are known, and metadata come next.
  virtual void words_known() {}
  virtual void reserve_for_metadata(std::uint32_t /*site*/, std::uint32_t /*block*/) {}
  /// The map is complete, and the blocks know their valid pages.
  virtual void versions_known(const FoundMap&) {}
  /// Opens and fills all units in the order in which they were last written, so that victim policies find the ages
  /// that they look at. Units that were partly written go on being written (BlockAllocation::resume).
  void open_all();
  virtual void recovered() {}

 protected:
  ~FoundUnits() = default;
  void assign(std::uint32_t plane, std::uint32_t block, Region region) {
    if (blocks_.block(plane, block).region != region) blocks_.change_region(plane, block, region);
    for (std::uint32_t t = 1; blocks_.mode(region) == PageMode::fast && t < kMaxPageTypes; ++t)
      found_.at(plane, block).written[t] = 0; // of one that is torn
  }

 private:
  std::uint32_t list(bool full);
  void take_pages(std::uint32_t site, std::uint32_t block, bool written);
  void take_page(std::uint32_t plane, std::uint32_t block, std::uint32_t page, bool written);
  void go_on(const Unit& unit);
  void look_at_blocks();

  Unit* units_; // a list; and room for UnitJoin
};

/// In a drive with a region that uses fast pages alone: pages of each block that come before its first slow one; else 0.
std::uint32_t fast_pages_before_first_slow(const BlockTable& blocks);

} // namespace twinplane::fw
