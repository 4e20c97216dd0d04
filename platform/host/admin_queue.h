// The driver's admin queue pair: one command at a time, and asynchronous event requests beside it.
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>
#include <vector>

#include "hw/spec/nvme.h"
#include "platform/host/host_memory.h"
#include "platform/host/host_queue.h"
#include "platform/host/host_timer.h"

namespace twinplane::platform {

class AdminQueue {
 public:
  static constexpr std::uint32_t kEntries = 32;

  /// `queues`: of the driver, the admin pair first. `ring` rings their doorbells.
  AdminQueue(std::vector<HostQueue>& queues, const HostTimer& timer, std::function<void()> ring)
      : queues_(queues), timer_(timer), ring_(std::move(ring)) {}

  /// The only queue so far, in the host's memory. Returns it.
  HostQueue& place(HostMemory& memory);
  /// Runs one command, in an SC_THREAD. `data` of `bytes`, a page at most, goes to or comes from the drive.
  /// Returns the completion entry.
  nvme::Cqe run(nvme::Sqe sqe, void* data, std::uint32_t bytes);
  /// The same; throws when the drive refuses `what`. Returns the entry's result.
  std::uint32_t require(const nvme::Sqe& sqe, const char* what, void* data = nullptr,
                        std::uint32_t bytes = 0);
  /// Keeps so many asynchronous event requests outstanding.
  void request_events(std::uint32_t count);
  void take(const nvme::Cqe& entry);

  std::uint64_t events() const { return events_; }
  /// Result of the newest one.
  std::uint32_t last_event() const { return last_event_; }

 private:
  std::vector<HostQueue>& queues_;
  const HostTimer& timer_;
  const std::function<void()> ring_;
  sc_core::sc_event done_{"admin_done"};
  std::uint64_t buffer_ = 0;
  std::uint8_t* memory_ = nullptr; // of the buffer
  std::uint16_t cid_ = 0;          // command that run() waits for
  bool waiting_ = false;
  nvme::Cqe entry_;
  std::uint64_t events_ = 0;
  std::uint32_t last_event_ = 0;
};

} // namespace twinplane::platform
