// The queue pairs of the controller: what exists, where it lies in host memory, how far each side is.
// NVMe 1.4 sections 4.1 (queues), 5.3 to 5.6 (creation and deletion).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "hw/spec/nvme.h"
#include "hw/spec/sim_time.h"

namespace twinplane::hw {

/// QPRIO of Create I/O Submission Queue; the admin queue is a class of its own above them.
enum class QueueClass : std::uint8_t { urgent = 0, high = 1, medium = 2, low = 3, admin = 4 };

constexpr std::uint16_t kNoSlot = 0xFFFF;

struct SubmissionQueue {
  bool exists = false;
  std::uint32_t generation = 0; // never the same for two queues
  QueueClass priority = QueueClass::urgent;
  std::uint16_t cqid = 0;
  std::uint16_t tag = 0; // firmware's, handed back with each command
  std::uint32_t entries = 0;
  std::uint32_t head = 0;    // next entry to fetch
  std::uint32_t tail = 0;    // as announced by the doorbell
  std::uint32_t pending = 0; // announced and not fetched
  std::uint64_t base = 0;
};

/// What a completion queue entry is made of.
struct Completion {
  std::uint16_t sqid = 0;
  std::uint16_t cid = 0;
  std::uint16_t status = 0;
  std::uint32_t result = 0;
  TimePs fetched_at = 0; // its command
  TimePs ready_at = 0;   // not posted before
};

struct CompletionQueue {
  bool exists = false;
  std::uint32_t generation = 0; // never the same for two queues, from 1
  bool interrupts = false;
  std::uint8_t phase = 1;
  std::uint16_t vector = 0;
  std::uint32_t entries = 0;
  std::uint32_t head = 0; // as announced by the doorbell
  std::uint32_t tail = 0; // next entry to write
  std::uint64_t base = 0;
  TimePs last_post = 0;           // entries become visible in order
  std::vector<TimePs> visible_at; // per entry
  std::deque<Completion> held;    // waiting for a free entry

  bool full() const { return (tail + 1 == entries ? 0 : tail + 1) == head; }
  bool empty() const { return tail == head; }
};

/// What a queue is created from (the queue mailbox, or AQA, ASQ, ACQ).
struct QueueRequest {
  std::uint32_t id = 0;
  std::uint64_t base = 0;
  std::uint32_t entries = 0;
  std::uint32_t cqid = 0;  // submission queue
  std::uint32_t flags = 0; // reg::host::queue_flags
};

struct QueueLimits {
  std::uint32_t io_queues = 64; // ids 1 .. io_queues, for each direction
  std::uint32_t max_entries = 1024;
  std::uint32_t vectors = 65;
};

class QueueSet {
 public:
  explicit QueueSet(const QueueLimits& limits);

  // Answers are NVMe status values. Id 0 is the admin pair; reset() is the only way to delete it.
  std::uint16_t create_cq(const QueueRequest& request);
  std::uint16_t create_sq(const QueueRequest& request);
  std::uint16_t check_delete_cq(std::uint32_t id) const;
  void delete_cq(std::uint32_t id); // only when the check says success
  std::uint16_t delete_sq(std::uint32_t id);
  void reset();

  std::uint32_t count() const { return static_cast<std::uint32_t>(sq_.size()); }
  bool has_sq(std::uint32_t id) const { return id < sq_.size() && sq_[id].exists; }
  bool has_cq(std::uint32_t id) const { return id < cq_.size() && cq_[id].exists; }
  SubmissionQueue& sq(std::uint32_t id) { return sq_[id]; }
  const SubmissionQueue& sq(std::uint32_t id) const { return sq_[id]; }
  CompletionQueue& cq(std::uint32_t id) { return cq_[id]; }
  const CompletionQueue& cq(std::uint32_t id) const { return cq_[id]; }

  /// Entries announced and not fetched, over all queues.
  std::uint32_t pending() const { return pending_; }
  /// The doorbell says that entries up to `tail` are there.
  void announce(SubmissionQueue& queue, std::uint32_t tail) {
    const std::uint32_t news = tail >= queue.tail ? tail - queue.tail : tail + queue.entries - queue.tail;
    queue.tail = tail;
    queue.pending += news;
    pending_ += news;
  }
  void fetched(SubmissionQueue& queue, std::uint32_t entries) {
    queue.head += entries;
    if (queue.head == queue.entries) queue.head = 0;
    queue.pending -= entries;
    pending_ -= entries;
  }

  /// Completions that wait for a free entry, over all queues.
  std::uint32_t held() const { return held_; }
  void hold(CompletionQueue& queue, const Completion& completion);
  Completion take_held(CompletionQueue& queue);
  /// Forgets those of commands of submission queue `sqid`.
  void drop_held_of(std::uint32_t sqid);

 private:
  std::uint16_t check(const QueueRequest& request, bool exists) const;

  QueueLimits limits_;
  std::vector<SubmissionQueue> sq_;
  std::vector<CompletionQueue> cq_;
  std::uint32_t pending_ = 0;
  std::uint32_t held_ = 0;
  std::uint32_t generation_ = 0; // of the newest queue
};

} // namespace twinplane::hw
