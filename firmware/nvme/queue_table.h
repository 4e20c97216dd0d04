// The I/O queues the host has created: rules of NVMe 1.4 sections 5.3 to 5.6, told to the front end
// through its queue mailbox.
//
// Deleting a submission queue stops its fetches at once; the delete command completes when the last
// fetched command of that queue has left the firmware (they are dropped without a completion).
#pragma once

#include <cstdint>

#include "firmware/hal/hal.h"
#include "firmware/nvme/command.h"
#include "firmware/nvme/config.h"

namespace twinplane::fw {

struct SubmissionQueue {
  bool live = false; // commands complete; otherwise they are dropped
  std::uint16_t cqid = 0;
  std::uint16_t tag = 0; // counts deletions: tells the commands of this queue from those of earlier ones
  std::uint32_t in_flight = 0; // commands taken from the ring and not retired
  Command* deletion = nullptr; // delete command to complete when in_flight reaches zero
};

struct CompletionQueue {
  bool live = false;
  std::uint16_t users = 0; // submission queues that complete here
};

class QueueTable {
 public:
  /// Returns an error text or nullptr.
  const char* boot(Hal& hal, const NvmeConfig& config);

  /// Controller enabled: only the admin queue pair exists, the number of queues is not set yet.
  void enable();
  /// Controller reset: every queue is gone; in_flight counts remain until the commands are retired.
  void disable();

  /// Number of I/O queues the host was granted (feature 07h), the maximum until it asks.
  void grant(std::uint32_t submission, std::uint32_t completion);
  [[nodiscard]] std::uint32_t granted_submission() const { return granted_sq_; }
  [[nodiscard]] std::uint32_t granted_completion() const { return granted_cq_; }
  [[nodiscard]] std::uint32_t maximum() const { return config_->max_io_queues; }
  [[nodiscard]] bool any_io_queue() const;

  // Each returns an NVMe status (without DNR).
  std::uint16_t create_completion(const nvme::Sqe& sqe);
  std::uint16_t create_submission(const nvme::Sqe& sqe);
  std::uint16_t delete_completion(std::uint16_t id);
  std::uint16_t delete_submission(std::uint16_t id);

  /// Section 5.7: the front end uses shadow doorbells until the controller's reset.
  std::uint16_t set_doorbell_buffers(const nvme::Sqe& sqe);

  SubmissionQueue& submission(std::uint16_t id) { return sq_[id]; }
  /// False when the command's queue is gone, perhaps created anew since the command was fetched.
  [[nodiscard]] bool is_current(const Command& command) const {
    const SubmissionQueue& queue = sq_[command.sqid];
    return queue.live && queue.tag == command.queue_tag;
  }
  /// True for ids the table has a row for (the front end never sends others).
  [[nodiscard]] bool knows(std::uint16_t id) const { return id <= config_->max_io_queues; }

 private:
  std::uint16_t check_creation(const nvme::Sqe& sqe, bool exists, std::uint32_t granted) const;
  std::uint16_t mailbox(std::uint32_t operation, std::uint32_t id);
  void mailbox_base(std::uint64_t address);
  void mailbox_queue(const nvme::Sqe& sqe, std::uint32_t cqid, std::uint32_t flags);

  Hal* hal_ = nullptr;
  const NvmeConfig* config_ = nullptr;
  SubmissionQueue* sq_ = nullptr; // [0 .. max_io_queues]
  CompletionQueue* cq_ = nullptr;
  std::uint32_t granted_sq_ = 0;
  std::uint32_t granted_cq_ = 0;
};

} // namespace twinplane::fw
