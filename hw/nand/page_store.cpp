#include "hw/nand/page_store.h"

#include <cstring>
#include <new>

namespace twinplane::hw {

PageStore::PageStore(const Geometry& geometry, DataMode mode, std::uint32_t partial_programs)
    : blocks_per_plane_(geometry.blocks_per_plane),
      full_mask_(static_cast<std::uint32_t>((std::uint64_t{1} << geometry.sectors_per_page()) - 1)),
      sector_bytes_(payload_bytes(mode, geometry.sector_size)),
      payload_size_(sector_bytes_ * geometry.sectors_per_page()),
      erased_byte_(mode == DataMode::full ? 0xFF : 0x00),
      keeps_masks_(partial_programs > 1),
      record_size_(sizeof(std::uint64_t) + payload_size_),
      mask_offset_(record_size_ * geometry.pages_per_block),
      state_offset_(mask_offset_ + (keeps_masks_ ? sizeof(std::uint32_t) * geometry.pages_per_block : 0)),
      block_size_(state_offset_ + (geometry.pages_per_block + 1) / 2),
      blocks_(std::size_t{geometry.planes_per_die} * geometry.blocks_per_plane) {}

void PageStore::allocate(Block& block) {
  // Zeroed by the system on first touch, so a block that is only begun costs only what it uses.
  block.memory.reset(static_cast<std::uint8_t*>(std::calloc(block_size_, 1)));
  if (!block.memory) throw std::bad_alloc();
  ++allocated_blocks_;
}

void PageStore::fill_erased(std::uint8_t* payload, std::uint32_t mask) const {
  for (; mask != 0; mask &= mask - 1) {
    const auto sector = static_cast<std::size_t>(__builtin_ctz(mask));
    std::memset(payload + sector * sector_bytes_, erased_byte_, sector_bytes_);
  }
}

void PageStore::set_state(Block& block, std::uint32_t page, std::uint32_t value) {
  std::uint8_t& byte = block.memory.get()[state_offset_ + page / 2];
  const std::uint32_t shift = page % 2 * 4;
  byte = static_cast<std::uint8_t>((byte & ~(0xFu << shift)) | value << shift);
}

std::uint32_t PageStore::programmed_sectors(const Block& block, std::uint32_t page) const {
  if (program_count(block, page) == 0) return 0;
  if (!keeps_masks_) return full_mask_;
  std::uint32_t mask = 0;
  std::memcpy(&mask, mask_address(block, page), sizeof mask);
  return mask;
}

void PageStore::program(Block& block, std::uint32_t page, PageType type, const PageRegister& source) {
  if (!block.memory) allocate(block);
  const std::uint32_t old_state = state(block, page);
  const bool first = (old_state & kCountMask) == 0;
  const std::uint32_t mask = source.mask;
  if (keeps_masks_) {
    const std::uint32_t all = programmed_sectors(block, page) | mask;
    std::memcpy(mask_address(block, page), &all, sizeof all);
  }
  std::uint8_t* to = record(block, page);
  if (first || source.oob_loaded) std::memcpy(to, &source.oob, sizeof source.oob);
  to += sizeof source.oob;
  if (first && mask != full_mask_ && sector_bytes_ != 0) fill_erased(to, full_mask_ & ~mask);
  copy(to, source.payload.get(), mask);
  set_state(block, page, old_state + 1);
  if (!first) return;
  ++block.programmed;
  ++block.by_type[type];
}

void PageStore::read(const Block& block, std::uint32_t page, PageRegister& target) const {
  target.clear();
  target.readable = true;
  target.corrupt = corrupt(block, page);
  target.blank = program_count(block, page) == 0;
  if (target.blank) {
    if (payload_size_ != 0) std::memset(target.payload.get(), erased_byte_, payload_size_);
    return;
  }
  const std::uint8_t* from = record(block, page);
  std::memcpy(&target.oob, from, sizeof target.oob);
  if (payload_size_ != 0) std::memcpy(target.payload.get(), from + sizeof target.oob, payload_size_);
}

void PageStore::erase(Block& block) {
  ++block.erase_count;
  block.programmed = 0;
  block.by_type.fill(0);
  block.mode = BlockMode::erased;
  block.corrupt = false;
  if (block.memory) std::memset(block.memory.get() + state_offset_, 0, block_size_ - state_offset_);
}

void PageStore::mark_corrupt(Block& block, std::uint32_t page) {
  if (block.memory) set_state(block, page, state(block, page) | kCorrupt);
}

} // namespace twinplane::hw
