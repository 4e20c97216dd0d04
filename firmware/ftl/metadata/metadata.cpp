#include "firmware/ftl/metadata/metadata.h"

#include "firmware/ftl/flush_time.h"

namespace twinplane::fw {

void Metadata::boot(BootMemory& memory, FtlState& state, Board& board) {
  state_ = &state;
  parts.items.boot(state);
  parts.units.attach(state);
  parts.checkpoint.boot(state);
  writer.boot(state, board, parts);
  const SliceLayout layout = journal_layout(state, parts.items.of(1));
  const std::uint32_t slices = layout.with_parts();
  if (slices == 0 || !parts.items.number_pages(journal_number(slices, 0))) return;
  parts.slices.boot(memory, layout);
  parts.held.boot(memory, state.blocks);
  parts.contents.boot(memory, state, parts.items, parts.slices.layout());
  parts.units.boot(memory, slices);
  if (checkpoints()) parts.checkpoint.begin_interval();
  state.statistics.metadata_kept = kept();
  state.statistics.bad_blocks_kept = keeps_blocks();
}

// --- block table and checkpoints ---

std::uint32_t Metadata::begin_checkpoint(bool shut_down) {
  if (!keeps_blocks()) return 0;
  parts.checkpoint.set_shut_down(shut_down);
  writer.want_checkpoint();
  return parts.epochs.now();
}

/// A promise to the host (flush_time.h): one that is being written, then another one, all pages one behind
/// the other; twice as long, for collections that go on and what is retried. Units may have to be erased, and
/// collection to make space for the first ones.
std::uint64_t Metadata::longest_checkpoint_ps() const {
  if (!keeps_blocks()) return 0;
  const FlashTimes& t = state_->config.times;
  const JournalUnits& units = parts.units;
  const std::uint32_t slices = parts.slices.layout().slices();
  const std::uint64_t page = t.read_ps + t.program_ps + 2 * (t.transfer_ps + t.core_ps + t.dram_ps);
  const std::uint64_t pages = std::uint64_t{2} * kJournalCopies * (slices + state_->blocks.unit_pages());
  const std::uint64_t blocks = std::uint64_t{units.most()} * state_->blocks.twins();
  const std::uint64_t first = std::uint64_t{kJournalCopies} * units.for_slices(slices) * units.pages();
  return 2 * (pages * page + blocks * (t.erase_ps + t.transfer_ps + t.core_ps)) +
         longest_collection_ps(state_->config, state_->exported_pages, first);
}

void Metadata::opened() {
  if (parts.checkpoint.open()) block_table_changed();
}

/// Written when a host is there: a drive that is switched on and off again wears nothing.
void Metadata::recovered(const KeptRecord* record) {
  if (!keeps_blocks()) return;
  if (checkpoints()) writer.end_checkpoint();
  parts.checkpoint.note_power_cycle();
  DriveRecord* const counted = state_->sink->record();
  if (counted == nullptr) return;
  if (record != nullptr) *counted = record->record;
  ++counted->power_cycles;
  counted->unsafe_shutdowns += record != nullptr && record->shut_down != 0 ? 0 : 1;
}

// --- what changes ---

void Metadata::trimmed(std::uint32_t lpn, Ppn newest) {
  if (is_page(newest)) hold(newest);
  if (kept()) parts.slices.changed(parts.items.of(lpn));
}

void Metadata::dropped(std::uint32_t lpn) {
  if (!kept()) return;
  trimmed(lpn, kNoPpn);
  parts.epochs.note_dropped();
}

void Metadata::program_failed(Ppn before) {
  if (is_page(before)) hold(before);
}

/// The pages that the program should have replaced hold the newest versions, also of what has been trimmed
/// since; if they have not been erased, and nothing is known of that.
void Metadata::subpages_failed(const Transaction& t) {
  const SlcCache& cache = *state_->policy.cache;
  for (std::uint32_t left = cache.written(t); left != 0; left &= left - 1) {
    const LogicalSubpage l = cache.logical(t, lowest_bit(left));
    program_failed(cache.replaced(t, lowest_bit(left)));
    if (cache.map.at(l.lpn, l.subpage) == kNoPsn) lost(l.lpn);
  }
}

void Metadata::lost(std::uint32_t lpn) {
  if (!kept()) return;
  trimmed(lpn, kNoPpn);
  writer.want(parts.epochs.now());
}

/// The block must not be erased before what has happened is told. The one that collection is emptying may need
/// more pages than it has.
void Metadata::hold(Ppn newest) {
  state_->blocks.may_return(newest);
  state_->policy.allocation->revoke(state_->blocks.plane_of(newest));
  if (kept()) parts.held.hold(newest, parts.epochs.now());
}

// --- who waits ---

bool Metadata::holds(std::uint32_t site, std::uint32_t block) {
  if (!kept() || has_told(site, block)) return false;
  writer.want(parts.held.since(site, block));
  return true;
}

std::uint32_t Metadata::begin_flush_of_host() {
  writer.want(parts.epochs.dropped());
  return parts.epochs.dropped();
}

void Metadata::wait(Transaction& t) {
  writer.want(parts.epochs.now());
  parts.epochs.wait(t);
}

std::uint32_t Metadata::settle() {
  writer.want(parts.epochs.now());
  return parts.epochs.now();
}

void Metadata::serialise(StateVisitor& visitor) {
  if (!parts.units.booted()) return;
  if (!writer.at_rest()) visitor.refuse("metadata is being written");
  parts.slices.serialise(visitor);
  parts.held.serialise(visitor);
  parts.units.serialise(visitor);
  parts.epochs.serialise(visitor);
  parts.units.serialise_flags(visitor);
  parts.checkpoint.serialise(visitor);
  writer.look();
  const std::uint32_t now = parts.epochs.now();
  visitor.require(!visitor.loading() || (parts.slices.holds() && parts.units.hold() && parts.epochs.hold() &&
                                         parts.held.within(now) && parts.checkpoint.holds(now)),
                  "it is damaged (what is known of metadata)");
}

} // namespace twinplane::fw
