#include "firmware/ftl/io/read_path.h"

#include "firmware/ftl/io/buffered_writes.h"

namespace twinplane::fw {

constexpr OpTraits ReadPath::kRead = OpTraits{"read",        ends_in<ReadPath, &ReadPath::read_done>,
                                              FlashOp::read, Lane::read,
                                              WorkFor::read, WorkOrigin::host}
                                         .with(&OpTraits::to_host);
constexpr OpTraits ReadPath::kReadSubpages =
    OpTraits{"read of subpages", ends_in<ReadPath, &ReadPath::subpages_done>,
             FlashOp::read,      Lane::read,
             WorkFor::read,      WorkOrigin::host}
        .with(&OpTraits::to_host);

void ReadPath::boot(HostIo& io, BufferedWrites& buffered) {
  io_ = &io;
  state_ = io.state;
  buffered_ = &buffered;
}

ReadPath::Sources ReadPath::sources_of(std::uint32_t lpn, std::uint32_t mask) const {
  Sources from;
  if (state_->buffer != nullptr) {
    from.buffered = mask & buffered_->sectors_of(lpn);
    mask &= ~from.buffered;
    if (mask == 0) return from;
  }
  if ((mask & state_->lost.of(lpn)) != 0) {
    from.lost = true;
    return from;
  }
  if (state_->units != nullptr) {
    const Units& units = *state_->units;
    from.flash = mask & units.io.sectors_of(units.map.mapped(lpn));
    from.zeros = mask & ~from.flash;
    return from;
  }
  from.ppn = state_->policy.mapping->lookup(lpn);
  (is_page(from.ppn) ? from.flash : from.zeros) = mask;
  return from;
}

bool ReadPath::read(Request& r, const SubRequest& p) {
  if (state_->units != nullptr) return read_subpages(r, p);
  if (state_->buffer != nullptr && buffered_->read_waits(r, p.lpn)) return false;
  const Sources from = sources_of(p.lpn, p.mask);
  Transaction* t = nullptr;
  if (from.flash != 0) {
    t = io_->take(r, p, kRead, *this);
    if (t == nullptr) return false;
  }
  ++state_->statistics.host_pages_read;
  if (from.flash != p.mask) deliver(r, p, from);
  if (t != nullptr) {
    send(*t, from);
  } else {
    end_without_flash(r, p, from);
  }
  return true;
}

void ReadPath::end_without_flash(Request& r, const SubRequest& p, const Sources& from) {
  (from.buffered == p.mask ? state_->statistics.buffer_read_hits : state_->statistics.unmapped_reads) += 1;
  io_->part_done(r, nullptr);
}

/// All that needs no flash. Of a sub-request with lost sectors the request reports an error, whatever else there
/// is.
void ReadPath::deliver(Request& r, const SubRequest& p, const Sources& from) {
  if (from.buffered != 0) buffered_->deliver(r, p);
  if (from.zeros != 0) io_->deliver_zeros(r, SubRequest{p.lpn, from.zeros, 0, p.host_offset});
  if (from.lost) HostIo::fail(r, nvme::status::unrecovered_read);
}

inline void ReadPath::send(Transaction& t, const Sources& from) {
  state_->aim(t, from.ppn);
  t.flash_mask = from.flash;
  io_->board->enqueue(t);
}

void ReadPath::read_done(Transaction& t, const FlashCompletion& c) {
  io_->add_times(t, c);
  io_->drop_reader(t);
  Request& r = *t.request;
  std::uint32_t dma = 0;
  if (c.result != 0) {
    state_->note_failure(t);
    if (state_->map.abandoned(t)) return resume(t);
  }
  if (c.result != 0 && state_->map.read_from_writer(t) == nullptr) {
    HostIo::fail(r, nvme::status::unrecovered_read);
  } else if (r.device_buffer == kHostData) {
    dma = io_->post(r, DmaOp::to_host, t.host_offset, t.flash_mask, t.buffer);
  } else {
    io_->copy_to_device(r, t.host_offset, t.flash_mask, state_->hal->dram() + t.buffer);
  }
  io_->part_done(r, &t);
  if (dma != 0) {
    state_->pool.release_after(t, dma);
  } else {
    state_->pool.release(t);
  }
}

/// The page read was abandoned meanwhile, as its own program failed: the data are in the buffer, or the
/// collector has put them elsewhere. Of subpages they are read where they are now, page by page. Ends: each time
/// the map has changed.
void ReadPath::resume(Transaction& t) {
  Request& r = *t.request;
  const Sources from = sources_of(t.lpn, t.flash_mask);
  if (from.buffered != 0 && buffered_->read_waits(r, t.lpn)) return io_->deferred.push(t);
  deliver(r, SubRequest{t.lpn, t.flash_mask, 0, t.host_offset}, from);
  if (t.traits == &kReadSubpages) return from.flash == 0 ? end_subpages(t) : send_subpages(t, from);
  if (from.flash != 0) {
    t.queued_ps = state_->now_ps();
    return send(t, from);
  }
  io_->part_done(r, &t);
  state_->pool.release(t);
}

} // namespace twinplane::fw
