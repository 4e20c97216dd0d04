// HostPath: reads.
#include "firmware/ftl/host_path.h"

namespace twinplane::fw {

bool HostPath::read_piece(Request& r, Piece p) {
  if (state_->buffer != nullptr) {
    if (!buffer_read(r, p)) return false;
    if (p.mask == 0) {
      ++state_->statistics.host_pages_read;
      ++state_->statistics.buffer_read_hits;
      part_done(r, nullptr);
      return true;
    }
  }
  const Ppn ppn = state_->policy.mapping->lookup(p.lpn);
  if (!is_page(ppn)) {
    if (ppn == kNoPpn) {
      deliver_zeros(r, p);
    } else if (r.status == nvme::status::success) {
      r.status = nvme::status::unrecovered_read;
    }
    ++state_->statistics.host_pages_read;
    ++state_->statistics.unmapped_reads;
    part_done(r, nullptr);
    return true;
  }
  Transaction* t = take(r, p, Work::host_read);
  if (t == nullptr) return false;
  ++state_->statistics.host_pages_read;
  aim(*t, ppn);
  t->flash_mask = p.mask;
  board_->enqueue(*t, Lane::read);
  return true;
}

/// Aims a read at a page; the block cannot be erased before the reader has left.
void HostPath::aim(Transaction& t, Ppn ppn) {
  t.ppn = ppn;
  t.plane = state_->blocks.plane_of(ppn);
  t.die = static_cast<std::uint16_t>(state_->blocks.die_of(ppn));
  state_->blocks.add_reader(ppn);
}

void HostPath::read_done(Transaction& t, const FlashCompletion& c) {
  add_times(t, c);
  const BlockInfo& block = state_->blocks.drop_reader(t.ppn);
  if (block.state == BlockState::victim) collector_->consider(state_->blocks.plane_of(t.ppn));
  Request& r = *t.request;
  std::uint32_t dma = 0;
  if (c.result != 0) {
    ++state_->statistics.flash_failures;
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

} // namespace twinplane::fw
