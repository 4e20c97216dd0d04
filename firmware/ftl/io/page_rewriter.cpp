#include "firmware/ftl/io/page_rewriter.h"

namespace twinplane::fw {

constexpr OpTraits PageRewriter::kRewrite = page_write_row("rewrite").with(&OpTraits::rewrites);

void PageRewriter::boot(HostIo& io) {
  io_ = &io;
  state_ = io.state;
}

bool PageRewriter::rewrite(std::uint32_t lpn, ProgramCause cause, PageHint hint) {
  // it may wait for space, as writes of the host do
  Transaction* const t = state_->pool.take(PoolUser::writes);
  if (t == nullptr) return false;
  t->hint = hint;
  begin(*t, lpn, cause);
  return true;
}

void PageRewriter::begin(Transaction& t, std::uint32_t lpn, ProgramCause cause) {
  t.become(kRewrite, *this);
  t.lpn = lpn;
  t.mask = 0;
  t.rewrite_cause = cause;
  t.sequence = ++state_->sequence;
  t.queued_ps = state_->now_ps();
  ++under_way_;
  path_.begin(t);
}

void PageRewriter::tell_loss(Transaction& t) {
  if (state_->durability->keeps_trims() || state_->units != nullptr) return state_->pool.release(t);
  const std::uint32_t lpn = t.lpn;
  t.prepare();
  begin(t, lpn, ProgramCause::backup);
}

/// A page that collection has not found a place for is where it was again, if that is still there.
bool PageRewriter::keeps_failed(Transaction& t) {
  if (state_->map.failed_at(t) == 0 || !take_back(t)) return false;
  written(t, false);
  return true;
}

bool PageRewriter::take_back(const Transaction& t) {
  if (!is_unrelocatable(t) || !io_->unrelocatable->can_take_back(t)) return false;
  io_->unrelocatable->take_back(t);
  path_.fail_superseded(t.lpn); // what has been written since is in no page
  return true;
}

void PageRewriter::written(Transaction& t, bool lost) {
  is_done(t);
  if (lost && state_->lost.of(t.lpn) != 0) return tell_loss(t);
  state_->pool.release(t);
}

void PageRewriter::given_up(Transaction& t, std::uint16_t) {
  path_.release_lock(t);
  written(t, false);
}

void PageRewriter::is_done(const Transaction& t) {
  --under_way_;
  if (is_unrelocatable(t)) io_->unrelocatable->done();
}

/// Whether the rewrite of an unrelocatable page that waits can be given up: its page is still where it was, or can be
/// taken back. Once its program has failed the buffer may have the only copy, and the map names the page that
/// failed.
bool PageRewriter::can_be_left(const Transaction& t) const {
  if (t.owner != this || !is_unrelocatable(t)) return false;
  if (t.failures == 0) return true;
  return state_->map.failed_at(t) == 0 || io_->unrelocatable->can_take_back(t);
}

bool PageRewriter::defer_unrelocatable() {
  const bool any = io_->board->take_writes([this](Transaction& t) {
    if (!can_be_left(t)) return false;
    path_.leave_failed_page(t);
    given_up(t, nvme::status::success);
    return true;
  });
  if (!any) return false;
  io_->unrelocatable->defer();
  io_->board->unblock_all_writes();
  return true; // writes that come find out for themselves
}

} // namespace twinplane::fw
