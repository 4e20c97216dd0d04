// Recovery: in which mode a block was written, in a drive whose SLC-mode cache changes its size or exchanges
// worn blocks, so that numbers do not tell.
//
// Cells that are read in the other mode give garbage. So a block's first page is read in SLC mode, and if
// that brings neither a word nor good data the block is read as a native one; if all of its pages are
// unreadable in native mode as well, in SLC mode once more, to the end: pages may be torn in either mode. The
// first page that can be read tells. Erased cells are blank in both.
//
// Blocks that nothing tells of are erased, or have only torn pages: their erase was cut off, or all of their
// programs were. The cache gets as many of them as it lacks of its least size, torn ones before erased ones,
// and native blocks the rest: what they lack would be missing for good, while a cache that may be larger
// takes blocks as soon as it is short of pages. Torn ones are not written on, for a block has one mode.
#include "firmware/ftl/recovery/recovery.h"

namespace twinplane::fw {

/// Of a block none of whose pages could be read so far.
void Recovery::look_further(Cursor& c, bool blank) {
  const std::uint32_t block = c.block;
  const Look look = found(c.plane, block).look;
  if (look == Look::first && !blank) return read_again(c, block, Look::native);
  pass(c, blank);
  if (look == Look::native && c.block != block) read_again(c, block, Look::slc);
}

void Recovery::read_again(Cursor& c, std::uint32_t block, Look look) {
  Found& f = found(c.plane, block);
  counters_.pages_found -= f.pages();
  counters_.pages_unreadable -= f.pages();
  f = Found();
  f.look = look;
  const BlockTable& blocks = state_->blocks;
  for (std::uint32_t page = 0; page < blocks.pages_per_block(); ++page) // garbage has counted as used up
    cache_->map.found(blocks.ppn(c.plane, block, page), PageRecord{0, 0, 0, 0, 0});
  state_->blocks.read_in_slc_mode(c.plane, block, look == Look::slc);
  c.block = block;
  c.page = 0;
  c.run = 0;
}

void Recovery::deal_cache_blocks() {
  BlockTable& blocks = state_->blocks;
  for (std::uint32_t plane = 0; plane < blocks.geometry().planes(); ++plane) {
    std::uint32_t lacking = cache_->space.extent().least(plane);
    const auto to_region = [&](std::uint32_t block, bool cache) {
      give(plane, block, cache ? kCache : kNative);
      if (cache && lacking != 0) --lacking;
    };
    const auto is = [&](std::uint32_t block, bool told, bool written) {
      const Found& f = found(plane, block);
      return blocks.block(plane, block).state == BlockState::free && (f.look == Look::told) == told &&
             (f.pages() != 0) == written;
    };
    for (std::uint32_t b = 0; b < blocks.blocks_per_plane(); ++b) {
      if (!is(b, true, true)) continue;
      const bool slc = in_slc_mode(plane, b);
      to_region(b, slc);
      blocks.read_in_slc_mode(plane, b, slc); // its pages, of metadata perhaps, are there yet
    }
    for (const bool torn : {true, false}) {
      for (std::uint32_t b = 0; b < blocks.blocks_per_plane(); ++b) {
        if (is(b, false, torn)) to_region(b, lacking != 0);
      }
    }
  }
}

} // namespace twinplane::fw
