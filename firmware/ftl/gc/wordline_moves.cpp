// Moves where pages are programmed by whole wordlines.
//
// Moves that have all their data wait for each other, job by job, until there are as many as a wordline has pages, or as
// the wordlines of all planes where several planes take moves at a time and are collected together.
// They never wait for anything else. When all moves of the job wait and nothing is left to be read, or the pool has no
// transaction for more, the wordline is completed with padding. One of those that wait is given to the die for all of
// them; when the die takes it they are judged by the map, as every move is, and if too few are left they go on waiting.
#include "firmware/ftl/gc/mover.h"

namespace twinplane::fw {

void Mover::stop_waiting() {
  for (std::uint32_t site = 0; pass_ != 1 && site < state_->blocks.sites(); ++site) release_pass(site);
}

void Mover::to_program(Transaction& t) {
  if (!goes_in_pass(t)) return jobs_->enqueue(t);
  const std::uint32_t site = state_->blocks.site_of(state_->blocks.plane_of(t.home));
  GcJob& job = jobs_->of_site(site);
  job.held.push(t);
  ++job.holds;
  release_pass(site);
}

/// All moves of the job wait, and none will be added.
bool Mover::no_more_to_come(std::uint32_t site, std::uint32_t waiting) {
  const GcJob& job = jobs_->of_site(site);
  if (job.moving != waiting) return false;
  if (job.stalled || job.pads || *resting_ || state_->read_only()) return true;
  return !any_left(site);
}

void Mover::release_pass(std::uint32_t site, bool pool_empty) {
  GcJob& job = jobs_->of_site(site);
  if (pool_empty) job.pads = job.holds != 0 && job.holds == job.moving;
  if (job.folding || job.holds == 0) return;
  if (job.holds < together_ && !no_more_to_come(site, job.holds)) return;
  jobs_->enqueue(begin_pass(job));
}

Transaction& Mover::begin_pass(GcJob& job) {
  Transaction& first = job.held.pop();
  --job.holds;
  job.folding = true;
  return first;
}

std::uint32_t Mover::take_pass(Transaction& first, std::uint32_t most, Transaction** moves) {
  const std::uint32_t plane = state_->blocks.plane_of(first.home);
  const std::uint32_t site = state_->blocks.site_of(plane);
  GcJob& job = jobs_->of_site(site);
  TransactionList waiting = job.held;
  job.held = TransactionList();
  job.holds = 0; // those that turn out to lack something come back by themselves
  std::uint32_t count = 0;
  Transaction* t = &first;
  for (;;) {
    if (count == most) {
      job.held.push(*t);
      ++job.holds;
    } else if (ready(*t)) {
      moves[count++] = t;
    }
    if (waiting.empty()) break;
    t = &waiting.pop();
  }
  job.folding = false;
  if (count != most && !no_more_to_come(site, count + job.holds)) {
    for (std::uint32_t i = 0; i < count; ++i) job.held.push(*moves[i]);
    job.holds = static_cast<std::uint8_t>(job.holds + count);
    count = 0;
  }
  job.pads = false;
  jobs_->schedule_gc_check(plane);
  return count;
}

void Mover::give_up_pass(Transaction& first) {
  GcJob& job = jobs_->of_page(first.home);
  TransactionList waiting = job.held;
  job.held = TransactionList();
  job.holds = 0;
  job.folding = false;
  give_up(first);
  while (!waiting.empty()) give_up(waiting.pop());
}

} // namespace twinplane::fw
