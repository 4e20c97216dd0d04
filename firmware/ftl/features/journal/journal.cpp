#include "firmware/ftl/features/journal/journal.h"

#include "firmware/ftl/flush_time.h"
#include "firmware/ftl/gc/collector.h"
#include "firmware/ftl/io/host_path.h"

namespace twinplane::fw {

void Journal::boot(BootMemory& memory, const Pipeline& pipeline) {
  FtlState& state = pipeline.state;
  state_ = &state;
  state.durability = this;
  board_ = &pipeline.board;
  collector_ = &pipeline.collector;
  host_ = &pipeline.host;
  items.boot(state);
  units.attach(state);
  checkpoint.boot(state);
  writer.boot(state, pipeline.board, *this, *this);
  const SliceLayout layout = journal_layout(state, items.of(1));
  const std::uint32_t count = layout.with_parts();
  if (count == 0 || !items.number_pages(journal_number(count, 0))) return;
  slices.boot(memory, layout);
  held.boot(memory, state.blocks);
  contents.boot(memory, state, items, slices.layout());
  units.boot(memory, count);
  if (checkpoints()) units.keep_blocks(layout.slices());
  if (checkpoints()) checkpoint.begin_interval();
  if (checkpoints()) state.hooks.wake(*this);
  state.statistics.metadata_kept = kept();
  state.statistics.bad_blocks_kept = keeps_blocks();
  state.statistics.map_kept = checkpoints();
}

// --- block table and checkpoints ---

std::uint32_t Journal::begin_checkpoint(bool shut_down) {
  if (!keeps_blocks()) return 0;
  checkpoint.set_shut_down(shut_down);
  writer.want_checkpoint();
  return epochs.now();
}

/// A promise to the host (flush_time.h): one that is being written, then another one, all pages one behind
/// the other; twice as long, for collections that go on and what is retried. Units may have to be erased, and
/// collection to make space for the first ones.
std::uint64_t Journal::longest_checkpoint_ps() const {
  if (!keeps_blocks()) return 0;
  const FlashTimes& t = state_->config.times;
  const std::uint32_t written = slices.layout().slices();
  const std::uint64_t page = t.read_ps + t.program_ps + 2 * (t.transfer_ps + t.core_ps + t.dram_ps);
  const std::uint64_t pages = std::uint64_t{2} * kJournalCopies * (written + state_->blocks.unit_pages());
  const std::uint64_t blocks = std::uint64_t{units.most()} * state_->blocks.twins();
  const std::uint64_t first = std::uint64_t{kJournalCopies} * units.for_slices(written) * units.pages();
  return 2 * (pages * page + blocks * (t.erase_ps + t.transfer_ps + t.core_ps)) +
         longest_collection_ps(state_->config, state_->exported_pages, first);
}

void Journal::opened() {
  if (checkpoint.open()) table_changed();
}

/// Written when a host is there: a drive that is switched on and off again wears nothing.
void Journal::recovered(const KeptRecord* record) {
  if (!keeps_blocks()) return;
  if (checkpoints()) writer.end_checkpoint();
  checkpoint.note_power_cycle();
  DriveRecord* const counted = state_->sink->record();
  if (counted == nullptr) return;
  if (record != nullptr) *counted = record->record;
  ++counted->power_cycles;
  counted->unsafe_shutdowns += record != nullptr && record->shut_down != 0 ? 0 : 1;
}

// --- turns ---

/// True when something that has waited may go on. Whether there will be a unit shows when a collection has been begun,
/// in the next turn, and the dispatcher has run once more.
bool Journal::step(bool admits) {
  constexpr std::uint32_t kTurnsToShow = 2;
  if (!writer.busy()) return false;
  // a trim waits for room, which a checkpoint would take
  if (checkpoint.due() && admits && !writer.trim_waits()) (void)begin_checkpoint(false);
  bool news = writer.run();
  turns_stuck_ = writer.waits_for_unit() && !board_->anything_under_way() ? turns_stuck_ + 1 : 0;
  if (turns_stuck_ > kTurnsToShow) {
    writer.give_up();
    turns_stuck_ = 0;
    news = true;
  }
  if (news) host_->commits.answer_durable();
  if (writer.waits_for_unit()) collector_->resume();
  collector_->collect_all(writer.waits_for_unit());
  if (!writer.busy() && !checkpoints()) state_->hooks.sleep(*this);
  return news || turns_stuck_ != 0;
}

// --- what changes ---

void Journal::unmapped(std::uint32_t lpn, Ppn) {
  if (kept()) slices.changed(items.of(lpn));
}

void Journal::dropped(std::uint32_t lpn) {
  if (!kept()) return;
  unmapped(lpn, kNoPpn);
  epochs.journal_dropped_version();
}

void Journal::unreadable(std::uint32_t lpn) {
  if (!kept()) return;
  unmapped(lpn, kNoPpn);
  writer.want(epochs.now());
}

// --- who waits ---

bool Journal::holds(std::uint32_t site, std::uint32_t block) {
  if (!kept() || has_told(site, block)) return false;
  writer.want(held.since(site, block));
  return true;
}

std::uint32_t Journal::begin_flush_of_host() {
  writer.want(epochs.dropped());
  return epochs.dropped();
}

void Journal::wait(Transaction& t) {
  writer.want(epochs.now());
  epochs.wait(t);
}

/// That has happened. Returns its epoch.
std::uint32_t Journal::want_all() {
  writer.want(epochs.now());
  return epochs.now();
}

void Journal::serialise(StateVisitor& visitor) {
  if (!units.booted()) return;
  if (!writer.at_rest()) visitor.refuse("metadata is being written");
  slices.serialise(visitor);
  held.serialise(visitor);
  units.serialise(visitor);
  epochs.serialise(visitor);
  units.serialise_flags(visitor);
  checkpoint.serialise(visitor);
  writer.look();
  const std::uint32_t now = epochs.now();
  visitor.require(!visitor.loading() || (slices.holds() && units.hold() && epochs.hold() &&
                                         held.within(now) && checkpoint.holds(now)),
                  "it is damaged (what is known of metadata)");
}

Feature* make_journal(BootMemory& memory, const FtlConfig&) {
  return memory.make<Journal>();
}

} // namespace twinplane::fw
