#include "firmware/ftl/features/write_buffer/buffered_writes.h"

namespace twinplane::fw {

constexpr OpTraits BufferedWrites::kWriteBack = page_write_row("write-back");

void BufferedWrites::boot(HostIo& io, const RequestQueue& changes) {
  io_ = &io;
  state_ = io.state;
  changes_ = &changes;
  dirty_high_watermark_ = state_->config.write_buffer_pages / 4 * 3;
}

std::uint32_t BufferedWrites::dirty_pages() const {
  return slots_.count(SlotState::dirty) + slots_.count(SlotState::waiting);
}

std::uint32_t BufferedWrites::slots_taken() const {
  return dirty_pages() + slots_.count(SlotState::writing);
}

bool BufferedWrites::arrived(const BufferSlot& slot) const {
  return slot.guard == 0 || HostPort::reached(state_->host->done(), slot.guard);
}

/// The newest version when it takes data, else a new version; nullptr when the write has to wait.
BufferSlot* BufferedWrites::slot_for_write(Request& r, std::uint32_t lpn) {
  WriteBuffer& buffer = slots_;
  BufferSlot* slot = buffer.newest(lpn);
  if (slot != nullptr && slot->state != SlotState::writing && !slot->closed) {
    ++state_->statistics.buffer_write_hits;
    return slot;
  }
  slot = buffer.reusable();
  if (slot == nullptr) {
    io_->lacks = Stall::write_buffer;
    return nullptr;
  }
  if (!arrived(*slot)) {
    io_->wake_after_dma(r.slot);
    return nullptr;
  }
  buffer.assign(*slot, lpn, ++state_->sequence);
  return slot;
}

/// Where the request's piece was on its way to; null when the slot has been given up since (a trim).
BufferSlot* BufferedWrites::slot_being_filled(Request& r, std::uint32_t lpn) {
  BufferSlot& slot = slots_.at(r.fill_slot);
  if (slots_.newest(lpn) == &slot && slot.state != SlotState::writing && !slot.closed) return &slot;
  r.fill_index = 0;
  return nullptr;
}

/// Only the first request that is no read can have a sub-request on its way: no other write is admitted before it.
bool BufferedWrites::is_being_filled(const BufferSlot& slot) const {
  const Request* const first = changes_->front();
  return first != nullptr && first->fill_index != 0 && first->fill_slot == slot.index;
}

/// Brings the data of the sub-request into the slot.
BufferedWrites::Fill BufferedWrites::fill(Request& r, const SubRequest& p, BufferSlot& slot) {
  if (r.fill_index == 0) {
    r.fill_index = slot.guard = io_->post(r, DmaOp::to_device, p.host_offset, p.mask, slot.buffer);
    r.fill_slot = slot.index;
    state_->host->move_data();
  }
  if (!state_->host->outcome_known(r.fill_index)) {
    io_->wake_after_dma(r.slot);
    return Fill::open;
  }
  r.fill_index = 0;
  r.status = state_->host->data_status(r.slot);
  if (r.status == nvme::status::success) return Fill::done;
  if (slot.mask == 0) { // made for this write
    slots_.hide(slot);
    slots_.set_state(slot, SlotState::free);
  }
  return Fill::failed;
}

bool BufferedWrites::write(Request& r, const SubRequest& p) {
  if (r.status != nvme::status::success) { // its data do not come, or not all
    io_->part_done(r, nullptr);
    return true;
  }
  WriteBuffer& buffer = slots_;
  const bool zeroes = r.kind == RequestKind::write_zeroes;
  if (zeroes) {
    const BufferSlot* held = buffer.newest(p.lpn);
    if (held != nullptr && held->state != SlotState::writing && !held->closed && !arrived(*held)) {
      io_->wake_after_dma(r.slot);
      return false;
    }
  }
  BufferSlot* slot = r.fill_index != 0 ? slot_being_filled(r, p.lpn) : nullptr;
  if (slot == nullptr) slot = slot_for_write(r, p.lpn);
  if (slot == nullptr) return false;
  if (zeroes) {
    io_->fill_zero(slot->buffer, p.mask);
  } else if (const Fill outcome = fill(r, p, *slot); outcome != Fill::done) {
    if (outcome == Fill::failed) io_->part_done(r, nullptr);
    return outcome == Fill::failed;
  }
  state_->count_host_write(p.mask);
  slot->hint = state_->policy.classifier->refine(r.hint, p.mask != state_->full_mask);
  slot->mask |= p.mask;
  if (slot->state == SlotState::clean) {
    buffer.set_state(*slot, buffer.older(*slot) == nullptr ? SlotState::dirty : SlotState::waiting);
  }
  buffer.touch(*slot);
  io_->part_done(r, nullptr);
  return true;
}

bool BufferedWrites::read_waits(Request& r, std::uint32_t lpn) {
  if (r.device_buffer >= kNoData) return false;
  WriteBuffer& buffer = slots_;
  for (BufferSlot* slot = buffer.newest(lpn); slot != nullptr; slot = buffer.older(*slot)) {
    if (arrived(*slot)) continue;
    io_->wake_after_dma(r.slot);
    return true;
  }
  return false;
}

std::uint32_t BufferedWrites::sectors_of(std::uint32_t lpn) const {
  std::uint32_t mask = 0;
  WriteBuffer& buffer = slots_;
  for (BufferSlot* slot = buffer.newest(lpn); slot != nullptr; slot = buffer.older(*slot)) mask |= slot->mask;
  return mask;
}

void BufferedWrites::deliver(Request& r, SubRequest p) {
  WriteBuffer& buffer = slots_;
  for (BufferSlot* slot = buffer.newest(p.lpn); slot != nullptr && p.mask != 0; slot = buffer.older(*slot)) {
    const std::uint32_t here = p.mask & slot->mask;
    if (here == 0) continue;
    if (r.device_buffer == kHostData) {
      slot->guard = io_->post(r, DmaOp::to_host, p.host_offset, here, slot->buffer);
    } else {
      io_->copy_to_device(r, p.host_offset, here, state_->hal->dram() + slot->buffer);
    }
    p.mask &= ~here;
    buffer.touch(*slot);
  }
}

void BufferedWrites::forget(std::uint32_t lpn, std::uint32_t sectors, std::uint32_t sequence) {
  BufferSlot* slot = slots_.newest(lpn);
  while (slot != nullptr) {
    BufferSlot* const next = slots_.older(*slot);
    if (static_cast<std::int32_t>(slot->sequence - sequence) < 0) forget_sectors(*slot, sectors);
    slot = next;
  }
  start_next_version(lpn);
}

/// A version of which nothing is left is void. One that is on flash and takes no new data would be in the way of newer
/// ones.
void BufferedWrites::forget_sectors(BufferSlot& slot, std::uint32_t sectors) {
  const bool some_void = (slot.mask & sectors) != 0 || sectors == state_->full_mask;
  if (some_void && (slot.state == SlotState::dirty || slot.state == SlotState::waiting))
    state_->durability->dropped(slot.lpn);
  slot.mask &= ~sectors;
  const bool is_copy = slot.state == SlotState::clean && slot.closed;
  if ((slot.mask != 0 || !some_void) && !is_copy) return;
  slots_.hide(slot);
  if (slot.state != SlotState::writing) slots_.set_state(slot, SlotState::free);
}

/// Trims that came before it may have made some of it void, which the flash has never had.
bool BufferedWrites::lock_granted(Transaction& t) {
  const std::uint32_t left = slots_.at(t.cache_slot).mask;
  if (t.failures == 0 && left != 0 && left != t.mask) {
    t.mask = left;
    state_->durability->dropped(t.lpn);
  }
  return PageWriter::lock_granted(t);
}

/// A version has left the list: the one that has waited for it, if any, may be written back.
void BufferedWrites::start_next_version(std::uint32_t lpn) {
  BufferSlot* oldest = nullptr;
  for (BufferSlot* s = slots_.newest(lpn); s != nullptr; s = slots_.older(*s)) oldest = s;
  if (oldest != nullptr && oldest->state == SlotState::waiting) {
    slots_.set_state(*oldest, SlotState::dirty);
  }
}

void BufferedWrites::wait_for_flash(Request& r) {
  r.next_sector = slots_.dirty_mark();
  r.epoch = state_->durability->begin_flush_of_host();
  flushes_.push(r);
  finish_flushes();
}

void BufferedWrites::finish_flushes() {
  while (!flushes_.empty() && slots_.written_up_to(flushes_.front()->next_sector) &&
         state_->durability->durable_up_to(flushes_.front()->epoch))
    io_->part_done(flushes_.pop(), nullptr);
}

std::uint64_t BufferedWrites::sectors_left() const {
  std::uint64_t sum = 0;
  if (!state_->read_only() || old_version_counts()) return sum;
  for (std::uint32_t i = 0; i < state_->config.write_buffer_pages; ++i) {
    const BufferSlot& slot = slots_.at(static_cast<std::uint16_t>(i));
    if (slot.state != SlotState::free && slot.state != SlotState::clean) sum += bits_set(slot.mask);
  }
  return sum;
}

bool BufferedWrites::refuse_flushes() {
  if (writes_last_) return false;
  const bool any = !flushes_.empty();
  while (!flushes_.empty()) io_->refuse_part(flushes_.pop());
  return any;
}

void BufferedWrites::write_back() {
  finish_flushes();
  if (state_->read_only() && !writes_last_) return;
  WriteBuffer& buffer = slots_;
  const bool all = !flushes_.empty() || empties_buffer_ || writes_last_;
  const std::uint32_t keep = all ? 0 : dirty_high_watermark_;
  while (dirty_pages() > keep && buffer.count(SlotState::dirty) != 0) {
    BufferSlot& slot = *buffer.least_valuable_dirty();
    if (is_being_filled(slot)) return;
    Transaction* t = state_->pool.take(PoolUser::writes);
    if (t == nullptr) return;
    buffer.set_state(slot, SlotState::writing);
    t->become(kWriteBack, *this);
    t->lpn = slot.lpn;
    t->mask = slot.mask;
    t->buffer = slot.buffer;
    t->fence = slot.guard;
    t->cache_slot = slot.index;
    t->hint = slot.hint;
    t->sequence = ++state_->sequence;
    t->queued_ps = state_->now_ps();
    path_.begin(*t);
  }
}

/// A page that is mapped as a whole has been completed before it was programmed.
void BufferedWrites::written(Transaction& t, bool lost) {
  if (!t.traits->by_unit) slots_.at(t.cache_slot).mask = state_->full_mask & ~t.lost;
  end_write_back(t, lost);
}

/// A page that is mapped as a whole is not repeated: its version is written back again later.
bool BufferedWrites::keeps_failed(Transaction& t) {
  if (t.traits->by_unit) return false;
  const std::uint32_t failed = state_->map.failed_at(t);
  if (failed != 0 && old_version_counts()) {
    path_.go_back(t, failed);
  } else if (failed != 0) {
    TouchedPlanes touched;
    state_->map.lose(t.lpn, AddressMap::kWholePage, touched);
    state_->hooks.unmapped(t.lpn, t.replaced());
    io_->jobs->schedule_gc_check(touched);
  } else {
    state_->hooks.program_failed(t.replaced());
    state_->map.inherit(t);
  }
  written(t, true);
  return true;
}

/// What the host has been told is written is not given up: a version whose program failed is dirty again,
/// until it is on flash or the drive is read-only. Void ones (not listed) are done with.
void BufferedWrites::end_write_back(Transaction& t, bool failed) {
  WriteBuffer& buffer = slots_;
  BufferSlot& slot = buffer.at(t.cache_slot);
  if (failed) {
    if (!slot.listed) journal_dropped_version(t);
    buffer.set_state(slot, slot.listed ? SlotState::dirty : SlotState::free);
  } else if (slot.listed && !slot.closed && buffer.newest(slot.lpn) == &slot) {
    buffer.set_state(slot, SlotState::clean);
  } else {
    if (slot.listed) buffer.hide(slot);
    buffer.set_state(slot, SlotState::free);
    start_next_version(t.lpn);
  }
  state_->pool.release(t);
  finish_flushes();
}

bool BufferedWrites::give_up_copies(std::uint32_t lpn) {
  WriteBuffer& buffer = slots_;
  for (BufferSlot* slot = buffer.newest(lpn); slot != nullptr; slot = buffer.older(*slot)) {
    empties_buffer_ = slot->state != SlotState::clean;
    if (empties_buffer_) return false;
  }
  while (BufferSlot* const slot = buffer.newest(lpn)) {
    buffer.hide(*slot);
    buffer.set_state(*slot, SlotState::free);
  }
  return true;
}

/// A version that has not come to the flash was the LPN's newest but for a trim.
void BufferedWrites::journal_dropped_version(const Transaction& t) {
  if (state_->map.was_trimmed(t)) state_->durability->dropped(t.lpn);
}

/// A version that a trim before it has made void is superseded, too.
bool BufferedWrites::is_superseded(const Transaction& t) const {
  return t.failures != 0 ? PageWriter::is_superseded(t) : !slots_.at(t.cache_slot).listed;
}

void BufferedWrites::superseded(Transaction& t) {
  slots_.set_state(slots_.at(t.cache_slot), SlotState::free);
  journal_dropped_version(t);
  state_->pool.release(t);
}

/// Buffered data stay in the buffer.
void BufferedWrites::given_up(Transaction& t, std::uint16_t) {
  BufferSlot& slot = slots_.at(t.cache_slot);
  slots_.set_state(slot, slot.listed ? SlotState::dirty : SlotState::free);
  path_.release_lock(t);
  state_->pool.release(t);
}

} // namespace twinplane::fw
