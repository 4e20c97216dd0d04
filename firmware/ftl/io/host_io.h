// What the paths of the host's requests share: their data, their page buffers and their ends.
#pragma once

#include <cstdint>

#include "firmware/ftl/die_queues.h"
#include "firmware/ftl/gc/collector.h"
#include "firmware/ftl/request_queue.h"
#include "firmware/ftl/state.h"
#include "hw/spec/flash_descriptor.h"

namespace twinplane::fw {

/// One page's share of a request.
struct SubRequest {
  std::uint32_t lpn;
  std::uint32_t mask;        // sectors of the page
  std::uint32_t count;       // number of them
  std::uint32_t host_offset; // see Transaction
};

class HostIo {
 public:
  void boot(FtlState& of_drive, DieQueues& queues, Collector& gc);

  // --- data ---
  /// Queues DMA for every run of consecutive sectors in `mask`; returns the last index.
  std::uint32_t post(const Request& r, DmaOp op, std::uint32_t host_offset, std::uint32_t mask,
                     std::uint32_t buffer);
  /// Data that stays in the device (compare), or is not asked for (verify): `page` null stands for zeros.
  void copy_to_device(const Request& r, std::uint32_t host_offset, std::uint32_t mask,
                      const std::uint8_t* page);
  void deliver_zeros(const Request& r, const SubRequest& p);
  void fill_zero(std::uint32_t buffer, std::uint32_t mask) {
    clear_sectors(*state->hal, state->payload, buffer, mask);
  }
  /// An empty move behind everything posted so far will wake the firmware.
  void wake_after_dma(std::uint16_t slot);

  // --- sub-requests ---
  /// A transaction for the sub-request, null when the pool has none for it now.
  Transaction* take(Request& r, const SubRequest& p, const OpTraits& kind, OpOwner& owner);
  void add_times(Transaction& t, const FlashCompletion& c);
  /// A reader has left the page: a victim that waits for that may be erased.
  void drop_reader(const Transaction& t);

  // --- requests ---
  /// One part of the request has ended; with the last one the request does, and `last` (or null) tells where its
  /// time went.
  void part_done(Request& r, const Transaction* last) {
    if (--r.open_parts == 0) finish(r, last);
  }
  void finish(Request& r, const Transaction* last);
  /// The first failure of a request counts.
  static void fail(Request& r, std::uint16_t status) {
    if (r.status == nvme::status::success) r.status = status;
  }
  /// The drive is read-only: this part of the request is refused.
  void refuse_part(Request& r) {
    fail(r, nvme::status::read_only_range);
    part_done(r, nullptr);
  }
  std::uint32_t requests_in_flight() const { return in_flight_; }
  void request_begins() { ++in_flight_; }

  FtlState* state = nullptr;
  DieQueues* board = nullptr;
  GcJobs* jobs = nullptr;
  UnrelocatablePages* unrelocatable = nullptr;
  /// Where t has read a page to which a copyback has not ended, whose data are in the die alone: t waits for that, for
  /// reads may pass it. Units are not copied back.
  [[nodiscard]] bool wait_for_copyback(Transaction& t) {
    if (state->units != nullptr || !state->pool.copied_to(t.ppn)) return false;
    deferred.push(t);
    return true;
  }

  TransactionList deferred;  // looked at whenever something has ended (OpOwner::resume)
  Stall lacks = Stall::none; // what the request has not found that has just not been split to its end
  std::uint64_t now_ps = 0;  // when the admission under way began

 private:
  std::uint32_t wake_index_ = 0; // DMA index of the last wake-up asked for
  std::uint32_t in_flight_ = 0;
};

// --- the path of every page, inline ---

inline Transaction* HostIo::take(Request& r, const SubRequest& p, const OpTraits& kind, OpOwner& owner) {
  Transaction* t = state->pool.take(kind.to_host ? PoolUser::reads : PoolUser::writes);
  if (t == nullptr) {
    lacks = Stall::page_buffers;
    return nullptr;
  }
  t->become(kind, owner);
  t->request = &r;
  t->lpn = p.lpn;
  t->mask = p.mask;
  t->host_offset = p.host_offset;
  t->sequence = ++state->sequence;
  t->queued_ps = now_ps;
  t->page_buffer_wait_ps = r.breakdown.page_buffer_wait;
  t->write_buffer_wait_ps = r.breakdown.write_buffer_wait;
  return t;
}

inline void HostIo::add_times(Transaction& t, const FlashCompletion& c) {
  t.suspend_wait_ps += std::uint64_t{c.suspend_wait_ns} * 1000;
  t.bus_wait_ps += c.bus_wait_ps;
  t.bus_ps += c.bus_ps;
  t.array_ps += c.array_ps;
  t.ecc_ps += c.ecc_ps;
  t.retry_ps += c.retry_ps;
}

inline void HostIo::drop_reader(const Transaction& t) {
  const BlockInfo& block = state->blocks.drop_reader(t.ppn);
  if (block.state == BlockState::victim) jobs->schedule_gc_check(state->blocks.plane_of(t.ppn));
}

inline std::uint32_t HostIo::post(const Request& r, DmaOp op, std::uint32_t host_offset, std::uint32_t mask,
                                  std::uint32_t buffer) {
  DmaDescriptor d;
  d.op = static_cast<std::uint8_t>(op);
  d.flags = op == DmaOp::to_host && state->pool.scarce() ? dma_flag::notify : 0;
  d.slot = r.slot;
  std::uint32_t index = 0;
  while (mask != 0) {
    const std::uint32_t first = lowest_bit(mask);
    const std::uint32_t behind = ~(mask >> first); // its lowest set bit is the first gap
    const std::uint32_t length = behind == 0 ? 32 : lowest_bit(behind);
    d.offset = host_offset + first;
    d.length = length;
    d.buffer = buffer + first * state->payload;
    index = state->host->post(d);
    state->charge(1, state->config.cost.dma_submit);
    mask &= ~(low_mask(length) << first);
  }
  return index;
}

} // namespace twinplane::fw
