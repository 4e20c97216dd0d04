// One host command inside the NVMe firmware, and the lists in which commands wait.
//
// There is one Command per front-end slot, so the pool can neither run out nor leak: a slot belongs to
// the firmware from its command ring entry until the `complete` or `release` descriptor naming it.
#pragma once

#include <cstdint>

#include "firmware/ftl/request.h"
#include "hw/spec/nvme.h"

namespace twinplane::fw {

/// What a command waits for.
enum class Phase : std::uint8_t {
  idle,                // the slot is the front end's
  storage,             // the backend; then the command is complete
  buffer,              // a data buffer
  compare_turn,        // the compare unit
  compare,             // both sides of a compare
  ranges,              // DMA of dataset management ranges
  trim,                // the backend: one range after the other
  feature_data,        // DMA of a feature's data
  cache_flush,         // the backend: flush before the write cache is switched off
  shutdown_flush,      // the backend: flush before shutdown is reported (not a host command)
  write_uncorrectable, // the backend: write uncorrectable, which is committed then
  format,              // EraseJob
  erase_job,           // the backend: part of a format or of a sanitize operation (not a host command)
  sanitize,            // what it has begun is to be durable
  record,              // the backend: makes the state of a sanitize operation durable (not a host command)
  self_test,           // the backend: a read of a self-test (not a host command)
  async_event,         // an event to report
  deletion,            // the commands of the submission queue being deleted
};

struct Command : Request {
  nvme::Sqe sqe;
  Phase phase = Phase::idle;
  std::uint8_t buffer = 0;     // index in DataBuffers while one is held
  std::uint8_t open_sides = 0; // compare: sides that have not arrived
  bool inside_submit = false;  // dataset management: StorageBackend::submit has not returned
  bool range_done = false;     // ... and the backend is done already
  std::uint16_t sqid = 0;
  std::uint16_t queue_tag = 0;  // CommandEntry::queue_tag
  std::uint32_t dma_index = 0;  // what DmaWaiters waits for
  std::uint32_t next_range = 0; // dataset management
  Command* link = nullptr;      // list of this layer (Request::next is the backend's)
};

/// Intrusive first-in first-out list; a command is in one list at most.
class CommandList {
 public:
  [[nodiscard]] bool empty() const { return head_ == nullptr; }
  [[nodiscard]] Command* front() const { return head_; }

  void push_back(Command& command) {
    command.link = nullptr;
    *(head_ == nullptr ? &head_ : &tail_->link) = &command;
    tail_ = &command;
  }

  Command& pop_front() {
    Command& command = *head_;
    head_ = command.link;
    return command;
  }

  /// Removes and returns the command with that queue and identifier; nullptr when it is not here.
  Command* remove(std::uint16_t sqid, std::uint16_t cid) {
    Command* before = nullptr;
    for (Command* c = head_; c != nullptr; before = c, c = c->link) {
      if (c->sqid != sqid || c->sqe.cid != cid) continue;
      (before == nullptr ? head_ : before->link) = c->link;
      if (tail_ == c) tail_ = before;
      return c;
    }
    return nullptr;
  }

 private:
  Command* head_ = nullptr;
  Command* tail_ = nullptr;
};

} // namespace twinplane::fw
