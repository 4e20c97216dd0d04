// The cell arrays of one die: what every block and page contains and how often it was used.
//
// Memory: 24 bytes per block; once a block is used, per page 8 bytes of out-of-band data, the sectors'
// payloads and half a byte of state, plus a bit per sector (in whole bytes) where pages may be programmed
// more than once, plus 8 bytes for each subpage but the first where these have words of their own. A payload
// is payload_bytes(mode, sector_size); tags are packed into 12 bytes, 48 bits for either half, until one
// comes that needs more: then the die's store changes to whole tags, for good. Checks no rules: the die does
// (cell_array.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "hw/core/onfi_tenure.h"
#include "hw/nand/block_layout.h"
#include "hw/nand/lost_sectors.h"
#include "hw/nand/page_register.h"
#include "hw/nand/page_shape.h"
#include "hw/nand/tag_packing.h"
#include "hw/spec/page_order.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::hw {

/// Set by the first program after an erase.
enum class BlockMode : std::uint8_t { erased, native, slc };

class PageStore {
 public:
  struct Free {
    void operator()(std::uint8_t* memory) const { std::free(memory); }
  };
  struct Block {
    std::unique_ptr<std::uint8_t, Free> memory; // null until the first program
    std::uint32_t erase_count = 0;
    std::uint16_t programmed = 0; // pages up to the last one programmed since the last erase
    std::array<std::uint16_t, kMaxPageTypes> by_type{}; // programmed of each type (nl, nc, nm of PA-SSD)
    BlockMode mode = BlockMode::erased;
    bool corrupt = false; // an aborted erase: needs another one
  };
  static_assert(sizeof(Block) <= 24, "block state is kept for every block of the drive");

  /// `subpage_words`: pages keep an out-of-band word for each subpage instead of one.
  PageStore(const Geometry& geometry, DataMode mode, std::uint32_t partial_programs, bool subpage_words);

  Block& block(std::uint32_t plane, std::uint32_t number) {
    return blocks_[plane * blocks_per_plane_ + number];
  }
  const Block& block(std::uint32_t plane, std::uint32_t number) const {
    return blocks_[plane * blocks_per_plane_ + number];
  }

  /// Programs of a page since the last erase.
  std::uint32_t program_count(const Block& block, std::uint32_t page) const {
    return block.memory ? state(block, page) & BlockLayout::kCountMask : 0;
  }
  /// Sectors programmed since the last erase; all of a programmed page when pages are programmed once.
  std::uint32_t programmed_sectors(const Block& block, std::uint32_t page) const;
  bool corrupt(const Block& block, std::uint32_t page) const {
    return block.corrupt || (block.memory && (state(block, page) & BlockLayout::kCorrupt) != 0);
  }

  /// Stores the loaded sectors of `source`, and which are lost; errors that ECC could not correct go along.
  /// `type` is counted on the page's first program.
  void program(Block& block, std::uint32_t page, PageType type, const PageRegister& source);
  /// Fetches the page; a blank page gives kBlankOob and erased sectors (tags 0, bytes FFh). Of a corrupt one
  /// the out-of-band words cannot be read either.
  void read(const Block& block, std::uint32_t page, PageRegister& target) const;
  void erase(Block& block);
  void mark_corrupt(Block& block, std::uint32_t page);

  /// All cells, to and from a store of the same shape. Memory is taken for the blocks that were used alone.
  void serialise(StateVisitor& state);

  std::uint32_t full_mask() const { return shape_.full_mask; }
  /// Out-of-band words of a page beside the first one.
  std::uint8_t further_words() const { return static_cast<std::uint8_t>(layout_.page().further_words); }
  /// Payload bytes of one page.
  std::uint32_t payload_size() const { return shape_.payload_size; }
  /// Bytes allocated for page contents so far.
  std::uint64_t allocated_bytes() const { return allocated_blocks_ * layout_.size(); }

 private:
  BlockLayout layout_with(std::uint32_t sector_bytes) const;
  std::uint8_t* new_memory() const;
  void allocate(Block& block);
  void keep_whole_tags();
  void serialise_block(StateVisitor& state, Block& block);
  /// Of all pages of the die.
  std::uint64_t number(const Block& block, std::uint32_t page) const {
    return static_cast<std::uint64_t>(&block - blocks_.data()) * pages_per_block_ + page;
  }
  std::uint32_t state(const Block& block, std::uint32_t page) const {
    return layout_.state(block.memory.get(), page);
  }
  bool note_program(Block& block, std::uint32_t page, PageType type, const PageRegister& source);
  void store(Block& block, std::uint32_t page, const PageRegister& source, bool first);

  std::uint32_t blocks_per_plane_;
  std::uint32_t pages_per_block_;
  PageShape shape_;
  std::uint8_t erased_byte_;
  bool packed_; // tags are stored in kPackedTag bytes
  BlockLayout layout_;
  std::uint64_t allocated_blocks_ = 0;
  std::vector<Block> blocks_;
  LostSectors lost_;
};

/// Counts a program. True when it is the page's first since the erase.
inline bool PageStore::note_program(Block& block, std::uint32_t page, PageType type,
                                    const PageRegister& source) {
  std::uint8_t& states = layout_.state_byte(block.memory.get(), page);
  const std::uint32_t shift = BlockLayout::state_shift(page);
  const bool first = (states >> shift & BlockLayout::kCountMask) == 0;
  states = static_cast<std::uint8_t>(states + (1u << shift));
  if (source.corrupt) states = static_cast<std::uint8_t>(states | BlockLayout::kCorrupt << shift);
  if (layout_.page().mask_bytes != 0) {
    std::uint8_t* const place = layout_.mask(block.memory.get(), page);
    const std::uint32_t before =
        BlockLayout::load_mask(place) & ~(first ? shape_.full_mask : 0); // of before the erase
    const std::uint32_t word = before | source.mask;
    std::memcpy(place, &word, sizeof word);
  }
  if (!first) return false;
  if (page >= block.programmed) block.programmed = static_cast<std::uint16_t>(page + 1);
  ++block.by_type[type];
  return true;
}

// The usual case first, on its own and without calls: 22 instructions a page.
inline void PageStore::program(Block& block, std::uint32_t page, PageType type, const PageRegister& source) {
  if (!block.memory) allocate(block);
  std::uint8_t* const to = layout_.record(block.memory.get(), page);
  const bool first = note_program(block, page, type, source);
  if (first && layout_.page().further_words == 0 && packed_ && source.mask == shape_.full_mask) {
    std::memcpy(to, &source.oob, sizeof source.oob);
    if (pack_page(to + sizeof source.oob, source.payload.get(), shape_.full_mask)) return;
  }
  store(block, page, source, first);
}

} // namespace twinplane::hw
