// HostPath: the write buffer (ftl.write_ack = buffered).
//
// A write is complete when its data is in the buffer: the DMA ring runs in order, so a completion
// posted behind the data is a completion after the data. Pages go to flash when many are dirty, when a
// flush waits, or when a write finds no slot.
//
// A slot may hold data that have been acknowledged, so it takes part in a write only when that write's data
// have come: data to the device arrive whole or not at all, and until the outcome is known the request waits
// at the head of all others but reads. Most hosts' data have come when move_data() returns.
//
// Versions of a page go to flash one after the other: the next one waits until the program of the one before
// has ended well, or a trim has made that one void. Programs of different dies end in any order; with two
// versions under way the newer could end first and give its slot up, and the older would then look like the
// newest. It also means that a version completes itself only from a page that has been programmed, and that
// one whose program fails is still the next to be written: it keeps its slot, as the newer one may lack its
// sectors.
//
// In a page's list of versions, oldest first, therefore at most the first is clean or on its way to flash (in
// the state writing), at most the first is dirty, and all others wait. Only the newest takes data. Versions
// that a trim made void have left the list; one on its way keeps its slot until its program ends.
#include "firmware/ftl/host_path.h"

namespace twinplane::fw {

bool HostPath::arrived(const BufferSlot& slot) const {
  return slot.guard == 0 || HostPort::reached(state_->host->done(), slot.guard);
}

/// Something waits for host DMA: an empty move behind everything posted so far will wake us.
void HostPath::wake_after_dma(std::uint16_t slot) {
  if (wake_index_ != 0 && !HostPort::reached(state_->host->done(), wake_index_)) return;
  DmaDescriptor d;
  d.op = static_cast<std::uint8_t>(DmaOp::to_host);
  d.flags = dma_flag::notify;
  d.slot = slot;
  wake_index_ = state_->host->post(d);
}

/// The newest version when it takes data, else a new version; nullptr when the write has to wait.
BufferSlot* HostPath::slot_for_write(Request& r, std::uint32_t lpn) {
  WriteBuffer& buffer = *state_->buffer;
  BufferSlot* slot = buffer.newest(lpn);
  if (slot != nullptr && slot->state != SlotState::writing && !slot->closed) {
    ++state_->statistics.buffer_write_hits;
    return slot;
  }
  slot = buffer.reusable();
  if (slot == nullptr) {
    lacks_ = Stall::write_buffer;
    return nullptr;
  }
  if (!arrived(*slot)) {
    wake_after_dma(r.slot);
    return nullptr;
  }
  buffer.assign(*slot, lpn, ++state_->sequence);
  return slot;
}

/// Where the request's piece was on its way to; null when the slot has been given up since (a trim).
BufferSlot* HostPath::slot_being_filled(Request& r, std::uint32_t lpn) {
  BufferSlot& slot = state_->buffer->at(r.fill_slot);
  if (state_->buffer->newest(lpn) == &slot && slot.state != SlotState::writing && !slot.closed) return &slot;
  r.fill_index = 0;
  return nullptr;
}

/// Only the first request that is no read can have a piece on its way: no other write is admitted before it.
bool HostPath::is_being_filled(const BufferSlot& slot) const {
  const Request* const first = changes_.front();
  return first != nullptr && first->fill_index != 0 && first->fill_slot == slot.index;
}

/// Brings the data of the piece into the slot.
HostPath::Fill HostPath::fill(Request& r, const Piece& p, BufferSlot& slot) {
  if (r.fill_index == 0) {
    r.fill_index = slot.guard = post(r, DmaOp::to_device, p.host_offset, p.mask, slot.buffer);
    r.fill_slot = slot.index;
    state_->host->move_data();
  }
  if (!state_->host->outcome_known(r.fill_index)) {
    wake_after_dma(r.slot);
    return Fill::open;
  }
  r.fill_index = 0;
  r.status = state_->host->data_status(r.slot);
  if (r.status == nvme::status::success) return Fill::done;
  if (slot.mask == 0) { // made for this write
    state_->buffer->hide(slot);
    state_->buffer->set_state(slot, SlotState::free);
  }
  return Fill::failed;
}

bool HostPath::buffer_write(Request& r, const Piece& p) {
  if (r.status != nvme::status::success) { // its data do not come, or not all
    part_done(r, nullptr);
    return true;
  }
  WriteBuffer& buffer = *state_->buffer;
  const bool zeroes = r.kind == RequestKind::write_zeroes;
  if (zeroes) {
    const BufferSlot* held = buffer.newest(p.lpn);
    if (held != nullptr && held->state != SlotState::writing && !held->closed && !arrived(*held)) {
      wake_after_dma(r.slot);
      return false;
    }
  }
  BufferSlot* slot = r.fill_index != 0 ? slot_being_filled(r, p.lpn) : nullptr;
  if (slot == nullptr) slot = slot_for_write(r, p.lpn);
  if (slot == nullptr) return false;
  if (zeroes) {
    fill_zero(slot->buffer, p.mask);
  } else if (const Fill outcome = fill(r, p, *slot); outcome != Fill::done) {
    if (outcome == Fill::failed) part_done(r, nullptr);
    return outcome == Fill::failed;
  }
  state_->count_host_write(p.mask);
  slot->hint = state_->policy.classifier->refine(r.hint, p.mask != state_->full_mask);
  slot->mask |= p.mask;
  if (slot->state == SlotState::clean) {
    buffer.set_state(*slot, buffer.older(*slot) == nullptr ? SlotState::dirty : SlotState::waiting);
  }
  buffer.touch(*slot);
  part_done(r, nullptr);
  return true;
}

/// Data that stays in the device are copied at once: true when some have not arrived yet.
bool HostPath::buffer_read_waits(Request& r, std::uint32_t lpn) {
  if (r.device_buffer >= kNoData) return false;
  WriteBuffer& buffer = *state_->buffer;
  for (BufferSlot* slot = buffer.newest(lpn); slot != nullptr; slot = buffer.older(*slot)) {
    if (arrived(*slot)) continue;
    wake_after_dma(r.slot);
    return true;
  }
  return false;
}

/// Sectors of the page that any version in the buffer holds.
std::uint32_t HostPath::buffered(std::uint32_t lpn) const {
  std::uint32_t mask = 0;
  WriteBuffer& buffer = *state_->buffer;
  for (BufferSlot* slot = buffer.newest(lpn); slot != nullptr; slot = buffer.older(*slot)) mask |= slot->mask;
  return mask;
}

/// Delivers what the buffer holds of the piece, newest version first.
void HostPath::buffer_read(Request& r, Piece p) {
  WriteBuffer& buffer = *state_->buffer;
  for (BufferSlot* slot = buffer.newest(p.lpn); slot != nullptr && p.mask != 0; slot = buffer.older(*slot)) {
    const std::uint32_t here = p.mask & slot->mask;
    if (here == 0) continue;
    if (r.device_buffer == kHostData) {
      slot->guard = post(r, DmaOp::to_host, p.host_offset, here, slot->buffer);
    } else {
      copy_to_device(r, p.host_offset, here, state_->hal->dram() + slot->buffer);
    }
    p.mask &= ~here;
    buffer.touch(*slot);
  }
}

/// Versions older than `sequence` are void: their LPN has been unmapped.
void HostPath::buffer_forget(std::uint32_t lpn, std::uint32_t sequence) {
  WriteBuffer& buffer = *state_->buffer;
  BufferSlot* slot = buffer.newest(lpn);
  while (slot != nullptr) {
    BufferSlot* const next = buffer.older(*slot);
    if (static_cast<std::int32_t>(slot->sequence - sequence) < 0) {
      buffer.hide(*slot);
      if (slot->state == SlotState::dirty || slot->state == SlotState::waiting) journal_->dropped(lpn);
      if (slot->state != SlotState::writing) buffer.set_state(*slot, SlotState::free);
    }
    slot = next;
  }
  let_oldest_go(lpn);
}

/// A version has left the list: the one that has waited for it, if any, may be written back.
void HostPath::let_oldest_go(std::uint32_t lpn) {
  BufferSlot* oldest = nullptr;
  for (BufferSlot* s = state_->buffer->newest(lpn); s != nullptr; s = state_->buffer->older(*s)) oldest = s;
  if (oldest != nullptr && oldest->state == SlotState::waiting) {
    state_->buffer->set_state(*oldest, SlotState::dirty);
  }
}

/// The request (flush, or a write with force unit access) ends when all that is dirty now is on flash.
void HostPath::wait_for_flash(Request& r) {
  r.next = nullptr;
  r.next_sector = state_->buffer->dirty_mark();
  r.epoch = journal_->begin_flush_of_host();
  (flush_tail_ == nullptr ? flush_head_ : flush_tail_->next) = &r;
  flush_tail_ = &r;
  finish_flushes();
}

void HostPath::finish_flushes() {
  while (flush_head_ != nullptr && state_->buffer->written_up_to(flush_head_->next_sector) &&
         journal_->durable_up_to(flush_head_->epoch)) {
    Request& r = *flush_head_;
    flush_head_ = r.next;
    if (flush_head_ == nullptr) flush_tail_ = nullptr;
    part_done(r, nullptr);
  }
}

/// Starts write-backs until few enough pages are dirty, or all that are wait for an older version.
void HostPath::write_back_dirty() {
  finish_flushes();
  if (state_->read_only()) return;
  WriteBuffer& buffer = *state_->buffer;
  const std::uint32_t keep = flush_head_ != nullptr || empties_buffer_ ? 0 : keeps_dirty_;
  while (dirty_pages(buffer) > keep && buffer.count(SlotState::dirty) != 0) {
    BufferSlot& slot = *buffer.least_valuable_dirty();
    if (is_being_filled(slot)) return;
    Transaction* t = state_->pool.take(PoolUser::writes);
    if (t == nullptr) return;
    buffer.set_state(slot, SlotState::writing);
    t->become(kWrite, *this);
    t->lpn = slot.lpn;
    t->mask = slot.mask;
    t->buffer = slot.buffer;
    t->fence = slot.guard;
    t->cache_slot = slot.index;
    t->hint = slot.hint;
    t->sequence = ++state_->sequence;
    t->queued_ps = state_->now_ps();
    if (state_->locks.acquire(*t)) start_write(*t);
  }
}

/// The LPN has no page until its version is written back again; what the flash holds is older than what has
/// been written back before.
void HostPath::put_off(const Transaction& t) {
  state_->lose(t.lpn);
  if (state_->policy.cache == nullptr) journal_->trimmed(t.lpn, t.replaced());
  collector_->consider(state_->blocks.plane_of(t.ppn));
}

void HostPath::write_back_done(Transaction& t, const FlashCompletion& c) {
  state_->buffer->at(t.cache_slot).mask = state_->full_mask & ~t.lost; // completed before it was programmed
  if (c.result != 0) {
    ++state_->statistics.flash_failures;
    state_->blocks.mark_grown_bad(t.ppn);
    if (state_->policy.mapping->lookup(t.lpn) == t.ppn) {
      put_off(t);
    } else {
      journal_->program_failed(t.replaced());
      state_->pool.inherit(t.ppn, t.replaced());
    }
  }
  end_write_back(t, c.result != 0);
}

/// What the host has been told is written is not given up: a version whose program failed is dirty again,
/// until it is on flash or the drive is read-only. Void ones (not listed) are done with.
void HostPath::end_write_back(Transaction& t, bool failed) {
  WriteBuffer& buffer = *state_->buffer;
  BufferSlot& slot = buffer.at(t.cache_slot);
  if (failed) {
    if (!slot.listed) note_dropped(t.lpn);
    buffer.set_state(slot, slot.listed ? SlotState::dirty : SlotState::free);
  } else if (slot.listed && buffer.newest(slot.lpn) == &slot) {
    buffer.set_state(slot, SlotState::clean);
  } else {
    if (slot.listed) buffer.hide(slot);
    buffer.set_state(slot, SlotState::free);
    let_oldest_go(t.lpn);
  }
  state_->pool.release(t);
  finish_flushes();
}

} // namespace twinplane::fw
