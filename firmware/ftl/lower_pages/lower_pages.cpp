// Lower pages: whose programs wait, which copies count, and what a site does next.
#include "firmware/ftl/lower_pages/lower_pages.h"

#include "firmware/ftl/gc/collector.h"
#include "firmware/ftl/metadata/metadata.h"

namespace twinplane::fw {

constexpr OpTraits LowerPages::kRead{"read of a lower page", ends_in<LowerPages, &LowerPages::was_read>};
constexpr OpTraits LowerPages::kCopy =
    OpTraits{"copy of a lower page", ends_in<LowerPages, &LowerPages::copied>,
             FlashOp::program,       Lane::erase,
             WorkFor::upkeep,        WorkOrigin::collection,
             Stream::relocation,     ProgramCause::backup}
        .with(&OpTraits::own_page, &OpTraits::urgent);
constexpr OpTraits LowerPages::kErase =
    OpTraits{"erase of copies", ends_in<LowerPages, &LowerPages::erased>, FlashOp::erase, Lane::erase}.with(
        &OpTraits::urgent);
constexpr OpTraits LowerPages::kPadding =
    OpTraits{"padding of a wordline", ends_in<LowerPages, &LowerPages::padded>,
             FlashOp::program,        Lane::erase,
             WorkFor::upkeep,         WorkOrigin::collection,
             Stream::relocation,      ProgramCause::padding}
        .with(&OpTraits::own_page, &OpTraits::late_page);

void LowerPages::boot(BootMemory& memory, Board& board, const Parts& parts) {
  if (!kept()) return;
  board_ = &board;
  metadata_ = &parts.metadata;
  collector_ = &parts.collector;
  host_ = &parts.host;
  answers_ = memory.zeroed<FlashCompletion>(state_->pool.size());
}

// --- programs ---

bool LowerPages::takes(Transaction& t, const FlashCompletion& c) {
  if (!kept() || !(t.is_host_page() || t.is_move())) return false;
  programmed(t.ppn);
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t site = blocks.site_of(t.plane);
  const bool upper = blocks.order().type(blocks.page_of(t.ppn)) + 1u == blocks.order().types();
  if (upper || c.result != 0 || !uses_slow_pages(t.ppn)) {
    if (!sites_[site].waiting.empty()) advance(site);
    return false;
  }
  answers_[t.index] = c;
  t.queued_ps = state_->now_ps();
  if (!copies() && t.is_move()) collector_->waits_for_wordline(t);
  t.programmed = !copies();
  sites_[site].waiting.push(t);
  advance(site);
  return true;
}

/// The last page of a wordline completes it, also one whose program has failed. The first page of a block is
/// the first one behind its erase.
void LowerPages::programmed(Ppn ppn) {
  if (!kept()) return;
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t page = blocks.page_of(ppn);
  std::uint16_t& complete = complete_[block_index(ppn)];
  if (page == 0) complete = 0;
  if (blocks.order().type(page) + 1u != blocks.order().types()) return;
  const std::uint32_t wordlines = blocks.order().wordline(page) + 1;
  if (wordlines > complete) complete = static_cast<std::uint16_t>(wordlines);
}

/// The wait for its copy is time that it has waited for its die.
void LowerPages::end(Transaction& t) {
  t.die_wait_ps += state_->now_ps() - t.queued_ps;
  t.programmed = false;
  ended_.push(t);
}

Transaction* LowerPages::take_ended(FlashCompletion& c) {
  if (ended_.empty()) return nullptr;
  Transaction& t = ended_.pop();
  if (!copies() && t.is_move()) collector_->wordline_complete(t);
  c = answers_[t.index];
  return &t;
}

std::uint32_t LowerPages::begin_completion(Transaction& t, const FlashCompletion& c) {
  const std::uint32_t site = state_->blocks.site_of(t.plane);
  sites_[site].step = Step::idle;
  if (c.result == 0) return site;
  ++state_->statistics.flash_failures;
  if (t.traits->changes_cells()) state_->blocks.mark_grown_bad(t.ppn);
  return site;
}

void LowerPages::padded(Transaction& t, const FlashCompletion& c) {
  const std::uint32_t site = begin_completion(t, c);
  programmed(t.ppn);
  if (c.result != 0) state_->policy.allocation->revoke(t.plane);
  advance(site);
}

void LowerPages::was_read(Transaction& t, const FlashCompletion& c) {
  const std::uint32_t site = begin_completion(t, c);
  take_read(site, t, c);
  advance(site);
}

void LowerPages::copied(Transaction& t, const FlashCompletion& c) {
  const std::uint32_t site = begin_completion(t, c);
  end_copy(site, t, c.result == 0);
  advance(site);
}

void LowerPages::erased(Transaction& t, const FlashCompletion& c) {
  const std::uint32_t site = begin_completion(t, c);
  end_unit(site, t);
  advance(site);
}

void LowerPages::run() {
  if (copies() && !waits_for_reads_) return;
  waits_for_reads_ = false;
  for (std::uint32_t site = 0; site < state_->blocks.sites(); ++site) {
    if (!copies() || sites_[site].victim != kNoUnit) advance(site);
  }
}

bool LowerPages::idle() const {
  for (std::uint32_t site = 0; kept() && site < state_->blocks.sites(); ++site) {
    const Site& s = sites_[site];
    if (s.step != Step::idle || !s.waiting.empty() || s.victim != kNoUnit || s.uncovered) return false;
  }
  return true;
}

void LowerPages::purge(bool begins) {
  purges_ = begins;
  for (std::uint32_t site = 0; begins && kept() && site < state_->blocks.sites(); ++site) advance(site);
}

// --- which copies count ---

/// While it has pages, and until the last page of its wordline has been programmed.
bool LowerPages::in_danger(Ppn page) const {
  const BlockTable& blocks = state_->blocks;
  const BlockState state = blocks.block(blocks.plane_of(page), blocks.block_of(page)).state;
  if (state != BlockState::open && state != BlockState::closed && state != BlockState::victim) return false;
  return uses_slow_pages(page) && !complete(page);
}

bool LowerPages::complete(Ppn page) const {
  const PageOrderTable& order = state_->blocks.order();
  return complete_[block_index(page)] > order.wordline(state_->blocks.page_of(page));
}

std::uint32_t LowerPages::erases_of(Ppn page) const {
  return state_->blocks.block(state_->blocks.plane_of(page), state_->blocks.block_of(page)).erases;
}

/// A copy that is the LPN's only page may be what a write under way replaces, and then it may be needed.
bool LowerPages::counts(const Copy& c, Ppn at) const {
  if (is_page(c.page)) return c.erases == erases_of(c.page) && in_danger(c.page);
  if (c.lpn >= state_->exported_pages) return false;
  if (state_->policy.mapping->lookup(c.lpn) == at) return true;
  return state_->pool.any_replaces([at](const Transaction& t) { return t.replaced() == at; });
}

std::uint32_t LowerPages::counting(std::uint32_t site, std::uint32_t u) const {
  std::uint32_t sum = 0;
  for (std::uint32_t n = 0; n < unit_pages_; ++n)
    sum += counts(copy(site, u, n), page_of(site, u, n)) ? 1 : 0;
  return sum;
}

bool LowerPages::has_copy(std::uint32_t site, Ppn page) const {
  for (std::uint32_t u = 0; u < units_per_site_; ++u) {
    for (std::uint32_t n = 0; n < unit_pages_; ++n) {
      const Copy& c = copy(site, u, n);
      if (c.page == page && c.erases == erases_of(page)) return true;
    }
  }
  return false;
}

// --- pages that have no copy ---

void LowerPages::cover() {
  for (std::uint32_t site = 0; kept() && site < state_->blocks.sites(); ++site) {
    uncovered_ += sites_[site].uncovered ? 0 : 1;
    sites_[site].uncovered = true;
  }
  for (std::uint32_t site = 0; kept() && site < state_->blocks.sites(); ++site) advance(site);
}

void LowerPages::set_covered(Site& s) {
  uncovered_ -= s.uncovered ? 1 : 0;
  s.uncovered = false;
}

Ppn LowerPages::next_uncovered(std::uint32_t site, Uncovered which) const {
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t first = blocks.first_plane_of(site);
  for (std::uint32_t plane = first; plane < first + blocks.twins(); ++plane) {
    for (std::uint32_t b = 0; b < blocks.blocks_per_plane(); ++b) {
      if (blocks.block(plane, b).valid == 0 || !in_danger(blocks.ppn(plane, b, blocks.pages_per_block() - 1)))
        continue;
      for (std::uint32_t n = blocks.next_valid(plane, b, 0); n != blocks.pages_per_block();
           n = blocks.next_valid(plane, b, n + 1)) {
        const Ppn page = blocks.ppn(plane, b, n);
        const bool lower = blocks.order().type(n) + 1u != blocks.order().types();
        if (!lower || !in_danger(page) || (copies() && has_copy(site, page))) continue;
        if (which == Uncovered::any || lacks_pages(page)) return page;
      }
    }
  }
  return kNoPpn;
}

// --- steps of a site ---

/// Whoever completes a wordline calls this, also while padding waits for its turn.
void LowerPages::advance(std::uint32_t site) {
  if (!copies()) end_complete(sites_[site]);
  while (sites_[site].step == Step::idle && next_step(site)) {
  }
}

/// False: there is nothing to do, or it has been begun, or it has to wait.
bool LowerPages::next_step(std::uint32_t site) {
  if (state_->read_only()) set_covered(sites_[site]); // no upper page will be programmed any more
  return copies() ? copies_next(site) : pads_next(site);
}

/// Of different blocks those that were programmed first may wait longest.
void LowerPages::end_complete(Site& s) {
  const bool over = state_->read_only();
  TransactionList waiting = s.waiting;
  s.waiting = TransactionList();
  while (!waiting.empty()) {
    Transaction& t = waiting.pop();
    over || complete(t.ppn) ? end(t) : s.waiting.push(t);
  }
}

bool LowerPages::copies_next(std::uint32_t site) {
  Site& s = sites_[site];
  end_complete(s);
  if (s.victim != kNoUnit) return copy_on(site);
  if (s.waiting.empty() && !s.uncovered) return purges_ && choose_victim(site);
  if (!has_head(site, 2)) return choose_victim(site);
  if (!s.waiting.empty()) {
    Transaction& t = s.waiting.pop();
    s.parent = &t;
    s.copy = Copy{t.lpn, t.stamp, t.ppn, erases_of(t.ppn)};
    program(site, t.buffer, t.lost);
    return false;
  }
  const Ppn page = next_uncovered(site, Uncovered::any);
  if (!is_page(page)) {
    set_covered(s);
    return true;
  }
  read(site, page, Copy{kNoLpn, 0, page, erases_of(page)});
  return false;
}

/// Whose copy has failed waits for another one, and the unit is not written any more.
void LowerPages::end_copy(std::uint32_t site, Transaction& t, bool good) {
  Site& s = sites_[site];
  Transaction* const parent = s.parent;
  s.parent = nullptr;
  if (!good) {
    unit(site, s.head).written = unit_pages_;
    if (parent != nullptr) s.waiting.push(*parent);
    return;
  }
  copy_at(t.ppn) = s.copy;
  if (parent != nullptr) return end(*parent);
  if (!is_ours(s.source)) return;
  ++state_->statistics.backups_copied_on;
  if (state_->policy.mapping->lookup(s.copy.lpn) == s.source) {
    const BlockTable& blocks = state_->blocks;
    state_->put_back(s.copy.lpn, t.ppn, t.plane, PageSlot{blocks.block_of(t.ppn), blocks.page_of(t.ppn)});
  }
  state_->pool.inherit(s.source, t.ppn);
  copy_at(s.source) = Copy();
}

/// A copy that cannot be read does not count: its page gets another one. Where there is none it is copied on,
/// and so is a page, with the sectors that cannot be read as lost ones.
void LowerPages::take_read(std::uint32_t site, Transaction& t, const FlashCompletion& c) {
  Site& s = sites_[site];
  const bool again = is_ours(t.ppn) && is_page(s.copy.page); // from the page
  if (c.result == 0 || (!again && oob_lpn(c.oob) < state_->exported_pages)) {
    s.copy.lpn = oob_lpn(c.oob);
    s.copy.stamp = static_cast<std::uint32_t>(c.oob >> 32);
    return program(site, t.buffer, failed_sectors(c, state_->full_mask));
  }
  if (!is_ours(t.ppn)) return program(site, t.buffer, 0); // of nobody's, so that it is not looked at again
  if (again) {
    s.uncovered = true;
  } else if (state_->policy.mapping->lookup(s.copy.lpn) == t.ppn) {
    state_->lose(s.copy.lpn);
    metadata_->lost(s.copy.lpn);
  }
  copy_at(t.ppn) = Copy();
}

void LowerPages::read(std::uint32_t site, Ppn page, const Copy& as) {
  sites_[site].source = page;
  sites_[site].copy = as;
  sites_[site].step = Step::reading;
  send(site, kRead, page);
}

void LowerPages::program(std::uint32_t site, std::uint32_t buffer, std::uint32_t lost) {
  Site& s = sites_[site];
  Unit& head = unit(site, s.head);
  const Ppn page = page_of(site, s.head, head.written++);
  s.step = Step::copying;
  Transaction& t = send(site, kCopy, page);
  t.buffer = buffer;
  t.lost = lost;
  t.lpn = s.copy.lpn;
  t.stamp = s.copy.stamp;
}

Transaction& LowerPages::send(std::uint32_t site, const OpTraits& kind, Ppn page) {
  Transaction& t = state_->pool.own_of(site);
  t.prepare();
  state_->begin(t, kind, *this, page);
  t.page_type = 0;
  kind.urgent ? board_->enqueue_first(t) : board_->enqueue(t);
  return t;
}

std::uint64_t LowerPages::begin_program(Transaction& t) {
  if (t.traits == &kCopy) return FtlState::oob_of(t.stamp, t.lpn);
  const std::uint64_t word = state_->make_oob(t.lpn);
  t.stamp = static_cast<std::uint32_t>(state_->write_sequence);
  return word;
}

void LowerPages::serialise(StateVisitor& visitor) {
  resting_ = false;
  if (!kept()) return;
  if (!idle()) visitor.refuse("lower pages are being copied");
  const BlockTable& blocks = state_->blocks;
  visitor.table(complete_, blocks.geometry().blocks(), "it is damaged (more wordlines than a block has)",
                [&blocks](std::uint16_t n) { return n <= blocks.order().wordlines(); });
  if (!copies()) return;
  const std::size_t units = std::size_t{blocks.sites()} * units_per_site_;
  visitor.table(units_, units);
  visitor.table(copies_, units * unit_pages_, "it is damaged (a copy of a page that there is not)",
                [&blocks](const Copy& c) { return c.page == kNoPpn || blocks.has(c.page); });
  for (std::uint32_t site = 0; site < blocks.sites(); ++site) {
    visitor.value(sites_[site].head);
    visitor.require(!visitor.loading() || units_hold(site),
                    "it is damaged (a unit for copies of lower pages)");
  }
}

bool LowerPages::units_hold(std::uint32_t site) const {
  const BlockTable& blocks = state_->blocks;
  for (std::uint32_t u = 0; u < units_per_site_; ++u) {
    const Unit& one = unit(site, u);
    if (one.block >= blocks.blocks_per_plane() || one.written > unit_pages_) return false;
    if (one.to_erase >= blocks.twins() || one.lost > 1) return false;
    const BlockState is = blocks.unit(site, one.block).state;
    if (one.lost == 0 && is != BlockState::metadata && is != BlockState::erasing) return false;
    for (std::uint32_t other = 0; other < u; ++other) {
      if (unit(site, other).block == one.block) return false;
    }
  }
  return sites_[site].head == kNoUnit || sites_[site].head < units_per_site_;
}

} // namespace twinplane::fw
