#include "firmware/ftl/slc_cache/subpage_map.h"

#include "firmware/ftl/slc_cache/scheme.h"

namespace twinplane::fw {

void SubpageMap::boot(BootMemory& memory, BlockTable& blocks, std::uint32_t exported_pages,
                      std::uint32_t subpages) {
  blocks_ = &blocks;
  exported_pages_ = exported_pages;
  while ((1u << shift_) < subpages) ++shift_;
  const Geometry& g = blocks.geometry();
  where_ = memory.zeroed<std::uint32_t>(std::size_t{exported_pages} << shift_);
  owner_ = memory.zeroed<std::uint32_t>(static_cast<std::size_t>(g.pages()) << shift_);
  pages_ = memory.zeroed<PageRecord>(static_cast<std::size_t>(g.pages()));
  sums_ = memory.zeroed<BlockSums>(g.blocks());
  cached_ = memory.zeroed<std::uint32_t>(g.planes());
  native_ = memory.zeroed<std::uint32_t>(g.planes());
}

void SubpageMap::serialise(StateVisitor& state) {
  const Geometry& g = blocks_->geometry();
  const std::uint32_t all_subpages = exported_pages_ << shift_;
  state.table(where_, all_subpages, "it is damaged (the map names a page that there is not)",
              [this](std::uint32_t entry) { return entry == 0 || blocks_->has(page_of(entry - 1)); });
  state.table(owner_, static_cast<std::size_t>(g.pages()) << shift_,
              "it is damaged (a subpage that there is not)",
              [all_subpages](std::uint32_t owner) { return owner < all_subpages; });
  state.table(
      pages_, static_cast<std::size_t>(g.pages()), "it is damaged (a page of more subpages than it has)",
      [this](const PageRecord& p) { return p.used <= subpages() && (p.valid & ~low_mask(p.used)) == 0; });
  state.table(sums_, g.blocks(), "it is damaged (a level that the cache does not have)",
              [](const BlockSums& b) { return b.level <= kCacheLevels; });
  state.table(cached_, g.planes());
  state.table(native_, g.planes());
}

std::uint32_t SubpageMap::mapped(std::uint32_t lpn) const {
  std::uint32_t bits = 0;
  for (std::uint32_t s = 0; s < subpages(); ++s) bits |= (at(lpn, s) != kNoPsn ? 1u : 0u) << s;
  return bits;
}

std::uint32_t SubpageMap::in_native(std::uint32_t lpn) const {
  std::uint32_t bits = 0;
  for (std::uint32_t s = 0; s < subpages(); ++s) {
    const Psn psn = at(lpn, s);
    if (psn != kNoPsn && !blocks_->slc_mode(page_of(psn))) bits |= 1u << s;
  }
  return bits;
}

void SubpageMap::open(std::uint32_t plane, std::uint32_t block, std::uint32_t level) {
  sums_[at_block(plane, block)] = BlockSums{0, 0, static_cast<std::uint8_t>(level)};
  PageRecord* const first = pages_ + at_block(plane, block) * blocks_->pages_per_block();
  for (std::uint32_t p = 0; p < blocks_->pages_per_block(); ++p) first[p] = PageRecord{};
}

void SubpageMap::programmed(Ppn ppn, std::uint32_t slots) {
  PageRecord& p = pages_[page_index(ppn)];
  const std::uint32_t plane = blocks_->plane_of(ppn);
  const std::uint32_t block = blocks_->block_of(ppn);
  BlockSums& sums = sums_[at_block(plane, block)];
  const bool first = p.programs++ == 0;
  p.used = static_cast<std::uint8_t>(p.used + slots);
  sums.used = static_cast<std::uint16_t>(sums.used + slots);
  if (first) take(plane, block, blocks_->page_of(ppn));
}

void SubpageMap::take(std::uint32_t plane, std::uint32_t block, std::uint32_t page) {
  if (sums(plane, block).level != 0) {
    blocks_->take_slc_page(plane, block);
  } else {
    blocks_->take_page(plane, block, page);
  }
}

void SubpageMap::retake(Ppn ppn) {
  PageRecord& p = pages_[page_index(ppn)];
  const std::uint32_t plane = blocks_->plane_of(ppn);
  const std::uint32_t block = blocks_->block_of(ppn);
  const std::uint32_t page = blocks_->page_of(ppn);
  p.valid = 0;
  for (std::uint32_t slot = 0; slot < subpages(); ++slot) {
    const std::uint32_t number = owner(ppn, slot);
    if (where_[number] == psn(ppn, slot) + 1) p.valid = static_cast<std::uint8_t>(p.valid | 1u << slot);
  }
  if (p.valid != 0) blocks_->valid_again(plane, block, page);
  const std::uint32_t valid = bits_set(p.valid);
  BlockSums& sums = sums_[at_block(plane, block)];
  sums.used = static_cast<std::uint16_t>(sums.used + p.used);
  sums.valid = static_cast<std::uint16_t>(sums.valid + valid);
  (sums.level != 0 ? cached_ : native_)[plane] += valid;
  take(plane, block, page);
}

void SubpageMap::link(std::uint32_t lpn, std::uint32_t subpage, Psn to, TouchedPlanes& touched) {
  const Ppn ppn = page_of(to);
  PageRecord& p = pages_[page_index(ppn)];
  const std::uint32_t plane = blocks_->plane_of(ppn);
  const std::uint32_t block = blocks_->block_of(ppn);
  if (p.valid == 0) blocks_->valid_again(plane, block, blocks_->page_of(ppn));
  p.valid = static_cast<std::uint8_t>(p.valid | 1u << slot_of(to));
  BlockSums& sums = sums_[at_block(plane, block)];
  ++sums.valid;
  ++(sums.level != 0 ? cached_ : native_)[plane];
  owner_[(page_index(ppn) << shift_) + slot_of(to)] = static_cast<std::uint32_t>(index(lpn, subpage));
  // the new place first: a page that is rewritten in itself stays valid throughout
  const Psn old = at(lpn, subpage);
  where_[index(lpn, subpage)] = to + 1;
  if (old != kNoPsn) invalidate(old, touched);
}

void SubpageMap::unlink(std::uint32_t lpn, std::uint32_t subpage, TouchedPlanes& touched) {
  const Psn old = at(lpn, subpage);
  where_[index(lpn, subpage)] = 0;
  if (old != kNoPsn) invalidate(old, touched);
}

void SubpageMap::invalidate(Psn psn, TouchedPlanes& touched) {
  const Ppn ppn = page_of(psn);
  PageRecord& p = pages_[page_index(ppn)];
  const std::uint32_t plane = blocks_->plane_of(ppn);
  p.valid = static_cast<std::uint8_t>(p.valid & ~(1u << slot_of(psn)));
  BlockSums& sums = sums_[at_block(plane, blocks_->block_of(ppn))];
  --sums.valid;
  --(sums.level != 0 ? cached_ : native_)[plane];
  if (p.valid != 0 && !every_subpage_) return;
  if (p.valid == 0) blocks_->invalidate(ppn);
  if (touched.count < kMaxSubpages) touched.plane[touched.count++] = plane;
}

} // namespace twinplane::fw
