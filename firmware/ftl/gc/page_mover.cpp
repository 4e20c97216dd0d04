#include "firmware/ftl/gc/page_mover.h"

namespace twinplane::fw {

constexpr OpTraits PageMover::kRead = OpTraits{"read of a move", ends_in<PageMover, &PageMover::read_done>,
                                               FlashOp::read, Lane::gc_read, WorkFor::collection}
                                          .with(&OpTraits::counts_as_move);
constexpr OpTraits PageMover::kMove = OpTraits{"move", ends_in<PageMover, &PageMover::write_done>,
                                               FlashOp::program, Lane::gc_write, WorkFor::collection}
                                          .with(&OpTraits::maps_page, &OpTraits::counts_as_move);

void PageMover::boot(FtlState& state, GcJobs& jobs, UnrelocatablePages& unrelocatable, const bool& resting) {
  Mover::boot(state, jobs, unrelocatable, resting);
  assigns_ = collects_as_tbm(state.config) && state.config.tbm_gc == TbmGc::simulator;
}

bool PageMover::move(std::uint32_t site) {
  GcJob& job = jobs_->of_site(site);
  while (job.moving < most_moves_) {
    const Set set = assigns_ ? next_assigned(site) : next_index(site);
    if (set.planes == 0) {
      job.all_read = true;
      release_pass(site);
      return true;
    }
    if (!read_set(site, set)) {
      release_pass(site, true);
      return false;
    }
  }
  if (pass_ != 1) release_pass(site); // more may wait than the last one took
  return true;
}

/// The lowest index not read yet at which any plane's block has a valid page, with all such planes.
PageMover::Set PageMover::next_index(std::uint32_t site) const {
  const GcJob& job = jobs_->of_site(site);
  const BlockTable& blocks = state_->blocks;
  Set set{0, blocks.pages_per_block()};
  for (std::uint32_t p = 0; p < blocks.twins(); ++p) {
    const std::uint32_t page = blocks.next_valid(blocks.first_plane_of(site) + p, job.victim, job.cursor[p]);
    if (page < set.page) set = Set{0, page};
    if (page == set.page && page < blocks.pages_per_block()) set.planes |= 1u << p;
  }
  return set;
}

/// The next page of the plane whose turn it is; when that plane has none left, of the one with most left.
PageMover::Set PageMover::next_assigned(std::uint32_t site) {
  GcJob& job = jobs_->of_site(site);
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t first = blocks.first_plane_of(site);
  if (job.turn == blocks.twins()) job.turn = 0;
  std::uint32_t plane = job.turn;
  std::uint32_t page = blocks.next_valid(first + plane, job.victim, job.cursor[plane]);
  if (page == blocks.pages_per_block()) {
    std::uint32_t most = 0;
    for (std::uint32_t p = 0; p < blocks.twins(); ++p) {
      const std::uint32_t next = blocks.next_valid(first + p, job.victim, job.cursor[p]);
      if (next == blocks.pages_per_block() || blocks.block(first + p, job.victim).valid <= most) continue;
      most = blocks.block(first + p, job.victim).valid;
      plane = p;
      page = next;
    }
  }
  if (page == blocks.pages_per_block()) return Set{};
  ++job.turn;
  return Set{1u << plane, page};
}

std::uint32_t PageMover::unused_set(const GcJob& job) {
  std::uint32_t set = 0;
  while (job.unread[set] != 0) ++set;
  return set;
}

/// False when the pool is empty. What there is makes a smaller set, of which no read has completed yet.
bool PageMover::read_set(std::uint32_t site, const Set& set) {
  GcJob& job = jobs_->of_site(site);
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t number = unused_set(job);
  for (std::uint32_t planes = set.planes; planes != 0; planes &= planes - 1) {
    Transaction* t = state_->pool.take(PoolUser::firmware);
    if (t == nullptr) break;
    const std::uint32_t p = lowest_bit(planes);
    t->become(kRead, *this);
    t->plane = blocks.first_plane_of(site) + p;
    t->die = static_cast<std::uint16_t>(blocks.die_of_site(site));
    t->ppn = t->source = t->home = blocks.ppn(t->plane, job.victim, set.page);
    t->mask = state_->full_mask;
    t->flash_mask = state_->hooks.may_copy_back(t->ppn) ? 0 : state_->full_mask;
    t->sequence = ++state_->sequence;
    t->set = static_cast<std::uint8_t>(number);
    ++job.unread[number];
    if (state_->blocks.regions() != 1)
      ++state_->statistics.regions[blocks.block(t->plane, job.victim).region].read_pages;
    job.cursor[p] = static_cast<std::uint16_t>(set.page + 1);
    state_->blocks.add_reader(t->ppn);
    ++job.moving;
    jobs_->enqueue(*t);
  }
  return job.unread[number] != 0;
}

/// The map points to the page in the victim again, if a program that failed had moved it. The victim has not
/// been erased, in whatever order its moves end: the job counts this one until end().
void PageMover::return_home(const Transaction& t) {
  if (state_->policy.mapping->lookup(t.lpn) != t.home) state_->map.go_back(t.lpn, t.home);
}

/// Whose page it is, if not even its word can be read: only the map tells.
std::uint32_t PageMover::owner_of(Ppn page) const {
  for (std::uint32_t lpn = 0; lpn < state_->exported_pages; ++lpn) {
    if (state_->policy.mapping->lookup(lpn) == page) return lpn;
  }
  return kNoLpn;
}

/// One page of the set has been read. With the last one, whichever that is, the set's pages may be
/// programmed; pages of other sets go on waiting. Those of a pass are programmed when there are enough.
void PageMover::one_read(GcJob& job, std::uint32_t set) {
  if (--job.unread[set] != 0 || pass_ != 1) return;
  TransactionList held = job.held;
  job.held = TransactionList();
  while (!held.empty()) {
    Transaction& t = held.pop();
    if (t.set == set) {
      jobs_->enqueue(t);
    } else {
      job.held.push(t);
    }
  }
}

/// The data may still be with who has written the page; then they are moved from there. Otherwise the sectors
/// that can be read are moved, and the others as lost ones, even if there is nothing else: without the page
/// that it is moved to nothing in the flash would tell that the logical page has been lost, and not an older
/// version of it been the last one.
void PageMover::read_failed(Transaction& t, std::uint32_t failed) {
  state_->note_failure(t);
  if (!state_->blocks.valid(t.source)) return;
  if (const Transaction* const writer = state_->map.writers.read_page(t)) {
    t.lpn = writer->lpn;
    return;
  }
  if (t.lpn >= state_->exported_pages || !is_ready(t)) t.lpn = owner_of(t.source);
  if (t.lpn == kNoLpn) return;
  state_->map.lose_sectors(t.lpn, failed);
  state_->hooks.unreadable(t.lpn);
}

void PageMover::read_done(Transaction& t, const FlashCompletion& c) {
  GcJob& job = jobs_->of_page(t.source);
  if (t.flash_mask == 0 && (c.result != 0 || c.retry_ps != 0)) { // not to be copied as it is
    t.flash_mask = state_->full_mask;
    return jobs_->enqueue(t);
  }
  state_->blocks.drop_reader(t.ppn);
  t.lpn = oob_lpn(c.oob);
  if (c.result != 0) read_failed(t, failed_sectors(c, t.flash_mask));
  const bool keep = t.lpn < state_->exported_pages && is_ready(t);
  if (!keep) {
    one_read(job, t.set);
    end(t);
    return;
  }
  const std::uint64_t oob = FtlState::oob_of(static_cast<std::uint32_t>(c.oob >> 32), t.lpn);
  const Placement to = state_->policy.relocation->destination(t.source, oob);
  t.stamp = static_cast<std::uint32_t>(c.oob >> 32);
  t.traits = &kMove;
  t.plane = to.plane;
  t.hint = to.hint;
  t.die = static_cast<std::uint16_t>(to.plane / state_->config.geometry.planes_per_die);
  t.sequence = ++state_->sequence;
  if (pass_ == 1) job.held.push(t);
  one_read(job, t.set);
  if (pass_ != 1) to_program(t);
}

void PageMover::read_as_well(Transaction& t) {
  GcJob& job = jobs_->of_page(t.source);
  t.become(kRead, *this);
  t.ppn = t.source;
  t.plane = state_->blocks.plane_of(t.ppn);
  t.flash_mask = state_->full_mask;
  t.set = static_cast<std::uint8_t>(unused_set(job));
  ++job.unread[t.set];
  state_->blocks.add_reader(t.ppn);
  jobs_->enqueue(t);
}

/// The data are still in the buffer, or in the victim: another page, by the job that moved them. Until then
/// they are to be read where they come from.
bool PageMover::move_again(Transaction& t) {
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t job = blocks.site_of(blocks.plane_of(t.source));
  if (blocks.site_of(blocks.plane_of(t.ppn)) != job || ++t.failures >= kProgramTries) return false;
  return_home(t);
  t.source = t.home;
  t.sequence = ++state_->sequence;
  to_program(t);
  return true;
}

void PageMover::write_done(Transaction& t, const FlashCompletion& c) {
  if (c.result != 0) {
    state_->note_failure(t);
    state_->hooks.program_failed(t.home);
    state_->policy.allocation->revoke(state_->blocks.plane_of(t.ppn));
    if (state_->blocks.valid(t.ppn) && state_->policy.mapping->lookup(t.lpn) == t.ppn) {
      if (move_again(t)) return;
      leave_home(t);
    }
    state_->pool.inherit(t.ppn, t.home);
  }
  end(t);
}

} // namespace twinplane::fw
