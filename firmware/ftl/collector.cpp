#include "firmware/ftl/collector.h"

namespace twinplane::fw {

namespace {

constexpr std::uint32_t kMovesInFlight = 4; // per plane: keeps the die fed while host reads go first

} // namespace

void Collector::boot(BootMemory& memory, FtlState& state, Board& board) {
  state_ = &state;
  board_ = &board;
  jobs_ = memory.array<Job>(state.config.geometry.planes());
  listed_ = memory.zeroed<std::uint32_t>(state.config.geometry.planes());
  threshold_ = state.blocks.space_of_blocks(state.config.gc_threshold_blocks);
}

void Collector::run() {
  fresh_ = false;
  std::uint32_t kept = 0;
  const std::uint32_t count = listed_count_;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t plane = listed_[i];
    if (advance(plane)) {
      jobs_[plane].listed = false;
    } else {
      listed_[kept++] = plane;
    }
  }
  listed_count_ = kept;
}

/// False when the pool is empty and the job has to try again.
bool Collector::advance(std::uint32_t plane) {
  Job& job = jobs_[plane];
  if (job.victim == kNoBlock) {
    if (!wanted(plane)) return true;
    start(plane);
  }
  if (job.erasing) return true;
  if (!move_pages(plane)) return false;
  const BlockInfo& victim = state_->blocks.block(plane, job.victim);
  if (job.moving != 0 || job.cursor < state_->blocks.pages_per_block() || victim.pending_reads != 0)
    return true;
  return erase(plane);
}

void Collector::start(std::uint32_t plane) {
  Job& job = jobs_[plane];
  state_->charge(1, state_->config.cost.gc_select);
  job.victim = state_->policy.victim->select(plane);
  job.cursor = 0;
  state_->blocks.transition(plane, job.victim, BlockState::victim);
  state_->policy.allocation->given_up(plane, job.victim);
  ++active_;
  ++state_->statistics.gc_invocations;
  state_->statistics.gc_victim_valid_pages += state_->blocks.block(plane, job.victim).valid;
  board_->unblock_writes(plane / state_->config.geometry.planes_per_die); // the need is smaller now
}

bool Collector::move_pages(std::uint32_t plane) {
  Job& job = jobs_[plane];
  while (job.moving < kMovesInFlight) {
    job.cursor = state_->blocks.next_valid(plane, job.victim, job.cursor);
    if (job.cursor == state_->blocks.pages_per_block()) return true;
    Transaction* t = state_->pool.take(false);
    if (t == nullptr) return false;
    t->work = Work::gc_read;
    t->plane = plane;
    t->die = static_cast<std::uint16_t>(plane / state_->config.geometry.planes_per_die);
    t->ppn = t->source = state_->blocks.ppn(plane, job.victim, job.cursor++);
    t->flash_mask = t->mask = state_->full_mask;
    t->sequence = ++state_->sequence;
    state_->blocks.add_reader(t->ppn);
    ++job.moving;
    board_->enqueue(*t, Lane::gc_read);
  }
  return true;
}

bool Collector::erase(std::uint32_t plane) {
  Job& job = jobs_[plane];
  Transaction* t = state_->pool.take(false);
  if (t == nullptr) return false;
  t->work = Work::erase;
  t->plane = plane;
  t->die = static_cast<std::uint16_t>(plane / state_->config.geometry.planes_per_die);
  t->ppn = state_->blocks.ppn(plane, job.victim, 0);
  t->sequence = ++state_->sequence;
  state_->blocks.transition(plane, job.victim, BlockState::erasing);
  job.erasing = true;
  board_->enqueue(*t, Lane::erase);
  return true;
}

void Collector::end_move(Transaction& t, std::uint32_t plane) {
  --jobs_[plane].moving;
  state_->pool.release(t);
  consider(plane);
}

void Collector::drop(Transaction& t) {
  end_move(t, state_->blocks.plane_of(t.source));
}

/// The page cannot be saved: whoever owned it reads an unmapped page from now on.
void Collector::lose(Transaction& t, Ppn page) {
  std::uint32_t lpn = t.lpn;
  if (lpn >= state_->exported_pages || state_->policy.mapping->lookup(lpn) != page) {
    lpn = 0;
    while (lpn < state_->exported_pages && state_->policy.mapping->lookup(lpn) != page) ++lpn;
  }
  if (lpn < state_->exported_pages) state_->unmap(lpn);
}

void Collector::read_done(Transaction& t, const FlashCompletion& c) {
  state_->blocks.drop_reader(t.ppn);
  t.lpn = oob_lpn(c.oob);
  if (c.result != 0) {
    ++state_->statistics.flash_failures;
    if (state_->blocks.valid(t.source)) lose(t, t.source);
    drop(t);
    return;
  }
  if (t.lpn >= state_->exported_pages || !current(t)) {
    drop(t);
    return;
  }
  const Placement to = state_->policy.relocation->destination(t.source, t.lpn);
  t.work = Work::gc_write;
  t.plane = to.plane;
  t.hint = to.hint;
  t.die = static_cast<std::uint16_t>(to.plane / state_->config.geometry.planes_per_die);
  t.sequence = ++state_->sequence;
  board_->enqueue(t, Lane::gc_write);
}

void Collector::write_done(Transaction& t, const FlashCompletion& c) {
  const std::uint32_t job_plane = state_->blocks.plane_of(t.source);
  if (c.result != 0) {
    ++state_->statistics.flash_failures;
    if (state_->blocks.valid(t.ppn) && state_->policy.mapping->lookup(t.lpn) == t.ppn) lose(t, t.ppn);
  }
  end_move(t, job_plane);
}

void Collector::erase_done(Transaction& t, const FlashCompletion& c) {
  const std::uint32_t plane = t.plane;
  Job& job = jobs_[plane];
  const bool failed = c.result != 0;
  if (failed) ++state_->statistics.flash_failures;
  state_->blocks.transition(plane, job.victim, failed ? BlockState::bad : BlockState::free);
  ++state_->statistics.gc_blocks_erased;
  const std::uint32_t die = t.die;
  state_->pool.release(t);
  job = Job{kNoBlock, 0, 0, job.listed, false};
  --active_;
  board_->unblock_writes(die);
  consider(plane);
}

} // namespace twinplane::fw
