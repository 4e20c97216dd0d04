#include "firmware/ftl/recovery/scan.h"
#include "firmware/ftl/recovery/units.h"

namespace twinplane::fw {

constexpr OpTraits WordScan::kScan =
    OpTraits{"read of a word", ends_in<WordScan, &WordScan::scanned>}.with(&OpTraits::reads_words);

WordScan::WordScan(BootMemory& memory, const RecoveryPart& part, DieQueues& board, FoundMap& map)
    : RecoveryPart(part),
      board_(board),
      map_(map),
      cursors_(memory.array<Cursor>(blocks_.geometry().planes())),
      fast_pages_before_first_slow_(fast_pages_before_first_slow(blocks_)),
      runs_(fast_pages_before_first_slow_ != 0 || state_.config.program_order == ProgramOrder::relaxed
                ? blocks_.order().types()
                : 1) {}

void WordScan::begin(RecoveryPass pass) {
  pass_ = pass;
  for (std::uint32_t plane = 0; plane < blocks_.geometry().planes(); ++plane) {
    cursors_[plane] = Cursor{plane, 0, first_page(), 0, false};
  }
}

/// A block whose first page cannot be read may hold anything, pages of metadata behind it too. A spare block may
/// have replaced another one. Blocks in SLC mode are read to the end: they hold copies of lower pages, or a cache's
/// pages, which may have been programmed once more behind the block's last one.
bool WordScan::wanted(std::uint32_t plane, std::uint32_t block) const {
  const BlockInfo& info = blocks_.block(plane, block);
  const FoundBlock& f = found_.at(plane, block);
  const bool anew = pass_ == RecoveryPass::all || pass_ == RecoveryPass::first;
  const bool written = f.written[0] != 0;
  const bool own = f.own && state_.hooks.owner(blocks_.site_of(plane), block) == nullptr;
  if (info.state == BlockState::bad && !blocks_.is_spare(plane, block) && (anew || !written)) return false;
  if (anew) return true;
  if (own) return pass_ == RecoveryPass::own;
  if (!written) return false;
  if (pass_ == RecoveryPass::last) return !in_slc_mode(plane, block) && !map_.is_newer(f.oldest);
  return pass_ == RecoveryPass::rest && !f.known;
}

/// The pages of a plane are read one by one: only a page's word tells whether there is one behind it.
bool WordScan::run() {
  for (std::uint32_t plane = 0; plane < blocks_.geometry().planes(); ++plane) {
    if (!cursors_[plane].reading) read_next(cursors_[plane]);
  }
  return reading_ != 0;
}

void WordScan::read_next(Cursor& c) {
  while (!at_end(c) && !wanted(c.plane, c.block)) go_to(c, c.block + 1);
  if (at_end(c)) return;
  Transaction* const t = state_.pool.take(PoolUser::firmware);
  if (t == nullptr) return; // those that are reading give theirs back
  state_.begin(*t, kScan, *this, blocks_.ppn(c.plane, c.block, page_at(c)));
  t->mask = t->flash_mask = 0; // the word alone
  map_.begin_read(*t);
  c.reading = true;
  ++reading_;
  board_.enqueue(*t);
}

std::uint32_t WordScan::page_at(const Cursor& c) const {
  if (in_slc_mode(c)) return c.page;
  const PageOrderTable& order = blocks_.order();
  const std::uint32_t last = blocks_.pages_per_block() / runs_ - 1;
  if (pass_ == RecoveryPass::last && c.run == runs_) return order.page(0, 1); // of a hot block?
  const std::uint32_t page = pass_ == RecoveryPass::last ? last : c.page;
  return runs_ == 1 ? page : order.page(page, c.run);
}

/// A run ends with its last page or before a blank one; and without a page of a type there is none of the
/// slower ones.
void WordScan::advance(Cursor& c, bool blank) const {
  if (in_slc_mode(c)) {
    if (blank || ++c.page == blocks_.order().wordlines()) go_to(c, c.block + 1);
    return;
  }
  const bool none = blank && c.page == 0;
  if (!blank && ++c.page != blocks_.pages_per_block() / runs_) return;
  c.page = 0;
  if (none || ++c.run == runs_) go_to(c, c.block + 1);
}

/// A block whose mode is not known is read as features/slc_cache/cache_recovery.cpp says.
void WordScan::scanned(Transaction& t, const FlashCompletion& c) {
  const bool blank = (c.result & flash_result::blank) != 0;
  Cursor& cursor = cursors_[t.plane];
  const std::uint32_t block = cursor.block;
  FoundBlock& f = found_.at(t.plane, block);
  ++counters_.pages_read;
  state_.charge(1, state_.config.cost.map_lookup);
  if (!blank && pass_ != RecoveryPass::last) {
    ++f.written[in_slc_mode(cursor) ? 0 : blocks_.order().type(blocks_.page_of(t.ppn))];
    ++counters_.pages_found;
    map_.take_page(t, c);
  }
  FoundMap::LastWord last{};
  if (pass_ == RecoveryPass::last) last = map_.last_word(t, c);
  state_.pool.release(t);
  cursor.reading = false;
  --reading_;
  if (pass_ == RecoveryPass::last) return take_last_word(cursor, last, blank);
  if (f.mode == ModeProbe::first && !blank) return read_again(cursor, block, ModeProbe::native);
  if (pass_ == RecoveryPass::first) {
    f.own = f.copy != 0 || f.torn;
    return go_to(cursor, block + 1);
  }
  advance(cursor, blank);
  if (f.mode == ModeProbe::native && cursor.block != block) read_again(cursor, block, ModeProbe::slc);
}

/// The last word of each run of pages: if none is newer than the checkpoint, no page of the block is. In a
/// hot block the run of slow pages is blank, as its first one shows.
void WordScan::take_last_word(Cursor& c, const FoundMap::LastWord& word, bool blank) {
  FoundBlock& f = found_.at(c.plane, c.block);
  if (fast_pages_before_first_slow_ != 0 && blank && c.run + 1u >= runs_) {
    if (c.run++ == runs_) know_block(f, 1);
    if (c.run > runs_) go_to(c, c.block + 1);
    return;
  }
  const bool at_end = c.run == runs_;
  if (at_end || blank || !word.any || map_.is_newer(word.stamp)) return go_to(c, c.block + 1);
  found_.note_stamp(f, word.stamp);
  if (++c.run != runs_) return;
  know_block(f, blocks_.order().types());
  map_.know_block(c.plane, c.block);
  go_to(c, c.block + 1);
}

void WordScan::know_block(FoundBlock& f, std::uint32_t types) {
  f.known = true;
  f.fill(types, blocks_.order().wordlines());
  ++counters_.blocks_known;
}

/// From its first page on.
void WordScan::read_again(Cursor& c, std::uint32_t block, ModeProbe mode) {
  FoundBlock& f = found_.at(c.plane, block);
  const bool own = f.own;
  const std::uint16_t taken = f.taken;
  counters_.pages_found -= f.pages();
  counters_.pages_unreadable -= f.pages();
  f = FoundBlock();
  f.own = own;
  f.mode = mode;
  if (mode == ModeProbe::slc) f.taken_as_native = taken;
  map_.read_again(c.plane, block, mode == ModeProbe::slc);
  go_to(c, block);
  c.page = 0;
}

} // namespace twinplane::fw
