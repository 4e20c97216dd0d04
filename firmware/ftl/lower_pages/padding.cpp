// Lower pages: wordlines that are completed with padding.
//
// Who writes next to a page whose wordline is incomplete completes it. So padding waits with the erases of
// its die, behind all that is to be programmed there (Dispatcher::before_padding), and gets its page only
// when its turn has come. It is never in the way of collection: what a victim's pages need is there whatever
// the host's frontier loses (padding_pages(), torn_reserve_pages()).
//
// What a write buffer writes back lingers on its wordline until somebody waits: for a flush, for a slot of
// the buffer, or because the pages that it replaces keep a block from being erased.
#include "firmware/ftl/gc/collector.h"
#include "firmware/ftl/io/host_path.h"
#include "firmware/ftl/lower_pages/lower_pages.h"
#include "firmware/ftl/policies.h"

namespace twinplane::fw {

std::uint32_t padding_pages(const FtlConfig& config, const PageOrderTable& order) {
  if (!completes_wordlines(config)) return 0;
  std::uint32_t most = 0;
  for (std::uint32_t page = 0; page < order.pages(); ++page) {
    const std::uint32_t last = order.page(order.wordline(page), static_cast<PageType>(order.types() - 1));
    if (last - page > most) most = last - page;
  }
  return most;
}

bool LowerPages::may_linger(const Transaction& t) const {
  return t.is_host_page() && !resting_ && !host_->waits_for_programs() &&
         !collector_->erase_waits_for_writes();
}

/// The last page of its wordline has not been handed out.
bool LowerPages::lacks_pages(Ppn page) const {
  const BlockTable& blocks = state_->blocks;
  const PageOrderTable& order = blocks.order();
  const std::uint32_t wordline = order.wordline(blocks.page_of(page));
  return blocks.block(blocks.plane_of(page), blocks.block_of(page)).written <=
         order.page(wordline, static_cast<PageType>(order.types() - 1));
}

/// A page whose wordline is to be completed now. Where the rest of it has been handed out that is being done.
Ppn LowerPages::next_to_complete(std::uint32_t site) {
  Site& s = sites_[site];
  for (const Transaction* t = s.waiting.front(); t != nullptr; t = t->next) {
    if (lacks_pages(t->ppn) && !may_linger(*t)) return t->ppn;
  }
  if (!s.uncovered) return kNoPpn;
  const Ppn page = next_uncovered(site, Uncovered::lacks_pages);
  if (is_page(page)) return page;
  if (is_page(next_uncovered(site, Uncovered::any))) return kNoPpn;
  for (std::uint32_t block = 0; block < state_->blocks.blocks_per_plane(); ++block) {
    std::uint8_t& orphan = orphans_[site * state_->blocks.blocks_per_plane() + block];
    if (orphan != 0) use_up(site, block);
    orphan = 0;
  }
  set_covered(s);
  return kNoPpn;
}

bool LowerPages::pads_next(std::uint32_t site) {
  const Ppn page = next_to_complete(site);
  if (!is_page(page)) return false;
  Site& s = sites_[site];
  if (s.refused && board_->anything_under_way()) return false; // run() looks again
  s.step = Step::copying;
  Transaction& t = state_->pool.own_of(site);
  t.prepare();
  state_->begin(t, kPadding, *this, page);
  board_->enqueue(t);
  return false;
}

/// The next page of a block that a frontier goes on in.
bool LowerPages::open_page(std::uint32_t site, std::uint32_t block, Placement& where, PageSlot& slot) {
  BlockAllocation& allocation = *state_->policy.allocation;
  const BlockTable& blocks = state_->blocks;
  for (const Stream stream : {Stream::relocation, Stream::host}) {
    where.stream = stream;
    where.plane = blocks.first_plane_of(site);
    if (blocks.twins() != 1) where.plane += allocation.next_plane(site, stream, kAnyPage);
    if (allocation.goes_on(where, slot) && slot.block == block) return true;
  }
  return false;
}

/// The next page of a block that nobody goes on in, on the plane that has written least of the unit.
bool LowerPages::orphan_page(std::uint32_t site, std::uint32_t block, Placement& where, PageSlot& slot) {
  const BlockTable& blocks = state_->blocks;
  if (orphans_[site * blocks.blocks_per_plane() + block] == 0) return false;
  const std::uint32_t first = blocks.first_plane_of(site);
  where.plane = first;
  for (std::uint32_t plane = first; plane < first + blocks.twins(); ++plane) {
    if (blocks.block(plane, block).written < blocks.block(where.plane, block).written) where.plane = plane;
  }
  slot = PageSlot{block, blocks.block(where.plane, block).written};
  return slot.page != blocks.pages_per_block();
}

bool LowerPages::place(Transaction& padding) {
  const std::uint32_t site = state_->blocks.site_of(padding.plane);
  Site& s = sites_[site];
  s.step = Step::idle;
  s.refused = false;
  const Ppn page = next_to_complete(site);
  if (!is_page(page)) return false;
  const std::uint32_t block = state_->blocks.block_of(page);
  Placement where;
  PageSlot slot;
  if (open_page(site, block, where, slot)) {
    PageSlot named;
    // where nothing is under way nothing makes space
    s.refused = where.stream == Stream::host && !s.uncovered && board_->anything_under_way() &&
                !state_->policy.allocation->peek(where, collector_->jobs.victim(where.plane), named);
    if (s.refused) return false;
    state_->waste(where, slot);
  } else if (orphan_page(site, block, where, slot)) {
    state_->blocks.take_page(where.plane, slot.block, slot.page);
  } else {
    state_->hal->panic("a wordline that cannot be completed");
  }
  s.step = Step::copying;
  padding.plane = where.plane;
  padding.ppn = state_->blocks.ppn(where.plane, slot.block, slot.page);
  padding.page_type = state_->blocks.order().type(slot.page);
  return true;
}

// --- recovery ---

bool LowerPages::adopt(std::uint32_t site, std::uint32_t block) {
  if (orphans_ == nullptr) return false;
  orphans_[site * state_->blocks.blocks_per_plane() + block] = 1;
  return true;
}

void LowerPages::use_up(std::uint32_t site, std::uint32_t block) {
  BlockTable& blocks = state_->blocks;
  const std::uint32_t first = blocks.first_plane_of(site);
  for (std::uint32_t plane = first; plane < first + blocks.twins(); ++plane) {
    for (std::uint32_t n = blocks.block(plane, block).written; n < blocks.pages_per_block(); ++n)
      blocks.take_page(plane, block, n);
    complete_up_to(plane, block, blocks.order().wordlines());
  }
}

} // namespace twinplane::fw
