#include "firmware/ftl/map/unit_map.h"

#include <algorithm>
#include <utility>

namespace twinplane::fw {

/// Of a slot that is not valid: recovery has not read its word.
constexpr std::uint32_t kNoOwner = 0xFFFFFFFFu;

void UnitMap::boot(BootMemory& memory, BlockTable& blocks, const UnitShape& shape) {
  blocks_ = &blocks;
  exported_pages_ = shape.pages;
  packs_ = shape.packs;
  while ((1u << shift_) < shape.units) ++shift_;
  const Geometry& g = blocks.geometry();
  where_ = memory.zeroed<std::uint32_t>(std::size_t{exported_pages_} << shift_);
  owner_ = memory.zeroed<std::uint32_t>(static_cast<std::size_t>(g.pages()) << shift_);
  pages_ = memory.zeroed<PageRecord>(static_cast<std::size_t>(g.pages()));
  sums_ = memory.zeroed<BlockSums>(g.blocks());
  cached_ = memory.zeroed<std::uint32_t>(g.planes());
  native_ = memory.zeroed<std::uint32_t>(g.planes());
}

void UnitMap::serialise(StateVisitor& state) {
  const Geometry& g = blocks_->geometry();
  const std::uint32_t all_units = exported_pages_ << shift_;
  state.table(where_, all_units, "it is damaged (the map names a page that there is not)",
              [this](std::uint32_t entry) { return entry == 0 || blocks_->has(page_of(entry - 1)); });
  state.table(owner_, static_cast<std::size_t>(g.pages()) << shift_,
              "it is damaged (a unit that there is not)",
              [all_units](std::uint32_t owner) { return owner < all_units || owner == kNoOwner; });
  state.table(
      pages_, static_cast<std::size_t>(g.pages()), "it is damaged (a page of more units than it has)",
      [this](const PageRecord& p) { return p.used <= units() && (p.valid & ~low_mask(p.used)) == 0; });
  state.table(sums_, g.blocks(), "it is damaged (a level that the cache does not have)",
              [](const BlockSums& b) { return b.level <= kMostLevel; });
  state.table(cached_, g.planes());
  state.table(native_, g.planes());
}

std::uint32_t UnitMap::mapped(std::uint32_t lpn) const {
  std::uint32_t bits = 0;
  for (std::uint32_t s = 0; s < units(); ++s) bits |= (at(lpn, s) != kNoPun ? 1u : 0u) << s;
  return bits;
}

std::uint32_t UnitMap::in_native(std::uint32_t lpn) const {
  std::uint32_t bits = 0;
  for (std::uint32_t s = 0; s < units(); ++s) {
    const Pun pun = at(lpn, s);
    if (pun != kNoPun && !blocks_->in_slc_cache(page_of(pun))) bits |= 1u << s;
  }
  return bits;
}

void UnitMap::open(std::uint32_t plane, std::uint32_t block, std::uint32_t level) {
  sums_[at_block(plane, block)] = BlockSums{0, 0, static_cast<std::uint8_t>(level)};
  PageRecord* const first = pages_ + at_block(plane, block) * blocks_->pages_per_block();
  for (std::uint32_t p = 0; p < blocks_->pages_per_block(); ++p) first[p] = PageRecord{};
}

void UnitMap::programmed(Ppn ppn, std::uint32_t slots) {
  PageRecord& p = pages_[page_index(ppn)];
  const std::uint32_t plane = blocks_->plane_of(ppn);
  const std::uint32_t block = blocks_->block_of(ppn);
  BlockSums& sums = sums_[at_block(plane, block)];
  const bool first = p.programs++ == 0;
  p.used = (p.used + slots) & 0x7F;
  sums.used += slots;
  if (first) take(plane, block, blocks_->page_of(ppn));
}

void UnitMap::take(std::uint32_t plane, std::uint32_t block, std::uint32_t page) {
  if (sums(plane, block).level != 0) {
    blocks_->take_slc_page(plane, block);
  } else {
    blocks_->take_page(plane, block, page);
  }
}

void UnitMap::found_whole(Ppn ppn, std::uint32_t stamp) {
  pages_[page_index(ppn)] = PageRecord{0, static_cast<std::uint8_t>(units() & 0x7F), 0, 1, stamp};
  for (std::uint32_t slot = 0; slot < units(); ++slot) owner_[(page_index(ppn) << shift_) + slot] = kNoOwner;
}

bool UnitMap::found_valid(Pun pun) {
  const Ppn ppn = page_of(pun);
  PageRecord& p = pages_[page_index(ppn)];
  const std::uint32_t plane = blocks_->plane_of(ppn);
  BlockSums& sums = sums_[at_block(plane, blocks_->block_of(ppn))];
  const bool first = p.valid == 0;
  p.valid = static_cast<std::uint16_t>(p.valid | 1u << slot_of(pun));
  ++sums.valid;
  blocks_->gain_data(plane, blocks_->block_of(ppn));
  ++(sums.level != 0 ? cached_ : native_)[plane];
  return first;
}

void UnitMap::reopen(std::uint32_t plane, std::uint32_t block) {
  BlockSums& sums = sums_[at_block(plane, block)];
  if (sums.level == 0 && blocks_->in_slc_cache(blocks_->ppn(plane, block, 0))) sums.level = 1;
}

void UnitMap::exchange_blocks(std::uint32_t plane, std::uint32_t a, std::uint32_t b) {
  const std::size_t pages = blocks_->pages_per_block();
  const std::size_t x = at_block(plane, a) * pages;
  const std::size_t y = at_block(plane, b) * pages;
  std::swap_ranges(pages_ + x, pages_ + x + pages, pages_ + y);
  std::swap_ranges(owner_ + (x << shift_), owner_ + ((x + pages) << shift_), owner_ + (y << shift_));
  std::swap(sums_[at_block(plane, a)], sums_[at_block(plane, b)]);
}

void UnitMap::retake(Ppn ppn) {
  const std::uint32_t plane = blocks_->plane_of(ppn);
  const std::uint32_t block = blocks_->block_of(ppn);
  BlockSums& sums = sums_[at_block(plane, block)];
  sums.used += page(ppn).used;
  take(plane, block, blocks_->page_of(ppn));
}

void UnitMap::link(std::uint32_t lpn, std::uint32_t unit, Pun to, TouchedPlanes& touched) {
  const Ppn ppn = page_of(to);
  PageRecord& p = pages_[page_index(ppn)];
  const std::uint32_t plane = blocks_->plane_of(ppn);
  const std::uint32_t block = blocks_->block_of(ppn);
  if (p.valid == 0) blocks_->valid_again(plane, block, blocks_->page_of(ppn));
  p.valid = static_cast<std::uint16_t>(p.valid | 1u << slot_of(to));
  BlockSums& sums = sums_[at_block(plane, block)];
  ++sums.valid;
  blocks_->gain_data(plane, block);
  ++(sums.level != 0 ? cached_ : native_)[plane];
  owner_[(page_index(ppn) << shift_) + slot_of(to)] = static_cast<std::uint32_t>(index(lpn, unit));
  // the new place first: a page that is rewritten in itself stays valid throughout
  const Pun old = at(lpn, unit);
  where_[index(lpn, unit)] = to + 1;
  if (old != kNoPun) invalidate(old, touched);
}

void UnitMap::unlink(std::uint32_t lpn, std::uint32_t unit, TouchedPlanes& touched) {
  const Pun old = at(lpn, unit);
  where_[index(lpn, unit)] = 0;
  if (old != kNoPun) invalidate(old, touched);
}

void UnitMap::invalidate(Pun pun, TouchedPlanes& touched) {
  const Ppn ppn = page_of(pun);
  PageRecord& p = pages_[page_index(ppn)];
  const std::uint32_t plane = blocks_->plane_of(ppn);
  p.valid = static_cast<std::uint16_t>(p.valid & ~(1u << slot_of(pun)));
  BlockSums& sums = sums_[at_block(plane, blocks_->block_of(ppn))];
  --sums.valid;
  blocks_->lose_data(plane, blocks_->block_of(ppn));
  --(sums.level != 0 ? cached_ : native_)[plane];
  if (p.valid != 0 && !packs_) return;
  if (p.valid == 0) blocks_->invalidate(ppn);
  if (touched.count < kMaxUnits) touched.plane[touched.count++] = plane;
}

} // namespace twinplane::fw
