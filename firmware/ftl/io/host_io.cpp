#include "firmware/ftl/io/host_io.h"

#include <cstring>

namespace twinplane::fw {

void HostIo::boot(FtlState& of_drive, DieQueues& queues, Collector& gc) {
  state = &of_drive;
  board = &queues;
  jobs = &gc.jobs;
  unrelocatable = &gc.unrelocatable;
}

void HostIo::copy_to_device(const Request& r, std::uint32_t host_offset, std::uint32_t mask,
                            const std::uint8_t* page) {
  if (r.device_buffer == kNoData) return;
  std::uint8_t* const target = state->hal->dram() + r.device_buffer;
  const std::uint32_t bytes = state->payload;
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

void HostIo::deliver_zeros(const Request& r, const SubRequest& p) {
  if (r.device_buffer == kHostData) {
    post(r, DmaOp::zero_to_host, p.host_offset, p.mask, 0);
  } else {
    copy_to_device(r, p.host_offset, p.mask, nullptr);
  }
}

void HostIo::wake_after_dma(std::uint16_t slot) {
  if (wake_index_ != 0 && !HostPort::reached(state->host->done(), wake_index_)) return;
  DmaDescriptor d;
  d.op = static_cast<std::uint8_t>(DmaOp::to_host);
  d.flags = dma_flag::notify;
  d.slot = slot;
  wake_index_ = state->host->post(d);
}

void HostIo::finish(Request& r, const Transaction* last) {
  state->spend_charged(); // the sink may look at the clock
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
    FtlStatistics& s = state->statistics;
    for (std::uint32_t t = kMaxPageTypes; t-- > 0;) {
      if (!r.dominated[t]) continue;
      ++s.dominated_by[t];
      break;
    }
  }
  state->sink->on_request_done(r);
}

} // namespace twinplane::fw
