// HostPath: writes, trim and write zeroes.
//
// Whatever changes the map of an LPN holds the LPN's lock from admission until the map has changed.
#include "firmware/ftl/host_path.h"

namespace twinplane::fw {

bool HostPath::write_piece(Request& r, const Piece& p) {
  Transaction* t = take(r, p, Work::host_write);
  if (t == nullptr) return false;
  ++state_->statistics.host_pages_written;
  t->hint = state_->policy.classifier->refine(r.hint, p.mask != state_->full_mask);
  if (r.kind == RequestKind::write_zeroes) {
    fill_zero(*t, p.mask);
  } else {
    t->fence = post(r, Move::to_device, p.host_offset, p.mask, t->buffer);
  }
  if (state_->locks.acquire(*t)) start_write(*t);
  return true;
}

/// The LPN is ours: complete a partial page first, then queue for a place.
void HostPath::start_write(Transaction& t) {
  const std::uint32_t missing = state_->full_mask & ~t.mask;
  if (missing != 0) {
    const Ppn old = state_->policy.mapping->lookup(t.lpn);
    if (old != kNoPpn) {
      t.work = Work::rmw_read;
      aim(t, old);
      t.flash_mask = missing;
      ++state_->statistics.rmw_reads;
      board_->enqueue(t, Lane::read);
      return;
    }
    fill_zero(t, missing);
  }
  t.flash_mask = state_->full_mask;
  board_->enqueue_write(t);
}

void HostPath::rmw_read_done(Transaction& t, const FlashCompletion& c) {
  add_times(t, c);
  const BlockInfo& block = state_->blocks.drop_reader(t.ppn);
  if (block.state == BlockState::victim) collector_->consider(state_->blocks.plane_of(t.ppn));
  t.work = Work::host_write;
  if (c.result == 0) {
    t.queued_ps = state_->hal->now_ps();
    t.flash_mask = state_->full_mask;
    board_->enqueue_write(t);
    return;
  }
  ++state_->statistics.flash_failures;
  if (t.request->status == nvme::status::success) t.request->status = nvme::status::unrecovered_read;
  release_lock(t);
  part_done(*t.request, &t);
  state_->pool.release(t);
}

void HostPath::placed(Transaction& t) {
  if (t.request != nullptr) t.request->dominated[t.page_type] = true;
  release_lock(t);
}

void HostPath::release_lock(Transaction& t) {
  Transaction* heir = state_->locks.release(t);
  while (heir != nullptr && heir->work == Work::unmap) {
    Transaction& done = *heir;
    trim(done.lpn);
    heir = state_->locks.release(done);
    part_done(*done.request, nullptr);
    state_->pool.release(done);
  }
  if (heir != nullptr) start_write(*heir);
}

void HostPath::write_done(Transaction& t, const FlashCompletion& c) {
  add_times(t, c);
  Request& r = *t.request;
  if (c.result != 0) {
    ++state_->statistics.flash_failures;
    if (r.status == nvme::status::success) r.status = nvme::status::write_fault;
    if (state_->policy.mapping->lookup(t.lpn) == t.ppn) unmap(t.lpn);
  }
  part_done(r, &t);
  state_->pool.release(t);
}

bool HostPath::unmap_piece(Request& r, const Piece& p) {
  if (p.mask != state_->full_mask) {
    if (r.kind == RequestKind::write_zeroes) return write_piece(r, p);
    part_done(r, nullptr); // a trim may leave a partial page alone
    return true;
  }
  if (!state_->locks.held(p.lpn)) {
    trim(p.lpn);
    part_done(r, nullptr);
    return true;
  }
  Transaction* t = take(r, p, Work::unmap);
  if (t == nullptr) return false;
  state_->locks.acquire(*t);
  return true;
}

void HostPath::trim(std::uint32_t lpn) {
  if (unmap(lpn)) ++state_->statistics.pages_trimmed;
}

bool HostPath::unmap(std::uint32_t lpn) {
  const Ppn old = state_->unmap(lpn);
  if (old != kNoPpn) collector_->consider(state_->blocks.plane_of(old));
  return old != kNoPpn;
}

} // namespace twinplane::fw
