#include "firmware/ftl/features/slc_cache/cache_placement.h"

namespace twinplane::fw {

void CachePlacement::boot(const CacheContext& c, const UnitIo& io, CacheSpace& space, const CacheWear& wear) {
  begin(c);
  io_ = &io;
  space_ = &space;
  wear_ = &wear;
}

/// In the cache: the page of the first unit that is rewritten, else of any unit of the logical page.
Ppn CachePlacement::page_of_old(std::uint32_t lpn, std::uint32_t units) const {
  const std::uint32_t cached = map_->mapped(lpn) & ~map_->in_native(lpn);
  if (cached == 0) return kNoPpn;
  const std::uint32_t rewritten = cached & units;
  return map_->page_of(map_->at(lpn, lowest_bit(rewritten != 0 ? rewritten : cached)));
}

bool CachePlacement::fits_in_place(const Transaction& t, Ppn& ppn) const {
  const UnitWork& w = io_->work(t);
  if (!scheme_->rewrites_in_place() || w.native) return false;
  ppn = page_of_old(t.lpn, w.todo);
  if (ppn == kNoPpn) return false;
  const BlockInfo& block = blocks_->block(blocks_->plane_of(ppn), blocks_->block_of(ppn));
  if (block.state > BlockState::closed || block.grown_bad != 0) return false;
  const PageRecord& p = map_->page(ppn);
  const std::uint32_t left = map_->units() - p.used;
  const std::uint32_t size = bits_set(w.todo);
  return p.programs < config_.partial_programs && (config_.at_most ? size <= left : size < left);
}

PageHint CachePlacement::hint_for(std::uint32_t lpn, const UnitWork& w, PageHint) const {
  if (w.native || (config_.full_to_native && w.todo == map_->all() && w.first)) return 0;
  const Ppn old = page_of_old(lpn, w.todo);
  return static_cast<PageHint>(scheme_->level_of_update(old == kNoPpn ? 0 : level_of(old)));
}

/// Counted before it goes there.
void CachePlacement::host_writes(const UnitWork& w, std::uint32_t lpn, Ppn ppn) {
  CacheCounters& c = statistics_->cache;
  const std::uint32_t level = level_of(ppn);
  if (level == 0 && map_->page(ppn).valid == 0) ++c.native_host_pages; // others share its page
  if (!w.first) return;
  if ((map_->mapped(lpn) & w.todo) == 0) {
    ++c.new_writes;
    return;
  }
  ++c.updates[level];
  if (scheme_->rewrites_in_place() && map_->page(ppn).programs != 0) ++c.in_page;
}

/// Disturbed is what is valid in it but for the slots being written, which come after those used so far, and on both
/// sides of it.
void CachePlacement::programs_again(Ppn ppn) {
  CacheCounters& c = statistics_->cache;
  c.disturbed_in_page += bits_set(map_->page(ppn).valid & low_mask(map_->page(ppn).used));
  const std::uint32_t plane = blocks_->plane_of(ppn);
  const std::uint32_t block = blocks_->block_of(ppn);
  const std::uint32_t page = blocks_->page_of(ppn);
  if (page != 0) c.disturbed_neighbour += bits_set(map_->page(blocks_->ppn(plane, block, page - 1)).valid);
  if (page + 1 != blocks_->region_pages(kCache))
    c.disturbed_neighbour += bits_set(map_->page(blocks_->ppn(plane, block, page + 1)).valid);
  if (scheme_->rewrites_in_place()) map_->rewritten(ppn);
}

} // namespace twinplane::fw
