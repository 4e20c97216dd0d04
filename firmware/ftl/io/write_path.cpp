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
void PageWriter::resume(Transaction& t) {
  t.traits == &WritePath::kCompletePage ? path_.read_again(t) : superseded(t);
}
void PageWriter::programmed(Transaction& t, const FlashCompletion& c) {
  path_.programmed(t, c);
}

bool PageWriter::is_superseded(const Transaction& t) const {
  return t.failures != 0 && path_.state_->map.failed_at(t) == 0;
}

bool PageWriter::lock_granted(Transaction& t) {
  if (!is_superseded(t)) {
    t.failures == 0 ? path_.start(t) : path_.repeat(t);
    return true;
  }
  if (t.failures != 0) path_.state_->map.inherit(t);
  return false;
}

void WritePath::boot(BootMemory& memory, HostIo& io) {
  io_ = &io;
  state_ = io.state;
  gather_.boot(memory, *state_, *io.board);
  units_ = state_->units;
  follows_old_version_ = units_ != nullptr && units_->policy->follows_old_version();
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
    const std::uint32_t lpn = t.lpn;
    if (waiter.lock_granted(t)) {
      next_waiting = state_->locks.next_heir(lpn);
    } else {
      next_waiting = state_->locks.release(t);
      waiter.lock_passed_on(t);
      if (next_waiting == nullptr) next_waiting = state_->locks.next_heir(lpn);
    }
  }
}

void WritePath::begin(Transaction& t) {
  if (state_->locks.acquire(t)) start(t);
}

void WritePath::start(Transaction& t) {
  if (units_ != nullptr) {
    units_->placement.begin_write(t);
    if (t.mask == 0) return complete_for_native(t); // of no sector of its own: see PageRewriter
  }
  complete(t, 0);
}

void WritePath::complete_for_native(Transaction& t) {
  units_->placement.take_native(t);
  t.queued_ps = state_->now_ps();
  complete(t, 0);
}

