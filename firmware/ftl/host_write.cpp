// HostPath: writes, trim and write zeroes.
//
// Whatever changes the map of an LPN holds the LPN's lock from admission until the map has changed.
//
// A write gets no place before its data are known to have come: with bad PRPs, or after a controller reset,
// they never will, and what the LPN held must stay. So complete writes gather in `arriving_` while requests
// are admitted, in the order of their DMA; before any is placed the front end moves their data, and those
// whose data failed end here. As a rule all succeed and one look at DmaStatus is all it costs. Where the
// front end cannot know yet (host memory that takes its time to answer), they wait for the interrupt of an
// empty move behind them.
#include "firmware/ftl/host_path.h"

namespace twinplane::fw {

/// Makes the transactions writes of whole pages; `first` is what the first one writes.
inline void HostPath::fill_writes(const TransactionPool::Run& run, Request& r, const PageWrite& first) {
  const std::uint32_t mask = state_->full_mask;
  const std::uint64_t now = now_ps_;
  const std::uint64_t waited = r.breakdown.page_buffer_wait;
  std::uint32_t sequence = state_->sequence;
  for (std::uint32_t i = 0; i < run.count; ++i) {
    Transaction& t = run.first[i];
    t.prepare();
    t.become(kWrite, *this);
    t.request = &r;
    t.lpn = first.lpn + i;
    t.mask = t.flash_mask = mask;
    t.hint = first.hint;
    t.fence = first.fence + i;
    t.sequence = ++sequence;
    t.queued_ps = now;
    t.page_buffer_wait_ps = waited;
    t.user = PoolUser::writes;
  }
  state_->sequence = sequence;
}

/// Writes of consecutive whole pages: those whose LPN is free wait for their data, the others for their LPN.
inline void HostPath::queue_writes(TransactionPool::Run run) {
  while (run.count != 0) {
    std::uint32_t count = state_->locks.acquire_run(run.first->lpn, run.count);
    if (count != 0) {
      for (std::uint32_t i = 1; i < count; ++i) run.first[i - 1].next = &run.first[i];
      arriving_.push_chain(run.first[0], run.first[count - 1]);
      arriving_count_ += count;
    } else {
      state_->locks.acquire(*run.first);
      probe_point<Watch::planes, &HostPath::tell_dependency>(state_->probe != nullptr, *this, *run.first);
      count = 1;
    }
    run.first += count;
    run.count -= count;
  }
}

/// Whole pages from the request's next sector on; returns how many found a transaction. Those whose buffers
/// lie behind each other share a DMA descriptor; each page waits for its own part of it only.
std::uint32_t HostPath::write_pages(Request& r, std::uint32_t pages) {
  FtlState& s = *state_;
  const PageHint hint = s.policy.classifier->refine(r.hint, false);
  auto lpn = static_cast<std::uint32_t>((r.lba + r.next_sector) >> s.sectors_shift);
  std::uint32_t fence = s.host->posted() + 1;
  DmaDescriptor dma;
  dma.op = static_cast<std::uint8_t>(DmaOp::to_device);
  dma.slot = r.slot;
  dma.offset = r.data_offset + r.next_sector;
  dma.length = 1u << s.sectors_shift;
  std::uint32_t in_dma = 0;
  std::uint32_t left = pages;
  while (left != 0) {
    const TransactionPool::Run run = s.pool.take_run(left);
    if (run.count == 0) {
      lacks_ = Stall::page_buffers;
      break;
    }
    if (in_dma != 0 && run.first->own_buffer != dma.buffer + in_dma * dma.length * s.payload) {
      post_pages(dma, in_dma);
      in_dma = 0;
    }
    if (in_dma == 0) dma.buffer = run.first->own_buffer;
    in_dma += run.count;
    fill_writes(run, r, PageWrite{lpn, fence, hint});
    queue_writes(run);
    lpn += run.count;
    fence += run.count;
    left -= run.count;
  }
  if (in_dma != 0) post_pages(dma, in_dma);
  s.statistics.host_pages_written += pages - left;
  s.statistics.host_sectors_written += std::uint64_t{pages - left} << s.sectors_shift;
  s.charge(pages - left, s.config.cost.dma_submit);
  return pages - left;
}

/// Posts `pages` pages and moves the descriptor behind them.
void HostPath::post_pages(DmaDescriptor& run, std::uint32_t pages) {
  run.repeat = static_cast<std::uint16_t>(pages - 1);
  state_->host->post(run);
  run.offset += pages * run.length;
}

/// A piece that goes into the buffer, or part of a page.
bool HostPath::write_piece(Request& r, const Piece& p) {
  if (state_->read_only()) {
    refuse_piece(r);
    return true;
  }
  if (state_->buffer != nullptr) return buffer_write(r, p);
  Transaction* t = take(r, p, kWrite);
  if (t == nullptr) return false;
  state_->count_host_write(p.mask);
  t->hint = state_->policy.classifier->refine(r.hint, true);
  if (r.kind == RequestKind::write_zeroes) {
    fill_zero(t->buffer, p.mask);
  } else {
    t->fence = post(r, DmaOp::to_device, p.host_offset, p.mask, t->buffer);
  }
  if (state_->locks.acquire(*t)) {
    start_write(*t);
  } else {
    probe_point<Watch::planes, &HostPath::tell_dependency>(state_->probe != nullptr, *this, *t);
  }
  return true;
}

void HostPath::tell_seen(const HostPath& path, const Request& r) {
  path.state_->probe->on_seen(r.slot, path.now_ps_);
}

void HostPath::tell_page_buffers(const HostPath& path, const FtlState& state) {
  state.probe->on_page_buffers(path.short_of_page_buffers_, state.hal->now_ps());
}

/// A write has to wait for its page's number, or for the rest of its page.
void HostPath::tell_dependency(const HostPath& path, const Transaction& t) {
  const std::uint32_t c = path.state_->policy.planes->class_of(t.lpn);
  path.state_->probe->on_dependency({t.index, 0, c, t.queued_ps});
}

void HostPath::tell_dependency_over(const FtlState& state, const Transaction& t) {
  state.probe->on_dependency_over(t.index, state.hal->now_ps());
}

/// The LPN is ours: complete a partial page first, then queue for a place.
void HostPath::start_write(Transaction& t) {
  if (state_->policy.cache != nullptr) return start_cache_write(t);
  const std::uint32_t missing = state_->full_mask & ~t.mask;
  const std::uint32_t lost = missing & state_->lost.of(t.lpn);
  const Ppn old = missing == lost ? kNoPpn : state_->policy.mapping->lookup(t.lpn);
  if (!is_page(old)) {
    fill_zero(t.buffer, missing);
    return complete_write(t, lost);
  }
  t.traits = &kCompletePage;
  probe_point<Watch::planes, &HostPath::tell_dependency>(state_->probe != nullptr, *this, t);
  state_->aim(t, old);
  t.flash_mask = missing;
  ++state_->statistics.rmw_reads;
  board_->enqueue(t);
}

/// The page is complete but for sectors that cannot be read any more. Those stay lost; that is no reason to
/// refuse the others, which the host has given us.
void HostPath::complete_write(Transaction& t, std::uint32_t lost) {
  probe_point<Watch::planes, &HostPath::tell_dependency_over>(state_->probe != nullptr, *state_, t);
  t.lost |= lost; // those that are spoilt are marked already
  t.flash_mask = state_->full_mask;
  queue_write(t);
}

/// The page is complete but for what the host sends. Writes stay in order behind those that wait for their
/// data.
void HostPath::queue_write(Transaction& t) {
  if (arriving_count_ == 0 && (t.request == nullptr || state_->host->outcome_known(t.fence))) {
    if (!data_failed(t)) hand_over(t);
    return;
  }
  arriving_.push(t);
  ++arriving_count_;
}

void HostPath::take_arriving() {
  const WorkMark mark(WorkFor::write);
  state_->host->move_data();
  if (state_->host->all_moved()) {
    const std::uint32_t count = arriving_count_;
    arriving_count_ = 0;
    if (state_->policy.cache == nullptr) return board_->enqueue_writes(arriving_, count);
    while (!arriving_.empty()) hand_over(arriving_.pop());
  } else {
    take_arrived_one_by_one();
  }
}

/// A write that fails may let another one of its LPN join the queue: at its end, although its data are older.
void HostPath::take_arrived_one_by_one() {
  while (!arriving_.empty() &&
         (arriving_.front()->request == nullptr || state_->host->outcome_known(arriving_.front()->fence))) {
    Transaction& t = arriving_.pop();
    --arriving_count_;
    if (!data_failed(t)) hand_over(t);
  }
  if (!arriving_.empty()) wake_after_dma(arriving_.front()->request->slot);
}

/// Ends the write if its data did not come; the outcome of its DMA is known.
bool HostPath::data_failed(Transaction& t) {
  if (t.request == nullptr || t.fence == 0) return false;
  const std::uint16_t status = state_->host->data_status(t.request->slot);
  if (status == nvme::status::success) return false;
  fail_write(t, status);
  return true;
}

void HostPath::rmw_read_done(Transaction& t, const FlashCompletion& c) {
  if (state_->policy.cache != nullptr) return cache_rmw_done(t, c);
  add_times(t, c);
  const BlockInfo& block = state_->blocks.drop_reader(t.ppn);
  if (block.state == BlockState::victim) collector_->consider(state_->blocks.plane_of(t.ppn));
  const bool abandoned = c.result != 0 && state_->abandoned(t);
  const bool good = c.result == 0 || (!abandoned && state_->read_from_writer(t) != nullptr);
  t.traits = &kWrite;
  t.ppn = kNoPpn;
  t.queued_ps = state_->now_ps();
  const std::uint32_t missing = state_->full_mask & ~t.mask;
  if (c.result != 0) ++state_->statistics.flash_failures;
  if (abandoned) return start_write(t); // moved, or lost, meanwhile
  const std::uint32_t failed = good ? 0 : failed_sectors(c, missing);
  fill_zero(t.buffer, failed);
  complete_write(t, failed | (missing & state_->lost.of(t.lpn)));
}

/// The map names the page of this write: what has been written is good, what it could not complete is lost.
void HostPath::note_losses(Transaction& t) {
  if (!is_page(t.replaced()) && state_->lost.of(t.lpn) != 0) t.set_replaced(kErasedPpn);
  state_->lost.set(t.lpn, t.lost);
  if (t.lost != 0) journal_->lost(t.lpn);
}

void HostPath::fail_write(Transaction& t, std::uint16_t status) {
  Request& r = *t.request;
  if (r.status == nvme::status::success) r.status = status;
  release_lock(t);
  part_done(r, &t);
  if (t.fence != 0 && !state_->host->outcome_known(t.fence)) { // its data may still move into its buffer
    state_->pool.release_after(t, t.fence);
  } else {
    state_->pool.release(t);
  }
}

/// The old version counts again where it is still there. Buffered data stay in the buffer.
void HostPath::refuse_write(Transaction& t) {
  leave_failed_page(t);
  if (t.request != nullptr) {
    fail_write(t, nvme::status::read_only_range);
    return;
  }
  if (t.cache_slot == kNoSlot) {
    release_lock(t);
    end_rewrite(t);
    return;
  }
  BufferSlot& slot = state_->buffer->at(t.cache_slot);
  state_->buffer->set_state(slot, slot.listed ? SlotState::dirty : SlotState::free);
  release_lock(t);
  state_->pool.release(t);
}

void HostPath::refuse_piece(Request& r) {
  if (r.status == nvme::status::success) r.status = nvme::status::read_only_range;
  part_done(r, nullptr);
}

bool HostPath::refuse_writes() {
  const std::uint32_t classes = state_->policy.planes->classes();
  bool any = flush_head_ != nullptr;
  for (std::uint32_t c = board_->next_waiting_class(0); c < classes; c = board_->next_waiting_class(0)) {
    refuse_write(board_->take_write(c));
    any = true;
  }
  while (flush_head_ != nullptr) {
    Request& r = *flush_head_;
    flush_head_ = r.next;
    if (flush_head_ == nullptr) flush_tail_ = nullptr;
    refuse_piece(r);
  }
  return any;
}

/// The LPN belongs to `heir` now.
void HostPath::pass_lock_to(Transaction* heir) {
  while (heir != nullptr) {
    Transaction& next = *heir;
    const bool unmaps = next.traits == &kUnmap;
    probe_point<Watch::planes, &HostPath::tell_dependency_over>(state_->probe != nullptr, *state_, next);
    if (!unmaps && !is_void(next)) {
      next.failures == 0 ? start_write(next) : repeat(next);
      return;
    }
    if (unmaps) trim(next.lpn, next.sequence);
    if (!unmaps && next.failures != 0 && state_->policy.cache != nullptr) state_->inherit_subpages(next);
    heir = state_->locks.release(next);
    if (unmaps) {
      end_unmap(next);
      continue;
    }
    if (next.request != nullptr) {
      overtaken(next);
      continue;
    }
    if (next.cache_slot == kNoSlot) {
      end_rewrite(next); // the program has failed, and what is newer than it need not be written again
      continue;
    }
    state_->buffer->set_state(state_->buffer->at(next.cache_slot), SlotState::free);
    note_dropped(next.lpn);
    state_->pool.release(next);
  }
}

/// What t was to write has gone, and its page holds nothing, but a later command has the LPN now. The host
/// is told that it is written when that will be found again, for it would not accept what was there before.
void HostPath::overtaken(Transaction& t) {
  if (state_->policy.cache == nullptr) {
    if (is_page(t.ppn)) state_->pool.inherit(t.ppn, t.replaced());
    t.source = t.home = kNoPpn;
    const Ppn now = state_->policy.mapping->lookup(t.lpn);
    if (!is_page(now) && !journal_->durable(t.lpn)) return journal_->wait(t);
  } else if (state_->policy.cache->map.mapped(t.lpn) == 0 && !journal_->durable(t.lpn)) {
    return journal_->wait(t);
  }
  answer_overtaken(t);
}

/// What is newer than t has written is being programmed.
bool HostPath::newer_under_way(const Transaction& t) const {
  if (state_->policy.cache != nullptr) return newer_subpages_under_way(t);
  const Ppn now = state_->policy.mapping->lookup(t.lpn);
  return is_page(now) && state_->pool.writer_of(now) != nullptr;
}

/// When nothing newer is under way any more. A later write of its page may have been given up, and all that the
/// page was to hold has gone with it; in a read-only drive it may also have been refused with its program failed.
void HostPath::answer_overtaken(Transaction& t) {
  if (newer_under_way(t)) return late_.push(t);
  Request& r = *t.request;
  const std::uint32_t written = t.mask & ~t.lost; // what the host spoils is lost as it should be
  const bool lost = (state_->lost.of(t.lpn) & written) != 0;
  if (r.status == nvme::status::success && (lost || state_->read_only()))
    r.status = lost ? nvme::status::write_fault : nvme::status::read_only_range;
  part_done(r, is_page(t.ppn) ? &t : nullptr);
  state_->pool.release(t);
}

/// A version that has not come to the flash was the LPN's newest but for a trim.
void HostPath::note_dropped(std::uint32_t lpn) {
  const SlcCache* const cache = state_->policy.cache;
  if (cache != nullptr ? cache->map.mapped(lpn) == 0 : !is_page(state_->policy.mapping->lookup(lpn)))
    journal_->dropped(lpn);
}

/// True for the write-back of a version that a trim before it has made void, and for a program to be repeated
/// that a newer write or a trim has.
bool HostPath::is_void(const Transaction& t) const {
  if (t.failures != 0 && state_->policy.cache != nullptr) return state_->policy.cache->failed_at(t) == 0;
  if (t.failures != 0) return state_->policy.mapping->lookup(t.lpn) != t.ppn;
  return t.cache_slot != kNoSlot && !state_->buffer->at(t.cache_slot).listed;
}

void HostPath::unusual_write_done(Transaction& t, const FlashCompletion& c) {
  if (t.request == nullptr) {
    t.cache_slot == kNoSlot ? rewritten(t, c) : write_back_done(t, c);
    return;
  }
  add_times(t, c);
  Request& r = *t.request;
  if (c.result != 0) {
    ++state_->statistics.flash_failures;
    state_->blocks.mark_grown_bad(t.ppn);
    journal_->program_failed(t.replaced());
    if (program_again(t)) return;
    if (state_->policy.mapping->lookup(t.lpn) != t.ppn) return overtaken(t);
    if (r.status == nvme::status::success) r.status = nvme::status::write_fault;
    lose(t.lpn);
    part_done(r, &t);
    return tell_loss(t);
  }
  part_done(r, &t);
  state_->pool.release(t);
}

/// The LPN has been lost, and no page tells. Metadata do; without them a page of lost sectors does, which t, whose
/// work is done, writes.
void HostPath::tell_loss(Transaction& t) {
  if (journal_->kept() || state_->policy.cache != nullptr) return state_->pool.release(t);
  const std::uint32_t lpn = t.lpn;
  t.prepare();
  begin_rewrite(t, lpn, ProgramCause::backup);
}

/// The data are still in the buffer: another page. Whoever reads the one that failed meanwhile takes them
/// from there (FtlState::read_from_writer). When a newer write holds the LPN this one waits behind all that
/// do: as a rule it is void then.
bool HostPath::program_again(Transaction& t) {
  if (state_->policy.mapping->lookup(t.lpn) != t.ppn || ++t.failures >= kProgramTries) return false;
  if (t.failures == 1) t.home = t.source;
  if (state_->locks.acquire(t)) repeat(t);
  return true;
}

/// The LPN is ours. It passes the writes that wait for space: that may be made at the cost of the page that it
/// replaces (Collector::holds_old_versions()), and then it is the only one that has those data.
void HostPath::repeat(Transaction& t) {
  t.queued_ps = state_->now_ps();
  t.flash_mask = state_->full_mask;
  if (state_->policy.cache != nullptr) state_->policy.cache->write_again(t);
  if (!joins_page(t)) board_->enqueue_write_first(t);
}

/// As a write of the host that has no sector of its own.
bool HostPath::rewrite(std::uint32_t lpn, ProgramCause cause) {
  Transaction* const t =
      state_->pool.take(PoolUser::writes); // it may wait for space, as writes of the host do
  if (t == nullptr) return false;
  begin_rewrite(*t, lpn, cause);
  return true;
}

void HostPath::begin_rewrite(Transaction& t, std::uint32_t lpn, ProgramCause cause) {
  t.become(kWrite, *this);
  t.lpn = lpn;
  t.mask = 0;
  t.rewrite_cause = cause;
  t.sequence = ++state_->sequence;
  t.queued_ps = state_->now_ps();
  ++rewrites_;
  if (state_->locks.acquire(t)) start_write(t);
}

void HostPath::rewritten(Transaction& t, const FlashCompletion& c) {
  if (c.result != 0) {
    ++state_->statistics.flash_failures;
    state_->blocks.mark_grown_bad(t.ppn);
    if (state_->policy.mapping->lookup(t.lpn) != t.ppn) {
      journal_->program_failed(t.replaced());
      state_->pool.inherit(t.ppn, t.replaced());
    } else if (is_stranded(t) && collector_->can_take_back(t)) {
      collector_->take_back(t);
    } else {
      journal_->program_failed(t.replaced());
      if (program_again(t)) return;
      lose(t.lpn);
      rewrite_is_done(t);
      return tell_loss(t);
    }
  }
  end_rewrite(t);
}

void HostPath::rewrite_is_done(const Transaction& t) {
  --rewrites_;
  if (is_stranded(t)) collector_->stranded_done();
}

void HostPath::end_rewrite(Transaction& t) {
  rewrite_is_done(t);
  state_->pool.release(t);
}

/// Whether the rewrite of a stranded page that waits can be given up: its page is still where it was, or can be
/// taken back. Once its program has failed the buffer may have the only copy, and the map names the page that
/// failed.
bool HostPath::can_be_left(const Transaction& t) const {
  if (t.failures == 0) return true;
  if (state_->policy.cache != nullptr) return state_->policy.cache->failed_at(t) == 0;
  return state_->policy.mapping->lookup(t.lpn) != t.ppn || collector_->can_take_back(t);
}

/// The write will not be programmed again. If the map names the page that failed, what that has replaced is the
/// LPN's page again; where it has been erased since, nothing holds the LPN any more.
void HostPath::leave_failed_page(const Transaction& t) {
  if (t.failures == 0) return;
  if (state_->policy.cache != nullptr) return leave_failed_subpages(t);
  if (state_->policy.mapping->lookup(t.lpn) != t.ppn) return;
  if (t.request == nullptr && t.cache_slot == kNoSlot && is_stranded(t) && collector_->can_take_back(t))
    return collector_->take_back(t);
  go_back(t);
}

void HostPath::leave_failed_subpages(const Transaction& t) {
  TouchedPlanes touched;
  const std::uint32_t gone = state_->return_subpages(t, state_->policy.cache->failed_at(t), touched);
  collector_->consider(touched);
  lose_subpages(t.lpn, gone);
}

void HostPath::go_back(const Transaction& t) {
  const Ppn before = t.replaced();
  const BlockTable& blocks = state_->blocks;
  if (before == kErasedPpn) return lose(t.lpn);
  if (!is_page(before)) return collector_->consider(blocks.plane_of(state_->unmap(t.lpn)));
  const std::uint32_t plane = blocks.plane_of(before);
  state_->put_back(t.lpn, before, plane, PageSlot{blocks.block_of(before), blocks.page_of(before)});
  state_->policy.allocation->revoke(plane);
}

bool HostPath::put_off_stranded() {
  bool any = false;
  for (std::uint32_t c = 0; c < state_->policy.planes->classes(); ++c) {
    TransactionList& waiting = board_->writes(c);
    std::uint32_t left = 0;
    for (const Transaction* t = waiting.front(); t != nullptr; t = t->next) ++left;
    for (; left != 0; --left) {
      Transaction& t = board_->take_write(c);
      if (t.request == nullptr && t.cache_slot == kNoSlot && is_stranded(t) && can_be_left(t)) {
        leave_failed_page(t);
        release_lock(t);
        end_rewrite(t);
        any = true;
      } else {
        board_->enqueue_write(t);
      }
    }
  }
  if (!any) return false;
  collector_->put_off_stranded();
  for (std::uint32_t die = 0; die < state_->config.geometry.dies(); ++die) board_->unblock_writes(die);
  return true; // writes that come find out for themselves
}

bool HostPath::unmap_piece(Request& r, const Piece& p) {
  if (state_->read_only()) {
    refuse_piece(r);
    return true;
  }
  // a cache too small for metadata has nothing else that would keep them over a power cut
  const bool by_program = state_->policy.cache != nullptr && !state_->statistics.metadata_kept;
  if (r.kind == RequestKind::write_zeroes && (by_program || p.mask != state_->full_mask))
    return write_piece(r, p);
  if (p.mask != state_->full_mask) {
    part_done(r, nullptr); // a trim may leave a partial page alone
    return true;
  }
  if (!journal_->ready()) return false;
  const std::uint32_t sequence = ++state_->sequence;
  const bool held = state_->locks.held(p.lpn);
  if (!held && (r.kind == RequestKind::trim || !journal_->kept())) {
    trim(p.lpn, sequence);
    part_done(r, nullptr);
    return true;
  }
  Transaction* t = take(r, p, kUnmap);
  if (t == nullptr) return false;
  if (!held) {
    trim(p.lpn, sequence);
    end_unmap(*t);
    return true;
  }
  if (state_->buffer != nullptr) {
    if (BufferSlot* slot = state_->buffer->newest(p.lpn)) slot->closed = true;
  }
  state_->locks.acquire(*t);
  return true;
}

/// A trim may be undone by a power cut; zeroes that have been answered may not.
void HostPath::end_unmap(Transaction& t) {
  if (t.request->kind == RequestKind::write_zeroes && !journal_->durable(t.lpn)) return journal_->wait(t);
  end_wait(t);
}

void HostPath::end_wait(Transaction& t) {
  part_done(*t.request, nullptr);
  state_->pool.release(t);
}

void HostPath::answer_durable() {
  while (Transaction* const t = journal_->take_durable()) {
    t->traits == &kUnmap ? end_wait(*t) : answer_overtaken(*t);
  }
  finish_commits();
}

void HostPath::trim(std::uint32_t lpn, std::uint32_t sequence) {
  if (state_->buffer != nullptr) buffer_forget(lpn, sequence);
  if (unmap(lpn)) ++state_->statistics.pages_trimmed;
}

bool HostPath::unmap(std::uint32_t lpn) {
  const bool losses = state_->lost.of(lpn) != 0;
  if (state_->policy.cache != nullptr) return unmap_subpages(lpn) || losses;
  const Ppn old = state_->unmap(lpn);
  if (!is_page(old) && !losses) return false;
  journal_->trimmed(lpn, old);
  if (is_page(old)) collector_->consider(state_->blocks.plane_of(old));
  return true;
}

/// The only copy of the page cannot be read any more.
void HostPath::lose(std::uint32_t lpn) {
  const Ppn old = state_->lose(lpn);
  journal_->lost(lpn);
  if (is_page(old)) collector_->consider(state_->blocks.plane_of(old));
}

} // namespace twinplane::fw
