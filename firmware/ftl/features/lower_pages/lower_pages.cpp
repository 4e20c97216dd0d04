// Lower pages: whose programs wait, and which pages are not protected yet.
#include "firmware/ftl/features/lower_pages/lower_pages.h"

namespace twinplane::fw {

Feature* make_lower_pages(BootMemory& memory, const FtlConfig& config) {
  return copies_lower_pages(config) ? make_copies(memory) : make_padding(memory);
}

void LowerPages::reserve_sites(BootMemory& memory, FtlState& state) {
  state_ = &state;
  site_count_ = state.blocks.sites();
  sites_ = memory.array<Site>(site_count_);
  progress.boot(memory, state.blocks);
}

void LowerPages::boot(BootMemory& memory, const Pipeline& pipeline) {
  board_ = &pipeline.board;
  collector_ = &pipeline.collector;
  host_ = &pipeline.host;
  completions_ = &pipeline.completions;
  state_->hooks.wake(*this);
  answers_ = memory.zeroed<FlashCompletion>(state_->pool.size());
}

// --- programs ---

bool LowerPages::programmed(Transaction& t, const FlashCompletion& c) {
  if (!t.traits->maps_page) return false;
  progress.programmed(t.ppn);
  const std::uint32_t site = state_->blocks.site_of(t.plane);
  const bool waits = c.result == 0 && progress.is_lower(t.ppn);
  if (waits) {
    answers_[t.index] = c;
    t.queued_ps = state_->now_ps();
    begins_to_wait(t);
    sites_[site].waiting.push(t);
  }
  if (!sites_[site].waiting.empty()) advance(site);
  return waits;
}

/// All that has been programmed in its page.
void LowerPages::set_programmed(Transaction& t, bool programmed) {
  t.programmed = programmed;
  if (state_->units == nullptr) return;
  for (Transaction* r = state_->units->io.rider(t); r != nullptr; r = state_->units->io.rider(*r))
    r->programmed = programmed;
}

/// The wait is time that it has waited for its die.
void LowerPages::end(Transaction& t) {
  t.die_wait_ps += state_->now_ps() - t.queued_ps;
  set_programmed(t, false);
  ended_.push(t);
}

bool LowerPages::end_held() {
  const bool any = !ended_.empty();
  while (!ended_.empty()) {
    Transaction& t = ended_.pop();
    has_waited(t);
    const FlashCompletion answer = answers_[t.index];
    completions_->deliver(t, answer);
  }
  return any;
}

bool LowerPages::step(bool /*admits*/) {
  run();
  return end_held();
}

/// Of different blocks those that were programmed first may wait longest.
void LowerPages::end_complete(std::uint32_t site) {
  TransactionList waiting = sites_[site].waiting;
  sites_[site].waiting = TransactionList();
  while (!waiting.empty()) {
    Transaction& t = waiting.pop();
    state_->read_only() || progress.complete(t.ppn) ? end(t) : sites_[site].waiting.push(t);
  }
}

bool LowerPages::idle() const {
  for (std::uint32_t site = 0; site < site_count_; ++site) {
    if (!site_idle(site)) return false;
  }
  return true;
}

bool LowerPages::site_idle(std::uint32_t site) const {
  return !sites_[site].busy && sites_[site].waiting.empty() && !sites_[site].unprotected;
}

void LowerPages::purge(bool begins) {
  purges_ = begins;
  for (std::uint32_t site = 0; begins && site < site_count_; ++site) advance(site);
}

// --- pages that nothing protects yet ---

void LowerPages::protect() {
  for (std::uint32_t site = 0; site < site_count_; ++site) set_unprotected(site);
  for (std::uint32_t site = 0; site < site_count_; ++site) advance(site);
}

void LowerPages::set_protected(std::uint32_t site) {
  unprotected_ -= sites_[site].unprotected ? 1 : 0;
  sites_[site].unprotected = false;
}

void LowerPages::set_unprotected(std::uint32_t site) {
  unprotected_ += sites_[site].unprotected ? 0 : 1;
  sites_[site].unprotected = true;
}

Ppn LowerPages::next_unprotected(std::uint32_t site, Lacks which) const {
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t first = blocks.first_plane_of(site);
  const std::uint32_t pages = blocks.pages_per_block();
  for (std::uint32_t plane = first; plane < first + blocks.twins(); ++plane) {
    for (std::uint32_t b = 0; b < blocks.blocks_per_plane(); ++b) {
      if (blocks.block(plane, b).valid == 0 || !progress.in_danger(blocks.ppn(plane, b, pages - 1))) continue;
      for (std::uint32_t n = 0; (n = blocks.next_valid(plane, b, n)) != pages; ++n) {
        const Ppn page = blocks.ppn(plane, b, n);
        if (!progress.is_lower(page) || progress.complete(page) || copies.has_copy(site, page)) continue;
        if (which == Lacks::any || progress.lacks_pages(page)) return page;
      }
    }
  }
  return kNoPpn;
}

/// Copies fill pages, and wordlines are complete.
void LowerPages::found_block(std::uint32_t plane, std::uint32_t block, std::uint32_t pages,
                             std::uint32_t wordlines) {
  if (copies.is_ours(state_->blocks.site_of(plane), block)) copies.found_block(plane, block, pages);
  progress.complete_up_to(plane, block, wordlines);
}

// --- steps of a site ---

void LowerPages::advance(std::uint32_t site) {
  while (!sites_[site].busy) {
    if (state_->read_only()) set_protected(site); // no upper page will be programmed any more
    if (!next_step(site)) return;
  }
}

Transaction& LowerPages::send(std::uint32_t site, const OpTraits& kind, Ppn page) {
  sites_[site].busy = true;
  Transaction& t = state_->pool.own_of(site);
  t.prepare();
  state_->begin(t, kind, *this, page);
  t.page_type = 0;
  kind.urgent ? board_->enqueue_first(t) : board_->enqueue(t);
  return t;
}

std::uint32_t LowerPages::complete(Transaction& t, const FlashCompletion& c) {
  const std::uint32_t site = state_->blocks.site_of(t.plane);
  sites_[site].busy = false;
  if (c.result != 0) state_->note_failure(t);
  return site;
}

void LowerPages::serialise(StateVisitor& visitor) {
  resting_ = false;
  if (!idle()) visitor.refuse("lower pages are being copied");
  progress.serialise(visitor);
}

} // namespace twinplane::fw
