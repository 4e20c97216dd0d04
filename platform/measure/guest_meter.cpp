#include "platform/measure/guest_meter.h"

#include <algorithm>

namespace twinplane::platform {

void GuestMeter::on_command_done(const fw::Command& command, std::uint64_t now_ps) {
  known_[{command.sqid, command.sqe.cid}] = {command.seen_ps, now_ps, command.breakdown};
}

void GuestMeter::on_rung(TimePs at) {
  if (listener_ != nullptr) listener_->on_rung(at);
  meter_.arrived(at);
}

void GuestMeter::on_finished(const GuestRequest& request) {
  if (listener_ != nullptr) listener_->on_finished(request);
  const std::uint64_t bytes = request.sectors * sector_size_;
  FinishedIo io;
  io.op = request.op;
  io.offset = request.lba * sector_size_;
  io.bytes = bytes;
  io.arrival = io.submitted = request.rung;
  io.completed = request.completed;
  io.sqid = request.sqid;
  io.cid = request.cid;
  io.status = request.status;
  Known known;
  if (const auto found = known_.find({request.sqid, request.cid}); found != known_.end()) {
    known = found->second;
    known_.erase(found);
  }
  // What never came to the firmware has waited in the front end.
  const TimePs seen = std::clamp(known.seen, request.rung, request.completed);
  const TimePs done = std::clamp(known.done, seen, request.completed);
  meter_.record(io, {0, seen - request.rung, done - seen, request.completed - done, known.parts});
  count(request, bytes);
}

void GuestMeter::count(const GuestRequest& request, std::uint64_t bytes) {
  ++workload_.requests;
  workload_.reads += request.op == IoOp::read ? 1 : 0;
  workload_.writes += request.op == IoOp::write ? 1 : 0;
  workload_.trims += request.op == IoOp::trim ? 1 : 0;
  workload_.flushes += request.op == IoOp::flush ? 1 : 0;
  if (request.op == IoOp::read) workload_.bytes_read += bytes;
  if (request.op == IoOp::write) workload_.bytes_written += bytes;
  if (request.status != nvme::status::success) {
    ++workload_.failed;
    return;
  }
  (request.opcode == nvme::io::read ? bytes_out_ : bytes_in_) += bytes;
}

void GuestMeter::on_given_up(TimePs rung, TimePs now) {
  if (listener_ != nullptr) listener_->on_given_up(rung, now);
  ++workload_.unanswered;
  meter_.given_up(rung, now);
}

} // namespace twinplane::platform
