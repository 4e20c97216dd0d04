// The cells as bytes. Records of pages that are not programmed are left out: their memory may never have been
// written, and stores of equal content must give equal bytes.
#include "hw/nand/page_store.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::hw {

void PageStore::serialise(StateVisitor& state) {
  bool packed = packed_;
  state.value(packed);
  state.require(!packed || sector_bytes_ == kTagBytes, "it is damaged (packed tags where there are none)");
  if (state.loading()) {
    // Before the first block, for their memory is laid out by it.
    packed_ = packed;
    layout_ = layout_for(packed ? kPackedTag : sector_bytes_);
    allocated_blocks_ = 0;
  }
  for (Block& block : blocks_) serialise_block(state, block);
  serialise_lost(state);
}

void PageStore::serialise_lost(StateVisitor& state) {
  std::uint64_t count = lost_.size();
  state.value(count);
  if (state.loading()) {
    lost_.clear();
    for (; count != 0; --count) {
      std::uint64_t page = 0;
      std::uint32_t sectors = 0;
      state.value(page);
      state.value(sectors);
      state.require(page < blocks_.size() * pages_per_block_ && (sectors & ~full_mask_) == 0,
                    "it is damaged (lost sectors that no page has)");
      lost_.emplace_hint(lost_.end(), page, sectors);
    }
    return;
  }
  for (auto [page, sectors] : lost_) {
    std::uint64_t number = page;
    std::uint32_t mask = sectors;
    state.value(number);
    state.value(mask);
  }
}

void PageStore::serialise_block(StateVisitor& state, Block& block) {
  state.value(block.erase_count);
  state.value(block.programmed);
  state.value(block.by_type);
  state.value(block.mode);
  state.value(block.corrupt);
  bool holds = block.programmed <= pages_per_block_ && block.mode <= BlockMode::slc;
  for (const std::uint16_t pages : block.by_type) holds = holds && pages <= pages_per_block_;
  state.require(holds, "it is damaged (a block of more pages than it has)");
  bool used = block.memory != nullptr;
  state.value(used);
  if (state.loading()) {
    block.memory.reset();
    if (used) allocate(block);
  }
  if (!used) return;
  state.bytes(block.memory.get() + layout_.state_offset, layout_.block_size - layout_.state_offset);
  for (std::uint32_t page = 0; page < pages_per_block_; ++page) {
    if (program_count(block, page) == 0) continue;
    state.bytes(record(block, page), layout_.record_size);
    if (further_words_ != 0) state.bytes(words_address(block, page), further_words_ * sizeof(std::uint64_t));
    if (mask_bytes_ != 0) state.bytes(mask_address(block, page), mask_bytes_);
  }
}

} // namespace twinplane::hw
