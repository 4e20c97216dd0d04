#include "firmware/ftl/io/read_path.h"

#include "firmware/ftl/io/buffer_path.h"

namespace twinplane::fw {

constexpr OpTraits ReadPath::kRead = OpTraits{"read",        ends_in<ReadPath, &ReadPath::read_done>,
                                              FlashOp::read, Lane::read,
                                              WorkFor::read, WorkOrigin::host}
                                         .with(&OpTraits::to_host);
void ReadPath::boot(HostIo& io) {
  io_ = &io;
  state_ = io.state;
  units_ = state_->units;
}

ReadPath::Sources ReadPath::sources_of(std::uint32_t lpn, std::uint32_t mask) const {
  Sources from;
  if (state_->buffer != nullptr) {
    from.buffered = mask & state_->buffer->sectors_of(lpn);
    mask &= ~from.buffered;
    if (mask == 0) return from;
  }
  if ((mask & state_->lost.of(lpn)) != 0) {
    from.lost = true;
    return from;
  }
  if (units_ != nullptr) {
    from.flash = mask & units_->io.sectors_of(units_->map.mapped(lpn));
    from.zeros = mask & ~from.flash;
    return from;
  }
  from.ppn = state_->policy.mapping->lookup(lpn);
  (is_page(from.ppn) ? from.flash : from.zeros) = mask;
  return from;
}

/// Reads the page that has the first of these sectors. Returns those that are in other pages.
inline std::uint32_t ReadPath::send(Transaction& t, const Sources& from, std::uint32_t sectors) {
  std::uint32_t others = 0;
  if (units_ == nullptr) {
    state_->set_read_target(t, from.ppn);
    t.flash_mask = sectors;
  } else {
    others = state_->map.set_read_target(t, sectors);
  }
  io_->board->enqueue(t);
  return others;
}

inline std::uint32_t ReadPath::begin(Transaction& t, const Sources& from, std::uint32_t sectors) {
  t.mask = 0; // what it has to read afterwards
  if (units_ == nullptr) return send(t, from, sectors);
  units_->io.begin_read(t);
  const std::uint32_t others = send(t, from, sectors);
  units_->placement.host_read(t.ppn);
  return others;
}

inline void ReadPath::end(Transaction& t) {
  io_->part_done(*t.request, &t);
  if (t.fence != 0) {
    state_->pool.release_after(t, t.fence);
  } else {
    state_->pool.release(t);
  }
}

bool ReadPath::read(Request& r, const SubRequest& p) {
  if (state_->buffer != nullptr && state_->buffer->read_waits(r, p.lpn)) return false;
  const Sources from = sources_of(p.lpn, p.mask);
  Transaction* t = nullptr;
  TransactionList further;
  if (from.flash != 0) {
    t = io_->take(r, p, kRead, *this);
    if (t == nullptr) return false;
    if (units_ != nullptr && !take_further(r, p, from.flash, further)) {
      state_->pool.release(*t);
      return false;
    }
  }
  ++state_->statistics.host_pages_read;
  if (from.flash != p.mask) deliver(r, p, from);
  if (t == nullptr) {
    end_without_flash(r, p, from);
    return true;
  }
  for (std::uint32_t left = from.flash;; t = &further.pop()) {
    left = begin(*t, from, left);
    if (left == 0) return true;
  }
}

/// Transactions for the pages behind the first one that hold these sectors.
bool ReadPath::take_further(Request& r, const SubRequest& p, std::uint32_t sectors,
                            TransactionList& further) {
  const std::uint32_t pages = units_->io.pages_of(p.lpn, sectors);
  for (std::uint32_t taken = 1; taken < pages; ++taken) {
    Transaction* const t = io_->take(r, p, kRead, *this);
    if (t == nullptr) {
      while (!further.empty()) state_->pool.release(further.pop());
      return false;
    }
    further.push(*t);
  }
  r.open_parts += pages - 1;
  return true;
}

void ReadPath::end_without_flash(Request& r, const SubRequest& p, const Sources& from) {
  (from.buffered == p.mask ? state_->statistics.buffer_read_hits : state_->statistics.unmapped_reads) += 1;
  io_->part_done(r, nullptr);
}

/// All that needs no flash. Of a sub-request with lost sectors the request reports an error, whatever else there
/// is.
void ReadPath::deliver(Request& r, const SubRequest& p, const Sources& from) {
  if (from.buffered != 0) state_->buffer->deliver(r, p);
  if (from.zeros != 0) io_->deliver_zeros(r, SubRequest{p.lpn, from.zeros, 0, p.host_offset});
  if (from.lost) HostIo::fail(r, nvme::status::unrecovered_read);
}

/// A page that is mapped as a whole is delivered as a whole, or not at all.
void ReadPath::read_done(Transaction& t, const FlashCompletion& c) {
  io_->add_times(t, c);
  io_->drop_reader(t);
  state_->hooks.host_read(t.lpn, t.ppn, c);
  Request& r = *t.request;
  AddressMap::Delivery came{t.flash_mask, 0, 0};
  if (c.result != 0 || units_ != nullptr) came = state_->map.take_read(t, c);
  if (came.lost != 0) {
    HostIo::fail(r, nvme::status::unrecovered_read);
    if (units_ == nullptr) came.good = 0;
  }
  if (r.device_buffer != kHostData) {
    io_->copy_to_device(r, t.host_offset, came.good, state_->hal->dram() + t.buffer);
  } else if (came.good != 0) {
    t.fence = io_->post(r, DmaOp::to_host, t.host_offset, came.good, t.buffer);
  }
  t.flash_mask = t.mask | came.moved;
  t.flash_mask == 0 ? end(t) : resume(t);
}

/// The page read was abandoned meanwhile, as its own program failed: the data are in the buffer, or the
/// collector has put them elsewhere. Or they lie in several pages that are read one by one. Ends: each time the map
/// has changed, or a copyback has ended.
void ReadPath::resume(Transaction& t) {
  if (io_->wait_for_copyback(t)) return;
  Request& r = *t.request;
  const Sources from = sources_of(t.lpn, t.flash_mask);
  if (from.buffered != 0 && state_->buffer->read_waits(r, t.lpn)) return io_->deferred.push(t);
  deliver(r, SubRequest{t.lpn, t.flash_mask, 0, t.host_offset}, from);
  if (from.flash == 0) return end(t);
  t.queued_ps = state_->now_ps();
  t.mask = send(t, from, from.flash);
}

} // namespace twinplane::fw
