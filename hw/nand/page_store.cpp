#include "hw/nand/page_store.h"

#include <cstring>
#include <new>

namespace twinplane::hw {

namespace {

/// Behind a block's memory, because masks of fewer bytes are read and written as words, too.
constexpr std::size_t kSlack = sizeof(std::uint32_t);

/// Stores a tag, 48 bits of each half; false when it does not fit.
inline bool pack(std::uint8_t* to, const std::uint8_t* from) {
  SectorTag tag;
  std::memcpy(&tag, from, sizeof tag);
  if ((tag.lba | tag.sequence) >> 48 != 0) return false;
  const std::uint64_t low = tag.lba | tag.sequence << 48;
  const auto high = static_cast<std::uint32_t>(tag.sequence >> 16);
  std::memcpy(to, &low, sizeof low);
  std::memcpy(to + sizeof low, &high, sizeof high);
  return true;
}

/// The tags of all sectors, whose mask this is.
inline bool pack_page(std::uint8_t* to, const std::uint8_t* from, std::uint32_t full_mask) {
  while (pack(to, from)) {
    full_mask >>= 1;
    if (full_mask == 0) return true;
    to += kPackedTag;
    from += kTagBytes;
  }
  return false;
}

/// The tags of some.
inline bool pack(std::uint8_t* to, const std::uint8_t* from, std::uint32_t mask) {
  for (; mask != 0; mask &= mask - 1) {
    const auto sector = static_cast<std::size_t>(__builtin_ctz(mask));
    if (!pack(to + sector * kPackedTag, from + sector * kTagBytes)) return false;
  }
  return true;
}

} // namespace

PageStore::PageStore(const Geometry& geometry, DataMode mode, std::uint32_t partial_programs,
                     bool subpage_words)
    : blocks_per_plane_(geometry.blocks_per_plane),
      pages_per_block_(geometry.pages_per_block),
      full_mask_(static_cast<std::uint32_t>((std::uint64_t{1} << geometry.sectors_per_page()) - 1)),
      sector_bytes_(payload_bytes(mode, geometry.sector_size)),
      payload_size_(sector_bytes_ * geometry.sectors_per_page()),
      erased_byte_(mode == DataMode::full ? 0xFF : 0x00),
      mask_bytes_(partial_programs > 1 ? (geometry.sectors_per_page() + 7) / 8 : 0),
      further_words_(static_cast<std::uint8_t>(subpage_words ? geometry.subpages_per_page - 1 : 0)),
      packed_(mode == DataMode::tag),
      layout_(layout_for(packed_ ? kPackedTag : sector_bytes_)),
      blocks_(std::size_t{geometry.planes_per_die} * geometry.blocks_per_plane) {}

PageStore::Layout PageStore::layout_for(std::uint32_t sector_bytes) const {
  const auto sectors = static_cast<std::size_t>(__builtin_popcount(full_mask_));
  Layout l;
  l.sector_bytes = sector_bytes;
  l.record_size = sizeof(std::uint64_t) + sector_bytes * sectors;
  l.words_offset = l.record_size * pages_per_block_;
  l.mask_offset = l.words_offset + std::size_t{further_words_} * sizeof(std::uint64_t) * pages_per_block_;
  l.state_offset = l.mask_offset + std::size_t{mask_bytes_} * pages_per_block_;
  l.block_size = l.state_offset + (pages_per_block_ + 1) / 2;
  return l;
}

std::uint8_t* PageStore::new_memory() const {
  // Records are looked at only once their pages' state says that they were written, so only masks and states
  // are cleared: a block that is only begun costs only what it uses.
  auto* memory = static_cast<std::uint8_t*>(std::malloc(layout_.block_size + kSlack));
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory + layout_.mask_offset, 0, layout_.block_size - layout_.mask_offset);
  return memory;
}

