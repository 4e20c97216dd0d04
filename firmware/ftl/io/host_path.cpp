#include "firmware/ftl/io/host_path.h"

namespace twinplane::fw {

HostPath::HostPath() : writes(write_path), rewriter(write_path), splitter({reads, writes, trims, commits}) {}

void HostPath::boot(BootMemory& memory, FtlState& state, DieQueues& board, Collector& collector) {
  state_ = &state;
  io_.boot(state, board, collector);
  write_path.boot(memory, io_);
  reads.boot(io_);
  writes.boot(io_, rewriter);
  rewriter.boot(io_);
  trims.boot(io_);
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

bool HostPath::resume_last() {
  if (io_.board->anything_under_way()) return false;
  const std::uint32_t before = io_.deferred.count();
  resume_deferred();
  return io_.deferred.count() < before;
}

/// The old version counts again where it is still there.
bool HostPath::refuse_writes() {
  const bool any = io_.board->take_writes([this](Transaction& t) {
    if (state_->buffer != nullptr && state_->buffer->is_last(t)) return false;
    write_path.leave_failed_page(t);
    WritePath::writer_of(t).given_up(t, nvme::status::read_only_range);
    return true;
  });
  return (state_->buffer != nullptr && state_->buffer->refuse_flushes()) || any;
}

bool HostPath::begin_failed_anew() {
  bool any = false;
  for (std::uint32_t site = 0; site < state_->blocks.sites(); ++site) {
    const std::uint32_t victim = io_.jobs->victim(state_->blocks.first_plane_of(site));
    if (victim == kNoBlock) continue;
    state_->pool.for_each([&](Transaction& t) { any = go_back_in(t, site, victim) || any; });
  }
  return any;
}

/// Its place in the queue stays. One that waits for its LPN cannot: the write that has it may count on its data.
bool HostPath::go_back_in(Transaction& t, std::uint32_t site, std::uint32_t victim) {
  if (t.failures == 0 || t.programmed || t.traits->stream != Stream::host) return false;
  if (!state_->map.replaces_in(t, site, victim) || state_->map.failed_at(t) == 0) return false;
  if (state_->locks.waits(t)) return false;
  write_path.leave_failed_page(t);
  state_->map.forget_replaced(t, site, victim);
  t.failures = 0;
  t.ppn = t.source = kNoPpn;
  return true;
}

bool HostPath::waits_for_programs() const {
  return state_->buffer == nullptr || state_->buffer->flush_waits() || splitter.any_waits() ||
         commits.any_waits() || state_->locks.waiting() != 0;
}

} // namespace twinplane::fw
