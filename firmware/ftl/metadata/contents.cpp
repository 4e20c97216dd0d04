// Metadata: what a page says.
#include <cstring>

#include "firmware/ftl/metadata/metadata.h"

namespace twinplane::fw {

/// The tables and the stamp are of one moment: what is written later has a newer stamp.
void Metadata::fill(const Transaction& t) {
  FtlState& s = *state_;
  std::uint8_t* const own = s.hal->dram() + t.buffer;
  std::memset(own, 0, std::size_t{s.payload} * s.config.geometry.sectors_per_page());
  std::uint8_t* const page = scratch_ == nullptr ? own : scratch_;
  std::memset(page, 0, layout_.page_bytes());
  SliceHeader header;
  header.stamp = static_cast<std::uint32_t>(s.write_sequence + 1);
  header.slice = t.host_offset;
  header.items = layout_.items(header.slice);
  const SliceKind kind = layout_.kind(header.slice);
  if (tells_trims(kind)) of_cache() ? fill_subpage_trims(page, header) : fill_trims(page, header);
  if (kind == SliceKind::map) fill_map(page, header);
  if (kind == SliceKind::blocks) fill_blocks(page, header);
  void_ = header.programs + header.losses > layout_.most_entries(); // nobody opens it then
  s.charge(header.items / Mapping::kEntriesPerStep + 1, s.config.cost.map_lookup);
  layout_.seal(page, header);
  if (scratch_ != nullptr)
    s.hal->keep_page(kept_as(t.ppn), word_of(t, s.write_sequence + 1), page, layout_.page_bytes());
}

namespace {
/// Is being programmed, or about to be again, or waits for the rest of its wordline.
bool programs(const Transaction& t) {
  return is_page(t.ppn) && t.writes(t.ppn);
}
} // namespace

/// The page that its LPN had before.
Ppn Metadata::before(const Transaction& t) {
  return t.work == Work::host_write ? t.replaced() : t.home;
}

/// The map names its page.
bool Metadata::is_named(const Transaction& t) const {
  return programs(t) && state_->policy.mapping->lookup(t.lpn) == t.ppn;
}

/// What a program replaces may be under way as well: the host overwrites what is being moved, or written. The
/// first one of these.
const Transaction& Metadata::first_under_way(const Transaction& t) const {
  const Transaction* first = &t;
  const Transaction* writer = first;
  while (writer != nullptr) {
    first = writer;
    writer = is_page(before(*first)) ? state_->pool.writer_of(before(*first)) : nullptr;
  }
  return *first;
}

void Metadata::name_first_programs(std::uint8_t* page, SliceHeader& header) const {
  for_first_programs(header.slice, [&](const Transaction& program) {
    const SliceProgram entry{program.lpn, program.stamp};
    if (header.programs < layout_.most_entries())
      std::memcpy(page + layout_.entry_at(header.programs), &entry, sizeof entry);
    ++header.programs;
  });
}

void Metadata::fill_trims(std::uint8_t* page, SliceHeader& header) const {
  const std::uint32_t first = layout_.first(header.slice);
  for_first_programs(header.slice,
                     [&](const Transaction& t) { SliceLayout::set_unmapped(page, t.lpn - first); });
  name_first_programs(page, header);
  for (std::uint32_t n = 0; n < header.items; ++n) {
    if (!is_page(state_->policy.mapping->lookup(first + n))) SliceLayout::set_unmapped(page, n);
  }
  fill_losses(page, header);
}

/// Behind the programs. A list that has no room for all of them makes the page void.
void Metadata::fill_losses(std::uint8_t* page, SliceHeader& header) const {
  const std::uint32_t first = layout_.first(header.slice);
  const bool listed = layout_.kind(header.slice) == SliceKind::trims;
  for (std::uint32_t n = 0; state_->lost.any() && n < header.items; ++n) {
    const std::uint32_t sectors = lost_of(first + n);
    if (sectors == 0) continue;
    if (!listed) {
      layout_.set_lost(page, n, sectors);
      continue;
    }
    const SliceLoss loss{first + n, sectors};
    const std::uint32_t entries = header.programs + header.losses++;
    if (entries < layout_.most_entries()) std::memcpy(page + layout_.entry_at(entries), &loss, sizeof loss);
  }
}

std::uint32_t Metadata::lost_of(std::uint32_t item) const {
  const std::uint32_t sectors = item_sectors();
  const std::uint32_t shift = (item & low_mask(item_shift_)) * sectors;
  return state_->lost.of(item >> item_shift_) >> shift & low_mask(sectors);
}

void Metadata::found_lost(std::uint32_t item, std::uint32_t sectors) {
  const std::uint32_t shift = (item & low_mask(item_shift_)) * item_sectors();
  const std::uint32_t others = state_->lost.of(item >> item_shift_) & ~(low_mask(item_sectors()) << shift);
  state_->lost.set(item >> item_shift_, others | sectors << shift);
}

/// Older than every program under way.
std::uint32_t Metadata::all_ended_up_to() const {
  const auto now = static_cast<std::uint32_t>(state_->write_sequence);
  std::uint32_t behind = 0;
  state_->pool.for_each([&](const Transaction& t) {
    if (programs(t) && now - t.stamp + 1 > behind) behind = now - t.stamp + 1;
  });
  return now - behind;
}

/// Of a page that is being programmed what was there before. Pages are named by the die's blocks: which number
/// a block stands behind in the next life is not known.
void Metadata::fill_map(std::uint8_t* page, SliceHeader& header) const {
  const Mapping& mapping = *state_->policy.mapping;
  const std::uint32_t first = layout_.first(header.slice);
  const auto set = [&](std::uint32_t n, Ppn named) {
    if (is_page(named)) named = state_->blocks.in_die(named);
    layout_.set_word(page, header.slice, n, static_cast<std::uint32_t>(named));
  };
  header.scan_from = state_->lost.any() ? scan_from_ : all_ended_up_to();
  for (std::uint32_t n = 0; n < header.items; ++n) set(n, mapping.lookup(first + n));
  state_->pool.for_each([&](const Transaction& t) {
    if (!is_named(t) || !layout_.holds(header.slice, t.lpn)) return;
    const Ppn settled = before(first_under_way(t));
    set(t.lpn - first, is_page(settled) ? settled : kNoPpn);
  });
  name_first_programs(page, header);
}

/// Erases are of the blocks' numbers, as units count them; what has gone bad are blocks of the dies.
void Metadata::fill_blocks(std::uint8_t* page, const SliceHeader& header) const {
  const BlockTable& blocks = state_->blocks;
  KeptRecord kept;
  if (const DriveRecord* const counted = state_->sink->record()) kept.record = *counted;
  kept.shut_down = shut_down_ ? 1 : 0;
  kept.read_only = state_->read_only() ? 1 : 0;
  std::memcpy(page + SliceLayout::header_bytes(), &kept, sizeof kept);
  const std::uint32_t first = layout_.first(header.slice);
  for (std::uint32_t n = 0; n < header.items; ++n) {
    const std::uint32_t plane = (first + n) / blocks.blocks_per_plane();
    const std::uint32_t block = (first + n) % blocks.blocks_per_plane();
    const BlockInfo& b = blocks.block(plane, blocks.number_of(plane, block));
    const std::uint32_t mark = b.state == BlockState::bad ? kBlockIsBad : kBlockHasFailed;
    const std::uint32_t first_list = blocks.regions() != 1 && b.region == 0 ? kBlockIsFirst : 0;
    layout_.set_word(
        page, header.slice, n,
        (blocks.block(plane, block).erases & kBlockErases) | (b.grown_bad != 0 ? mark : 0) | first_list);
  }
}

} // namespace twinplane::fw
