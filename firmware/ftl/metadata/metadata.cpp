// Metadata: what has to be written, and when all of it has been.
#include "firmware/ftl/metadata/metadata.h"

#include <cstring>

#include "hw/spec/data_mode.h"

namespace twinplane::fw {

constexpr OpTraits Metadata::kPage = OpTraits{"page of metadata", ends_in<Metadata, &Metadata::page_done>,
                                              FlashOp::program,   Lane::erase,
                                              WorkFor::upkeep,    WorkOrigin::collection,
                                              Stream::relocation, ProgramCause::metadata}
                                         .with(&OpTraits::own_page, &OpTraits::page_as_it_is);
constexpr OpTraits Metadata::kErase =
    OpTraits{"erase of metadata", ends_in<Metadata, &Metadata::erase_done>, FlashOp::erase, Lane::erase}.with(
        &OpTraits::page_as_it_is);

void Metadata::boot(BootMemory& memory, FtlState& state, Board& board) {
  state_ = &state;
  board_ = &board;
  const Geometry& g = state.config.geometry;
  const std::uint64_t spare = state.statistics.spare_blocks_at_boot;
  if (of_cache()) item_shift_ = lowest_bit(g.subpages_per_page);
  const Kept kept =
      of_cache() ? what_cache_keeps() : what_is_kept(state.config, state.blocks, state.exported_pages, spare);
  if (kept == Kept::nothing) return;
  layout_ = layout_of(kept);
  if (!number_pages()) return;
  if (kept == Kept::map) next_checkpoint_ = state.config.checkpoint_interval;
  const std::uint32_t slices = layout_.with_parts();
  most_units_ = 4 * kCopies * (units_for(slices) + 1) + 16;
  dirty_ = memory.zeroed<std::uint8_t>(slices);
  pending_ = memory.zeroed<std::uint8_t>(slices);
  known_ = memory.zeroed<std::uint8_t>(slices);
  held_since_ = memory.zeroed<std::uint32_t>(g.blocks());
  if (state.config.data_mode != DataMode::full) scratch_ = memory.zeroed<std::uint8_t>(g.page_size);
  units_ = memory.zeroed<Unit>(most_units_);
  state.statistics.metadata_kept = units_ != nullptr;
  state.statistics.bad_blocks_kept = keeps_blocks();
}

/// False: there are not as many numbers beyond those of LPNs.
bool Metadata::number_pages() {
  const std::uint32_t numbers = number_of(layout_.with_parts(), 0);
  if (of_cache()) state_->policy.cache->io.number_own_pages(numbers);
  return numbers < (kNoLpn - state_->exported_pages) / 0x100;
}

SliceLayout Metadata::layout_of(Kept kept) const {
  const Geometry& g = state_->config.geometry;
  return {g.page_size, state_->exported_pages << item_shift_, kept < Kept::blocks ? 0 : g.blocks(),
          item_sectors(), kept == Kept::map};
}

// --- what changes ---

/// Twice all slices: a flush that is going on may write each of them, and so may the next one.
bool Metadata::ready() {
  if (!kept() || went_without_ || has_room()) return true;
  trim_waits_ = busy_ = true;
  return false;
}

void Metadata::trimmed(std::uint32_t lpn, Ppn newest) {
  if (is_page(newest)) mark(newest);
  if (kept()) changed(lpn);
}

void Metadata::dropped(std::uint32_t lpn) {
  if (!kept()) return;
  changed(lpn);
  dropped_ = epoch_;
}

void Metadata::program_failed(Ppn before) {
  if (is_page(before)) mark(before);
}

/// At once: nothing else keeps older versions from being found.
void Metadata::lost(std::uint32_t lpn) {
  if (!kept()) return;
  changed(lpn);
  want(epoch_);
}

/// The block that collection is emptying may need more pages than it has.
void Metadata::mark(Ppn page) {
  BlockTable& blocks = state_->blocks;
  const std::uint32_t plane = blocks.plane_of(page);
  blocks.may_return(page);
  state_->policy.allocation->revoke(plane);
  if (kept()) held_since_[plane * blocks.blocks_per_plane() + blocks.block_of(page)] = epoch_;
}

// --- who waits ---

/// Epoch of the last trim or loss whose newest version the unit holds, 0: none.
std::uint32_t Metadata::held_since(std::uint32_t site, std::uint32_t block) const {
  const BlockTable& blocks = state_->blocks;
  std::uint32_t since = 0;
  for (std::uint32_t p = 0; p < blocks.twins(); ++p) {
    const std::uint32_t plane = blocks.first_plane_of(site) + p;
    const std::uint32_t epoch = held_since_[plane * blocks.blocks_per_plane() + block];
    if (epoch > since) since = epoch;
  }
  return since;
}

bool Metadata::holds(std::uint32_t site, std::uint32_t block) {
  if (!kept()) return false;
  const std::uint32_t since = held_since(site, block);
  if (since <= durable_) return false;
  want(since);
  return true;
}

std::uint32_t Metadata::begin_commit() {
  if (!kept()) return 0;
  want(epoch_);
  return epoch_;
}

std::uint32_t Metadata::begin_flush_of_host() {
  want(dropped_);
  return dropped_;
}

void Metadata::wait(Transaction& t) {
  want(t.epoch = epoch_);
  waiting_.push(t);
}

Transaction* Metadata::take_durable() {
  if (waiting_.empty() || waiting_.front()->epoch > durable_) return nullptr;
  return &waiting_.pop();
}

// --- flush ---

/// What happens from now on belongs to the next one, although some of it may be written by this one.
///
/// A map has no stamps of its own: what it names is as old as the checkpoint, and lost where a newer page
/// says so. So if one is to be written all that tells of losses is, before it, and the checkpoint is as old
/// as the moment before that.
bool Metadata::begin_flush() {
  if (wanted_ <= durable_) return false;
  flushing_ = epoch_++;
  slice_ = copy_ = 0;
  const std::uint32_t map = layout_.begin(SliceKind::map);
  const std::uint32_t maps = layout_.begin(SliceKind::blocks) - map;
  if (state_->lost.any() && std::memchr(dirty_ + map, 1, maps) != nullptr) {
    for (std::uint32_t s = 0; s < layout_.with_parts(); ++s) {
      if (tells_trims(layout_.kind(s))) dirty_[s] |= known_[s];
    }
  }
  scan_from_ = all_ended_up_to();
  std::memcpy(pending_, dirty_, layout_.with_parts());
  std::memset(dirty_, 0, layout_.with_parts());
  return true;
}

void Metadata::end_flush() {
  durable_ = flushing_;
  flushing_ = 0;
  fresh_ = false;
  if (checkpoint_ != 0 && checkpoint_ <= durable_) {
    end_checkpoint();
    ++state_->statistics.checkpoints;
  }
  for (std::uint32_t u = 0; u < unit_count_; ++u) {
    if (units_[u].old && units_[u].to_erase == 0) units_[u].to_erase = 1;
  }
}

void Metadata::give_up() {
  waits_for_unit_ = trim_waits_ = fresh_ = false;
  went_without_ = true;
  end_checkpoint();
  ++state_->statistics.metadata_given_up;
  for (std::uint32_t u = 0; u < unit_count_; ++u) units_[u].old = units_[u].to_erase != 0;
  if (flushing_ == 0) return;
  for (std::uint32_t s = 0; s < layout_.with_parts(); ++s) dirty_[s] |= pending_[s];
  durable_ = flushing_;
  flushing_ = 0;
}

/// Not where blocks that have gone bad would be forgotten with them.
bool Metadata::give_back() {
  if (!kept() || unit_count_ == 0 || step_ != Step::idle) return false;
  if (keeps_blocks() && state_->blocks.good_blocks() != state_->good_blocks_at_boot) return false;
  give_up();
  for (std::uint32_t u = 0; u < unit_count_; ++u) {
    units_[u].old = true;
    if (units_[u].to_erase == 0) units_[u].to_erase = 1;
  }
  durable_ = wanted_ = epoch_; // nobody waits any more
  next_checkpoint_ = ~std::uint64_t{0};
  given_back_ = busy_ = true;
  return true;
}

bool Metadata::run() {
  if (units_ == nullptr) return false;
  const std::uint32_t before = durable_;
  const bool trim_waited = trim_waits_;
  while (step_ == Step::idle && advance()) {
  }
  busy_ = step_ != Step::idle || flushing_ != 0 || wanted_ > durable_ || trim_waits_ || erases_wait();
  return durable_ != before || trim_waits_ != trim_waited;
}

bool Metadata::erases_wait() const {
  for (std::uint32_t u = 0; u < unit_count_; ++u) {
    if (units_[u].to_erase != 0) return true;
  }
  return false;
}

/// False: there is nothing to do, or the pool is empty, or there is no unit.
bool Metadata::advance() {
  if (given_back_) return begin_erase();
  if (flushing_ == 0) return begin_erase() || get_ready() || begin_flush();
  if (!next_pending()) {
    end_flush();
    return true;
  }
  if (overflows(slice_)) {
    write_parts(slice_);
    return true;
  }
  if (current(copy_) != nullptr) return write(slice_, copy_);
  waits_for_unit_ = !begin_units();
  return !waits_for_unit_;
}

/// Trims and their parts come before the map.
bool Metadata::next_pending() {
  const std::uint32_t map = layout_.begin(SliceKind::map);
  const std::uint32_t parts = layout_.begin(SliceKind::parts);
  const auto from = [&](std::uint32_t first, std::uint32_t end) {
    for (slice_ = first; slice_ < end && pending_[slice_] == 0;) ++slice_;
    return slice_ < end;
  };
  return from(0, map) || from(parts, layout_.with_parts()) || from(map, parts);
}

/// Programs under way that a page of the slice would name.
std::uint32_t Metadata::first_programs(std::uint32_t slice) const {
  if (layout_.kind(slice) == SliceKind::blocks) return 0;
  if (of_cache()) return first_subpages(slice);
  std::uint32_t programs = 0;
  for_first_programs(slice, [&](const Transaction&) { ++programs; });
  return programs;
}

/// There is room for twice the programs under way, for more may have begun when the page is filled.
bool Metadata::fits(std::uint32_t slice) const {
  return 2 * first_programs(slice) <= layout_.most_entries();
}

/// Its programs would fit, but not its losses beside them.
bool Metadata::overflows(std::uint32_t slice) const {
  if (layout_.kind(slice) != SliceKind::trims || !state_->lost.any()) return false;
  const std::uint32_t programs = 2 * first_programs(slice);
  const std::uint32_t most = layout_.most_entries();
  if (programs > most || state_->lost.count() <= most - programs) return false;
  std::uint32_t losses = 0;
  for (std::uint32_t n = 0; n < layout_.items(slice) && losses <= most - programs; ++n)
    losses += lost_of(layout_.first(slice) + n) != 0 ? 1 : 0;
  return losses > most - programs;
}

/// Those that have changed since they, or the slice as a whole, were written; all of them if what tells of
/// the others is a page of the slice, which need not be written again from now on.
void Metadata::write_parts(std::uint32_t slice) {
  for (std::uint32_t n = 0; n < layout_.parts(slice); ++n) pending_[layout_.part(slice, n)] |= known_[slice];
  pending_[slice] = known_[slice] = 0;
  copy_ = 0;
}

/// A page of it tells of all its items. So of a slice and its parts nothing older has to be kept.
void Metadata::written(std::uint32_t slice) {
  pending_[slice] = 0;
  known(slice);
  if (layout_.kind(slice) != SliceKind::trims) return;
  for (std::uint32_t n = 0; n < layout_.parts(slice); ++n) {
    const std::uint32_t part = layout_.part(slice, n);
    parts_known_ -= known_[part];
    pending_[part] = known_[part] = 0;
  }
}

bool Metadata::write(std::uint32_t slice, std::uint32_t copy) {
  if (!fits(slice)) return false;
  Transaction* const t = state_->pool.take(PoolUser::firmware);
  if (t == nullptr) return false;
  const BlockTable& blocks = state_->blocks;
  Unit& unit = *current(copy);
  const std::uint32_t per_block = blocks.pages_per_block();
  const std::uint32_t plane = blocks.first_plane_of(unit.site) + unit.written / per_block;
  state_->begin(*t, kPage, *this, blocks.ppn(plane, unit.block, unit.written % per_block));
  t->lpn = lpn_of(number_of(slice, copy));
  t->page_type = of_cache() ? PageType{0} : blocks.order().type(blocks.page_of(t->ppn));
  t->slice = slice;
  ++unit.written;
  step_ = Step::writing;
  board_->enqueue(*t);
  return true;
}

void Metadata::note_failure(const Transaction& t, const FlashCompletion& c) {
  if (c.result == 0) return;
  ++state_->statistics.flash_failures;
  state_->blocks.mark_grown_bad(t.ppn);
}

/// One copy behind the other. A page that fails, or had not enough room, is written again, to the next one.
void Metadata::page_done(Transaction& t, const FlashCompletion& c) {
  note_failure(t, c);
  step_ = Step::idle;
  ++own_pages_;
  state_->pool.release(t);
  if (c.result != 0 || void_ || ++copy_ != kCopies) return;
  copy_ = 0;
  written(slice_);
  state_->hal->trace_event(TraceEvent::metadata_written, slice_, 0);
}

const std::uint8_t* Metadata::content(const Transaction& t, std::uint64_t oob, SliceHeader& header) {
  const std::uint8_t* page = state_->hal->dram() + t.buffer;
  if (scratch_ != nullptr) {
    if (!state_->hal->kept_page(kept_as(t.ppn), oob, scratch_, layout_.page_bytes())) return nullptr;
    page = scratch_;
  }
  return layout_.open(page, header) ? page : nullptr;
}

void Metadata::serialise(StateVisitor& visitor) {
  if (units_ == nullptr) return;
  if (step_ != Step::idle || flushing_ != 0) visitor.refuse("metadata is being written");
  visitor.table(dirty_, layout_.with_parts());
  visitor.table(known_, layout_.with_parts());
  visitor.value(parts_known_);
  visitor.table(held_since_, state_->config.geometry.blocks());
  visitor.table(units_, most_units_);
  visitor.value(unit_count_);
  visitor.value(epoch_);
  visitor.value(durable_);
  visitor.value(wanted_);
  busy_ = true; // to be looked at
  visitor.value(dropped_);
  visitor.value(fresh_);
  visitor.value(went_without_);
  visitor.value(given_back_);
  visitor.value(own_pages_);
  visitor.value(next_checkpoint_);
  visitor.value(checkpoint_);
  visitor.value(shut_down_);
  visitor.value(recorded_);
  visitor.require(!visitor.loading() || tables_hold(), "it is damaged (what is known of metadata)");
}

/// Nothing is known of the future, and units are where metadata may be.
bool Metadata::tables_hold() const {
  const BlockTable& blocks = state_->blocks;
  std::uint32_t parts = 0;
  for (std::uint32_t s = 0; s < layout_.with_parts(); ++s) {
    if (dirty_[s] > 1 || known_[s] > 1) return false;
    parts += layout_.kind(s) == SliceKind::parts ? known_[s] : 0;
  }
  for (std::uint32_t b = 0; b < blocks.geometry().blocks(); ++b) {
    if (held_since_[b] > epoch_) return false;
  }
  if (parts != parts_known_ || unit_count_ > most_units_) return false;
  for (std::uint32_t u = 0; u < unit_count_; ++u) {
    if (!can_be(units_[u])) return false;
  }
  return durable_ <= epoch_ && wanted_ <= epoch_ && dropped_ <= epoch_ && checkpoint_ <= epoch_;
}

bool Metadata::can_be(const Unit& unit) const {
  const BlockTable& blocks = state_->blocks;
  if (unit.site >= blocks.sites() || unit.block >= blocks.blocks_per_plane()) return false;
  const BlockState is = blocks.unit(unit.site, unit.block).state;
  return (is == BlockState::metadata || is == BlockState::erasing) && unit.written <= unit_pages() &&
         unit.copy < kCopies && is_bool(unit.old) && unit.to_erase <= blocks.twins();
}

} // namespace twinplane::fw
