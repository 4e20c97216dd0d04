// Recovery: which page each plane reads next, and what its out-of-band word says.
#include "firmware/ftl/recovery/recovery.h"
#include "firmware/ftl/write_stamp.h"

namespace twinplane::fw {

namespace {
constexpr std::uint64_t kNoPageWord = ~std::uint64_t{0}; // erased, or beyond what ECC corrects
} // namespace

void Recovery::boot(BootMemory& memory, FtlState& state, Board& board, Collector& collector,
                    Metadata& metadata) {
  if (!state.config.used_cells) return;
  state_ = &state;
  board_ = &board;
  collector_ = &collector;
  metadata_ = &metadata;
  const Geometry& g = state.blocks.geometry();
  cursors_ = memory.array<Cursor>(g.planes());
  found_ = memory.zeroed<Found>(g.blocks());
  stamps_ = memory.zeroed<std::uint32_t>(state.exported_pages);
  units_ = memory.zeroed<Unit>(g.blocks() / state.blocks.twins());
  if (metadata.kept()) {
    const SliceLayout& layout = metadata.layout();
    slices_ = memory.zeroed<std::uint8_t>(std::size_t{layout.slices()} * layout.page_bytes());
    slice_stamp_ = memory.zeroed<std::uint32_t>(layout.slices());
    slice_read_ = memory.zeroed<std::uint8_t>(layout.slices());
  }
  if (state.config.copybacks != 0)
    twice_ = memory.zeroed<Twice>(std::size_t{state.blocks.sites()} * state.blocks.unit_pages());
  runs_ = state.config.program_order == ProgramOrder::relaxed ? state.blocks.order().types() : 1;
  began_ps_ = state.now_ps();
  busy_ = scanning_ = true;
}

/// The pages of a plane are read one by one: only a page's word tells whether there is one behind it.
void Recovery::run() {
  const std::uint32_t planes = state_->blocks.geometry().planes();
  for (std::uint32_t plane = 0; scanning_ && plane < planes; ++plane) {
    if (!cursors_[plane].reading) read_next(plane);
  }
  if (scanning_) {
    if (reading_ != 0) return;
    scanning_ = false;
    counters_.scan_ps = state_->now_ps() - began_ps_;
  }
  if (!read_metadata() && reading_ == 0 && busy_) rebuild();
}

void Recovery::read_next(std::uint32_t plane) {
  skip_bad(plane);
  Cursor& c = cursors_[plane];
  if (at_end(c)) return;
  Transaction* const t = state_->pool.take(false);
  if (t == nullptr) return; // those that are reading give theirs back
  t->work = Work::scan;
  t->ppn = state_->blocks.ppn(plane, c.block, page_at(c));
  t->plane = plane;
  t->die = static_cast<std::uint16_t>(state_->blocks.die_of(t->ppn));
  t->mask = t->flash_mask = 0; // the word alone
  t->sequence = ++state_->sequence;
  t->queued_ps = state_->now_ps();
  c.reading = true;
  ++reading_;
  board_->enqueue(*t, Lane::read);
}

void Recovery::skip_bad(std::uint32_t plane) {
  Cursor& c = cursors_[plane];
  while (!at_end(c) && state_->blocks.block(plane, c.block).state == BlockState::bad) next_block(c);
}

bool Recovery::at_end(const Cursor& c) const {
  return c.block == state_->blocks.blocks_per_plane();
}

void Recovery::next_block(Cursor& c) const {
  ++c.block;
  c.page = c.run = 0;
}

std::uint32_t Recovery::page_at(const Cursor& c) const {
  return runs_ == 1 ? c.page : state_->blocks.order().page(c.page, c.run);
}

/// A run ends with its last page or before a blank one; and without a page of a type there is none of the
/// slower ones.
void Recovery::pass(Cursor& c, bool blank) const {
  const bool none = blank && c.page == 0;
  if (!blank && ++c.page != state_->blocks.pages_per_block() / runs_) return;
  c.page = 0;
  if (none || ++c.run == runs_) next_block(c);
}

void Recovery::scanned(Transaction& t, const FlashCompletion& c) {
  if (t.work == Work::metadata_scan) return metadata_read(t, c);
  const std::uint32_t plane = t.plane;
  const std::uint32_t block = state_->blocks.block_of(t.ppn);
  const bool blank = (c.result & flash_result::blank) != 0;
  ++counters_.pages_read;
  if (!blank) {
    Found& f = found(plane, block);
    ++f.written[state_->blocks.order().type(state_->blocks.page_of(t.ppn))];
    ++counters_.pages_found;
    take_word(t.ppn, c.oob, f);
  }
  state_->charge(1, state_->config.cost.map_lookup);
  state_->pool.release(t);
  cursors_[plane].reading = false;
  --reading_;
  pass(cursors_[plane], blank);
}

/// Of equal stamps one page is a copy of the other, made by copyback (choose_copies()).
void Recovery::take_word(Ppn ppn, std::uint64_t oob, Found& f) {
  if (oob == kNoPageWord) {
    ++counters_.pages_unreadable;
    f.torn = true;
    return;
  }
  const auto stamp = static_cast<std::uint32_t>(oob >> 32);
  if (!f.stamped || kPageStamps.newer(f.oldest, stamp)) f.oldest = stamp;
  if (!f.stamped || kPageStamps.newer(stamp, f.newest)) f.newest = stamp;
  f.stamped = true;
  if (!any_stamp_ || kPageStamps.newer(stamp, newest_)) newest_ = stamp;
  any_stamp_ = true;
  const std::uint32_t lpn = oob_lpn(oob);
  if (const std::uint32_t copy = Metadata::copy_of(lpn)) f.copy = static_cast<std::uint8_t>(copy);
  if (lpn >= state_->exported_pages) return; // of a page that was written without being anybody's
  Mapping& mapping = *state_->policy.mapping;
  if (is_page(mapping.lookup(lpn)) && !kPageStamps.newer(stamp, stamps_[lpn])) {
    const std::uint32_t most = state_->blocks.sites() * state_->blocks.unit_pages();
    if (stamp == stamps_[lpn] && twice_ != nullptr && twice_count_ != most)
      twice_[twice_count_++] = {lpn, stamp, ppn};
    return;
  }
  mapping.exchange(lpn, ppn);
  stamps_[lpn] = stamp;
}

Recovery::Found& Recovery::found(std::uint32_t plane, std::uint32_t block) const {
  return found_[plane * state_->blocks.blocks_per_plane() + block];
}

} // namespace twinplane::fw
