// Collector where native pages are programmed by whole wordlines: moves to native blocks that have all their
// data wait for each other, plane by plane, until there are as many as a wordline has pages.
//
// They never wait for anybody else. When all moves of the job wait and nothing is left to be read, or the
// pool has no transaction for more, the wordline is completed with padding. One of those that wait is given
// to the die for all of them; when the die takes it they are judged by the map, as every move is, and if too
// few are left they go on waiting.
#include "firmware/ftl/collector.h"

namespace twinplane::fw {

/// The move has all its data.
void Collector::to_program(Transaction& t) {
  if (fold_ == 1 || t.hint != 0) return enqueue(t);
  const std::uint32_t site = state_->blocks.plane_of(t.home);
  Job& job = jobs_[site];
  job.held.push(t);
  ++job.holds;
  release_fold(site);
}

/// All moves of the job wait, and none will be added.
bool Collector::no_more_to_come(std::uint32_t site, std::uint32_t waiting) {
  const Job& job = jobs_[site];
  if (job.moving != waiting) return false;
  if (job.stalled || job.pads || resting_ || state_->read_only()) return true;
  Ppn page = kNoPpn;
  std::uint32_t slot = 0;
  return !next_subpage(site, page, slot);
}

void Collector::release_fold(std::uint32_t site) {
  Job& job = jobs_[site];
  if (job.folding || job.holds == 0) return;
  if (job.holds < fold_ && !no_more_to_come(site, job.holds)) return;
  Transaction& first = job.held.pop();
  --job.holds;
  job.folding = true;
  enqueue(first);
}

std::uint32_t Collector::take_fold(Transaction& first, std::uint32_t most, Transaction** moves) {
  const std::uint32_t site = state_->blocks.plane_of(first.home);
  Job& job = jobs_[site];
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
  consider(site);
  return count;
}

void Collector::give_up_fold(Transaction& first) {
  Job& job = jobs_[state_->blocks.plane_of(first.home)];
  TransactionList waiting = job.held;
  job.held = TransactionList();
  job.holds = 0;
  job.folding = false;
  give_up_subpages(first);
  while (!waiting.empty()) give_up_subpages(waiting.pop());
}

} // namespace twinplane::fw
