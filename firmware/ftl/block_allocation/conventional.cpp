// Conventional block allocation: pages in sequence, next block first fit round robin; one write
// frontier per plane shared by host and garbage collection, or one for each.
//
// Space rule, and why a plane cannot deadlock. Let S = pages the collector can still reach: what is
// left in its frontier plus all free blocks; b = pages per block. A host write is refused when it
// would leave S < need, where need = valid pages of the running victim, or b when none runs.
//  * A victim has at most b - 1 valid pages and S >= b when it is chosen, so its moves always find
//    pages. Each move lowers S and need by one, so the rule stays true; invalidations lower need only.
//  * The erase then adds b pages: S >= b again. Each round gains at least one page.
//  * Rounds go on while a closed block has an invalid page. When none has, at most two blocks' worth
//    of pages (frontier and reserve) are not valid, and conventional_reserve_pages() keeps the exported
//    capacity below that for at least one plane that the write may go to.
#include "firmware/ftl/block_allocation/block_allocation.h"

namespace twinplane::fw {

namespace {

struct OpenBlock {
  std::uint32_t block = 0;
  std::uint32_t next = 0; // == pages per block: none open
};

class ConventionalAllocation final : public BlockAllocation {
 public:
  ConventionalAllocation(BootMemory& memory, BlockTable& blocks, const FtlConfig& config)
      : blocks_(blocks),
        pages_(config.geometry.pages_per_block),
        relocation_(config.frontier == Frontier::shared ? 0 : 1),
        open_(memory.array<OpenBlock>(std::size_t{config.geometry.planes()} * 2)) {
    if (open_ == nullptr) return;
    for (std::uint32_t i = 0; i < config.geometry.planes() * 2; ++i) open_[i].next = pages_;
  }

  bool peek(const Placement& where, std::uint32_t reclaiming, PageSlot& slot) override {
    OpenBlock& open = frontier(where);
    if (where.stream == Stream::host && !host_may_take(where.plane, reclaiming, open)) return false;
    if (open.next == pages_) {
      const std::uint32_t block = blocks_.find_free(where.plane);
      if (block == kNoBlock) return false;
      blocks_.transition(where.plane, block, BlockState::open);
      open = OpenBlock{block, 0};
    }
    slot = PageSlot{open.block, open.next};
    return true;
  }

  void take(const Placement& where, const PageSlot& slot) override {
    ++frontier(where).next;
    blocks_.take_page(where.plane, slot.block, slot.page);
  }

 private:
  OpenBlock& frontier(const Placement& where) {
    return open_[where.plane * 2 + (where.stream == Stream::relocation ? relocation_ : 0)];
  }

  bool host_may_take(std::uint32_t plane, std::uint32_t reclaiming, const OpenBlock& host) const {
    const bool shared = relocation_ == 0;
    if (!shared && host.next != pages_) return true; // the collector cannot reach this page anyway
    const OpenBlock& collector = open_[plane * 2 + relocation_];
    const std::uint32_t reach = blocks_.plane(plane).free_blocks * pages_ + (pages_ - collector.next);
    const std::uint32_t need = reclaiming == kNoBlock ? pages_ : blocks_.block(plane, reclaiming).valid;
    return reach >= need + (shared ? 1 : pages_);
  }

  BlockTable& blocks_;
  std::uint32_t pages_;
  std::uint32_t relocation_; // index of the collector's frontier: 0 = the host's own
  OpenBlock* open_;          // [plane][host, collector]
};

} // namespace

std::uint32_t conventional_reserve_pages(const Geometry& g) {
  return 2 * g.pages_per_block + 1;
}

BlockAllocation* make_conventional_allocation(BootMemory& memory, BlockTable& blocks,
                                              const FtlConfig& config) {
  return memory.make<ConventionalAllocation>(memory, blocks, config);
}

} // namespace twinplane::fw
