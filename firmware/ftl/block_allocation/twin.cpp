// Twin block management (TBM), allocation (Tavakkol et al., IEEE CAL 15(2), 2016,
// Algorithm 1): the blocks of equal number in all planes of a die are opened together, and pages go to
// the planes in strict rotation. So all twins are written to the same level, at most one page apart
// inside a stripe, and the pages of a stripe satisfy PAC and BAC by construction.
//
// Per die and stream: the write frontier unit (the letter's WFU) and how many of its pages are handed
// out; CPI is that number over the planes, the current plane is its remainder.
//
// Space rule: that of conventional allocation (conventional.cpp) with a unit of P blocks in the place
// of a block and the die in the place of the plane. A command group may take all that is left of a
// stripe before anything is accounted for, so a host write needs room for the rest of its stripe; where the
// dies ask for no equal pages (PAC), a group may begin in one stripe and end in the next.
#include <utility>

#include "firmware/ftl/block_allocation/block_allocation.h"

namespace twinplane::fw {

namespace {

/// Write frontier unit.
struct FrontierUnit {
  std::uint32_t block = 0;
  std::uint32_t taken = 0; // == pages per unit: none open
};

class TwinAllocation final : public BlockAllocation {
 public:
  TwinAllocation(BootMemory& memory, BlockTable& blocks, const FtlConfig& config)
      : blocks_(blocks),
        planes_(blocks.twins()),
        unit_pages_(blocks.unit_pages()),
        pac_(config.pac),
        torn_(torn_reserve_pages(config, padding_pages(config, blocks.order())) * blocks.twins()),
        next_victim_(unit_pages_ + unit_padding(padding_pages(config, blocks.order()), blocks.twins())),
        relocation_(config.frontier == Frontier::shared ? 0 : 1),
        open_(memory.array<FrontierUnit>(std::size_t{config.geometry.dies()} * 2)) {
    if (open_ == nullptr) return;
    for (std::uint32_t i = 0; i < config.geometry.dies() * 2; ++i) open_[i].taken = unit_pages_;
  }

  bool peek(const Placement& where, std::uint32_t reclaiming, PageSlot& slot) override {
    const std::uint32_t die = where.plane / planes_;
    FrontierUnit& open = frontier(die, where.stream);
    if (where.stream == Stream::host && !host_may_take(die, reclaiming, open)) return false;
    if (open.taken == unit_pages_) {
      const std::uint32_t block = blocks_.find_free_unit(die);
      if (block == kNoBlock) return false;
      blocks_.transition_unit(die, block, BlockState::open);
      open = FrontierUnit{block, 0};
    }
    const std::uint32_t cpi = open.taken / planes_;
    const bool written = where.plane % planes_ < open.taken % planes_; // in this stripe
    slot = PageSlot{open.block, cpi + (written ? 1 : 0)};
    return slot.page < blocks_.pages_per_block();
  }

  void taken(const Placement& where, const PageSlot& /*slot*/) override {
    ++frontier(where.plane / planes_, where.stream).taken;
  }

  std::uint32_t next_plane(std::uint32_t die, Stream stream, PageHint /*hint*/) const override {
    return open_[die * 2 + index_of(stream)].taken % planes_;
  }

  /// As conventional allocation does. Only a unit whose stripes are full, but for planes at the end of the
  /// last one, has a next page.
  bool resume(std::uint32_t die, std::uint32_t block, const std::uint32_t* written) override {
    FrontierUnit open{block, 0};
    for (std::uint32_t p = 0; p < planes_; ++p) open.taken += pages_written(written + p * kMaxPageTypes);
    for (std::uint32_t p = 0; p < planes_; ++p) {
      const std::uint32_t level = open.taken / planes_ + (p < open.taken % planes_ ? 1 : 0);
      if (pages_written(written + p * kMaxPageTypes) != level) return false;
    }
    FrontierUnit& host = open_[die * 2];
    FrontierUnit& collector = open_[die * 2 + relocation_];
    if (collector.taken == unit_pages_) {
      collector = open;
      return true;
    }
    if (host.taken != unit_pages_) return false;
    host = open;
    if (host.taken < collector.taken) std::swap(host, collector);
    return true;
  }

  void close_open(std::uint32_t die) override {
    for (FrontierUnit* const open : {&open_[die * 2], &open_[die * 2 + relocation_]}) {
      if (open->taken == 0 || open->taken == unit_pages_) continue;
      blocks_.close_early(die, open->block);
      *open = FrontierUnit{0, unit_pages_};
    }
  }

  bool goes_on(const Placement& where, PageSlot& slot) const override {
    const FrontierUnit& open = open_[where.plane / planes_ * 2 + index_of(where.stream)];
    slot = PageSlot{open.block, open.taken / planes_};
    return open.taken != unit_pages_ && where.plane % planes_ == open.taken % planes_;
  }

  void serialise(StateVisitor& state) override {
    state.table(open_, std::size_t{blocks_.geometry().dies()} * 2);
    for (std::uint32_t die = 0; state.loading() && die < blocks_.geometry().dies(); ++die)
      state.require(can_be(die, open_[die * 2]) && can_be(die, open_[die * 2 + 1]), kNoFrontier);
  }

 private:
  bool can_be(std::uint32_t die, const FrontierUnit& open) const {
    if (open.block >= blocks_.blocks_per_plane() || open.taken > unit_pages_) return false;
    const BlockInfo& unit = blocks_.unit(die, open.block);
    return open.taken == unit_pages_ || (unit.state == BlockState::open && unit.written == open.taken);
  }
  std::uint32_t index_of(Stream stream) const { return stream == Stream::relocation ? relocation_ : 0; }
  FrontierUnit& frontier(std::uint32_t die, Stream stream) { return open_[die * 2 + index_of(stream)]; }

  bool host_may_take(std::uint32_t die, std::uint32_t reclaiming, const FrontierUnit& host) const {
    const bool shared = relocation_ == 0;
    if (!shared && host.taken != unit_pages_) return true; // the collector cannot reach this page anyway
    const FrontierUnit& collector = open_[die * 2 + relocation_];
    const std::uint32_t reach =
        blocks_.domain(die).free_blocks * unit_pages_ + (unit_pages_ - collector.taken);
    const std::uint32_t need =
        reclaiming == kNoBlock ? next_victim_ : blocks_.most_valid(die, reclaiming) + torn_;
    const std::uint32_t group = pac_ ? planes_ - host.taken % planes_ : planes_;
    return reach >= need + (shared ? group : unit_pages_);
  }

  BlockTable& blocks_;
  std::uint32_t planes_;
  std::uint32_t unit_pages_;
  bool pac_;
  std::uint32_t torn_;        // kept for what power cuts tear
  std::uint32_t next_victim_; // the most pages that it may need
  std::uint32_t relocation_;  // index of the collector's frontier: 0 = the host's own
  FrontierUnit* open_;        // [die][host, collector]
};

} // namespace

/// Per die two units and the rest of a stripe can be out of the host's reach.
std::uint32_t twin_reserve_pages(const Geometry& g) {
  return 2 * g.pages_per_block + 1;
}

BlockAllocation* make_twin_allocation(BootMemory& memory, BlockTable& blocks, const FtlConfig& config) {
  return memory.make<TwinAllocation>(memory, blocks, config);
}

} // namespace twinplane::fw
