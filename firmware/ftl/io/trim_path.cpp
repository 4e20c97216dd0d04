#include "firmware/ftl/io/trim_path.h"

#include "firmware/ftl/io/buffer_path.h"

namespace twinplane::fw {

constexpr OpTraits TrimPath::kUnmap{"unmap",    nullptr,        FlashOp::read,
                                    Lane::none, WorkFor::other, WorkOrigin::host};

void TrimPath::boot(HostIo& io) {
  io_ = &io;
  state_ = io.state;
}

bool TrimPath::unmap(Request& r, const SubRequest& p) {
  if (!state_->durability->ready()) return false;
  const std::uint32_t sequence = ++state_->sequence;
  const bool held = state_->locks.held(p.lpn, p.mask);
  if (!held && (r.kind == RequestKind::trim || !state_->durability->keeps_trims())) {
    trim(p.lpn, p.mask, sequence);
    io_->part_done(r, nullptr);
    return true;
  }
  Transaction* t = io_->take(r, p, kUnmap, *this);
  if (t == nullptr) return false;
  if (!held) {
    trim(p.lpn, p.mask, sequence);
    end_unmap(*t);
    return true;
  }
  if (state_->buffer != nullptr) state_->buffer->close(p.lpn);
  state_->locks.acquire(*t);
  return true;
}

bool TrimPath::lock_granted(Transaction& t) {
  trim(t.lpn, t.mask, t.sequence);
  return false;
}

/// A trim may be undone by a power cut; zeroes that have been answered may not.
void TrimPath::end_unmap(Transaction& t) {
  const bool zeroes = t.request->kind == RequestKind::write_zeroes;
  if (zeroes && !state_->durability->durable(t.lpn)) return state_->durability->wait(t);
  end(t);
}

void TrimPath::end(Transaction& t) {
  io_->part_done(*t.request, nullptr);
  state_->pool.release(t);
}

void TrimPath::trim(std::uint32_t lpn, std::uint32_t sectors, std::uint32_t sequence) {
  if (state_->buffer != nullptr) state_->buffer->forget(lpn, sectors, sequence);
  if (!forget(lpn, sectors)) return;
  FtlStatistics& s = state_->statistics;
  ++(sectors == state_->full_mask ? s.pages_trimmed : s.parts_trimmed);
}

bool TrimPath::forget(std::uint32_t lpn, std::uint32_t sectors) {
  const std::uint32_t lost = state_->lost.of(lpn);
  const bool losses = (lost & sectors) != 0;
  if (losses) state_->lost.set(lpn, lost & ~sectors);
  TouchedPlanes touched;
  const AddressMap::Pages had = state_->map.unmap(lpn, sectors, touched);
  for (std::uint32_t i = 0; i < had.count; ++i) state_->hooks.unmapped(lpn, had.page[i]);
  if (losses && had.count == 0) state_->hooks.unmapped(lpn, kNoPpn);
  io_->jobs->schedule_gc_check(touched);
  return losses || had.count != 0;
}

} // namespace twinplane::fw
