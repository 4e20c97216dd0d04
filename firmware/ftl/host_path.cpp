#include "firmware/ftl/host_path.h"

#include <cstring>
#include <utility>

namespace twinplane::fw {

constexpr OpTraits HostPath::kRead = OpTraits{"read",        ends_in<HostPath, &HostPath::read_done>,
                                              FlashOp::read, Lane::read,
                                              WorkFor::read, WorkOrigin::host}
                                         .with(&OpTraits::to_host);
constexpr OpTraits HostPath::kWrite = OpTraits{"write",          ends_in<HostPath, &HostPath::write_done>,
                                               FlashOp::program, Lane::write,
                                               WorkFor::write,   WorkOrigin::host,
                                               Stream::host}
                                          .with(&OpTraits::maps_page);
constexpr OpTraits HostPath::kCompletePage = OpTraits{"read of a partial write",
                                                      ends_in<HostPath, &HostPath::rmw_read_done>,
                                                      FlashOp::read,
                                                      Lane::read,
                                                      WorkFor::write,
                                                      WorkOrigin::host}
                                                 .with(&OpTraits::by_subpage);
constexpr OpTraits HostPath::kUnmap{"unmap",    nullptr,        FlashOp::read,
                                    Lane::none, WorkFor::other, WorkOrigin::host};
constexpr OpTraits HostPath::kReadSubpages =
    OpTraits{"read of subpages", ends_in<HostPath, &HostPath::cache_read_done>,
             FlashOp::read,      Lane::read,
             WorkFor::read,      WorkOrigin::host}
        .with(&OpTraits::to_host);
constexpr OpTraits HostPath::kWriteSubpages =
    OpTraits{"write of subpages", ends_in<HostPath, &HostPath::cache_write_done>,
             FlashOp::program,    Lane::write,
             WorkFor::write,      WorkOrigin::host,
             Stream::host}
        .with(&OpTraits::maps_page, &OpTraits::by_subpage);

void HostPath::boot(FtlState& state, Board& board, Collector& collector, Journal& journal) {
  journal_ = &journal;
  state_ = &state;
  board_ = &board;
  collector_ = &collector;
  keeps_dirty_ = state.config.write_buffer_pages / 4 * 3;
  whole_pages_ = state.buffer == nullptr && state.policy.cache == nullptr;
}

void HostPath::submit(Request& r) {
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

void HostPath::begin(Request& r) {
  const std::uint32_t spp = 1u << state_->sectors_shift;
  const std::uint32_t first = static_cast<std::uint32_t>(r.lba) & (spp - 1);
  const std::uint32_t pages = r.sectors == 0 ? 0 : (first + r.sectors + spp - 1) >> state_->sectors_shift;
  ++in_flight_;
  r.open_parts = pages + 1; // one held until the request is split
  r.next_sector = 0;
  r.status = nvme::status::success;
  r.lacked = 0;
  r.breakdown = LatencyBreakdown();
  for (bool& d : r.dominated) d = false;
  if (r.kind == RequestKind::write) {
    const WriteBuffer* const buffer = state_->buffer;
    const std::uint32_t taken =
        buffer == nullptr ? 0 : dirty_pages(*buffer) + buffer->count(SlotState::writing);
    const DeviceState device{in_flight_ - 1, state_->config.write_buffer_pages - taken,
                             state_->blocks.free_pages_by_type()};
    r.hint = state_->policy.classifier->classify(r, device);
  }
  const std::uint64_t before = state_->now_ps();
  state_->charge(pages, state_->config.cost.map_lookup);
  now_ps_ = state_->now_ps();
  r.breakdown.map = now_ps_ - before;
  probe_point<Watch::planes, &HostPath::tell_seen>(state_->probe != nullptr, *this, r);
}

/// Writes come first, as reads could keep them from all buffers for ever, and leave some to reads (see
/// TransactionPool).
void HostPath::admit_as_many_as_fit() {
  admit_from(changes_);
  admit_from(reads_);
  note_page_buffers();
}

void HostPath::admit_from(RequestQueue& queue) {
  while (!queue.empty()) {
    now_ps_ = state_->now_ps();
    Request& r = queue.pop(now_ps_); // before admit(): a finished request belongs to its owner again
    if (admit(r)) continue;
    queue.put_back(r);
    return note_shortage(queue, r);
  }
}

/// The first request of the queue waits. It is counted once, however often it is tried.
void HostPath::note_shortage(RequestQueue& queue, Request& first) {
  FtlStatistics& s = state_->statistics;
  const Stall lacks = std::exchange(lacks_, Stall::none);
  queue.stall(lacks, state_->now_ps());
  const auto bit = static_cast<std::uint8_t>(1u << static_cast<std::uint32_t>(lacks));
  if ((first.lacked & bit) != 0) return;
  first.lacked = static_cast<std::uint8_t>(first.lacked | bit);
  if (lacks == Stall::page_buffers) ++s.short_of_page_buffers;
  if (lacks == Stall::write_buffer) ++s.short_of_write_buffer;
}

void HostPath::note_page_buffers() {
  const bool short_of_them = reads_.short_of_page_buffers() || changes_.short_of_page_buffers();
  if (short_of_them == short_of_page_buffers_) return;
  short_of_page_buffers_ = short_of_them;
  probe_point<Watch::planes, &HostPath::tell_page_buffers>(state_->probe != nullptr, *this, *state_);
}

/// Splits as far as the pools allow; false when it has to go on later.
bool HostPath::admit(Request& r) {
  const bool writes_through = r.kind == RequestKind::write && whole_pages_ && !state_->read_only();
  while (r.next_sector < r.sectors) {
    const std::uint32_t pages = writes_through ? whole_pages_at(r) : 0;
    if (pages != 0) {
      const std::uint32_t taken = write_pages(r, pages);
      r.next_sector += taken << state_->sectors_shift;
      if (taken != pages) return false;
      continue;
    }
    const Piece p = piece_at(r);
    bool taken = false;
    switch (r.kind) {
      case RequestKind::read:
        taken = read_piece(r, p);
        break;
      case RequestKind::write:
        taken = write_piece(r, p);
        break;
      case RequestKind::trim:
      case RequestKind::write_zeroes:
        taken = unmap_piece(r, p);
        break;
      case RequestKind::spoil:
        taken = spoil_piece(r, p);
        break;
      case RequestKind::flush:
      case RequestKind::shutdown:
      case RequestKind::commit:
      case RequestKind::purge:
        taken = true;
        break;
    }
    if (!taken) return false;
    r.next_sector += p.count;
  }
  const bool to_flash = r.kind == RequestKind::flush || (r.force_unit_access && r.kind != RequestKind::read);
  if (r.kind >= RequestKind::shutdown) {
    wait_for_metadata(r);
  } else if (state_->buffer != nullptr && to_flash) {
    wait_for_flash(r);
  } else {
    part_done(r, nullptr);
  }
  return true;
}

// --- data movement ---

/// Data that stays in the device (compare), or is not asked for (verify): `page` null stands for zeros.
void HostPath::copy_to_device(const Request& r, std::uint32_t host_offset, std::uint32_t mask,
                              const std::uint8_t* page) {
  if (r.device_buffer == kNoData) return;
  std::uint8_t* const target = state_->hal->dram() + r.device_buffer;
  const std::uint32_t bytes = state_->payload;
  for (; mask != 0; mask &= mask - 1) {
    const std::uint32_t s = lowest_bit(mask);
    std::uint8_t* const to = target + std::size_t{host_offset + s - r.data_offset} * bytes;
    if (page == nullptr) {
      std::memset(to, 0, bytes);
    } else {
      std::memcpy(to, page + std::size_t{s} * bytes, bytes);
    }
  }
}

void HostPath::deliver_zeros(const Request& r, const Piece& p) {
  if (r.device_buffer == kHostData) {
    post(r, DmaOp::zero_to_host, p.host_offset, p.mask, 0);
  } else {
    copy_to_device(r, p.host_offset, p.mask, nullptr);
  }
}

void HostPath::fill_zero(std::uint32_t buffer, std::uint32_t mask) {
  for (; mask != 0; mask &= mask - 1) {
    std::memset(state_->hal->dram() + buffer + std::size_t{lowest_bit(mask)} * state_->payload, 0,
                state_->payload);
  }
}

// --- completion ---

void HostPath::finish(Request& r, const Transaction* last) {
  state_->spend_charged(); // the sink may look at the clock
  LatencyBreakdown& b = r.breakdown;
  if (last != nullptr) {
    b.page_buffer_wait = last->page_buffer_wait_ps;
    b.write_buffer_wait = last->write_buffer_wait_ps;
    b.suspend_wait = last->suspend_wait_ps;
    b.die_wait = last->die_wait_ps;
    b.bus_wait = last->bus_wait_ps;
    b.bus = last->bus_ps;
    b.array = last->array_ps;
    b.ecc = last->ecc_ps;
    b.retry = last->retry_ps;
  }
  --in_flight_;
  if (r.kind == RequestKind::read || r.kind == RequestKind::write) {
    FtlStatistics& s = state_->statistics;
    for (std::uint32_t t = kMaxPageTypes; t-- > 0;) {
      if (!r.dominated[t]) continue;
      ++s.dominated_by[t];
      break;
    }
  }
  state_->sink->on_request_done(r);
}

} // namespace twinplane::fw
