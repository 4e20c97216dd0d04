// Conventional block allocation in a drive of several regions: pages in the region's order of use, next block
// first fit on the region's list, one write frontier per region and plane shared by host and collection, or
// one for each.
//
// Space rule: that of conventional.cpp for each region of a plane, with its own pages per block, free blocks
// and frontiers. One victim at a time is collected in a plane, so every other region of it keeps a whole
// block in reach. A moved page that is to leave its region obeys the host's rule where it goes, and stays at
// home when that has no room, where the rule has kept a page for it. So the proof there holds for each region
// on its own.
//
// A host page waits for its region while something can be reclaimed in it; else it goes where there is room.
//
// Where power cuts may tear pages the host leaves each region's collection torn_reserve_pages() more, and
// what finds no page at home goes to the other region as far as that can do without.
#include <utility>

#include "firmware/ftl/block_allocation/block_allocation.h"
#include "firmware/ftl/regions/regions.h"

namespace twinplane::fw {

namespace {

class RegionalAllocation final : public BlockAllocation {
 public:
  RegionalAllocation(BootMemory& memory, BlockTable& blocks, const FtlConfig& config, Regions& regions)
      : blocks_(blocks), regions_(regions), torn_(torn_reserve_pages(config, 0)) {
    host_frontiers_ = memory.array<OpenBlock>(blocks.domains());
    collector_ =
        config.frontier == Frontier::shared ? host_frontiers_ : memory.array<OpenBlock>(blocks.domains());
    if (host_frontiers_ == nullptr || collector_ == nullptr) return;
    for (std::uint32_t p = 0; p < config.geometry.planes(); ++p) {
      for (std::uint32_t r = 0; r < blocks.regions(); ++r) {
        const std::uint32_t d = blocks.domain_of(p, r);
        host_frontiers_[d].next = collector_[d].next = blocks.region_pages(r);
      }
    }
  }

  bool peek(const Placement& where, std::uint32_t reclaiming, PageSlot& slot) override {
    if (where.stream == Stream::host) return peek_for_host(where, reclaiming, slot);
    const Region wanted = regions_.of_hint(where.hint);
    if (reclaiming == kNoBlock) return next_page(collector_, where.plane, wanted, slot);
    const Region home = blocks_.block(where.plane, reclaiming).region;
    if (wanted != home && leaves(where.plane, wanted, reclaiming, slot)) return true;
    if (next_page(collector_, where.plane, home, slot)) return true;
    for (std::uint32_t r = 0; torn_ != 0 && r < blocks_.regions(); ++r) {
      if (r != home && leaves(where.plane, static_cast<Region>(r), reclaiming, slot)) return true;
    }
    return false;
  }

  /// As in conventional.cpp: the collector goes on where most pages are left.
  bool resume(std::uint32_t plane, std::uint32_t block, const std::uint32_t* written) override {
    const Region r = blocks_.block(plane, block).region;
    const std::uint32_t d = blocks_.domain_of(plane, r);
    const OpenBlock found{block, pages_written(written), 0};
    OpenBlock& host = host_frontiers_[d];
    OpenBlock& collector = collector_[d];
    if (collector.next == blocks_.region_pages(r)) {
      collector = found;
      regions_.opened(plane, block, !shared());
      return true;
    }
    if (host.next != blocks_.region_pages(r)) return false;
    host = found;
    if (host.next < collector.next) std::swap(host, collector);
    regions_.opened(plane, host.block, false);
    regions_.opened(plane, collector.block, true);
    return true;
  }

  void close_open(std::uint32_t plane) override {
    for (std::uint32_t r = 0; r < blocks_.regions(); ++r) {
      const std::uint32_t pages = blocks_.region_pages(r);
      for (OpenBlock* const frontiers : {host_frontiers_, collector_}) {
        OpenBlock& open = frontiers[blocks_.domain_of(plane, r)];
        if (open.next == 0 || open.next == pages) continue;
        blocks_.close_early(plane, open.block);
        open = OpenBlock{0, pages, 0};
      }
    }
  }

  void serialise(StateVisitor& state) override {
    state.table(host_frontiers_, blocks_.domains());
    if (collector_ != host_frontiers_) state.table(collector_, blocks_.domains());
    for (std::uint32_t p = 0; state.loading() && p < blocks_.geometry().planes(); ++p) {
      for (std::uint32_t r = 0; r < blocks_.regions(); ++r)
        state.require(can_be_in(p, r, host_frontiers_) && can_be_in(p, r, collector_), kNoFrontier);
    }
  }

