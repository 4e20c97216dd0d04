// Conventional block allocation: pages in sequence, next block first fit round robin; one write
// frontier per plane shared by host and garbage collection, or one for each.
//
// Space rule, and why a plane cannot deadlock. Let S = pages the collector can still reach: what is
// left in its frontier plus all free blocks; b = pages per block. A host write is refused when it
// would leave S < need, where need = valid pages of the running victim, those that a power cut makes valid again
// as it undoes a trim (BlockTable::most_valid), and the few that power cuts may tear (torn_reserve_pages); or b
// when none runs. Only the host keeps to it: moves go on below it.
//  * A victim has at most b - 1 valid pages and S >= b when it is chosen, so its moves always find
//    pages. Each move lowers S and need by one, so the rule stays true; invalidations lower need only.
//  * The erase then adds b pages: S >= b again. Each round gains at least one page.
//  * Hence a host that may take n pages now may take n whatever happens: they are granted in advance. Only
//    where space is lost, because a program or an erase has failed, or where need grows, because a victim is
//    chosen that cuts may tear pages of, the rule must be asked again (revoke()).
//  * Rounds go on while a closed block has an invalid page. When none has, at most two blocks' worth
//    of pages (frontier and reserve) are not valid, and conventional_reserve_pages() keeps the exported
//    capacity below that for at least one plane that the write may go to.
#include <utility>

#include "firmware/ftl/block_allocation/block_allocation.h"

namespace twinplane::fw {

namespace {

class ConventionalAllocation final : public BlockAllocation {
 public:
  ConventionalAllocation(BootMemory& memory, BlockTable& blocks, const FtlConfig& config)
      : blocks_(blocks),
        pages_(config.geometry.pages_per_block),
        torn_(torn_reserve_pages(config, padding_pages(config, blocks.order()))),
        next_victim_(pages_ + padding_pages(config, blocks.order())) {
    const std::uint32_t planes = config.geometry.planes();
    host_ = memory.array<OpenBlock>(planes);
    collector_ = config.frontier == Frontier::shared ? host_ : memory.array<OpenBlock>(planes);
    if (host_ == nullptr || collector_ == nullptr) return;
    for (std::uint32_t p = 0; p < planes; ++p) host_[p].next = collector_[p].next = pages_;
  }

  bool peek(const Placement& where, std::uint32_t reclaiming, PageSlot& slot) override {
    const bool host = where.stream == Stream::host;
    OpenBlock& open = (host ? host_ : collector_)[where.plane];
    const std::uint32_t most = host ? host_may_take(where.plane, reclaiming, open) : pages_;
    if (most == 0) return false;
    if (open.next == pages_) {
      const std::uint32_t block = blocks_.find_free(where.plane);
      if (block == kNoBlock) return false;
      blocks_.transition(where.plane, block, BlockState::open);
      open = OpenBlock{block, 0, 0};
    }
    if (host) open.granted = most < pages_ - open.next ? open.next + most : pages_;
    slot = PageSlot{open.block, open.next};
    return true;
  }

  /// The collector goes on where most pages are left: so it reaches at least what it has reached before.
  bool resume(std::uint32_t plane, std::uint32_t block, const std::uint32_t* written) override {
    const OpenBlock open{block, pages_written(written), 0};
    OpenBlock& host = host_[plane];
    OpenBlock& collector = collector_[plane];
    if (collector.next == pages_) {
      collector = open;
      return true;
    }
    if (host.next != pages_) return false;
    host = open;
    if (host.next < collector.next) std::swap(host, collector);
    return true;
  }

  void close_open(std::uint32_t plane) override {
    for (OpenBlock* const open : {&host_[plane], &collector_[plane]}) {
      if (open->next == 0 || open->next == pages_) continue;
      blocks_.close_early(plane, open->block);
      *open = OpenBlock{0, pages_, 0};
    }
  }

  bool goes_on(const Placement& where, PageSlot& slot) const override {
    const OpenBlock& open = (where.stream == Stream::host ? host_ : collector_)[where.plane];
    slot = PageSlot{open.block, open.next};
    return open.next != pages_;
  }

  void serialise(StateVisitor& state) override {
    const std::uint32_t planes = blocks_.geometry().planes();
    state.table(host_, planes);
    if (collector_ != host_) state.table(collector_, planes);
    for (std::uint32_t p = 0; state.loading() && p < planes; ++p)
      state.require(can_be(blocks_, p, host_[p], pages_) && can_be(blocks_, p, collector_[p], pages_),
                    kNoFrontier);
  }

 private:
  void taken(const Placement& where, const PageSlot& /*slot*/) override { ++collector_[where.plane].next; }

  /// How many pages the space rule leaves to the host.
  std::uint32_t host_may_take(std::uint32_t plane, std::uint32_t reclaiming, const OpenBlock& host) const {
    const bool shared = collector_ == host_;
    if (!shared && host.next != pages_) return pages_; // the collector cannot reach these pages anyway
    const std::uint32_t reach = blocks_.plane(plane).free_blocks * pages_ + (pages_ - collector_[plane].next);
    const std::uint32_t need =
        reclaiming == kNoBlock ? next_victim_ : blocks_.most_valid(plane, reclaiming) + torn_;
    if (!shared) return reach >= need + pages_ ? pages_ : 0;
    return reach > need ? reach - need : 0;
  }

  BlockTable& blocks_;
  std::uint32_t pages_;
  std::uint32_t torn_;        // kept for what power cuts tear
  std::uint32_t next_victim_; // the most pages that it may need
  OpenBlock* collector_;      // per plane; host_ when they share it
};

} // namespace

std::uint32_t conventional_reserve_pages(const Geometry& g) {
  return conventional_reserve_pages(g.pages_per_block);
}

BlockAllocation* make_conventional_allocation(BootMemory& memory, BlockTable& blocks,
                                              const FtlConfig& config) {
  return memory.make<ConventionalAllocation>(memory, blocks, config);
}

} // namespace twinplane::fw
