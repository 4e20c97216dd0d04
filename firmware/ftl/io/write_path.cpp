#include "firmware/ftl/io/write_path.h"

namespace twinplane::fw {

constexpr OpTraits WritePath::kCompletePage = OpTraits{"read of a partial write",
                                                       ends_in<PageWriter, &PageWriter::old_sectors_read>,
                                                       FlashOp::read,
                                                       Lane::read,
                                                       WorkFor::write,
                                                       WorkOrigin::host}
                                                  .with(&OpTraits::by_unit);

void PageWriter::old_sectors_read(Transaction& t, const FlashCompletion& c) {
  path_.old_sectors_read(t, c);
}
void PageWriter::subpages_programmed(Transaction& t, const FlashCompletion& c) {
  path_.subpages.programmed(t, c);
}

bool PageWriter::is_superseded(const Transaction& t) const {
  const FtlState& s = *path_.state_;
  if (t.failures == 0) return false;
  if (s.units != nullptr) return s.units->placement.failed_at(t) == 0;
  return s.policy.mapping->lookup(t.lpn) != t.ppn;
}

bool PageWriter::lock_granted(Transaction& t) {
  if (!is_superseded(t)) {
    t.failures == 0 ? path_.start(t) : path_.repeat(t);
    return true;
  }
  if (t.failures != 0 && path_.state_->units != nullptr) path_.state_->map.inherit_units(t);
  return false;
}

void WritePath::boot(HostIo& io) {
  io_ = &io;
  state_ = io.state;
  subpages.boot(io, *this);
}

void WritePath::tell_dependency(const FtlState& state, const Transaction& t) {
  state.probe->on_dependency({t.index, 0, state.policy.planes->class_of(t.lpn), t.queued_ps});
}

void WritePath::tell_dependency_over(const FtlState& state, const Transaction& t) {
  state.probe->on_dependency_over(t.index, state.hal->now_ps());
}

void WritePath::grant_lock(Transaction* next_waiting) {
  while (next_waiting != nullptr) {
    Transaction& t = *next_waiting;
    LockWaiter& waiter = static_cast<LockWaiter&>(*t.owner);
    probe_point<Watch::planes, &WritePath::tell_dependency_over>(state_->probe != nullptr, *state_, t);
    if (waiter.lock_granted(t)) return;
    next_waiting = state_->locks.release(t);
    waiter.lock_passed_on(t);
  }
}

void WritePath::begin(Transaction& t) {
  if (state_->locks.acquire(t)) start(t);
}

/// Completes a partial page first, then queues for a place.
void WritePath::start(Transaction& t) {
  if (state_->units != nullptr) return subpages.start(t);
  const std::uint32_t missing = state_->full_mask & ~t.mask;
  const std::uint32_t lost = missing & state_->lost.of(t.lpn);
  const Ppn old = missing == lost ? kNoPpn : state_->policy.mapping->lookup(t.lpn);
  if (!is_page(old)) {
    io_->fill_zero(t.buffer, missing);
    return complete(t, lost);
  }
  t.traits = &kCompletePage;
  note_dependency(t);
  state_->aim(t, old);
  t.flash_mask = missing;
  ++state_->statistics.rmw_reads;
  io_->board->enqueue(t);
}

/// The page is complete but for sectors that cannot be read any more. Those stay lost; that is no reason to
/// refuse the others, which the host has given us.
void WritePath::complete(Transaction& t, std::uint32_t lost) {
  probe_point<Watch::planes, &WritePath::tell_dependency_over>(state_->probe != nullptr, *state_, t);
  t.lost |= lost; // those that are spoilt are marked already
  t.flash_mask = state_->full_mask;
  queue(t);
}

/// Writes stay in order behind those that wait for their data.
void WritePath::queue(Transaction& t) {
  if (arriving_count_ == 0 && (t.request == nullptr || state_->host->outcome_known(t.fence))) {
    if (!data_failed(t)) enqueue_for_placement(t);
    return;
  }
  arriving_.push(t);
  ++arriving_count_;
}

void WritePath::take_arriving() {
  const WorkMark mark(WorkFor::write);
  state_->host->move_data();
  if (state_->host->all_moved()) {
    const std::uint32_t count = arriving_count_;
    arriving_count_ = 0;
    if (state_->units == nullptr) return io_->board->enqueue_writes(arriving_, count);
    while (!arriving_.empty()) enqueue_for_placement(arriving_.pop());
  } else {
    take_arrived_one_by_one();
  }
}

/// A write that fails may let another one of its LPN join the queue: at its end, although its data are older.
void WritePath::take_arrived_one_by_one() {
  while (!arriving_.empty() &&
         (arriving_.front()->request == nullptr || state_->host->outcome_known(arriving_.front()->fence))) {
    Transaction& t = arriving_.pop();
    --arriving_count_;
    if (!data_failed(t)) enqueue_for_placement(t);
  }
  if (!arriving_.empty()) io_->wake_after_dma(arriving_.front()->request->slot);
}

/// Ends the write of a request if its data did not come; the outcome of its DMA is known.
bool WritePath::data_failed(Transaction& t) {
  if (t.request == nullptr || t.fence == 0) return false;
  const std::uint16_t status = state_->host->data_status(t.request->slot);
  if (status == nvme::status::success) return false;
  writer_of(t).given_up(t, status);
  return true;
}

void WritePath::old_sectors_read(Transaction& t, const FlashCompletion& c) {
  if (state_->units != nullptr) return subpages.old_sectors_read(t, c);
  io_->add_times(t, c);
  io_->drop_reader(t);
  const bool abandoned = c.result != 0 && state_->map.abandoned(t);
  const bool good = c.result == 0 || (!abandoned && state_->map.read_from_writer(t) != nullptr);
  t.traits = &writer_of(t).page_row();
  t.ppn = kNoPpn;
  t.queued_ps = state_->now_ps();
  const std::uint32_t missing = state_->full_mask & ~t.mask;
  if (c.result != 0) ++state_->statistics.flash_failures;
  if (abandoned) return start(t); // moved, or lost, meanwhile
  const std::uint32_t failed = good ? 0 : failed_sectors(c, missing);
  io_->fill_zero(t.buffer, failed);
  complete(t, failed | (missing & state_->lost.of(t.lpn)));
}

/// The map names the page of this write: what has been written is good, what it could not complete is lost.
void WritePath::note_losses(Transaction& t) {
  if (!is_page(t.replaced()) && state_->lost.of(t.lpn) != 0) t.set_replaced(kErasedPpn);
  state_->lost.set(t.lpn, t.lost);
  if (t.lost != 0) io_->journal->lost(t.lpn);
}

bool WritePath::newer_under_way(const Transaction& t) const {
  if (state_->units != nullptr) return subpages.newer_under_way(t);
  const Ppn now = state_->policy.mapping->lookup(t.lpn);
  return is_page(now) && state_->pool.writer_of(now) != nullptr;
}

void WritePath::journal_dropped_version(std::uint32_t lpn) {
  const Units* const units = state_->units;
  if (units != nullptr ? units->map.mapped(lpn) == 0 : !is_page(state_->policy.mapping->lookup(lpn)))
    io_->journal->dropped(lpn);
}

/// A read of the page that failed takes the data from the buffer meanwhile (AddressMap::read_from_writer).
/// When a newer write holds the LPN this one waits behind all that do: as a rule it is void then.
bool WritePath::program_again(Transaction& t) {
  if (state_->policy.mapping->lookup(t.lpn) != t.ppn || ++t.failures >= kProgramTries) return false;
  if (t.failures == 1) t.home = t.source;
  if (state_->locks.acquire(t)) repeat(t);
  return true;
}

/// It passes the writes that wait for space: that may be made at the cost of the page that it replaces
/// (Mover::holds_old_versions()), and then it is the only one that has those data.
void WritePath::repeat(Transaction& t) {
  t.queued_ps = state_->now_ps();
  t.flash_mask = state_->full_mask;
  if (state_->units != nullptr) state_->units->placement.write_again(t);
  if (!subpages.joins_page(t)) io_->board->enqueue_write_first(t);
}

void WritePath::leave_failed_page(const Transaction& t) {
  if (t.failures == 0) return;
  if (state_->units != nullptr) return subpages.leave_failed(t);
  if (state_->policy.mapping->lookup(t.lpn) != t.ppn) return;
  if (!static_cast<PageWriter&>(*t.owner).take_back(t)) go_back(t);
}

void WritePath::go_back(const Transaction& t) {
  const Ppn before = t.replaced();
  const BlockTable& blocks = state_->blocks;
  if (before == kErasedPpn) return lose(t.lpn);
  if (!is_page(before)) return io_->jobs->consider(blocks.plane_of(state_->map.unmap(t.lpn)));
  const std::uint32_t plane = blocks.plane_of(before);
  state_->put_back(t.lpn, before, plane, PageSlot{blocks.block_of(before), blocks.page_of(before)});
  state_->policy.allocation->revoke(plane);
}

void WritePath::lose(std::uint32_t lpn) {
  const Ppn old = state_->map.lose(lpn);
  io_->journal->lost(lpn);
  if (is_page(old)) io_->jobs->consider(state_->blocks.plane_of(old));
}

} // namespace twinplane::fw