 private:
  bool can_be_in(std::uint32_t plane, std::uint32_t r, const OpenBlock* frontiers) const {
    const OpenBlock& open = frontiers[blocks_.domain_of(plane, r)];
    return can_be(blocks_, plane, open, blocks_.region_pages(r)) &&
           (open.next == blocks_.region_pages(r) || blocks_.block(plane, open.block).region == r);
  }
  bool peek_for_host(const Placement& where, std::uint32_t reclaiming, PageSlot& slot) {
    const Region first = regions_.for_host(where.plane, where.hint);
    for (std::uint32_t i = 0; i < blocks_.regions(); ++i) {
      const std::uint32_t sum = first + i;
      const auto r = static_cast<Region>(sum < blocks_.regions() ? sum : sum - blocks_.regions());
      if (host_may_take(where.plane, r, reclaiming) && next_page(host_frontiers_, where.plane, r, slot))
        return true;
      if (will_have_room(where.plane, r, reclaiming)) return false;
    }
    return false;
  }

  void taken(const Placement& where, const PageSlot& slot) override {
    const Region r = blocks_.block(where.plane, slot.block).region;
    const std::uint32_t d = blocks_.domain_of(where.plane, r);
    OpenBlock& open = where.stream == Stream::host ? host_frontiers_[d] : collector_[d];
    if (++open.next == blocks_.region_pages(r) && blocks_.mode(r) != PageMode::all)
      blocks_.transition(where.plane, slot.block, BlockState::closed); // full in its mode
  }

  /// Names the next page of the region, and opens a block for it if need be.
  bool next_page(OpenBlock* frontiers, std::uint32_t plane, Region r, PageSlot& slot) {
    const std::uint32_t d = blocks_.domain_of(plane, r);
    OpenBlock& open = frontiers[d];
    if (open.next == blocks_.region_pages(r)) {
      const std::uint32_t block = blocks_.find_free(d);
      if (block == kNoBlock) return false;
      blocks_.open_in_region(plane, block);
      regions_.opened(plane, block, frontiers != host_frontiers_);
      open = OpenBlock{block, 0, 0};
    }
    slot = PageSlot{open.block, blocks_.region_page(r, open.next)};
    return true;
  }

  /// A moved page goes to the region, which is not its own, when that can do without one.
  bool leaves(std::uint32_t plane, Region to, std::uint32_t reclaiming, PageSlot& slot) {
    return spare(plane, to, reclaiming) != 0 && next_page(collector_, plane, to, slot);
  }

  bool shared() const { return collector_ == host_frontiers_; }

  /// Pages that the region's collector can reach beyond those that it must find.
  std::uint32_t spare(std::uint32_t plane, Region r, std::uint32_t reclaiming) const {
    const std::uint32_t d = blocks_.domain_of(plane, r);
    const std::uint32_t pages = blocks_.region_pages(r);
    const std::uint32_t reach = blocks_.domain(d).free_blocks * pages + (pages - collector_[d].next);
    const bool victim_here = reclaiming != kNoBlock && blocks_.block(plane, reclaiming).region == r;
    const std::uint32_t need = victim_here ? blocks_.most_valid(plane, reclaiming) + torn_ : pages;
    return reach > need ? reach - need : 0;
  }

  bool host_may_take(std::uint32_t plane, Region r, std::uint32_t reclaiming) const {
    const std::uint32_t pages = blocks_.region_pages(r);
    const bool own_block = !shared() && host_frontiers_[blocks_.domain_of(plane, r)].next != pages;
    return own_block || spare(plane, r, reclaiming) >= (shared() ? 1 : pages);
  }

  /// Something of the region can be reclaimed, and nothing is in the way.
  bool will_have_room(std::uint32_t plane, Region r, std::uint32_t reclaiming) const {
    if (blocks_.plane(plane).stalled) return false;
    const bool victim_here = reclaiming != kNoBlock && blocks_.block(plane, reclaiming).region == r;
    return victim_here || blocks_.domain(blocks_.domain_of(plane, r)).reclaimable != 0;
  }

  BlockTable& blocks_;
  Regions& regions_;
  std::uint32_t torn_;                  // kept for what power cuts tear
  OpenBlock* host_frontiers_ = nullptr; // by domain
  OpenBlock* collector_ = nullptr;      // the same when they share it
};

} // namespace

BlockAllocation* make_regional_allocation(BootMemory& memory, BlockTable& blocks, const FtlConfig& config,
                                          Regions& regions) {
  return memory.make<RegionalAllocation>(memory, blocks, config, regions);
}

} // namespace twinplane::fw
