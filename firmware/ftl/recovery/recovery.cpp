#include "firmware/ftl/recovery/recovery.h"

namespace twinplane::fw {

void Recovery::boot(BootMemory& memory, const Pipeline& pipeline) {
  FtlState& state = pipeline.state;
  if (!state.config.used_cells) return;
  state_ = &state;
  collector_ = &pipeline.collector;
  host_ = &pipeline.host;
  found_ = memory.make<FoundBlocks>(memory, state.blocks, words_of_drive(state).order());
  if (memory.exhausted()) return;
  const RecoveryPart part{state, *found_, counters_};
  map_ = memory.make<FoundMap>(memory, part);
  units_ = regions_of(state.config).make_found_units(memory, part);
  if (memory.exhausted()) return;
  scan_ = memory.make<WordScan>(memory, part, pipeline.board, *map_);
  metadata_ = state.durability->make_recovery(memory, part, {pipeline.board, *map_, *units_});
  if (metadata_ == nullptr) metadata_ = memory.make<NoMetadata>();
  if (memory.exhausted()) return;
  step_began_ps_ = state.now_ps();
  busy_ = true;
  begin_pass(metadata_->first_pass());
}

void Recovery::run() {
  while (busy_) {
    if (pass_ == Pass::rescue) {
      if (!write_again() || !rescued()) return;
      return end_rescue();
    }
    const bool reading = pass_ == Pass::metadata ? metadata_->read()
                         : pass_ == Pass::parts  ? metadata_->read_parts()
                                                 : scan_->run();
    if (reading) return;
    end_pass();
  }
}

/// Behind the scan all words are known.
void Recovery::begin_pass(Pass pass) {
  constexpr auto kFirst = static_cast<std::uint32_t>(TraceEvent::recovery_all);
  pass_ = pass;
  if (pass == Pass::parts) {
    state_->write_sequence = found_->newest();
    map_->words_known();
    return units_->join(*map_, *metadata_);
  }
  state_->hal->trace_event(static_cast<TraceEvent>(kFirst + static_cast<std::uint32_t>(pass)), 0, 0);
  scan_->begin(pass);
}

/// What pages of metadata say decides what is read behind them.
void Recovery::end_pass() {
  constexpr Pass kNext[] = {Pass::metadata, Pass::own, Pass::metadata, Pass::all, Pass::rest, Pass::parts};
  if (pass_ == Pass::all || pass_ == Pass::rest) end_step(counters_.scan_ps);
  if (pass_ == Pass::own) end_step(counters_.blocks_ps);
  if (pass_ == Pass::metadata || pass_ == Pass::parts) end_step(counters_.metadata_ps);
  if (pass_ == Pass::parts) return rebuild();
  begin_pass(pass_ == Pass::metadata ? metadata_->load() : kNext[static_cast<std::uint32_t>(pass_)]);
}

void Recovery::end_step(std::uint64_t& step) {
  const std::uint64_t now = state_->now_ps();
  step += now - step_began_ps_;
  step_began_ps_ = now;
}

void Recovery::rebuild() {
  units_->words_known();
  metadata_->hand_over();
  map_->complete();
  units_->versions_known(*map_);
  units_->open_all();
  units_->recovered();
  map_->recovered();
  for (std::uint32_t p = 0; p < state_->blocks.geometry().planes(); ++p)
    collector_->jobs.schedule_gc_check(p);
  end_step(counters_.rebuild_ps);
  metadata_->recovered();
  begin_pass(Pass::rescue);
  state_->hooks.protect();
}

/// False: there are more pages than can be written now.
bool Recovery::write_again() {
  for (;;) {
    FoundMap::Rescued next = rescued_;
    const std::uint32_t lpn = map_->next_to_rescue(next);
    if (lpn != kNoLpn && !host_->rewriter.rewrite(lpn, ProgramCause::backup)) return false;
    rescued_ = next;
    if (lpn == kNoLpn) return true;
    ++counters_.pages_rescued;
  }
}

void Recovery::end_rescue() {
  end_step(counters_.rescue_ps);
  if (metadata_->read_only()) state_->statistics.read_only = true;
  busy_ = false;
  state_->hal->trace_event(TraceEvent::recovery_end, 0, 0);
  state_->sink->on_recovered();
}

} // namespace twinplane::fw
