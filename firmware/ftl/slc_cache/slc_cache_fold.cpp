// SlcCache: native pages that are programmed by whole wordlines, in one pass. Whatever goes to native blocks
// of a plane waits until there are as many pages as a wordline has (collector_fold.cpp); at the end of a
// block's collection the wordline is completed with pages of padding, which are invalid from the beginning.
//
// So a collection takes its pages rounded up to wordlines, and a native block is worth collecting when it
// gains a wordline. Native blocks are counted one wordline short (sure_pages), so that of the closed ones
// there is always one like that. A host page that finds no place in the cache takes a wordline for itself.
#include "firmware/ftl/slc_cache/slc_cache.h"

namespace twinplane::fw {

/// Native pages that so many evicted ones may take. Of a logical page whose subpages lie in several pages of
/// the block one is moved at a time, when the scheme moves them to different places; each round may end with
/// a wordline that is not full.
std::uint32_t SlcCache::room_for_evicted(std::uint32_t pages) const {
  if (config_.fold == 1 || pages == 0) return pages;
  const std::uint32_t rounds = scheme_->packs() ? 1 : map.subpages();
  return whole_wordlines(pages) + (rounds - 1) * config_.fold;
}

std::uint32_t SlcCache::left_of_wordline(std::uint32_t plane) const {
  const std::uint32_t begun = native_host_[plane].next % config_.fold;
  return begun == 0 ? 0 : config_.fold - begun;
}

void SlcCache::pad(Ppn ppn) {
  blocks_->take_page(blocks_->plane_of(ppn), blocks_->block_of(ppn), blocks_->page_of(ppn));
  ++statistics_->cache.padded_pages;
}

} // namespace twinplane::fw
