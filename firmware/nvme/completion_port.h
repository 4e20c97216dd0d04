// The one way out of the firmware for a host command: counts, error log, completion queue entry.
#pragma once

#include <cstdint>

#include "firmware/hal/host_port.h"
#include "firmware/hal/probe_point.h"
#include "firmware/nvme/command.h"
#include "firmware/nvme/command_observer.h"
#include "firmware/nvme/logs.h"
#include "firmware/nvme/queue_table.h"

namespace twinplane::fw {

class CompletionPort {
 public:
  struct Parts {
    Hal* hal;
    HostPort* host;
    QueueTable* queues;
    ErrorLog* errors;
    HealthCounters* health;
    std::uint32_t dma_submit_cycles;
  };
  void boot(const Parts& parts) { parts_ = parts; }
  void attach(CommandObserver& observer) { observer_ = &observer; }

  /// A command came out of the ring at `now_ps`.
  void accept(const Command& command, std::uint64_t now_ps) {
    ++parts_.queues->submission(command.sqid).in_flight;
    ++in_flight_;
    if (command.sqid != 0 && io_in_flight_++ == 0) busy_since_ps_ = now_ps;
  }

  /// Completes the command, or drops it when its queue is gone. `status` without DNR; the bit is added
  /// to errors that a retry would meet again. The slot is the front end's afterwards.
  void finish(Command& command, std::uint16_t status, std::uint32_t result = 0) {
    probe_point<Watch::commands, &CompletionPort::show>(observer_ != nullptr, *this, command);
    if (status != nvme::status::success) status = record(command, status);
    command.phase = Phase::idle;
    parts_.hal->charge(parts_.dma_submit_cycles);
    --in_flight_;
    if (command.sqid != 0 && --io_in_flight_ == 0)
      parts_.health->busy_ps += parts_.hal->now_ps() - busy_since_ps_;
    SubmissionQueue& queue = parts_.queues->submission(command.sqid);
    --queue.in_flight;
    if (parts_.queues->is_current(command)) {
      parts_.host->complete(command.slot, status, result);
    } else {
      drop(command.slot, queue);
    }
  }

  /// Commands accepted and not finished.
  [[nodiscard]] std::uint32_t in_flight() const { return in_flight_; }

 private:
  /// A command of an I/O queue is about to leave.
  static void show(const CompletionPort& port, const Command& command) {
    if (command.sqid != 0) port.observer_->on_command_done(command, port.parts_.hal->now_ps());
  }
  std::uint16_t record(const Command& command, std::uint16_t status);
  void drop(std::uint16_t slot, SubmissionQueue& queue);

  Parts parts_{};
  CommandObserver* observer_ = nullptr;
  std::uint32_t in_flight_ = 0;
  std::uint32_t io_in_flight_ = 0;
  std::uint64_t busy_since_ps_ = 0;
};

} // namespace twinplane::fw
