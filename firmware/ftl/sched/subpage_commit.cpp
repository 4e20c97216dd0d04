// MapCommit in a drive with an SLC-mode cache: pages that are programmed subpage by subpage.
#include "firmware/ftl/sched/map_commit.h"

namespace twinplane::fw {

void MapCommit::commit_subpages(const CommandGroup& g) {
  FtlState& s = *state_;
  Units& units = *s.units;
  const OpTraits& kind = g.kind();
  const bool host = kind.stream == Stream::host;
  std::uint32_t left_out = 0;
  for (std::uint32_t i = 0; i < g.count; ++i) {
    Transaction& t = *g.item[i];
    const PageSlot& slot = g.slot[i];
    t.ppn = s.blocks.ppn(t.plane, slot.block, slot.page);
    t.page_type = slot.slc ? 0 : s.blocks.order().type(slot.page);
    ++s.statistics.programs_by_type[t.page_type];
    RegionCounters& r = s.statistics.regions[s.blocks.block(t.plane, slot.block).region];
    ++(host ? r.host_pages : r.moved_pages);
    TouchedPlanes touched;
    units.placement.place(t, slot, ++s.write_sequence, touched);
    t.stamp = static_cast<std::uint32_t>(s.write_sequence);
    left_out += bits_set(s.full_mask & ~units.io.work(t).cells);
    s.policy.allocation->take(Placement{t.plane, kind.stream, t.hint}, slot);
    jobs_->consider(touched);
    jobs_->consider(t.plane);
    host ? commit_host_subpages(t) : commit_moved_subpages(t);
  }
  const ProgramCause moved =
      units.policy->moves_for_wear(g.item[0]->plane) ? ProgramCause::wear : ProgramCause::gc;
  const ProgramCause written = kind.rewrites ? g.item[0]->rewrite_cause : ProgramCause::host;
  const auto cause = static_cast<std::uint32_t>(host ? written : moved);
  s.statistics.pages_programmed[cause] += g.count;
  s.statistics.sectors_left_out[cause] += left_out;
  if (!host) s.statistics.gc_pages_moved += g.count;
}

void MapCommit::commit_moved_subpages(Transaction& t) {
  if (state_->lost.any()) tell_losses(t);
  state_->units->placement.place_losses(t, state_->lost);
}

/// A write that has not fitted into its page keeps its LPN. What is lost changes with the place, also of a part: from
/// now on reads go there.
void MapCommit::commit_host_subpages(Transaction& t) {
  FtlState& s = *state_;
  Units& units = *s.units;
  const UnitWork& w = units.io.work(t);
  const std::uint32_t written = units.io.sectors_of(w.written);
  const std::uint32_t before = s.lost.of(t.lpn);
  const std::uint32_t lost = (before & ~written) | (t.lost & written);
  if (lost != before) {
    units.placement.note_replaced_losses(t, before);
    s.lost.set(t.lpn, lost);
  }
  units.placement.place_losses(t, s.lost);
  if ((lost & written) != 0) journal_->lost(t.lpn); // its word is newer than what tells it
  if (w.todo != 0) return;
  t.lost = lost;
  writes_->placed(t);
}

/// Words are newer now than what tells of sectors that are lost.
void MapCommit::tell_losses(const Transaction& t) {
  const Units& units = *state_->units;
  for (std::uint32_t left = units.io.written(t); left != 0; left &= left - 1) {
    const LogicalUnit l = units.io.logical(t, lowest_bit(left));
    if ((state_->lost.of(l.lpn) & units.io.unit_sectors(l.unit)) != 0) journal_->lost(l.lpn);
  }
}

} // namespace twinplane::fw
