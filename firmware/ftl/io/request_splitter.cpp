#include "firmware/ftl/io/request_splitter.h"

#include <utility>

namespace twinplane::fw {

void RequestSplitter::boot(HostIo& io) {
  io_ = &io;
  state_ = io.state;
  whole_pages_ = state_->config.write_ack == WriteAck::programmed && state_->units == nullptr;
}

void RequestSplitter::tell_seen(const RequestSplitter& splitter, const Request& r) {
  splitter.state_->probe->on_seen(r.slot, splitter.io_->now_ps);
}

void RequestSplitter::tell_page_buffers(const RequestSplitter& splitter, const FtlState& state) {
  state.probe->on_page_buffers(splitter.short_of_page_buffers_, state.hal->now_ps());
}

void RequestSplitter::submit(Request& r) {
  begin(r);
  RequestQueue& queue = r.kind == RequestKind::read ? reads_ : changes_;
  if (!queue.empty()) {
    queue.push(r, state_->now_ps());
  } else if (!admit(r)) {
    queue.push(r, state_->now_ps());
    note_shortage(queue, r);
    note_page_buffers();
  }
  state_->spend_charged();
}

void RequestSplitter::begin(Request& r) {
  const std::uint32_t spp = 1u << state_->sectors_shift;
  const std::uint32_t first = static_cast<std::uint32_t>(r.lba) & (spp - 1);
  const std::uint64_t end = std::uint64_t{first} + r.sectors + spp - 1;
  const auto pages = r.sectors == 0 ? 0 : static_cast<std::uint32_t>(end >> state_->sectors_shift);
  io_->request_begins();
  r.open_parts = pages + 1; // one held until the request is split
  r.next_sector = 0;
  r.status = nvme::status::success;
  r.lacked = 0;
  r.breakdown = LatencyBreakdown();
  for (bool& d : r.dominated) d = false;
  if (r.kind == RequestKind::write) {
    const std::uint32_t taken = state_->buffer == nullptr ? 0 : state_->buffer->slots_taken();
    const DeviceState device{io_->requests_in_flight() - 1, state_->config.write_buffer_pages - taken,
                             state_->blocks.free_pages_by_type()};
    r.hint = state_->policy.classifier->classify(r, device);
  }
  const std::uint64_t before = state_->now_ps();
  state_->charge(pages, state_->config.cost.map_lookup);
  io_->now_ps = state_->now_ps();
  r.breakdown.map = io_->now_ps - before;
  probe_point<Watch::planes, &RequestSplitter::tell_seen>(state_->probe != nullptr, *this, r);
}

/// Writes come first, as reads could keep them from all buffers for ever, and leave some to reads (see
/// TransactionPool).
void RequestSplitter::admit_as_many_as_fit() {
  admit_from(changes_);
  admit_from(reads_);
  note_page_buffers();
}

void RequestSplitter::admit_from(RequestQueue& queue) {
  while (!queue.empty()) {
    io_->now_ps = state_->now_ps();
    Request& r = queue.pop(io_->now_ps); // before admit(): a finished request belongs to its owner again
    if (admit(r)) continue;
    queue.put_back(r);
    return note_shortage(queue, r);
  }
}

/// The first request of the queue waits. It is counted once, however often it is tried.
void RequestSplitter::note_shortage(RequestQueue& queue, Request& first) {
  FtlStatistics& s = state_->statistics;
  const Stall lacks = std::exchange(io_->lacks, Stall::none);
  queue.stall(lacks, state_->now_ps());
  const auto bit = static_cast<std::uint8_t>(1u << static_cast<std::uint32_t>(lacks));
  if ((first.lacked & bit) != 0) return;
  first.lacked = static_cast<std::uint8_t>(first.lacked | bit);
  if (lacks == Stall::page_buffers) ++s.short_of_page_buffers;
  if (lacks == Stall::write_buffer) ++s.short_of_write_buffer;
}

void RequestSplitter::note_page_buffers() {
  const bool short_of_them = reads_.short_of_page_buffers() || changes_.short_of_page_buffers();
  if (short_of_them == short_of_page_buffers_) return;
  short_of_page_buffers_ = short_of_them;
  probe_point<Watch::planes, &RequestSplitter::tell_page_buffers>(state_->probe != nullptr, *this, *state_);
}

inline SubRequest RequestSplitter::sub_request_at(const Request& r) const {
  const std::uint64_t sector = r.lba + r.next_sector;
  const std::uint32_t spp = 1u << state_->sectors_shift;
  const std::uint32_t first = static_cast<std::uint32_t>(sector) & (spp - 1);
  const std::uint32_t left = r.sectors - r.next_sector;
  const std::uint32_t count = left < spp - first ? left : spp - first;
  return SubRequest{static_cast<std::uint32_t>(sector >> state_->sectors_shift), low_mask(count) << first,
                    count, r.data_offset + r.next_sector - first};
}

/// Pages that the request covers whole from its next sector on; 0 when that lies inside a page.
inline std::uint32_t RequestSplitter::whole_pages_at(const Request& r) const {
  const std::uint32_t inside = (1u << state_->sectors_shift) - 1;
  if ((static_cast<std::uint32_t>(r.lba + r.next_sector) & inside) != 0) return 0;
  return (r.sectors - r.next_sector) >> state_->sectors_shift;
}

/// Splits as far as the pools allow; false when it has to go on later.
bool RequestSplitter::admit(Request& r) {
  const bool writes_through = r.kind == RequestKind::write && whole_pages_ && !state_->read_only();
  while (r.next_sector < r.sectors) {
    const std::uint32_t pages = writes_through ? whole_pages_at(r) : 0;
    if (pages != 0) {
      const std::uint32_t taken = paths_.writes.write_pages(r, pages);
      r.next_sector += taken << state_->sectors_shift;
      if (taken != pages) return false;
      continue;
    }
    const SubRequest p = sub_request_at(r);
    if (!admit_sub_request(r, p)) return false;
    r.next_sector += p.count;
  }
  end_admission(r);
  return true;
}

bool RequestSplitter::admit_sub_request(Request& r, const SubRequest& p) {
  switch (r.kind) {
    case RequestKind::read:
      return paths_.reads.read(r, p);
    case RequestKind::write:
      return write(r, p);
    case RequestKind::trim:
    case RequestKind::write_zeroes:
      return unmap(r, p);
    case RequestKind::write_uncorrectable:
      return write_uncorrectable(r, p);
    case RequestKind::flush:
    case RequestKind::shutdown:
    case RequestKind::commit:
    case RequestKind::purge:
      break;
  }
  return true;
}

void RequestSplitter::end_admission(Request& r) {
  const bool to_flash = r.kind == RequestKind::flush || (r.force_unit_access && r.kind != RequestKind::read);
  if (r.kind >= RequestKind::shutdown) {
    paths_.commits.begin(r);
  } else if (state_->buffer != nullptr && to_flash) {
    state_->buffer->wait_for_flash(r);
  } else {
    io_->part_done(r, nullptr);
  }
}

/// What goes into the buffer, or part of a page.
bool RequestSplitter::write(Request& r, const SubRequest& p) {
  if (state_->read_only()) {
    io_->refuse_part(r);
    return true;
  }
  return state_->buffer != nullptr ? state_->buffer->write(r, p) : paths_.writes.write(r, p);
}

bool RequestSplitter::unmap(Request& r, const SubRequest& p) {
  if (state_->read_only()) {
    io_->refuse_part(r);
    return true;
  }
  // a cache too small for metadata has nothing else that would keep them over a power cut
  const bool by_program = state_->units != nullptr && !state_->statistics.metadata_kept;
  SubRequest whole = p;
  whole.mask = state_->map.whole(p.mask);
  if (r.kind == RequestKind::write_zeroes && (by_program || whole.mask != p.mask)) return write(r, p);
  if (whole.mask != 0) return paths_.trims.unmap(r, whole);
  io_->part_done(r, nullptr); // a trim may leave part of a page alone
  return true;
}

/// It goes around the write buffer.
bool RequestSplitter::write_uncorrectable(Request& r, const SubRequest& p) {
  if (state_->read_only()) {
    if (state_->buffer != nullptr) state_->buffer->stop_emptying();
    io_->refuse_part(r);
    return true;
  }
  if (!state_->durability->ready()) return false;
  if (state_->buffer != nullptr && !state_->buffer->give_up_copies(p.lpn)) return false;
  return paths_.writes.write_uncorrectable(r, p);
}

} // namespace twinplane::fw
