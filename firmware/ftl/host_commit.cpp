// HostPath: what has to outlast a power cut though no page of data tells of it, and sectors that the host
// spoils.
#include "firmware/ftl/host_path.h"
#include "firmware/ftl/purge.h"

namespace twinplane::fw {

bool HostPath::waits_for_programs() const {
  return state_->buffer == nullptr || flush_head_ != nullptr || !changes_.empty() || !reads_.empty() ||
         commit_head_ != nullptr || purge_->busy();
}

// --- who waits for metadata ---

void HostPath::wait_for_metadata(Request& r) {
  if (r.kind == RequestKind::purge) return purge_->begin(r);
  r.epoch = r.kind == RequestKind::shutdown ? journal_->begin_checkpoint(true) : journal_->begin_commit();
  r.next = nullptr;
  (commit_tail_ == nullptr ? commit_head_ : commit_tail_->next) = &r;
  commit_tail_ = &r;
  finish_commits();
}

void HostPath::finish_commits() {
  while (commit_head_ != nullptr && journal_->durable_up_to(commit_head_->epoch)) {
    Request& r = *commit_head_;
    commit_head_ = r.next;
    if (commit_head_ == nullptr) commit_tail_ = nullptr;
    part_done(r, nullptr);
  }
}

// --- spoil ---

/// A write of zeros whose sectors are lost as soon as the map names it: among other writes, moves, failed
/// programs and power cuts it is one like any other. It goes around the write buffer.
bool HostPath::spoil_piece(Request& r, const Piece& p) {
  if (state_->read_only()) {
    empties_buffer_ = false;
    refuse_piece(r);
    return true;
  }
  if (!journal_->ready() || !give_up_buffered(p.lpn)) return false;
  Transaction* t = take(r, p, kWrite);
  if (t == nullptr) return false;
  state_->count_host_write(p.mask);
  t->hint = state_->policy.classifier->refine(r.hint, true);
  t->lost = p.mask;
  fill_zero(t->buffer, p.mask);
  if (state_->locks.acquire(*t)) {
    start_write(*t);
  } else {
    probe_point<Watch::planes, &HostPath::tell_dependency>(state_->probe != nullptr, *this, *t);
  }
  return true;
}

/// The page's versions in the buffer, which are on flash as well, make way. False: some are not there yet.
bool HostPath::give_up_buffered(std::uint32_t lpn) {
  if (state_->buffer == nullptr) return true;
  WriteBuffer& buffer = *state_->buffer;
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

} // namespace twinplane::fw
