#include "firmware/ftl/sched/map_commit.h"

namespace twinplane::fw {

void MapCommit::boot(FtlState& state, GcJobs& jobs, WritePath& writes) {
  state_ = &state;
  jobs_ = &jobs;
  writes_ = &writes;
  in_regions_ = state.blocks.regions() != 1;
  parts_hot_ = state.config.host_streams != 1;
}

template <bool kByUnit>
inline void MapCommit::count_host_page(const Transaction& t) {
  FtlStatistics& s = state_->statistics;
  const ProgramCause cause = t.mask == state_->full_mask ? ProgramCause::host
                             : t.traits->rewrites        ? t.rewrite_cause
                             : kByUnit                   ? ProgramCause::host
                                                         : ProgramCause::partial_rmw;
  ++s.pages_programmed[static_cast<std::uint32_t>(cause)];
  if (parts_hot_ && t.hint == kHotPage) ++s.hot_host_pages;
  if (kByUnit) return count_left_out(t, cause);
  if (t.hint == kAnyPage) return;
  ++s.type_wanted[t.hint - 1];
  s.type_granted[t.hint - 1] += t.hint - 1 == t.page_type ? 1 : 0;
}

template <bool kByUnit>
void MapCommit::enter(const CommandGroup& g) {
  FtlState& s = *state_;
  const Stream stream = g.kind().stream;
  Transaction* const* const end = g.item + g.count;
  const PageSlot* slot = g.slot;
  for (Transaction* const* item = g.item; item != end; ++item, ++slot) {
    Transaction& t = **item;
    t.ppn = s.blocks.ppn(t.plane, slot->block, slot->page);
    t.page_type = kByUnit && slot->slc ? PageType{0} : s.blocks.order().type(slot->page);
    ++s.statistics.programs_by_type[t.page_type];
    if (in_regions_) count_in_region(t, slot->block);
    if constexpr (kByUnit) {
      enter_units(t, *slot);
    } else {
      const Ppn old = s.place(t.lpn, t.ppn, Placement{t.plane, stream, t.hint}, *slot);
      if (is_page(old)) jobs_->schedule_gc_check(s.blocks.plane_of(old));
      if (stream == Stream::host) t.source = old;
    }
    jobs_->schedule_gc_check(t.plane);
    if (stream == Stream::relocation) {
      if (s.lost.any()) take_losses(t);
    } else {
      count_host_page<kByUnit>(t);
      writes_->placed(t);
    }
    if constexpr (kByUnit) riders_placed(t);
  }
  if (stream == Stream::host) return;
  if (g.op == FlashOp::copyback) count_copyback(*g.item[0]);
  count_moves(g);
}

template void MapCommit::enter<true>(const CommandGroup& g);
template void MapCommit::enter<false>(const CommandGroup& g);

void MapCommit::enter_units(Transaction& t, const PageSlot& slot) {
  FtlState& s = *state_;
  TouchedPlanes touched;
  s.units->placement.place(t, slot, ++s.write_sequence, touched);
  t.stamp = static_cast<std::uint32_t>(s.write_sequence);
  for (Transaction* rider = s.units->io.rider(t); rider != nullptr; rider = s.units->io.rider(*rider)) {
    rider->ppn = t.ppn;
    rider->plane = t.plane;
    rider->die = t.die;
    rider->page_type = t.page_type;
    rider->stamp = t.stamp;
  }
  s.policy.allocation->take(Placement{t.plane, t.traits->stream, t.hint}, slot);
  jobs_->schedule_gc_check(touched);
}

void MapCommit::riders_placed(const Transaction& t) {
  const UnitIo& io = state_->units->io;
  for (Transaction* rider = io.rider(t); rider != nullptr; rider = io.rider(*rider)) writes_->placed(*rider);
}

/// A move takes along which sectors are lost. Its word is newer than what else tells of them.
void MapCommit::take_losses(Transaction& t) {
  if (!t.traits->by_unit) {
    t.lost = state_->lost.of(t.lpn);
    if (t.lost != 0) state_->hooks.unreadable(t.lpn);
    return;
  }
  const UnitIo& io = state_->units->io;
  for (std::uint32_t left = io.written(t); left != 0; left &= left - 1) {
    const LogicalUnit l = io.logical(t, lowest_bit(left));
    if ((state_->lost.of(l.lpn) & io.unit_sectors(l.unit)) != 0) state_->hooks.unreadable(l.lpn);
  }
  state_->units->placement.place_losses(t, state_->lost);
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

/// Sectors of its page that are not programmed.
void MapCommit::count_left_out(const Transaction& t, ProgramCause cause) {
  const std::uint32_t left_out = state_->full_mask & ~state_->units->io.work(t).cells;
  state_->statistics.sectors_left_out[static_cast<std::uint32_t>(cause)] += bits_set(left_out);
}

void MapCommit::count_moves(const CommandGroup& g) {
  FtlStatistics& s = state_->statistics;
  s.gc_pages_moved += g.count;
  if (g.kind().by_unit) {
    for (std::uint32_t i = 0; i < g.count; ++i) {
      const std::uint32_t plane = g.item[i]->plane;
      const ProgramCause cause =
          state_->units->policy->moves_for_wear(plane) ? ProgramCause::wear : jobs_->cause(plane);
      count_left_out(*g.item[i], cause);
      ++s.pages_programmed[static_cast<std::uint32_t>(cause)];
    }
    return;
  }
  const ProgramCause cause = jobs_->cause(g.item[0]->plane);
  s.pages_programmed[static_cast<std::uint32_t>(cause)] += g.count;
}

/// Instead of what is counted of every command, whose programs are the path of every page.
void MapCommit::count_copyback(const Transaction& t) {
  FtlStatistics& s = state_->statistics;
  state_->hooks.moved(t.source, t.ppn);
  ++s.gc_copybacks;
  ++s.program_pages;
  ++s.gc_program_pages;
}

} // namespace twinplane::fw