[[gnu::noinline]] void PageStore::allocate(Block& block) {
  block.memory.reset(new_memory());
  ++allocated_blocks_;
}

void PageStore::unpack(std::uint8_t* to, const std::uint8_t* from) const {
  constexpr std::uint64_t kLow48 = (std::uint64_t{1} << 48) - 1;
  for (std::uint32_t left = full_mask_; left != 0; left >>= 1) {
    std::uint64_t low = 0;
    std::uint32_t high = 0;
    std::memcpy(&low, from, sizeof low);
    std::memcpy(&high, from + sizeof low, sizeof high);
    const SectorTag tag{low & kLow48, low >> 48 | std::uint64_t{high} << 16};
    std::memcpy(to, &tag, sizeof tag);
    from += kPackedTag;
    to += kTagBytes;
  }
}

/// A tag came that needs more than 48 bits: rewrites what the die holds.
void PageStore::keep_whole_tags() {
  const Layout old = layout_;
  packed_ = false;
  layout_ = layout_for(sector_bytes_);
  for (Block& block : blocks_) {
    if (!block.memory) continue;
    std::uint8_t* to = new_memory();
    const std::uint8_t* from = block.memory.get();
    for (std::size_t p = 0; p < pages_per_block_; ++p) {
      std::memcpy(to + p * layout_.record_size, from + p * old.record_size, sizeof(std::uint64_t));
      unpack(to + p * layout_.record_size + sizeof(std::uint64_t),
             from + p * old.record_size + sizeof(std::uint64_t));
    }
    std::memcpy(to + layout_.words_offset, from + old.words_offset, old.block_size - old.words_offset);
    block.memory.reset(to);
  }
}

void PageStore::fill_erased(std::uint8_t* payload, std::uint32_t mask) const {
  for (; mask != 0; mask &= mask - 1) {
    const auto sector = static_cast<std::size_t>(__builtin_ctz(mask));
    std::memset(payload + sector * layout_.sector_bytes, erased_byte_, layout_.sector_bytes);
  }
}

void PageStore::set_state(Block& block, std::uint32_t page, std::uint32_t value) {
  std::uint8_t& byte = block.memory.get()[layout_.state_offset + page / 2];
  const std::uint32_t shift = page % 2 * 4;
  byte = static_cast<std::uint8_t>((byte & ~(0xFu << shift)) | value << shift);
}

std::uint32_t PageStore::programmed_sectors(const Block& block, std::uint32_t page) const {
  if (program_count(block, page) == 0) return 0;
  if (mask_bytes_ == 0) return full_mask_;
  std::uint32_t word = 0; // little endian: the sectors of this page first, then of those behind it
  std::memcpy(&word, mask_address(block, page), sizeof word);
  return word & full_mask_;
}

/// `first`: the bits are those of before the erase.
inline void PageStore::add_to_mask(Block& block, std::uint32_t page, std::uint32_t mask, bool first) {
  std::uint8_t* const place = mask_address(block, page);
  std::uint32_t word = 0;
  std::memcpy(&word, place, sizeof word);
  if (first) word &= ~full_mask_;
  word |= mask;
  std::memcpy(place, &word, sizeof word);
}

/// Words are as cells are: a program of ones leaves them as they were.
void PageStore::program_words(Block& block, std::uint32_t page, const PageRegister& source, bool first) {
  std::uint8_t* const to = words_address(block, page);
  for (std::size_t i = 0; i < further_words_; ++i) {
    const std::uint64_t word = source.further[i];
    if (first || word != kBlankOob) std::memcpy(to + i * sizeof word, &word, sizeof word);
  }
}

// The usual case first, on its own and without calls: 22 instructions a page.
void PageStore::program(Block& block, std::uint32_t page, PageType type, const PageRegister& source) {
  if (!block.memory) allocate(block);
  std::uint8_t* const to = record(block, page);
  const bool first = note_program(block, page, type, source);
  if (first && further_words_ == 0 && packed_ && source.mask == full_mask_) {
    std::memcpy(to, &source.oob, sizeof source.oob);
    if (pack_page(to + sizeof source.oob, source.payload.get(), full_mask_)) return;
  }
  store(block, page, source, first);
}

