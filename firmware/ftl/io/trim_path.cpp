#include "firmware/ftl/io/trim_path.h"

#include "firmware/ftl/io/buffered_writes.h"

namespace twinplane::fw {

constexpr OpTraits TrimPath::kUnmap{"unmap",    nullptr,        FlashOp::read,
                                    Lane::none, WorkFor::other, WorkOrigin::host};

void TrimPath::boot(HostIo& io, BufferedWrites& buffered) {
  io_ = &io;
  state_ = io.state;
  buffered_ = &buffered;
}

bool TrimPath::unmap(Request& r, const SubRequest& p) {
  if (!io_->journal->ready()) return false;
  const std::uint32_t sequence = ++state_->sequence;
  const bool held = state_->locks.held(p.lpn);
  if (!held && (r.kind == RequestKind::trim || !io_->journal->kept())) {
    trim(p.lpn, sequence);
    io_->part_done(r, nullptr);
    return true;
  }
  Transaction* t = io_->take(r, p, kUnmap, *this);
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

bool TrimPath::lock_granted(Transaction& t) {
  trim(t.lpn, t.sequence);
  return false;
}

/// A trim may be undone by a power cut; zeroes that have been answered may not.
void TrimPath::end_unmap(Transaction& t) {
  const bool zeroes = t.request->kind == RequestKind::write_zeroes;
  if (zeroes && !io_->journal->durable(t.lpn)) return io_->journal->wait(t);
  end(t);
}

void TrimPath::end(Transaction& t) {
  io_->part_done(*t.request, nullptr);
  state_->pool.release(t);
}

void TrimPath::trim(std::uint32_t lpn, std::uint32_t sequence) {
  if (state_->buffer != nullptr) buffered_->forget(lpn, sequence);
  if (state_->units == nullptr ? forget_page(lpn) : forget_subpages(lpn)) ++state_->statistics.pages_trimmed;
}

bool TrimPath::forget_page(std::uint32_t lpn) {
  const bool losses = state_->lost.of(lpn) != 0;
  const Ppn old = state_->map.unmap(lpn);
  if (!is_page(old) && !losses) return false;
  io_->journal->trimmed(lpn, old);
  if (is_page(old)) io_->jobs->consider(state_->blocks.plane_of(old));
  return true;
}

bool TrimPath::forget_subpages(std::uint32_t lpn) {
  Units& units = *state_->units;
  const bool losses = state_->lost.of(lpn) != 0;
  const std::uint32_t mapped = units.map.mapped(lpn);
  if (losses) state_->lost.set(lpn, 0);
  if (losses) io_->journal->trimmed(lpn, kNoPpn);
  for (std::uint32_t left = mapped; left != 0; left &= left - 1)
    io_->journal->trimmed(lpn, units.map.page_of(units.map.at(lpn, lowest_bit(left))));
  TouchedPlanes touched;
  (void)units.placement.unmap(lpn, mapped, touched);
  io_->jobs->consider(touched);
  return mapped != 0 || losses;
}

} // namespace twinplane::fw
