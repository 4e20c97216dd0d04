#include "firmware/ftl/features/journal/writer.h"

namespace twinplane::fw {

constexpr OpTraits JournalWriter::kPage =
    OpTraits{"page of metadata", ends_in<JournalWriter, &JournalWriter::page_done>,
             FlashOp::program,   Lane::erase,
             WorkFor::upkeep,    WorkOrigin::collection,
             Stream::relocation, ProgramCause::metadata}
        .with(&OpTraits::own_page, &OpTraits::page_as_it_is);
constexpr OpTraits JournalWriter::kErase =
    OpTraits{"erase of metadata", ends_in<JournalWriter, &JournalWriter::erase_done>, FlashOp::erase,
             Lane::erase}
        .with(&OpTraits::page_as_it_is);

// --- what is wanted ---

void JournalWriter::want_blocks() {
  if (!parts_->keeps_blocks()) return;
  parts_->slices.changed_all(SliceKind::blocks);
  want(parts_->epochs.now());
}

void JournalWriter::want_checkpoint() {
  want_blocks();
  if (!parts_->checkpoints()) return;
  parts_->slices.changed_all(SliceKind::map);
  parts_->checkpoint.begin(parts_->epochs.now());
}

bool JournalWriter::ready_for_trim() {
  const JournalUnits& units = parts_->units;
  if (!units.kept() || units.allocation_failed() || units.have_room(room_wanted())) return true;
  trim_waits_ = true;
  look();
  return false;
}

// --- steps ---

bool JournalWriter::run() {
  if (!parts_->units.booted()) return false;
  const std::uint32_t before = parts_->epochs.durable();
  const bool trim_waited = trim_waits_;
  while (step_ == Step::idle && advance()) {
  }
  busy_ = false;
  if (!idle()) look();
  return parts_->epochs.durable() != before || trim_waits_ != trim_waited;
}

/// False: there is nothing to do, or the pool is empty, or there is no unit.
bool JournalWriter::advance() {
  JournalSlices& slices = parts_->slices;
  if (parts_->units.given_back()) return begin_erase();
  if (!parts_->epochs.flushing()) return begin_erase() || make_room() || begin_flush();
  slice_ = slices.next();
  if (slice_ == slices.layout().with_parts()) {
    end_flush();
    return true;
  }
  if (parts_->contents.overflows(slice_)) {
    slices.write_parts(slice_);
    copy_ = 0;
    return true;
  }
  return parts_->units.room(copy_) != 0 ? write() : take_units();
}

bool JournalWriter::begin_flush() {
  if (!parts_->epochs.wanted()) return false;
  parts_->epochs.begin_flush();
  copy_ = 0;
  parts_->contents.note_moment();
  parts_->slices.begin_flush(state_->lost.any());
  return true;
}

void JournalWriter::end_flush() {
  parts_->epochs.end_flush();
  parts_->units.renewed();
  if (!parts_->checkpoint.complete(parts_->epochs.durable())) return;
  end_checkpoint();
  ++state_->statistics.checkpoints;
}

void JournalWriter::end_checkpoint() {
  parts_->checkpoint.end();
  if (parts_->checkpoints()) parts_->checkpoint.begin_interval();
}

/// For a trim that waits. False when there is nothing to do, or no unit.
bool JournalWriter::make_room() {
  if (!trim_waits_) return false;
  if (!parts_->units.have_room(room_wanted())) return take_units();
  trim_waits_ = waits_for_unit_ = false;
  return true;
}

bool JournalWriter::take_units() {
  JournalSlices& slices = parts_->slices;
  if (parts_->units.nearly_full(slices.count_known())) {
    parts_->units.renew();
    const bool flushing = parts_->epochs.flushing();
    if (!flushing) want(parts_->epochs.now());
    slices.write_all_again(flushing);
    parts_->contents.note_moment();
    copy_ = 0;
  }
  waits_for_unit_ = !parts_->units.take(room_wanted());
  return !waits_for_unit_;
}

bool JournalWriter::write() {
  if (!parts_->contents.fits(slice_)) return false;
  Transaction* const t = state_->pool.take(PoolUser::firmware);
  if (t == nullptr) return false;
  const BlockTable& blocks = state_->blocks;
  state_->begin(*t, kPage, *this, parts_->units.take_page(copy_));
  t->lpn = journal_lpn(journal_number(slice_, copy_));
  t->page_type = blocks.slc_mode(t->ppn) ? PageType{0} : blocks.order().type(blocks.page_of(t->ppn));
  t->slice = slice_;
  step_ = Step::writing;
  board_->enqueue(*t);
  return true;
}

std::uint64_t JournalWriter::begin_program(Transaction& t) {
  discard_current_page_ = !parts_->contents.fill(t, parts_->checkpoint.shut_down());
  t.stamp = static_cast<std::uint32_t>(++state_->write_sequence);
  return parts_->items.word_of(t.lpn, state_->write_sequence);
}

/// One copy behind the other. A page that fails, or had not enough room, is written again, to the next one.
void JournalWriter::page_done(Transaction& t, const FlashCompletion& c) {
  if (c.result != 0) state_->note_failure(t);
  step_ = Step::idle;
  parts_->checkpoint.count_own_page();
  state_->pool.release(t);
  if (c.result != 0 || discard_current_page_ || ++copy_ != kJournalCopies) return;
  copy_ = 0;
  parts_->slices.written(slice_);
  state_->hal->trace_event(TraceEvent::metadata_written, slice_, 0);
}

bool JournalWriter::waits_for_space() const {
  if (step_ != Step::idle) return false;
  const bool in_page = parts_->epochs.flushing() && slice_ < parts_->slices.layout().with_parts();
  return waits_for_unit_ || (in_page && !parts_->contents.fits(slice_));
}

bool JournalWriter::begin_erase() {
  const Ppn block = parts_->units.begin_erase();
  Transaction* const t = is_page(block) ? state_->pool.take(PoolUser::firmware) : nullptr;
  if (t == nullptr) return false;
  state_->begin(*t, kErase, *this, block);
  step_ = Step::erasing;
  board_->enqueue(*t);
  return true;
}

/// The blocks of a unit one by one.
void JournalWriter::erase_done(Transaction& t, const FlashCompletion& c) {
  if (c.result != 0) state_->note_failure(t);
  step_ = Step::idle;
  ++state_->statistics.metadata_blocks_erased;
  parts_->contents.erased(t.ppn);
  state_->hooks.block_erased(t.ppn);
  const std::uint32_t plane = t.plane;
  const std::uint32_t die = t.die;
  state_->pool.release(t);
  std::uint32_t site = 0;
  std::uint32_t block = 0;
  if (!parts_->units.block_erased(site, block)) return;
  if (state_->hooks.unit_erased(site, block) == BlockState::bad) state_->policy.allocation->revoke(plane);
  board_->unblock_writes(die);
}

// --- ends ---

void JournalWriter::give_up() {
  waits_for_unit_ = trim_waits_ = false;
  parts_->units.give_up();
  end_checkpoint();
  ++state_->statistics.metadata_given_up;
  if (!parts_->epochs.flushing()) return;
  parts_->slices.give_up_flush();
  parts_->epochs.end_flush();
}

/// Not where blocks that have gone bad would be forgotten with them, nor sectors that are lost, or may be, and that no
/// page tells of.
bool JournalWriter::give_back() {
  if (!parts_->units.kept() || parts_->units.empty() || step_ != Step::idle) return false;
  if (parts_->keeps_blocks() && state_->blocks.good_blocks() != state_->good_blocks_at_boot) return false;
  const auto may_lose = [this](const Transaction& t) { return state_->map.replaces_erased(t); };
  if (parts_->items.alone_tell_losses() || state_->pool.find(may_lose) != nullptr) return false;
  give_up();
  parts_->units.give_back();
  parts_->epochs.end();
  parts_->checkpoint.stop();
  look();
  return true;
}

} // namespace twinplane::fw
