#include "firmware/ftl/io/host_path.h"

namespace twinplane::fw {

HostPath::HostPath()
    : writes(write_path),
      buffered(write_path),
      rewriter(write_path),
      splitter({reads, writes, buffered, trims, commits}) {}

void HostPath::boot(BootMemory& memory, FtlState& state, DieQueues& board, Collector& collector) {
  state_ = &state;
  io_.boot(state, board, collector.jobs);
  write_path.boot(memory, io_);
  reads.boot(io_, buffered);
  writes.boot(io_, rewriter);
  buffered.boot(io_, splitter.changes());
  rewriter.boot(io_, collector.unrelocatable);
  trims.boot(io_, buffered);
  commits.boot(io_);
  splitter.boot(io_);
}

/// Reads that wait for data on their way into the buffer, and writes for what has superseded them.
void HostPath::resume_deferred() {
  TransactionList deferred = io_.deferred;
  io_.deferred = TransactionList();
  while (!deferred.empty()) {
    Transaction& t = deferred.pop();
    t.owner->resume(t);
  }
}

/// The old version counts again where it is still there.
bool HostPath::refuse_writes() {
  DieQueues& board = *io_.board;
  const std::uint32_t classes = state_->policy.planes->classes();
  bool any = false;
  for (std::uint32_t c = board.next_waiting_class(0); c < classes; c = board.next_waiting_class(0)) {
    Transaction& t = board.take_write(c);
    write_path.leave_failed_page(t);
    static_cast<PageWriter&>(*t.owner).given_up(t, nvme::status::read_only_range);
    any = true;
  }
  return buffered.refuse_flushes() || any;
}

bool HostPath::waits_for_programs() const {
  return state_->buffer == nullptr || buffered.flush_waits() || splitter.any_waits() || commits.any_waits();
}

} // namespace twinplane::fw
