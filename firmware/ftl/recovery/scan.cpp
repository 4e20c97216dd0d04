// Recovery: which page each plane reads next, and what its out-of-band word says.
#include "firmware/ftl/recovery/recovery.h"
#include "firmware/ftl/write_stamp.h"

namespace twinplane::fw {

constexpr OpTraits Recovery::kScan =
    OpTraits{"read of a word", ends_in<Recovery, &Recovery::scanned>}.with(&OpTraits::reads_words);
constexpr OpTraits Recovery::kReadMetadata =
    OpTraits{"read of metadata", ends_in<Recovery, &Recovery::metadata_read>}.with(&OpTraits::page_as_it_is);

namespace {
constexpr std::uint64_t kNoPageWord = ~std::uint64_t{0}; // erased, or beyond what ECC corrects
} // namespace

void Recovery::boot(BootMemory& memory, FtlState& state, const Parts& parts) {
  if (!state.config.used_cells) return;
  state_ = &state;
  board_ = &parts.board;
  collector_ = &parts.collector;
  journal_ = &parts.journal;
  lower_pages_ = &parts.lower_pages;
  host_ = &parts.host;
  cache_ = state.policy.cache;
  const Journal& journal = parts.journal;
  const Geometry& g = state.blocks.geometry();
  cursors_ = memory.array<Cursor>(g.planes());
  found_ = memory.zeroed<Found>(g.blocks());
  if (cache_ == nullptr) {
    stamps_ = memory.zeroed<std::uint32_t>(state.exported_pages);
  } else {
    cache_->recovery.begin(memory);
    order_ = cache_->io.words().order();
    for (std::uint32_t b = 0; b < g.blocks(); ++b)
      found_[b].look = exchanges_blocks(state.config.slc_cache) ? Look::first : Look::told;
  }
  units_ = memory.zeroed<Unit>(g.blocks() / state.blocks.twins());
  if (journal.kept()) {
    const SliceLayout& layout = journal.slices.layout();
    const std::uint32_t others =
        layout.slices() - (layout.begin(SliceKind::blocks) - layout.begin(SliceKind::map));
    slices_ = memory.zeroed<std::uint8_t>(std::size_t{layout.slices() + others} * layout.page_bytes());
    slice_stamp_ = memory.zeroed<std::uint32_t>(layout.with_parts() + others);
    slice_read_ = memory.zeroed<std::uint8_t>(layout.with_parts() + others);
    part_pages_ = memory.array<Ppn>(2 * (layout.with_parts() - layout.slices()));
    told_.boot(memory, layout);
  }
  if (state.config.copybacks != 0)
    twice_ = memory.zeroed<Twice>(std::size_t{state.blocks.sites()} * state.blocks.unit_pages());
  if (journal.checkpoints()) confirmed_ = memory.zeroed<std::uint32_t>(state.exported_pages / 32 + 1);
  const bool partitions = state.blocks.regions() != 1 && cache_ == nullptr;
  const bool by_type = partitions || state.config.program_order == ProgramOrder::relaxed;
  runs_ = by_type ? state.blocks.order().types() : 1;
  while (partitions && state.blocks.order().type(lead_) == 0) ++lead_;
  step_began_ps_ = state.now_ps();
  busy_ = true;
  begin_pass(journal.checkpoints() ? Pass::first : Pass::all);
}

void Recovery::run() {
  while (busy_) {
    if (pass_ == Pass::rescue) {
      if (!rescue()) return;
      return end_rescue();
    }
    if (read_on()) return;
    if (reading_ != 0) return;
    end_pass();
  }
}

/// False when nothing is left to be read.
bool Recovery::read_on() {
  if (pass_ == Pass::metadata) return read_metadata();
  return pass_ == Pass::parts ? read_parts() : read_words();
}

void Recovery::end_step(std::uint64_t& step) {
  const std::uint64_t now = state_->now_ps();
  step += now - step_began_ps_;
  step_began_ps_ = now;
}

void Recovery::end_pass() {
  switch (pass_) {
    case Pass::first:
      return begin_pass(Pass::own);
    case Pass::own:
      end_step(counters_.blocks_ps);
      return begin_pass(Pass::metadata);
    case Pass::all:
      end_step(counters_.scan_ps);
      return begin_pass(Pass::metadata);
    case Pass::metadata:
      end_step(counters_.metadata_ps);
      newest_copies_first();
      from_checkpoint_ = journal_->checkpoints() && load_map();
      load_blocks();
      if (!journal_->checkpoints()) return begin_parts();
      return begin_pass(from_checkpoint_ ? Pass::last : Pass::rest);
    case Pass::last:
      return begin_pass(Pass::rest);
    case Pass::rest:
      end_step(counters_.scan_ps);
      return begin_parts();
    case Pass::parts:
      end_step(counters_.metadata_ps);
      return rebuild();
    case Pass::rescue: // run()
      break;
  }
}

void Recovery::tell(Pass pass) const {
  constexpr auto kFirst = static_cast<std::uint32_t>(TraceEvent::recovery_all);
  state_->hal->trace_event(static_cast<TraceEvent>(kFirst + static_cast<std::uint32_t>(pass)), 0, 0);
}

/// Blocks whose first word has been read are read from the second one on.
void Recovery::begin_pass(Pass pass) {
  pass_ = pass;
  tell(pass);
  const BlockTable& blocks = state_->blocks;
  for (std::uint32_t plane = 0; plane < blocks.geometry().planes(); ++plane) {
    cursors_[plane] = Cursor();
    cursors_[plane].plane = plane;
    if (pass != Pass::own && pass != Pass::rest) continue;
    cursors_[plane].page = 1;
    for (std::uint32_t block = 0; block < blocks.blocks_per_plane(); ++block) {
      const Found& f = found(plane, block);
      if (wanted(plane, block)) map_word(blocks.ppn(plane, block, 0), f.first_word, f.first_lost);
    }
  }
}

/// A block whose first page cannot be read may hold anything, pages of metadata behind it too. A spare block may
/// have replaced another one.
bool Recovery::wanted(std::uint32_t plane, std::uint32_t block) const {
  const Found& f = found(plane, block);
  const bool anew = pass_ == Pass::all || pass_ == Pass::first;
  const BlockTable& blocks = state_->blocks;
  if (blocks.block(plane, block).state == BlockState::bad && !blocks.is_spare(plane, block) &&
      (anew || f.written[0] == 0))
    return false;
  if (anew) return true;
  if (is_copy(plane, block)) return pass_ == Pass::rest && f.written[0] != 0;
  const bool written = f.written[0] != 0;
  const bool own = f.copy != 0 || f.first_word == kNoPageWord;
  if (!written || own) return written && pass_ == Pass::own;
  if (pass_ == Pass::last) return !kPageStamps.newer(f.oldest, checkpoint_);
  return pass_ == Pass::rest && !f.known;
}

/// The pages of a plane are read one by one: only a page's word tells whether there is one behind it. False
/// when nothing is left to be read.
bool Recovery::read_words() {
  for (std::uint32_t plane = 0; plane < state_->blocks.geometry().planes(); ++plane) {
    if (!cursors_[plane].reading) read_next(plane);
  }
  return reading_ != 0;
}

void Recovery::read_next(std::uint32_t plane) {
  skip_unwanted(plane);
  Cursor& c = cursors_[plane];
  if (at_end(c)) return;
  Transaction* const t = state_->pool.take(PoolUser::firmware);
  if (t == nullptr) return; // those that are reading give theirs back
  state_->begin(*t, kScan, *this, state_->blocks.ppn(plane, c.block, page_at(c)));
  t->mask = t->flash_mask = 0; // the word alone
  if (cache_ != nullptr) cache_->io.begin_read(*t);
  c.reading = true;
  ++reading_;
  board_->enqueue(*t);
}

void Recovery::skip_unwanted(std::uint32_t plane) {
  Cursor& c = cursors_[plane];
  while (!at_end(c) && !wanted(plane, c.block)) next_block(c);
}

bool Recovery::at_end(const Cursor& c) const {
  return c.block == state_->blocks.blocks_per_plane();
}

void Recovery::next_block(Cursor& c) const {
  ++c.block;
  c.page = pass_ == Pass::own || pass_ == Pass::rest ? 1 : 0;
  c.run = 0;
}

std::uint32_t Recovery::page_at(const Cursor& c) const {
  if (in_slc_mode(c.plane, c.block)) return c.page;
  const std::uint32_t last = state_->blocks.pages_per_block() / runs_ - 1;
  if (pass_ == Pass::last && c.run == runs_) return state_->blocks.order().page(0, 1); // of a hot block?
  if (pass_ == Pass::last) return runs_ == 1 ? last : state_->blocks.order().page(last, c.run);
  return runs_ == 1 ? c.page : state_->blocks.order().page(c.page, c.run);
}

/// A run ends with its last page or before a blank one; and without a page of a type there is none of the
/// slower ones.
void Recovery::pass(Cursor& c, bool blank) const {
  if (in_slc_mode(c.plane, c.block)) {
    if (blank || ++c.page == state_->blocks.order().wordlines()) next_block(c);
    return;
  }
  const bool none = blank && c.page == 0;
  if (!blank && ++c.page != state_->blocks.pages_per_block() / runs_) return;
  c.page = 0;
  if (none || ++c.run == runs_) next_block(c);
}

void Recovery::scanned(Transaction& t, const FlashCompletion& c) {
  const std::uint32_t plane = t.plane;
  const Ppn ppn = t.ppn;
  const bool blank = (c.result & flash_result::blank) != 0;
  ++counters_.pages_read;
  state_->charge(1, state_->config.cost.map_lookup);
  if (cache_ != nullptr && !blank) take_words(t, c, found(plane, state_->blocks.block_of(ppn)));
  state_->pool.release(t);
  cursors_[plane].reading = false;
  --reading_;
  if (pass_ == Pass::first) return take_first_word(plane, c, blank);
  if (pass_ == Pass::last) return pass_last_word(plane, c.oob, blank);
  if (!blank) {
    Found& f = found(plane, state_->blocks.block_of(ppn));
    const bool slc = in_slc_mode(plane, state_->blocks.block_of(ppn));
    ++f.written[slc ? 0 : state_->blocks.order().type(state_->blocks.page_of(ppn))];
    ++counters_.pages_found;
    if (cache_ == nullptr && note_word(ppn, c.oob, f)) map_word(ppn, c.oob, c.failed_sectors);
  }
  if (found(ppn).look != Look::told) return look_further(cursors_[plane], blank);
  pass(cursors_[plane], blank);
}

void Recovery::take_first_word(std::uint32_t plane, const FlashCompletion& c, bool blank) {
  const std::uint32_t block = cursors_[plane].block;
  Found& f = found(plane, block);
  next_block(cursors_[plane]);
  f.first_word = c.oob;
  if (blank) return;
  f.first_lost = c.failed_sectors;
  f.written[0] = 1;
  ++counters_.pages_found;
  (void)note_word(state_->blocks.ppn(plane, block, 0), c.oob, f);
}

/// The last word of each run of pages: if none is newer than the checkpoint, no page of the block is. In a
/// hot block the run of slow pages is blank, as its first one shows.
void Recovery::pass_last_word(std::uint32_t plane, std::uint64_t oob, bool blank) {
  Cursor& c = cursors_[plane];
  Found& f = found(plane, c.block);
  if (lead_ != 0 && blank && c.run + 1u >= runs_) {
    if (c.run++ == runs_) know_block(f, 1);
    if (c.run > runs_) next_block(c);
    return;
  }
  const auto stamp = static_cast<std::uint32_t>(oob >> 32);
  const bool at_end = c.run == runs_;
  if (at_end || blank || oob == kNoPageWord || kPageStamps.newer(stamp, checkpoint_)) return next_block(c);
  note_stamp(stamp, f);
  if (++c.run != runs_) return;
  know_block(f, state_->blocks.order().types());
  next_block(c);
}

/// All pages of so many types have been written.
void Recovery::know_block(Found& f, std::uint32_t types) {
  f.known = true;
  for (std::uint32_t t = 0; t < types; ++t)
    f.written[t] = static_cast<std::uint16_t>(state_->blocks.order().wordlines());
  ++counters_.blocks_known;
}

/// False: it cannot be read.
bool Recovery::note_word(Ppn page, std::uint64_t oob, Found& f) {
  if (oob == kNoPageWord) {
    note_torn(page, f);
    return false;
  }
  note_stamp(oob >> 32, f);
  const std::uint32_t copy = journal_copy_in(oob_lpn(oob), state_->exported_pages);
  if (copy != 0) f.copy = static_cast<std::uint8_t>(copy);
  return true;
}

/// It was being programmed at the cut. Or it was complete, and one of the upper pages of its wordline was being
/// programmed, or more of its own subpages in an SLC-mode cache.
void Recovery::note_torn(Ppn page, Found& f) {
  ++counters_.pages_unreadable;
  f.torn = true;
  const BlockTable& blocks = state_->blocks;
  const bool slc = in_slc_mode(blocks.plane_of(page), blocks.block_of(page));
  const bool last = blocks.order().type(blocks.page_of(page)) + 1u == blocks.order().types();
  if (slc ? cache_ != nullptr : !last) ++f.taken;
}

void Recovery::note_stamp(std::uint64_t stamp, Found& f) {
  if (!f.stamped || order_.newer(f.oldest, stamp)) f.oldest = stamp;
  if (!f.stamped || order_.newer(stamp, f.newest)) f.newest = stamp;
  f.stamped = true;
  if (!any_stamp_ || order_.newer(stamp, newest_)) newest_ = stamp;
  any_stamp_ = true;
}

/// The newest word of an LPN names its page, which tells what of it is lost. Of equal stamps one page is a copy of the other, made by
/// copyback (choose_copies()). With a checkpoint its entries are as old as that: words that are older do not
/// count.
void Recovery::map_word(Ppn ppn, std::uint64_t oob, std::uint32_t lost) {
  const auto stamp = static_cast<std::uint32_t>(oob >> 32);
  const std::uint32_t lpn = oob_lpn(oob);
  if (oob == kNoPageWord || lpn >= state_->exported_pages) return; // written without being anybody's
  if (lower_pages_->copies.is_ours(ppn)) return lower_pages_->copies.found(ppn, oob);
  Mapping& mapping = *state_->policy.mapping;
  const Ppn named = mapping.lookup(lpn);
  if (from_checkpoint_ && named == ppn) {
    confirmed_[lpn / 32] |= 1u << lpn % 32;
    stamps_[lpn] = stamp;
    return count_losses(lpn, lost);
  }
  if ((from_checkpoint_ || is_page(named)) && !kPageStamps.newer(stamp, stamps_[lpn])) {
    const std::uint32_t most = state_->blocks.sites() * state_->blocks.unit_pages();
    if (stamp == stamps_[lpn] && twice_ != nullptr && twice_count_ != most)
      twice_[twice_count_++] = {lpn, stamp, ppn};
    return;
  }
  mapping.exchange(lpn, ppn);
  stamps_[lpn] = stamp;
  count_losses(lpn, lost);
}

/// Of what the map names now exactly these are lost.
void Recovery::count_losses(std::uint32_t item, std::uint32_t sectors) const {
  if (sectors != 0 || state_->lost.any()) journal_->items.set_lost(item, sectors);
}

Recovery::Found& Recovery::found(std::uint32_t plane, std::uint32_t block) const {
  return found_[plane * state_->blocks.blocks_per_plane() + block];
}

} // namespace twinplane::fw
