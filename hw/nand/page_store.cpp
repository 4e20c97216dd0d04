#include "hw/nand/page_store.h"

#include <cstring>
#include <new>

namespace twinplane::hw {

namespace {

/// Behind a block's memory, because masks of fewer bytes are read and written as words, too.
constexpr std::size_t kSlack = sizeof(std::uint32_t);

/// Words are as cells are: a program of ones leaves them as they were.
void program_words(std::uint8_t* to, const PageRegister& source, bool first) {
  for (std::size_t i = 0; i < source.further_count; ++i) {
    const std::uint64_t word = source.further[i];
    if (first || word != kBlankOob) std::memcpy(to + i * sizeof word, &word, sizeof word);
  }
}

} // namespace

PageStore::PageStore(const Geometry& geometry, DataMode mode, std::uint32_t partial_programs,
                     bool subpage_words)
    : blocks_per_plane_(geometry.blocks_per_plane),
      pages_per_block_(geometry.pages_per_block),
      shape_(geometry, mode),
      erased_byte_(mode == DataMode::full ? 0xFF : 0x00),
      packed_(mode == DataMode::tag),
      layout_({geometry.sectors_per_page(), packed_ ? kPackedTag : shape_.sector_bytes,
               subpage_words ? geometry.subpages_per_page - 1 : 0,
               partial_programs > 1 ? (geometry.sectors_per_page() + 7) / 8 : 0},
              pages_per_block_),
      blocks_(std::size_t{geometry.planes_per_die} * geometry.blocks_per_plane) {}

BlockLayout PageStore::layout_with(std::uint32_t sector_bytes) const {
  BlockLayout::Page page = layout_.page();
  page.sector_bytes = sector_bytes;
  return {page, pages_per_block_};
}

std::uint8_t* PageStore::new_memory() const {
  auto* memory = static_cast<std::uint8_t*>(std::malloc(layout_.size() + kSlack));
  if (memory == nullptr) throw std::bad_alloc();
  layout_.clear(memory);
  return memory;
}

[[gnu::noinline]] void PageStore::allocate(Block& block) {
  block.memory.reset(new_memory());
  ++allocated_blocks_;
}

/// A tag came that needs more than 48 bits: rewrites what the die holds.
void PageStore::keep_whole_tags() {
  const BlockLayout old = layout_;
  packed_ = false;
  layout_ = layout_with(shape_.sector_bytes);
  for (Block& block : blocks_) {
    if (!block.memory) continue;
    std::uint8_t* const memory = new_memory();
    for (std::uint32_t p = 0; p < pages_per_block_; ++p) {
      std::uint8_t* const to = layout_.record(memory, p);
      const std::uint8_t* const from = old.record(block.memory.get(), p);
      std::memcpy(to, from, sizeof(std::uint64_t));
      unpack_page(to + sizeof(std::uint64_t), from + sizeof(std::uint64_t), shape_.full_mask);
    }
    std::memcpy(layout_.notes(memory), old.notes(block.memory.get()), old.notes_size());
    block.memory.reset(memory);
  }
}

std::uint32_t PageStore::programmed_sectors(const Block& block, std::uint32_t page) const {
  if (program_count(block, page) == 0) return 0;
  if (layout_.page().mask_bytes == 0) return shape_.full_mask;
  return BlockLayout::load_mask(layout_.mask(block.memory.get(), page)) & shape_.full_mask;
}

[[gnu::noinline]] void PageStore::store(Block& block, std::uint32_t page, const PageRegister& source,
                                        bool first) {
  std::uint8_t* to = layout_.record(block.memory.get(), page);
  if (first || source.oob_loaded) std::memcpy(to, &source.oob, sizeof source.oob);
  program_words(layout_.words(block.memory.get(), page), source, first);
  if (source.lost != 0) lost_.add(number(block, page), source.lost);
  to += sizeof source.oob;
  const std::uint32_t stride = layout_.page().sector_bytes;
  std::uint32_t erased = first && stride != 0 ? shape_.full_mask & ~source.mask : 0;
  for (; erased != 0; erased &= erased - 1)
    std::memset(to + static_cast<std::size_t>(__builtin_ctz(erased)) * stride, erased_byte_, stride);
  if (packed_) {
    if (pack_sectors(to, source.payload.get(), source.mask)) return;
    keep_whole_tags();
    to = layout_.record(block.memory.get(), page) + sizeof source.oob;
  }
  shape_.copy(to, source.payload.get(), source.mask);
}

void PageStore::read(const Block& block, std::uint32_t page, PageRegister& target) const {
  target.clear();
  target.readable = true;
  target.corrupt = corrupt(block, page);
  if (!lost_.empty()) target.lost = lost_.of(number(block, page));
  target.blank = program_count(block, page) == 0;
  if (target.blank) {
    target.blank = !target.corrupt; // an erase that was interrupted has not left erased cells
    if (shape_.payload_size != 0) std::memset(target.payload.get(), erased_byte_, shape_.payload_size);
    return;
  }
  const std::uint8_t* const from = layout_.record(block.memory.get(), page);
  if (!target.corrupt) {
    std::memcpy(&target.oob, from, sizeof target.oob);
    if (target.further)
      std::memcpy(target.further.get(), layout_.words(block.memory.get(), page), layout_.words_size());
  }
  if (packed_) {
    unpack_page(target.payload.get(), from + sizeof target.oob, shape_.full_mask);
  } else if (shape_.payload_size != 0) {
    std::memcpy(target.payload.get(), from + sizeof target.oob, shape_.payload_size);
  }
}

void PageStore::erase(Block& block) {
  if (!lost_.empty()) lost_.forget(number(block, 0), number(block, pages_per_block_));
  ++block.erase_count;
  block.programmed = 0;
  block.by_type.fill(0);
  block.mode = BlockMode::erased;
  block.corrupt = false;
  if (block.memory) std::memset(layout_.states(block.memory.get()), 0, layout_.states_size());
}

void PageStore::mark_corrupt(Block& block, std::uint32_t page) {
  if (!block.memory) return;
  std::uint8_t& states = layout_.state_byte(block.memory.get(), page);
  states = static_cast<std::uint8_t>(states | BlockLayout::kCorrupt << BlockLayout::state_shift(page));
}

// --- the cells as bytes ---

void PageStore::serialise(StateVisitor& state) {
  bool packed = packed_;
  state.value(packed);
  state.require(!packed || shape_.sector_bytes == kTagBytes,
                "it is damaged (packed tags where there are none)");
  if (state.loading()) {
    // Before the first block, for their memory is laid out by it.
    packed_ = packed;
    layout_ = layout_with(packed ? kPackedTag : shape_.sector_bytes);
    allocated_blocks_ = 0;
  }
  for (Block& block : blocks_) serialise_block(state, block);
  lost_.serialise(state, blocks_.size() * pages_per_block_, shape_.full_mask);
}

/// Records of pages that are not programmed are left out: their memory may never have been written, and stores
/// of equal content must give equal bytes.
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
  std::uint8_t* const memory = block.memory.get();
  state.bytes(layout_.states(memory), layout_.states_size());
  for (std::uint32_t page = 0; page < pages_per_block_; ++page) {
    if (program_count(block, page) == 0) continue;
    state.bytes(layout_.record(memory, page), layout_.record_size());
    if (layout_.words_size() != 0) state.bytes(layout_.words(memory, page), layout_.words_size());
    const std::uint32_t mask_bytes = layout_.page().mask_bytes;
    if (mask_bytes != 0) state.bytes(layout_.mask(memory, page), mask_bytes);
  }
}

} // namespace twinplane::hw
