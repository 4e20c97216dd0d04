#include "firmware/ftl/sched/map_commit.h"

namespace twinplane::fw {

void MapCommit::boot(FtlState& state, GcJobs& jobs, Journal& journal, WritePath& writes) {
  state_ = &state;
  jobs_ = &jobs;
  journal_ = &journal;
  writes_ = &writes;
  in_regions_ = state.blocks.regions() != 1;
}

void MapCommit::commit_pages(const CommandGroup& g) {
  FtlState& s = *state_;
  if (g.kind().own_page) return count_own(*g.item[0]);
  const Stream stream = g.kind().stream;
  Transaction* const* const end = g.item + g.count;
  const PageSlot* slot = g.slot;
  for (Transaction* const* item = g.item; item != end; ++item, ++slot) {
    Transaction& t = **item;
    t.ppn = s.blocks.ppn(t.plane, slot->block, slot->page);
    t.page_type = s.blocks.order().type(slot->page);
    ++s.statistics.programs_by_type[t.page_type];
    if (in_regions_) count_in_region(t, slot->block);
    const Ppn old = s.place(t.lpn, t.ppn, Placement{t.plane, stream, t.hint}, *slot);
    if (is_page(old)) jobs_->consider(s.blocks.plane_of(old));
    jobs_->consider(t.plane);
    if (stream == Stream::relocation) {
      if (s.lost.any()) take_losses(t);
      continue;
    }
    t.source = old;
    count_host_page(t);
    writes_->placed(t);
  }
  if (stream == Stream::host) return;
  if (g.op == FlashOp::copyback) count_copyback(*g.item[0]);
  count_moves(g, jobs_->for_wear(g.item[0]->plane));
}

/// A move takes along which sectors are lost. Its word is newer than what else tells of them.
void MapCommit::take_losses(Transaction& t) {
  t.lost = state_->lost.of(t.lpn);
  if (t.lost != 0) journal_->lost(t.lpn);
}

/// The owner has handed its page out, and the map knows nothing of it.
void MapCommit::count_own(const Transaction& t) {
  FtlStatistics& s = state_->statistics;
  ++s.programs_by_type[t.page_type];
  ++s.pages_programmed[static_cast<std::uint32_t>(t.traits->cause)];
}

/// Several regions: whose pages they are.
void MapCommit::count_in_region(const Transaction& t, std::uint32_t block) {
  RegionCounters& r = state_->statistics.regions[state_->blocks.block(t.plane, block).region];
  const bool host = t.traits->stream == Stream::host;
  ++(host ? r.host_pages : r.moved_pages);
  if (host) state_->policy.regions->host_page(t.hint, t.lpn);
}

inline void MapCommit::count_host_page(const Transaction& t) {
  FtlStatistics& s = state_->statistics;
  const ProgramCause cause = t.mask == state_->full_mask ? ProgramCause::host
                             : t.mask != 0               ? ProgramCause::partial_rmw
                                                         : t.rewrite_cause;
  ++s.pages_programmed[static_cast<std::uint32_t>(cause)];
  if (t.hint == kAnyPage) return;
  ++s.type_wanted[t.hint - 1];
  s.type_granted[t.hint - 1] += t.hint - 1 == t.page_type ? 1 : 0;
}

void MapCommit::count_moves(const CommandGroup& g, bool for_wear) {
  const ProgramCause cause = for_wear ? ProgramCause::wear : ProgramCause::gc;
  state_->statistics.pages_programmed[static_cast<std::uint32_t>(cause)] += g.count;
  state_->statistics.gc_pages_moved += g.count;
}

/// Instead of what is counted of every command, whose programs are the path of every page.
void MapCommit::count_copyback(const Transaction& t) {
  FtlStatistics& s = state_->statistics;
  state_->copybacks.moved(t.source, t.ppn);
  ++s.gc_copybacks;
  ++s.program_pages;
  ++s.gc_program_pages;
}

} // namespace twinplane::fw
