// What the firmware knew of each host command when it was done with it, until the host has seen its
// completion.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/nvme/command_observer.h"
#include "platform/host/latency_sink.h"
#include "platform/report/breakdown.h"

namespace twinplane::platform {

/// For a host whose command identifiers are unique over its queues, as NvmeHost's are: an identifier's entry
/// holds from the end of one command in the firmware to that of the next one. A firmware need not tell of its
/// commands (an image without probe points): then all that a command took is the firmware's.
class CommandTable final : public fw::CommandObserver {
 public:
  void on_command_done(const fw::Command& command, std::uint64_t now_ps) override {
    if (command.sqe.cid >= entries_.size()) entries_.resize(command.sqe.cid + 1u);
    entries_[command.sqe.cid] = {command.seen_ps, now_ps, command.breakdown};
  }

  /// The request's latency in parts, which add up to it. Refers to the table: use it at once.
  RequestTimes times_of(const FinishedIo& io) const {
    static constexpr fw::LatencyBreakdown kNone;
    if (io.cid == FinishedIo::kNoCommand) return {io.completed - io.arrival, 0, 0, 0, kNone};
    if (!told_of(io)) return {io.submitted - io.arrival, 0, io.completed - io.submitted, 0, kNone};
    const Entry& e = entries_[io.cid];
    return {io.submitted - io.arrival, e.seen - io.submitted, e.done - e.seen, io.completed - e.done,
            e.parts};
  }

 private:
  struct Entry {
    TimePs seen = 0; // by the firmware
    TimePs done = 0;
    fw::LatencyBreakdown parts;
  };

  /// An older command's entry ends before this one was submitted.
  bool told_of(const FinishedIo& io) const {
    return io.cid < entries_.size() && entries_[io.cid].seen >= io.submitted;
  }

  std::vector<Entry> entries_;
};

} // namespace twinplane::platform
