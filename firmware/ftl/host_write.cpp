// HostPath: writes, trim and write zeroes.
//
// Whatever changes the map of an LPN holds the LPN's lock from admission until the map has changed.
#include "firmware/ftl/host_path.h"

namespace twinplane::fw {

/// Whole pages from the request's next sector on; returns how many found a transaction. Those whose buffers
/// lie behind each other share a DMA descriptor; each page waits for its own part of it only.
std::uint32_t HostPath::write_pages(Request& r, std::uint32_t pages) {
  FtlState& s = *state_;
  const PageHint hint = s.policy.classifier->refine(r.hint, false);
  const auto lpn = static_cast<std::uint32_t>((r.lba + r.next_sector) >> s.sectors_shift);
  const std::uint32_t first_fence = s.host->posted() + 1;
  DmaDescriptor run;
  run.op = static_cast<std::uint8_t>(DmaOp::to_device);
  run.slot = r.slot;
  run.offset = r.data_offset + r.next_sector;
  run.length = 1u << s.sectors_shift;
  std::uint32_t in_run = 0;
  std::uint32_t done = 0;
  for (; done != pages; ++done) {
    Transaction* t = s.pool.take(true);
    if (t == nullptr) break;
    if (in_run != 0 && t->buffer != run.buffer + in_run * run.length * s.payload) {
      post_pages(run, in_run);
      in_run = 0;
    }
    if (in_run++ == 0) run.buffer = t->buffer;
    t->work = Work::host_write;
    t->request = &r;
    t->lpn = lpn + done;
    t->mask = t->flash_mask = s.full_mask;
    t->hint = hint;
    t->fence = first_fence + done;
    t->sequence = ++s.sequence;
    t->queued_ps = now_ps_;
    if (s.locks.acquire(*t)) board_->enqueue_write(*t);
  }
  if (in_run != 0) post_pages(run, in_run);
  s.statistics.host_pages_written += done;
  s.charge(done, s.config.cost.dma_submit);
  return done;
}

/// Posts `pages` pages and moves the descriptor behind them.
void HostPath::post_pages(DmaDescriptor& run, std::uint32_t pages) {
  run.repeat = static_cast<std::uint16_t>(pages - 1);
  state_->host->post(run);
  run.offset += pages * run.length;
}

bool HostPath::write_piece(Request& r, const Piece& p) {
  if (state_->buffer != nullptr) return buffer_write(r, p);
  Transaction* t = take(r, p, Work::host_write);
  if (t == nullptr) return false;
  ++state_->statistics.host_pages_written;
  t->hint = state_->policy.classifier->refine(r.hint, p.mask != state_->full_mask);
  if (r.kind == RequestKind::write_zeroes) {
    fill_zero(t->buffer, p.mask);
  } else {
    t->fence = post(r, DmaOp::to_device, p.host_offset, p.mask, t->buffer);
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
    fill_zero(t.buffer, missing);
  }
  t.flash_mask = state_->full_mask;
  board_->enqueue_write(t);
}

void HostPath::rmw_read_done(Transaction& t, const FlashCompletion& c) {
  add_times(t, c);
  const BlockInfo& block = state_->blocks.drop_reader(t.ppn);
  if (block.state == BlockState::victim) collector_->consider(state_->blocks.plane_of(t.ppn));
  t.work = Work::host_write;
  if (c.result != 0) {
    ++state_->statistics.flash_failures;
    if (t.request != nullptr) {
      fail_write(t, nvme::status::unrecovered_read);
      return;
    }
    fill_zero(t.buffer, state_->full_mask & ~t.mask); // already acknowledged: save what there is
  }
  t.queued_ps = state_->now_ps();
  t.flash_mask = state_->full_mask;
  board_->enqueue_write(t);
}

void HostPath::fail_write(Transaction& t, std::uint16_t status) {
  Request& r = *t.request;
  if (r.status == nvme::status::success) r.status = status;
  release_lock(t);
  part_done(r, &t);
  state_->pool.release(t);
}

void HostPath::placed(Transaction& t) {
  if (t.request != nullptr) t.request->dominated[t.page_type] = true;
  release_lock(t);
}

void HostPath::release_lock(Transaction& t) {
  Transaction* heir = state_->locks.release(t);
  while (heir != nullptr) {
    Transaction& next = *heir;
    const bool unmaps = next.work == Work::unmap;
    if (!unmaps && !void_write_back(next)) {
      start_write(next);
      return;
    }
    if (unmaps) trim(next.lpn, next.sequence);
    heir = state_->locks.release(next);
    if (unmaps) {
      part_done(*next.request, nullptr);
    } else {
      state_->buffer->set_state(state_->buffer->at(next.cache_slot), SlotState::free);
    }
    state_->pool.release(next);
  }
}

/// True for the write-back of a version that a trim before it has made void.
bool HostPath::void_write_back(const Transaction& t) const {
  return t.cache_slot != kNoSlot && !state_->buffer->at(t.cache_slot).listed;
}

void HostPath::write_done(Transaction& t, const FlashCompletion& c) {
  if (t.request == nullptr) {
    write_back_done(t, c);
    return;
  }
  add_times(t, c);
  Request& r = *t.request;
  if (c.result != 0) {
    ++state_->statistics.flash_failures;
    state_->blocks.mark_grown_bad(t.ppn);
    if (program_again(t)) return;
    if (state_->policy.mapping->lookup(t.lpn) == t.ppn) {
      if (r.status == nvme::status::success) r.status = nvme::status::write_fault;
      unmap(t.lpn);
    }
  }
  part_done(r, &t);
  state_->pool.release(t);
}

/// The data are still in the buffer: another page. Not when a newer write of the LPN waits, which may have
/// begun to complete itself from the page that failed.
bool HostPath::program_again(Transaction& t) {
  const bool newest = state_->policy.mapping->lookup(t.lpn) == t.ppn && !state_->locks.held(t.lpn);
  if (!newest || ++t.failures >= kProgramTries) return false;
  state_->locks.acquire(t);
  t.queued_ps = state_->now_ps();
  t.flash_mask = state_->full_mask;
  board_->enqueue_write(t);
  return true;
}

bool HostPath::unmap_piece(Request& r, const Piece& p) {
  if (p.mask != state_->full_mask) {
    if (r.kind == RequestKind::write_zeroes) return write_piece(r, p);
    part_done(r, nullptr); // a trim may leave a partial page alone
    return true;
  }
  const std::uint32_t sequence = ++state_->sequence;
  if (!state_->locks.held(p.lpn)) {
    trim(p.lpn, sequence);
    part_done(r, nullptr);
    return true;
  }
  Transaction* t = take(r, p, Work::unmap);
  if (t == nullptr) return false;
  if (state_->buffer != nullptr) {
    if (BufferSlot* slot = state_->buffer->newest(p.lpn)) slot->closed = true;
  }
  state_->locks.acquire(*t);
  return true;
}

void HostPath::trim(std::uint32_t lpn, std::uint32_t sequence) {
  if (state_->buffer != nullptr) buffer_forget(lpn, sequence);
  if (unmap(lpn)) ++state_->statistics.pages_trimmed;
}

bool HostPath::unmap(std::uint32_t lpn) {
  const Ppn old = state_->unmap(lpn);
  if (old != kNoPpn) collector_->consider(state_->blocks.plane_of(old));
  return old != kNoPpn;
}

} // namespace twinplane::fw
