// The state of the FTL as bytes: which parts have one, in which order. Tables and policies say theirs
// themselves; here are the stages of the pipeline, of which little lasts while nothing is under way.
#include "firmware/ftl/core.h"

namespace twinplane::fw {

void FtlCore::serialise(StateVisitor& visitor) {
  if (!nothing_under_way() || state.read_only()) {
    visitor.refuse(state.read_only() ? "the drive is worn out and has become read-only"
                                     : "the drive is busy: requests or garbage collection are under way");
    return;
  }
  visitor.section("ftl");
  const std::uint32_t exported = state.exported_pages;
  visitor.value(state.exported_pages);
  visitor.require(state.exported_pages == exported, "it is damaged (a drive of another capacity)");
  visitor.value(state.good_blocks_at_boot);
  visitor.value(state.sequence);
  visitor.value(state.write_sequence);
  visitor.value(state.charged_cycles);
  visitor.value(state.statistics);
  const FtlStatistics& s = state.statistics;
  visitor.require(
      is_bool(s.metadata_kept) && is_bool(s.bad_blocks_kept) && is_bool(s.map_kept) && is_bool(s.read_only),
      "it is damaged (something is neither true nor false)");
  state.lost.serialise(visitor);
  state.pool.serialise(visitor);
  state.hooks.serialise_tables(visitor);
  visitor.section("block table");
  state.blocks.serialise(visitor);
  visitor.section("mapping");
  state.policy.mapping->serialise(visitor);
  if (state.units != nullptr) state.units->serialise(visitor);
  visitor.require(!visitor.loading() || map_holds(),
                  "it is damaged (the map names a page that there is not)");
  visitor.section("classifier");
  state.policy.classifier->serialise(visitor);
  visitor.section("plane allocation");
  state.policy.planes->serialise(visitor);
  visitor.section("block allocation");
  state.policy.allocation->serialise(visitor);
  visitor.section("victims");
  state.policy.victim->serialise(visitor);
  visitor.section("relocation");
  state.policy.relocation->serialise(visitor);
  visitor.section("regions");
  if (state.policy.regions != nullptr) state.policy.regions->serialise(visitor);
  visitor.section("pipeline");
  board.serialise(visitor);
  collector.serialise(visitor);
  dispatcher.serialise(visitor);
  zero_time.serialise(visitor);
  state.hooks.serialise(visitor);
  if (visitor.loading()) collector.loaded();
}

bool FtlCore::map_holds() const {
  for (std::uint32_t lpn = 0; lpn < state.exported_pages; ++lpn) {
    const Ppn page = state.policy.mapping->lookup(lpn);
    if (is_page(page) && !state.blocks.has(page)) return false;
  }
  return true;
}

void DieQueues::serialise(StateVisitor& state) {
  const Geometry& g = state_->config.geometry;
  for (std::uint32_t die = 0; die < g.dies(); ++die) {
    state.value(dies_[die].write_blocked);
    state.value(dies_[die].credit);
  }
  state.value(work_pending_);
  state.value(short_of_space_);
  state.table(work_, kMaxChannels);
  state.value(channels_with_work_);
  state.table(writable_, kMostSets);
  state.require(!state.loading() || sets_hold(), "it is damaged (work of a die that there is not)");
  for (std::uint32_t c = 0; c < g.channels; ++c) note_ready(c);
}

/// Sets of dies name those that there are, and those of channels those with dies that are named.
bool DieQueues::sets_hold() const {
  const Geometry& g = state_->config.geometry;
  const std::uint64_t dies = bit_run(0, g.dies_per_channel());
  std::uint64_t with_work = 0;
  for (std::uint32_t c = 0; c < kMaxChannels; ++c) {
    if ((work_[c] & ~(c < g.channels ? dies : 0)) != 0) return false;
    if (work_[c] != 0) with_work |= std::uint64_t{1} << c;
  }
  if ((channels_with_work_ & ~with_work) != 0) return false;
  for (const DieSet& set : writable_) {
    for (std::uint32_t c = 0; c < kMaxChannels; ++c) {
      if ((set.dies[c] & ~(c < g.channels ? dies : 0)) != 0) return false;
      if ((set.channels >> c & 1) != 0 && set.dies[c] == 0) return false;
    }
  }
  return true;
}

void ZeroTimeWriter::serialise(StateVisitor& state) {
  state.table(current_, state_->policy.planes->classes(), "it is damaged (a die that there is not)",
              [this](const Current& c) { return c.die < state_->config.geometry.dies(); });
}

} // namespace twinplane::fw
