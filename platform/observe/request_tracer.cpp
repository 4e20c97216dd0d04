#include "platform/observe/request_tracer.h"

#include "firmware/nvme/command.h"

namespace twinplane::platform {

void RequestTracer::on_finished(const FinishedIo& io, const RequestTimes& times) {
  RequestTrace r;
  static constexpr const char* kNames[kIoOps] = {"read", "write", "trim", "flush"};
  r.op = kNames[static_cast<std::uint32_t>(io.op)];
  r.offset = io.offset;
  r.bytes = io.bytes;
  r.arrival = io.arrival;
  r.completed = io.completed;
  r.command = command_key(io.sqid, io.cid);
  r.status = io.status;
  if (io.cid != FinishedIo::kNoCommand) {
    r.doorbell = io.submitted;
    r.taken = r.doorbell + times.host_queue;
    r.done = r.taken + times.in_firmware;
  }
  trace_.finished(r);
}

void RequestTracer::on_issue(const fw::Transaction& transaction, std::uint64_t now_ps) {
  if (transaction.request == nullptr) return;
  // Requests come from firmware/nvme, which gives its commands to the FTL as what they have in common.
  const auto& command = static_cast<const fw::Command&>(*transaction.request);
  if (command.sqid == 0) return; // the firmware's own: a self-test, a format
  trace_.issued(command_key(command.sqid, command.sqe.cid), transaction.index, now_ps);
}

} // namespace twinplane::platform
