// One host command's life inside the firmware, from command ring to completion.
#pragma once

#include <cstdint>

#include "firmware/ftl/drive_record.h"
#include "hw/spec/nvme.h"

namespace twinplane::fw {

/// `write_uncorrectable` makes reads of the sectors fail until they are written again. `shutdown` comes behind a
/// flush: the host is done. `commit` ends when no power cut undoes what trims and `write_uncorrectable` have done before.
/// `purge` comes when all sectors have been trimmed and that is committed: every block that has held data of
/// the host is erased.
enum class RequestKind : std::uint8_t {
  read,
  write,
  trim,
  write_zeroes,
  write_uncorrectable,
  flush,
  shutdown,
  commit,
  purge
};

/// Where the time of one request went between its arrival in the firmware and its end, in picoseconds, along
/// its last finishing sub-request. The rest is CPU work and waiting for the CPU.
struct LatencyBreakdown {
  std::uint64_t map = 0;      // map look-ups (CPU time of that step)
  std::uint64_t die_wait = 0; // sub-request queued in firmware for its die (or for free space)
  std::uint64_t bus_wait = 0; // in the flash controller, waiting for bus or DMA fence
  std::uint64_t bus = 0;
  std::uint64_t array = 0;
  std::uint64_t ecc = 0;
  std::uint64_t retry = 0;             // reading again what could not be corrected
  std::uint64_t page_buffer_wait = 0;  // for a page buffer of the pool, this request or one before it
  std::uint64_t write_buffer_wait = 0; // for room in the write buffer, likewise
  std::uint64_t suspend_wait = 0;      // for a program or erase of the die to be suspended
};

/// What the first of a queue of requests has waited for since boot, in picoseconds. All that stand behind it
/// wait for the same.
struct QueueStalls {
  std::uint64_t page_buffer = 0;
  std::uint64_t write_buffer = 0;
};

/// Request::device_buffer of a request whose data goes to or comes from the host.
constexpr std::uint32_t kHostData = 0xFFFFFFFFu;
/// ... and of a read of which only the status is asked for.
constexpr std::uint32_t kNoData = 0xFFFFFFFEu;

/// Filled by firmware/nvme, owned by it; the FTL holds it from submit() until on_request_done().
struct Request {
  RequestKind kind = RequestKind::read;
  std::uint16_t slot = 0; // front-end slot, for DMA descriptors
  nvme::AccessLatency access_latency = nvme::AccessLatency::none;
  bool force_unit_access = false;
  std::uint64_t lba = 0;
  std::uint32_t sectors = 0;
  std::uint32_t data_offset = 0; // sectors: where in the command's data this request starts
  // read only: unless kHostData, the sectors' payload is copied to device DRAM at this byte offset
  // (packed at payload stride, zeros where nothing is mapped) instead of being moved to the host; with
  // kNoData nothing is moved
  std::uint32_t device_buffer = kHostData;
  std::uint64_t seen_ps = 0; // firmware took it from the command ring

  // --- the FTL's part ---
  std::uint32_t open_parts = 0;                 // sub-requests not finished
  std::uint32_t next_sector = 0;                // split progress when submit() ran out of resources
  std::uint16_t status = nvme::status::success; // first failure wins
  std::uint32_t epoch = 0;                      // a flush ends when metadata is durable up to it
  std::uint32_t fill_index = 0; // write buffer: DMA of the piece that is on its way into its slot, 0 = none
  std::uint16_t fill_slot = 0;  // ... and the slot
  std::uint8_t hint = 0;        // classifier's answer, inherited by all sub-requests
  std::uint8_t lacked = 0;      // bit per Stall (request_queue.h) that it has met
  bool dominated[4] = {};       // page types its sub-requests were given (writes)
  QueueStalls stalls;           // of the queue that it has joined, until then
  LatencyBreakdown breakdown;   // of the sub-request that finished last
  Request* next = nullptr;      // intrusive queue link
};

/// Requests in the order in which they have come.
class RequestList {
 public:
  bool empty() const { return head_ == nullptr; }
  Request* front() const { return head_; }
  void push(Request& r) {
    r.next = nullptr;
    (tail_ == nullptr ? head_ : tail_->next) = &r;
    tail_ = &r;
  }
  void push_first(Request& r) {
    r.next = head_;
    head_ = &r;
    if (tail_ == nullptr) tail_ = &r;
  }
  Request& pop() {
    Request& r = *head_;
    head_ = r.next;
    if (head_ == nullptr) tail_ = nullptr;
    return r;
  }

 private:
  Request* head_ = nullptr;
  Request* tail_ = nullptr;
};

/// Told when a request has finished (all data moves of a read are queued on the DMA ring).
class RequestSink {
 public:
  virtual void on_request_done(Request& request) = 0;
  /// A block has been retired, or nothing can be written any more: see the statistics.
  virtual void on_wear() {}
  /// The tables of a drive that was written before have been recovered: requests may come.
  virtual void on_recovered() {}
  /// What is kept beside the block table, where that is: read whenever it is written, and set before
  /// on_recovered().
  virtual DriveRecord* record() { return nullptr; }

 protected:
  ~RequestSink() = default;
};

} // namespace twinplane::fw
