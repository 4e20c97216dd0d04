#include "firmware/ftl/features/journal/contents.h"

#include <cstring>

#include "hw/spec/data_mode.h"

namespace twinplane::fw {

void JournalContents::boot(BootMemory& memory, FtlState& state, const JournalItems& items,
                           const SliceLayout& layout) {
  state_ = &state;
  items_ = &items;
  layout_ = &layout;
  if (state.config.data_mode != DataMode::full) scratch_ = memory.zeroed<std::uint8_t>(layout.page_bytes());
}

/// The tables and the stamp are of one moment: what is written later has a newer stamp.
bool JournalContents::fill(const Transaction& t, bool shut_down) {
  FtlState& s = *state_;
  std::uint8_t* page = s.hal->dram() + t.buffer;
  std::memset(page, 0, std::size_t{s.payload} * s.config.geometry.sectors_per_page());
  if (scratch_ != nullptr) page = static_cast<std::uint8_t*>(std::memset(scratch_, 0, layout_->page_bytes()));
  SliceHeader header;
  header.stamp = static_cast<std::uint32_t>(s.write_sequence + 1);
  header.slice = t.slice;
  header.items = layout_->items(header.slice);
  const SliceKind kind = layout_->kind(header.slice);
  if (tells_trims(kind)) fill_trims(page, header);
  if (kind == SliceKind::map) fill_map(page, header);
  if (kind == SliceKind::blocks) fill_blocks(page, header, shut_down);
  s.charge(header.items / Mapping::kEntriesPerStep + 1, s.config.cost.map_lookup);
  layout_->seal(page, header);
  if (scratch_ != nullptr)
    s.hal->keep_page(kept_as(t.ppn), items_->word_of(t.lpn, s.write_sequence + 1), page,
                     layout_->page_bytes());
  return header.programs + header.losses <= layout_->most_entries(); // else layout_->open() refuses it
}

const std::uint8_t* JournalContents::open(const Transaction& t, std::uint64_t oob, SliceHeader& header) {
  const std::uint8_t* page = state_->hal->dram() + t.buffer;
  if (scratch_ != nullptr) {
    if (!state_->hal->kept_page(kept_as(t.ppn), oob, scratch_, layout_->page_bytes())) return nullptr;
    page = scratch_;
  }
  return layout_->open(page, header) ? page : nullptr;
}

void JournalContents::erased(Ppn page) {
  if (scratch_ != nullptr) state_->hal->drop_pages(kept_as(page), state_->blocks.pages_per_block());
}

std::uint32_t JournalContents::first_programs(std::uint32_t slice) const {
  std::uint32_t programs = 0;
  items_->for_first_programs(*layout_, slice, [&](const SliceProgram&) { ++programs; });
  return programs;
}

bool JournalContents::overflows(std::uint32_t slice) const {
  if (layout_->kind(slice) != SliceKind::trims || !state_->lost.any()) return false;
  const std::uint32_t programs = 2 * first_programs(slice);
  const std::uint32_t most = layout_->most_entries();
  if (programs > most || state_->lost.count() <= most - programs) return false;
  std::uint32_t losses = 0;
  for (std::uint32_t n = 0; n < layout_->items(slice) && losses <= most - programs; ++n)
    losses += items_->losses.of(layout_->first(slice) + n) != 0 ? 1 : 0;
  return losses > most - programs;
}

void JournalContents::name_first_programs(std::uint8_t* page, SliceHeader& header) const {
  items_->for_first_programs(*layout_, header.slice, [&](const SliceProgram& program) {
    if (header.programs < layout_->most_entries())
      std::memcpy(page + layout_->entry_at(header.programs), &program, sizeof program);
    ++header.programs;
  });
}

void JournalContents::fill_trims(std::uint8_t* page, SliceHeader& header) const {
  const std::uint32_t first = layout_->first(header.slice);
  items_->for_first_programs(*layout_, header.slice, [&](const SliceProgram& program) {
    SliceLayout::set_unmapped(page, program.lpn - first);
  });
  name_first_programs(page, header);
  items_->mark_unmapped(page, first, header.items);
  if (state_->lost.any()) fill_losses(page, header);
}

/// Behind the programs, or in a part beside the items.
void JournalContents::fill_losses(std::uint8_t* page, SliceHeader& header) const {
  const std::uint32_t first = layout_->first(header.slice);
  const bool listed = layout_->kind(header.slice) == SliceKind::trims;
  for (std::uint32_t n = 0; n < header.items; ++n) {
    const std::uint32_t sectors = items_->losses.of(first + n);
    if (sectors == 0) continue;
    if (!listed) {
      layout_->set_lost(page, n, sectors);
      continue;
    }
    const SliceLoss loss{first + n, sectors};
    const std::uint32_t entries = header.programs + header.losses++;
    if (entries < layout_->most_entries()) std::memcpy(page + layout_->entry_at(entries), &loss, sizeof loss);
  }
}

/// Of what is being programmed what was there before. Pages are named by the die's blocks: which number a block stands
/// behind in the next life is not known.
void JournalContents::fill_map(std::uint8_t* page, SliceHeader& header) const {
  const ItemMap& map = state_->items;
  const std::uint32_t first = layout_->first(header.slice);
  const auto set = [&](std::uint32_t n, std::uint32_t count, Pun* places) {
    for (std::uint32_t i = 0; state_->blocks.replaces_blocks() && i < count; ++i)
      places[i] = map.renamed(places[i], [&](Ppn at) { return state_->blocks.in_die(at); });
    layout_->set_words(page, header.slice, n, count, places);
  };
  header.scan_from = state_->lost.any() ? scan_from_ : items_->all_ended_up_to();
  items_->for_runs(first, header.items, set);
  items_->for_named(*layout_, header.slice,
                    [&](std::uint32_t item, Pun before) { set(item - first, 1, &before); });
  name_first_programs(page, header);
}

/// Erases are of the blocks' numbers, as units count them; what has gone bad are blocks of the dies.
void JournalContents::fill_blocks(std::uint8_t* page, const SliceHeader& header, bool shut_down) const {
  const BlockTable& blocks = state_->blocks;
  KeptRecord kept;
  if (const DriveRecord* const counted = state_->sink->record()) kept.record = *counted;
  kept.shut_down = shut_down ? 1 : 0;
  kept.read_only = state_->read_only() ? 1 : 0;
  std::memcpy(page + kSliceHeaderBytes, &kept, sizeof kept);
  const std::uint32_t first = layout_->first(header.slice);
  for (std::uint32_t n = 0; n < header.items; ++n) {
    const std::uint32_t plane = (first + n) / blocks.blocks_per_plane();
    const std::uint32_t block = (first + n) % blocks.blocks_per_plane();
    const BlockInfo& b = blocks.block(plane, blocks.number_of(plane, block));
    const std::uint32_t mark = b.state == BlockState::bad ? kBlockIsBad : kBlockHasFailed;
    const std::uint32_t first_list = blocks.regions() != 1 && b.region == 0 ? kBlockIsFirst : 0;
    const std::uint32_t erases = blocks.block(plane, block).erases & kBlockErases;
    const std::uint32_t entry = erases | (b.grown_bad != 0 ? mark : 0) | first_list;
    layout_->set_words(page, header.slice, n, 1, &entry);
  }
}

} // namespace twinplane::fw
