#include "firmware/ftl/io/host_writes.h"

#include "firmware/ftl/io/page_rewriter.h"

namespace twinplane::fw {

constexpr OpTraits HostWrites::kWrite = page_write_row("write", ends_in<HostWrites, &HostWrites::write_done>);

void HostWrites::boot(HostIo& io, PageRewriter& rewriter) {
  rewriter_ = &rewriter;
  io_ = &io;
  state_ = io.state;
}

/// Makes the transactions writes of whole pages; `first` is what the first one writes.
inline void HostWrites::fill_writes(const TransactionPool::Run& run, Request& r, const PageWrite& first) {
  const std::uint32_t mask = state_->full_mask;
  const std::uint64_t now = io_->now_ps;
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
inline void HostWrites::queue_writes(TransactionPool::Run run) {
  while (run.count != 0) {
    std::uint32_t count = state_->locks.acquire_run(run.first->lpn, run.count);
    if (count != 0) {
      for (std::uint32_t i = 1; i < count; ++i) run.first[i - 1].next = &run.first[i];
      path_.add_arriving(run.first[0], run.first[count - 1], count);
    } else {
      state_->locks.acquire(*run.first);
      path_.note_dependency(*run.first);
      count = 1;
    }
    run.first += count;
    run.count -= count;
  }
}

/// Those whose buffers lie behind each other share a DMA descriptor; each page waits for its own part of it only.
std::uint32_t HostWrites::write_pages(Request& r, std::uint32_t pages) {
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
      io_->lacks = Stall::page_buffers;
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
void HostWrites::post_pages(DmaDescriptor& run, std::uint32_t pages) {
  run.repeat = static_cast<std::uint16_t>(pages - 1);
  state_->host->post(run);
  run.offset += pages * run.length;
}

bool HostWrites::write(Request& r, const SubRequest& p) {
  Transaction* t = io_->take(r, p, kWrite, *this);
  if (t == nullptr) return false;
  state_->count_host_write(p.mask);
  t->hint = state_->policy.classifier->refine(r.hint, true);
  if (r.kind == RequestKind::write_zeroes) {
    io_->fill_zero(t->buffer, p.mask);
  } else {
    t->fence = io_->post(r, DmaOp::to_device, p.host_offset, p.mask, t->buffer);
  }
  begin(*t);
  return true;
}

/// A write of zeros whose sectors are lost as soon as the map names it: among other writes, moves, failed
/// programs and power cuts it is one like any other.
bool HostWrites::write_uncorrectable(Request& r, const SubRequest& p) {
  Transaction* t = io_->take(r, p, kWrite, *this);
  if (t == nullptr) return false;
  state_->count_host_write(p.mask);
  t->hint = state_->policy.classifier->refine(r.hint, true);
  t->lost = p.mask;
  io_->fill_zero(t->buffer, p.mask);
  begin(*t);
  return true;
}

void HostWrites::begin(Transaction& t) {
  if (state_->locks.acquire(t)) {
    path_.start(t);
  } else {
    path_.note_dependency(t);
  }
}

void HostWrites::written(Transaction& t, bool lost) {
  if (lost) HostIo::fail(*t.request, nvme::status::write_fault);
  if (state_->map.is_superseded(t)) return superseded(t);
  io_->part_done(*t.request, &t);
  if (lost && state_->lost.of(t.lpn) != 0) return rewriter_->tell_loss(t);
  state_->pool.release(t);
}

void HostWrites::given_up(Transaction& t, std::uint16_t status) {
  Request& r = *t.request;
  HostIo::fail(r, status);
  path_.release_lock(t);
  io_->part_done(r, &t);
  if (t.fence != 0 && !state_->host->outcome_known(t.fence)) { // its data may still move into its buffer
    state_->pool.release_after(t, t.fence);
  } else {
    state_->pool.release(t);
  }
}

/// What t was to write has gone, and its page holds nothing, but a later command has the LPN now. The host
/// is told that it is written when that will be found again, for it would not accept what was there before.
void HostWrites::superseded(Transaction& t) {
  t.source = t.home = kNoPpn;
  const bool unmapped = state_->map.was_trimmed(t);
  if (unmapped && !state_->durability->durable(t.lpn)) return state_->durability->wait(t);
  answer_superseded(t);
}

/// When nothing newer is under way any more. A later write of its page may have been given up, and all that the
/// page was to hold has gone with it; in a read-only drive it may also have been refused with its program failed.
void HostWrites::answer_superseded(Transaction& t) {
  if (state_->map.newer_under_way(t)) return io_->deferred.push(t);
  Request& r = *t.request;
  const std::uint32_t written = t.mask & ~t.lost; // what the host spoils is lost as it should be
  const bool own =
      is_page(t.ppn) && state_->map.failed_at(t) != 0; // which holds nothing, is the newest one again
  const bool lost = own || (state_->lost.of(t.lpn) & written) != 0 || t.failures >= kProgramTries;
  if (lost || state_->read_only())
    HostIo::fail(r, lost ? nvme::status::write_fault : nvme::status::read_only_range);
  io_->part_done(r, is_page(t.ppn) ? &t : nullptr);
  state_->pool.release(t);
}

} // namespace twinplane::fw