/// Counts a program. True when it is the page's first since the erase.
inline bool PageStore::note_program(Block& block, std::uint32_t page, PageType type,
                                    const PageRegister& source) {
  std::uint8_t& states = block.memory.get()[layout_.state_offset + page / 2];
  const std::uint32_t shift = page % 2 * 4;
  const bool first = (states >> shift & kCountMask) == 0;
  states = static_cast<std::uint8_t>(states + (1u << shift));
  if (source.corrupt) states = static_cast<std::uint8_t>(states | kCorrupt << shift);
  if (mask_bytes_ != 0) add_to_mask(block, page, source.mask, first);
  if (!first) return false;
  if (page >= block.programmed) block.programmed = static_cast<std::uint16_t>(page + 1);
  ++block.by_type[type];
  return true;
}

[[gnu::noinline]] void PageStore::store(Block& block, std::uint32_t page, const PageRegister& source,
                                        bool first) {
  std::uint8_t* to = record(block, page);
  const std::uint32_t mask = source.mask;
  if (first || source.oob_loaded) std::memcpy(to, &source.oob, sizeof source.oob);
  if (further_words_ != 0) program_words(block, page, source, first);
  if (source.lost != 0) lost_[number(block, page)] |= source.lost;
  to += sizeof source.oob;
  if (first && mask != full_mask_ && sector_bytes_ != 0) fill_erased(to, full_mask_ & ~mask);
  const std::uint8_t* const payload = source.payload.get();
  if (packed_) {
    if (pack(to, payload, mask)) return;
    keep_whole_tags();
    to = record(block, page) + sizeof source.oob;
  }
  copy(to, payload, mask);
}

void PageStore::read(const Block& block, std::uint32_t page, PageRegister& target) const {
  target.clear();
  target.readable = true;
  target.corrupt = corrupt(block, page);
  if (!lost_.empty()) target.lost = lost_sectors(block, page);
  target.blank = program_count(block, page) == 0;
  if (target.blank) {
    target.blank = !target.corrupt; // an erase that was interrupted has not left erased cells
    if (payload_size_ != 0) std::memset(target.payload.get(), erased_byte_, payload_size_);
    return;
  }
  const std::uint8_t* from = record(block, page);
  if (!target.corrupt) {
    std::memcpy(&target.oob, from, sizeof target.oob);
    if (further_words_ != 0)
      std::memcpy(target.further.get(), words_address(block, page), further_words_ * sizeof(std::uint64_t));
  }
  from += sizeof target.oob;
  if (packed_) {
    unpack(target.payload.get(), from);
  } else if (payload_size_ != 0) {
    std::memcpy(target.payload.get(), from, payload_size_);
  }
}

std::uint32_t PageStore::lost_sectors(const Block& block, std::uint32_t page) const {
  const auto it = lost_.find(number(block, page));
  return it == lost_.end() ? 0 : it->second;
}

void PageStore::forget_lost(const Block& block) {
  lost_.erase(lost_.lower_bound(number(block, 0)), lost_.lower_bound(number(block, pages_per_block_)));
}

void PageStore::erase(Block& block) {
  if (!lost_.empty()) forget_lost(block);
  ++block.erase_count;
  block.programmed = 0;
  block.by_type.fill(0);
  block.mode = BlockMode::erased;
  block.corrupt = false;
  if (block.memory)
    std::memset(block.memory.get() + layout_.state_offset, 0, layout_.block_size - layout_.state_offset);
}

void PageStore::mark_corrupt(Block& block, std::uint32_t page) {
  if (block.memory) set_state(block, page, state(block, page) | kCorrupt);
}

} // namespace twinplane::hw
