// HostPath: reads.
#include "firmware/ftl/host_path.h"

namespace twinplane::fw {

/// False when it has to wait: then nothing has been posted, as the whole piece is tried again.
bool HostPath::read_piece(Request& r, const Piece& p) {
  Piece left = p;
  if (state_->buffer != nullptr) {
    if (buffer_read_waits(r, p.lpn)) return false;
    left.mask &= ~buffered(p.lpn);
  }
  const Ppn ppn = left.mask == 0 ? kNoPpn : state_->policy.mapping->lookup(p.lpn);
  Transaction* t = nullptr;
  if (is_page(ppn)) {
    t = take(r, p, Work::host_read);
    if (t == nullptr) return false;
  }
  ++state_->statistics.host_pages_read;
  if (left.mask != p.mask) buffer_read(r, p);
  if (t != nullptr) {
    aim_read(*t, ppn, left.mask);
    return true;
  }
  if (left.mask == 0) {
    ++state_->statistics.buffer_read_hits;
  } else {
    ++state_->statistics.unmapped_reads;
    if (ppn == kNoPpn) {
      deliver_zeros(r, left);
    } else if (r.status == nvme::status::success) {
      r.status = nvme::status::unrecovered_read;
    }
  }
  part_done(r, nullptr);
  return true;
}

void HostPath::aim_read(Transaction& t, Ppn ppn, std::uint32_t sectors) {
  aim(t, ppn);
  t.flash_mask = sectors;
  board_->enqueue(t, Lane::read);
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
