// Collector: which valid pages are read next, and what becomes of them.
#include "firmware/ftl/collector.h"

namespace twinplane::fw {

/// False when the pool is empty and the job has to try again.
bool Collector::move_pages(std::uint32_t site) {
  if (claims_ != nullptr) return move_subpages(site);
  Job& job = jobs_[site];
  while (job.moving < most_moves_) {
    const Set set = sharp_ ? next_dealt(site) : next_index(site);
    if (set.planes == 0) {
      job.all_read = true;
      return true;
    }
    if (!read_set(site, set)) return false;
  }
  return true;
}

/// The lowest index not read yet at which any plane's block has a valid page, with all such planes.
Collector::Set Collector::next_index(std::uint32_t site) const {
  const Job& job = jobs_[site];
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
Collector::Set Collector::next_dealt(std::uint32_t site) {
  Job& job = jobs_[site];
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

std::uint32_t Collector::unused_set(const Job& job) {
  std::uint32_t set = 0;
  while (job.unread[set] != 0) ++set;
  return set;
}

/// False when the pool is empty. What there is makes a smaller set, of which no read has completed yet.
bool Collector::read_set(std::uint32_t site, const Set& set) {
  Job& job = jobs_[site];
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t number = unused_set(job);
  for (std::uint32_t planes = set.planes; planes != 0; planes &= planes - 1) {
    Transaction* t = state_->pool.take(PoolUser::firmware);
    if (t == nullptr) break;
    const std::uint32_t p = lowest_bit(planes);
    t->work = Work::gc_read;
    t->plane = blocks.first_plane_of(site) + p;
    t->die = static_cast<std::uint16_t>(blocks.die_of_site(site));
    t->ppn = t->source = t->home = blocks.ppn(t->plane, job.victim, set.page);
    t->mask = state_->full_mask;
    t->flash_mask = state_->copybacks.allowed(t->ppn) ? 0 : state_->full_mask;
    t->sequence = ++state_->sequence;
    t->set = static_cast<std::uint8_t>(number);
    ++job.unread[number];
    if (regions_ != 1) ++state_->statistics.regions[blocks.block(t->plane, job.victim).region].read_pages;
    job.cursor[p] = static_cast<std::uint16_t>(set.page + 1);
    state_->blocks.add_reader(t->ppn);
    ++job.moving;
    enqueue(*t, Lane::gc_read);
  }
  return job.unread[number] != 0;
}

void Collector::end_move(Transaction& t) {
  const std::uint32_t plane = state_->blocks.plane_of(t.source);
  --jobs_[state_->blocks.site_of(plane)].moving;
  state_->pool.release(t);
  consider(plane);
}

void Collector::drop(Transaction& t) {
  end_move(t);
}

/// The map points to the page in the victim again, if a program that failed had moved it. The victim has not
/// been erased, in whatever order its moves end: the job counts this one until end_move().
void Collector::return_home(const Transaction& t) {
  if (state_->policy.mapping->lookup(t.lpn) == t.home) return;
  put_back(t.lpn, t.home);
}

void Collector::put_back(std::uint32_t lpn, Ppn page) {
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t plane = blocks.plane_of(page);
  state_->put_back(lpn, page, plane, PageSlot{blocks.block_of(page), blocks.page_of(page)});
  state_->policy.allocation->revoke(plane); // the victim needs more pages again
}

/// The page stays in the victim.
void Collector::leave(Transaction& t) {
  const Ppn home = t.home;
  return_home(t);
  look_again(home);
}

/// The job has passed this page of its victim, which is valid again.
void Collector::look_again(Ppn page) {
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t plane = blocks.plane_of(page);
  Job& job = jobs_[blocks.site_of(plane)];
  std::uint16_t& cursor = job.cursor[plane - blocks.first_plane_of(blocks.site_of(plane))];
  const std::uint32_t number = blocks.page_of(page);
  if (number < cursor) cursor = static_cast<std::uint16_t>(number);
  job.all_read = false;
}

void Collector::give_up(Transaction& t) {
  leave(t);
  Job& job = jobs_[state_->blocks.site_of(state_->blocks.plane_of(t.home))];
  if (!job.stalled) --active_;
  if (!job.stalled && claims_ == nullptr) job.stranded = stranded_ = true;
  job.stalled = true;
  state_->blocks.set_stalled(state_->blocks.plane_of(t.home), true);
  end_move(t);
}

/// Nothing but the map tells whose pages they are. One site after the other: a job that ends meanwhile has no
/// page left.
std::uint32_t Collector::next_stranded() {
  const BlockTable& blocks = state_->blocks;
  for (; stranded_site_ < blocks.sites(); ++stranded_site_, stranded_lpn_ = 0) {
    Job& job = jobs_[stranded_site_];
    if (!job.stranded) continue;
    if (stranded_lpn_ == 0)
      state_->charge(state_->exported_pages / Mapping::kEntriesPerStep + 1, state_->config.cost.map_lookup);
    while (stranded_lpn_ < state_->exported_pages) {
      const std::uint32_t lpn = stranded_lpn_++;
      const Ppn page = state_->policy.mapping->lookup(lpn);
      if (is_page(page) && blocks.block_of(page) == job.victim &&
          blocks.site_of(blocks.plane_of(page)) == stranded_site_) {
        ++rewriting_;
        return lpn;
      }
    }
    job.stranded = job.stays;
    job.stays = false;
  }
  stranded_site_ = 0;
  name_stranded();
  return kNoLpn;
}

void Collector::name_stranded() {
  put_off_ = stranded_ = false;
  for (std::uint32_t site = 0; site < state_->blocks.sites(); ++site)
    stranded_ = stranded_ || jobs_[site].stranded;
}

bool Collector::can_take_back(const Transaction& t) const {
  const BlockTable& blocks = state_->blocks;
  const Ppn home = t.replaced();
  if (!is_page(home)) return false;
  const Job& job = jobs_[blocks.site_of(blocks.plane_of(home))];
  return job.victim == blocks.block_of(home) && !job.erasing;
}

void Collector::take_back(const Transaction& t) {
  const Ppn home = t.replaced();
  Job& job = jobs_[state_->blocks.site_of(state_->blocks.plane_of(home))];
  put_back(t.lpn, home);
  if (job.stalled) {
    job.stranded = job.stays = stranded_ = true;
  } else {
    look_again(home);
  }
}

void Collector::put_off_stranded() {
  for (std::uint32_t site = 0; site < state_->blocks.sites(); ++site)
    jobs_[site].stranded = jobs_[site].stalled && jobs_[site].victim != kNoBlock;
  stranded_ = false;
  put_off_ = true;
  stranded_site_ = stranded_lpn_ = 0;
}

/// Whose page it is, if not even its word can be read: only the map tells.
std::uint32_t Collector::owner_of(Ppn page) const {
  for (std::uint32_t lpn = 0; lpn < state_->exported_pages; ++lpn) {
    if (state_->policy.mapping->lookup(lpn) == page) return lpn;
  }
  return kNoLpn;
}

/// One page of the set has been read. With the last one, whichever that is, the set's pages may be
/// programmed; pages of other sets go on waiting.
void Collector::one_read(Job& job, std::uint32_t set) {
  if (--job.unread[set] != 0) return;
  TransactionList held = job.held;
  job.held = TransactionList();
  while (!held.empty()) {
    Transaction& t = held.pop();
    if (t.set == set) {
      enqueue(t, Lane::gc_write);
    } else {
      job.held.push(t);
    }
  }
}

/// The data may still be with who has written the page; then they are moved from there. Otherwise the sectors
/// that can be read are moved, and the others as lost ones, even if there is nothing else: without the page
/// that it is moved to nothing in the flash would tell that the logical page has been lost, and not an older
/// version of it been the last one.
void Collector::read_failed(Transaction& t, std::uint32_t failed) {
  ++state_->statistics.flash_failures;
  if (!state_->blocks.valid(t.source)) return;
  if (const Transaction* const writer = state_->read_from_writer(t)) {
    t.lpn = writer->lpn;
    return;
  }
  if (t.lpn >= state_->exported_pages || !current(t)) t.lpn = owner_of(t.source);
  if (t.lpn == kNoLpn) return;
  state_->lose_sectors(t.lpn, failed);
  metadata_->lost(t.lpn);
}

void Collector::read_done(Transaction& t, const FlashCompletion& c) {
  Job& job = jobs_[state_->blocks.site_of(state_->blocks.plane_of(t.source))];
  if (t.flash_mask == 0 && (c.result != 0 || c.retry_ps != 0)) { // not to be copied as it is
    t.flash_mask = state_->full_mask;
    return enqueue(t, Lane::gc_read);
  }
  state_->blocks.drop_reader(t.ppn);
  t.lpn = oob_lpn(c.oob);
  if (c.result != 0) read_failed(t, failed_sectors(c, t.flash_mask));
  const bool keep = t.lpn < state_->exported_pages && current(t);
  if (!keep) {
    one_read(job, t.set);
    drop(t);
    return;
  }
  const std::uint64_t oob = FtlState::oob_of(static_cast<std::uint32_t>(c.oob >> 32), t.lpn);
  const Placement to = state_->policy.relocation->destination(t.source, oob);
  t.stamp = static_cast<std::uint32_t>(c.oob >> 32);
  t.work = Work::gc_write;
  t.plane = to.plane;
  t.hint = to.hint;
  t.die = static_cast<std::uint16_t>(to.plane / state_->config.geometry.planes_per_die);
  t.sequence = ++state_->sequence;
  job.held.push(t);
  one_read(job, t.set);
}

/// The data are still in the buffer, or in the victim: another page, by the job that moved them. Until then
/// they are to be read where they come from.
bool Collector::move_again(Transaction& t) {
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t job = blocks.site_of(blocks.plane_of(t.source));
  if (blocks.site_of(blocks.plane_of(t.ppn)) != job || ++t.failures >= kProgramTries) return false;
  return_home(t);
  t.source = t.home;
  t.sequence = ++state_->sequence;
  enqueue(t, Lane::gc_write);
  return true;
}

void Collector::write_done(Transaction& t, const FlashCompletion& c) {
  if (c.result != 0) {
    ++state_->statistics.flash_failures;
    state_->blocks.mark_grown_bad(t.ppn);
    metadata_->program_failed(t.home);
    state_->policy.allocation->revoke(state_->blocks.plane_of(t.ppn));
    if (state_->blocks.valid(t.ppn) && state_->policy.mapping->lookup(t.lpn) == t.ppn) {
      if (move_again(t)) return;
      leave(t);
    }
    state_->pool.inherit(t.ppn, t.home);
  }
  end_move(t);
}

} // namespace twinplane::fw
