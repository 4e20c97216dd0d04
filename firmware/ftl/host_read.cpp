// HostPath: reads.
#include "firmware/ftl/host_path.h"

namespace twinplane::fw {

HostPath::Sources HostPath::sources_of(std::uint32_t lpn, std::uint32_t mask) const {
  Sources from;
  if (state_->buffer != nullptr) {
    from.buffered = mask & buffered(lpn);
    mask &= ~from.buffered;
    if (mask == 0) return from;
  }
  if ((mask & state_->lost.of(lpn)) != 0) {
    from.lost = true;
    return from;
  }
  if (state_->policy.cache != nullptr) {
    const SlcCache& cache = *state_->policy.cache;
    from.flash = mask & cache.sectors_of(cache.map.mapped(lpn));
    from.zeros = mask & ~from.flash;
    return from;
  }
  from.ppn = state_->policy.mapping->lookup(lpn);
  (is_page(from.ppn) ? from.flash : from.zeros) = mask;
  return from;
}

/// False when it has to wait: then nothing has been posted, as the whole piece is tried again.
bool HostPath::read_piece(Request& r, const Piece& p) {
  if (state_->policy.cache != nullptr) return cache_read(r, p);
  if (state_->buffer != nullptr && buffer_read_waits(r, p.lpn)) return false;
  const Sources from = sources_of(p.lpn, p.mask);
  Transaction* t = nullptr;
  if (from.flash != 0) {
    t = take(r, p, kRead);
    if (t == nullptr) return false;
  }
  ++state_->statistics.host_pages_read;
  if (from.flash != p.mask) deliver(r, p, from);
  if (t != nullptr) {
    aim_read(*t, from);
    return true;
  }
  (from.buffered == p.mask ? state_->statistics.buffer_read_hits : state_->statistics.unmapped_reads) += 1;
  part_done(r, nullptr);
  return true;
}

/// All that needs no flash. Of a piece with lost sectors the request reports an error, whatever else there
/// is.
void HostPath::deliver(Request& r, const Piece& p, const Sources& from) {
  if (from.buffered != 0) buffer_read(r, p);
  if (from.zeros != 0) deliver_zeros(r, Piece{p.lpn, from.zeros, 0, p.host_offset});
  if (from.lost && r.status == nvme::status::success) r.status = nvme::status::unrecovered_read;
}

inline void HostPath::aim_read(Transaction& t, const Sources& from) {
  state_->aim(t, from.ppn);
  t.flash_mask = from.flash;
  board_->enqueue(t);
}

void HostPath::read_done(Transaction& t, const FlashCompletion& c) {
  add_times(t, c);
  const BlockInfo& block = state_->blocks.drop_reader(t.ppn);
  if (block.state == BlockState::victim) collector_->consider(state_->blocks.plane_of(t.ppn));
  Request& r = *t.request;
  std::uint32_t dma = 0;
  if (c.result != 0) {
    ++state_->statistics.flash_failures;
    if (state_->abandoned(t)) return read_again(t);
  }
  if (c.result != 0 && state_->read_from_writer(t) == nullptr) {
    if (r.status == nvme::status::success) r.status = nvme::status::unrecovered_read;
  } else if (r.device_buffer == kHostData) {
    dma = post(r, DmaOp::to_host, t.host_offset, t.flash_mask, t.buffer);
  } else {
    copy_to_device(r, t.host_offset, t.flash_mask, state_->hal->dram() + t.buffer);
  }
  part_done(r, &t);
  if (dma != 0) {
    state_->pool.release_after(t, dma);
  } else {
    state_->pool.release(t);
  }
}

/// The page read was abandoned meanwhile, as its own program failed: the data are in the buffer, or the
/// collector has put them elsewhere. Ends: each time the map has changed.
void HostPath::read_again(Transaction& t) {
  Request& r = *t.request;
  const Sources from = sources_of(t.lpn, t.flash_mask);
  if (from.buffered != 0 && buffer_read_waits(r, t.lpn)) {
    late_.push(t);
    return;
  }
  deliver(r, Piece{t.lpn, t.flash_mask, 0, t.host_offset}, from);
  if (from.flash != 0) {
    t.queued_ps = state_->now_ps();
    aim_read(t, from);
    return;
  }
  part_done(r, &t);
  state_->pool.release(t);
}

/// Reads that wait for data on their way into the buffer, and writes for what has overtaken them.
void HostPath::resume_late() {
  TransactionList late = late_;
  late_ = TransactionList();
  while (!late.empty()) {
    Transaction& t = late.pop();
    if (t.traits->changes_cells()) {
      overtaken(t);
      continue;
    }
    state_->policy.cache == nullptr ? read_again(t) : cache_read_again(t);
  }
}

} // namespace twinplane::fw
