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
  visitor.value(state.exported_pages);
  visitor.value(state.good_blocks_at_boot);
  visitor.value(state.sequence);
  visitor.value(state.write_sequence);
  visitor.value(state.charged_cycles);
  visitor.value(state.statistics);
  state.lost.serialise(visitor);
  state.pool.serialise(visitor);
  state.copybacks.serialise(visitor);
  visitor.section("block table");
  state.blocks.serialise(visitor);
  visitor.section("mapping");
  state.policy.mapping->serialise(visitor);
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
  if (state.policy.cache != nullptr) state.policy.cache->serialise(visitor);
  visitor.section("pipeline");
  board.serialise(visitor);
  collector.serialise(visitor);
  dispatcher.serialise(visitor);
  functional.serialise(visitor);
  metadata.serialise(visitor);
  lower_pages.serialise(visitor);
  if (visitor.loading()) collector.loaded();
}

void Board::serialise(StateVisitor& state) {
  const Geometry& g = state_->config.geometry;
  for (std::uint32_t die = 0; die < g.dies(); ++die) state.value(dies_[die].write_blocked);
  state.value(news_);
  state.value(short_of_space_);
  state.table(work_, kMaxChannels);
  state.value(channels_with_work_);
  state.table(writable_, kMaxPlanesPerDie);
}

void Collector::serialise(StateVisitor& state) {
  const std::uint32_t sites = state_->blocks.sites();
  for (std::uint32_t i = 0; i < sites; ++i) {
    Job& job = jobs_[i];
    if (!job.held.empty()) state.refuse("garbage collection holds pages");
    state.value(job.victim);
    state.value(job.listed);
    state.value(job.nudged);
    state.value(job.all_read);
    state.value(job.stalled);
    state.value(job.stranded);
    state.value(job.stays);
    state.value(job.for_wear);
    state.value(job.pads);
    state.value(job.to_erase);
    state.value(job.slot);
    state.value(job.turn);
    state.table(job.cursor, kMaxPlanesPerDie);
  }
  state.table(listed_, std::size_t{sites} * 2);
  state.value(listed_count_);
  state.table(claims_, std::size_t{sites} * kMovesInFlight);
  state.table(turn_, sites);
  state.value(fresh_);
}

void Dispatcher::serialise(StateVisitor& state) {
  state.table(set_page_, state_->config.geometry.dies());
}

void Functional::serialise(StateVisitor& state) {
  state.table(current_, state_->policy.planes->classes());
}

} // namespace twinplane::fw
