// The cell arrays of one die: what every block and page contains and how often it was used.
//
// Memory: 24 bytes per block; once a block is used, per page 8 bytes of out-of-band data, the sectors'
// payloads and half a byte of state, plus a bit per sector (in whole bytes) where pages may be programmed
// more than once, plus 8 bytes for each subpage but the first where these have words of their own. A payload
// is payload_bytes(mode, sector_size); tags are packed into 12 bytes, 48 bits for either half, until one
// comes that needs more: then the die's store changes to whole tags, for good. Checks no rules: the die does
// (die_launch.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "hw/core/onfi_tenure.h"
#include "hw/nand/page_register.h"
#include "hw/spec/data_mode.h"
#include "hw/spec/geometry.h"
#include "hw/spec/page_order.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::hw {

/// Set by the first program after an erase.
enum class BlockMode : std::uint8_t { erased, native, slc };

constexpr std::uint32_t kPackedTag = 12; // bytes

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
    return block.memory ? state(block, page) & kCountMask : 0;
  }
  /// Sectors programmed since the last erase; all of a programmed page when pages are programmed once.
  std::uint32_t programmed_sectors(const Block& block, std::uint32_t page) const;
  bool corrupt(const Block& block, std::uint32_t page) const {
    return block.corrupt || (block.memory && (state(block, page) & kCorrupt) != 0);
  }

  /// Sectors of the page that were programmed as lost ones.
  std::uint32_t lost_sectors(const Block& block, std::uint32_t page) const;

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

  /// Copies the sectors of `mask` between two page images.
  void copy(std::uint8_t* to, const std::uint8_t* from, std::uint32_t mask) const {
    if (mask == full_mask_) {
      copy_page(to, from);
    } else if (sector_bytes_ != 0) {
      copy_sectors(to, from, mask & full_mask_, sector_bytes_);
    }
  }
  void copy_page(std::uint8_t* to, const std::uint8_t* from) const {
    if (payload_size_ == kTagBytes) {
      std::memcpy(to, from, kTagBytes); // by far the most frequent; a known size needs no call
    } else {
      std::memcpy(to, from, payload_size_);
    }
  }

  std::uint32_t full_mask() const { return full_mask_; }
  /// Out-of-band words of a page beside the first one.
  std::uint8_t further_words() const { return further_words_; }
  /// Payload bytes of one page.
  std::uint32_t payload_size() const { return payload_size_; }
  /// Bytes allocated for page contents so far.
  std::uint64_t allocated_bytes() const { return allocated_blocks_ * layout_.block_size; }

 private:
  static constexpr std::uint32_t kCountMask = 7;
  static constexpr std::uint32_t kCorrupt = 8;

  /// Where things are in a block's memory: records, further words and sector masks (when kept), state
  /// nibbles.
  struct Layout {
    std::uint32_t sector_bytes = 0; // of a stored payload
    std::size_t record_size = 0;    // out-of-band word, then the payloads
    std::size_t words_offset = 0;
    std::size_t mask_offset = 0;
    std::size_t state_offset = 0;
    std::size_t block_size = 0;
  };

  Layout layout_for(std::uint32_t sector_bytes) const;
  std::uint8_t* new_memory() const;
  void allocate(Block& block);
  void serialise_block(StateVisitor& state, Block& block);
  void serialise_lost(StateVisitor& state);
  void unpack(std::uint8_t* to, const std::uint8_t* from) const;
  void keep_whole_tags();
  void fill_erased(std::uint8_t* payload, std::uint32_t mask) const;
  /// Of all pages of the die.
  std::uint64_t number(const Block& block, std::uint32_t page) const {
    return static_cast<std::uint64_t>(&block - blocks_.data()) * pages_per_block_ + page;
  }
  void forget_lost(const Block& block);
  std::uint8_t* record(const Block& block, std::uint32_t page) const {
    return block.memory.get() + std::size_t{page} * layout_.record_size;
  }
  std::uint32_t state(const Block& block, std::uint32_t page) const {
    return (block.memory.get()[layout_.state_offset + page / 2] >> (page % 2 * 4)) & 0xFu;
  }
  void set_state(Block& block, std::uint32_t page, std::uint32_t value);
  std::uint8_t* mask_address(const Block& block, std::uint32_t page) const {
    return block.memory.get() + layout_.mask_offset + std::size_t{page} * mask_bytes_;
  }
  std::uint8_t* words_address(const Block& block, std::uint32_t page) const {
    return block.memory.get() + layout_.words_offset +
           std::size_t{page} * further_words_ * sizeof(std::uint64_t);
  }
  bool note_program(Block& block, std::uint32_t page, PageType type, const PageRegister& source);
  void store(Block& block, std::uint32_t page, const PageRegister& source, bool first);
  void program_words(Block& block, std::uint32_t page, const PageRegister& source, bool first);
  void add_to_mask(Block& block, std::uint32_t page, std::uint32_t mask, bool first);

  std::uint32_t blocks_per_plane_;
  std::uint32_t pages_per_block_;
  std::uint32_t full_mask_;
  std::uint32_t sector_bytes_;
  std::uint32_t payload_size_;
  std::uint8_t erased_byte_;
  std::uint32_t mask_bytes_; // per page; 0 when masks are not kept
  std::uint8_t further_words_;
  bool packed_; // tags are stored in kPackedTag bytes
  Layout layout_;
  std::uint64_t allocated_blocks_ = 0;
  std::vector<Block> blocks_;
  std::map<std::uint64_t, std::uint32_t>
      lost_; // by number(): sectors of pages that were programmed without them
};

} // namespace twinplane::hw