/// What the flash has of the units that t writes, and the host does not bring, is read first, page by page; `read` is
/// what has been read of a page that is mapped as a whole. Then t waits for its data, and for a place. Sectors that
/// cannot be read any more stay lost; that is no reason to refuse the others, which the host has given us.
void WritePath::complete(Transaction& t, std::uint32_t read) {
  const AddressMap::Gap gap = state_->map.gap_of(t, read);
  if (gap.there != 0) {
    t.traits = &kCompletePage;
    if (units_ == nullptr) note_dependency(t);
    state_->map.aim_at_gap(t, gap);
    ++state_->statistics.rmw_reads;
    return io_->board->enqueue(t);
  }
  probe_point<Watch::planes, &WritePath::tell_dependency_over>(state_->probe != nullptr, *state_, t);
  state_->map.fill_gap(t, gap);
  t.traits = &writer_of(t).row(units_ != nullptr);
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
    if (units_ == nullptr && !gather_.on()) return io_->board->enqueue_writes(arriving_, count);
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

/// What has been moved meanwhile is read where it is now.
void WritePath::old_sectors_read(Transaction& t, const FlashCompletion& c) {
  io_->add_times(t, c);
  io_->drop_reader(t);
  const AddressMap::Delivery came = state_->map.take_read(t, c);
  const std::uint32_t read = came.moved != 0 ? 0 : t.flash_mask;
  const Ppn page = t.ppn;
  state_->map.fill_gap(t, {came.lost, came.lost});
  if (came.moved != 0) {
    t.ppn = page;
    return read_again(t);
  }
  t.queued_ps = state_->now_ps();
  complete(t, read);
}

void WritePath::read_again(Transaction& t) {
  if (io_->wait_for_copyback(t)) return;
  t.queued_ps = state_->now_ps();
  complete(t, 0);
}

void WritePath::note_losses(Transaction& t) {
  if (state_->map.note_losses(t)) state_->hooks.unreadable(t.lpn);
}

/// The write waits with the die of the page that it belongs into. False: there is none, it waits as all do.
bool WritePath::joins_page(Transaction& t) {
  Ppn ppn = kNoPpn;
  if (!units_->policy->fits_in_place(t, ppn)) {
    t.hint = units_->policy->hint_for(t.lpn, units_->io.work(t), t.hint);
    return false;
  }
  t.plane = state_->blocks.plane_of(ppn);
  t.die = static_cast<std::uint16_t>(state_->blocks.die_of(ppn));
  io_->board->enqueue(t);
  return true;
}

void WritePath::programmed(Transaction& t, const FlashCompletion& c) {
  PageWriter& writer = writer_of(t);
  io_->add_times(t, c);
  std::uint32_t lost = 0;
  if (state_->map.has_failed(t, c)) {
    if (writer.keeps_failed(t)) return;
    units_ != nullptr ? state_->hooks.units_failed(t) : state_->hooks.program_failed(t.replaced());
    state_->map.inherit(t);
    if (units_ != nullptr) lose_earlier_units(t);
    if (program_again(t)) return;
    lost = state_->map.failed_at(t);
    if (lost == 0 && state_->map.left_to_write(t) == 0 && t.request != nullptr) return writer.superseded(t);
    writer.old_version_counts() ? go_back(t, lost) : io_->jobs->lose(t.lpn, lost);
  }
  if (units_ != nullptr) units_->io.ended(t);
  if (state_->map.left_to_write(t) == 0) return writer.written(t, lost != 0);
  t.queued_ps = state_->now_ps(); // it has not fitted into one page; the LPN is still ours
  enqueue_for_placement(t);
}

/// Another page, unless newer data have been written. A read of the page that failed takes the data from the buffer
/// meanwhile (AddressMap::take_read). When a newer write holds the LPN this one waits behind all that do: as a rule
/// it is void then.
bool WritePath::program_again(Transaction& t) {
  if (state_->map.failed_at(t) == 0 || ++t.failures >= kProgramTries) return false;
  if (t.failures == 1) t.home = t.source;
  if (state_->map.left_to_write(t) != 0) { // the LPN is still ours
    t.queued_ps = state_->now_ps();
    state_->map.write_again(t);
    enqueue_for_placement(t);
  } else if (state_->locks.acquire(t)) {
    repeat(t);
  }
  return true;
}

/// It passes the writes that wait for space: that may be made at the cost of the page that it replaces
/// (Collector::holds_old_versions()), and then it is the only one that has those data.
void WritePath::repeat(Transaction& t) {
  t.queued_ps = state_->now_ps();
  t.flash_mask = state_->full_mask;
  state_->map.write_again(t);
  if (!follows_old_version_ || !joins_page(t)) io_->board->enqueue_write_first(t);
}

void WritePath::leave_failed_page(const Transaction& t) {
  if (t.failures == 0) return;
  const std::uint32_t failed = state_->map.failed_at(t);
  if (failed == 0 || static_cast<PageWriter&>(*t.owner).take_back(t)) return;
  go_back(t, failed);
}

void WritePath::fail_superseded(std::uint32_t lpn) {
  for (Transaction* t = io_->deferred.front(); t != nullptr; t = t->next) {
    if (t->lpn == lpn && t->traits->maps_page) t->failures = kProgramTries;
  }
  state_->locks.each_waiter(lpn, [this](Transaction& t) {
    if (t.failures != 0 && t.traits->maps_page && state_->map.failed_at(t) == 0) t.failures = kProgramTries;
  });
}

void WritePath::go_back(const Transaction& t, std::uint32_t failed) {
  TouchedPlanes touched;
  const std::uint32_t gone = state_->map.go_back(t, failed, touched);
  fail_superseded(t.lpn);
  for (std::uint32_t i = 0; i < touched.count; ++i)
    io_->unrelocatable->valid_again(state_->blocks.site_of(touched.plane[i]));
  io_->jobs->schedule_gc_check(touched);
  io_->jobs->lose(t.lpn, gone);
}

/// What earlier programs had written to that page cannot be read any more either.
void WritePath::lose_earlier_units(const Transaction& t) {
  const UnitMap& map = units_->map;
  if (!state_->blocks.slc_mode(t.ppn)) return;
  for (std::uint32_t slot = 0; slot < map.page(t.ppn).used; ++slot) {
    if (units_->io.programs_slot(t, slot)) continue;
    const LogicalUnit l{map.owner_lpn(t.ppn, slot), map.owner_unit(t.ppn, slot)};
    const Pun now = map.at(l.lpn, l.unit);
    const bool named = now == map.pun(t.ppn, slot);
    if (named && state_->map.writers.writer_of(t.ppn, l) == nullptr) io_->jobs->lose(l.lpn, 1u << l.unit);
    if (now == kNoPun)
      state_->hooks.unreadable(l.lpn); // that it is trimmed: its newest version is an older one now
  }
}

} // namespace twinplane::fw
