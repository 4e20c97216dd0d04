// DmaEngine: what goes through threads, for a host that may wait.
#include <algorithm>

#include "hw/core/kernel_time.h"
#include "hw/host_if/dma_engine.h"

namespace twinplane::hw {

void DmaEngine::add_jobs(const DmaDescriptor& run, std::uint32_t done, std::uint32_t pieces, TimePs at) {
  const bool data = moves_data(static_cast<DmaOp>(run.op));
  for (; done != pieces; ++done) {
    add_job(data ? mover_.piece_of(run, done) : run, at);
    ++moved_;
  }
  path_.host.notify(jobs_event_, sc_core::SC_ZERO_TIME);
}

/// The next descriptor to be moved becomes a job, one with nothing to do when it makes no sense.
void DmaEngine::add_job(const DmaDescriptor& piece, TimePs at) {
  const auto op = static_cast<DmaOp>(piece.op);
  DmaJob job;
  job.piece = piece;
  job.index = moved_ + 1;
  job.asked_at = at;
  job.state = DmaJob::State::ended;
  if (moves_data(op) && piece.length != 0) {
    Slot* const slot = slot_of(piece);
    if (slot != nullptr && mover_.fits(piece, 1, *slot)) {
      job.kind = to_device(op) ? DmaJob::Kind::to_device : DmaJob::Kind::to_host;
      job.bytes = static_cast<std::uint32_t>(mover_.buffered_bytes(piece));
      job.state = DmaJob::State::waiting;
    } else {
      job.failed = true;
      if (slot != nullptr) fault("a DMA descriptor leaves its command's data or the device's DRAM");
      if (slot != nullptr) path_.slots.fail(*slot, nvme::status::data_transfer_error);
    }
  }
  jobs_.add(job);
}

/// The doorbell of the next job: books its time, which may turn out too short.
void DmaEngine::announce_job(const DmaDescriptor& run, TimePs at) {
  const auto op = static_cast<DmaOp>(run.op);
  DmaJob& job = jobs_.at(stamps_.count() + 1);
  while (!notes_.empty() && notes_.front().index == job.index) {
    if (notes_.front().slot != nullptr) book_list(notes_.front(), at);
    notes_.pop_front();
  }
  job.announced = true;
  job.doorbell_at = job.booked = at;
  if (moves_data(op) && run.length != 0 && !job.failed) {
    const Transfer transfer = transfer_of(run);
    const TimePs start = std::max(at, path_.slots[run.slot].list_ready);
    if (port_.by_address()) {
      job.booked = book_at(transfer, mover_.nominal_buffer(job.piece), start);
    } else {
      job.booked = transfer.in ? book_in(transfer, start) : book_out(transfer, start);
    }
    count_moved(op, transfer.bytes);
  }
  stamps_.add(kNever, notifies(run));
}

/// Gives their stamps to all that have ended, in the order of the ring; completions go on their way.
void DmaEngine::retire() {
  while (!jobs_.empty() && jobs_.front().announced && jobs_.front().state == DmaJob::State::ended) {
    const DmaJob job = jobs_.front();
    jobs_.pop_front();
    if (moves_data(static_cast<DmaOp>(job.piece.op))) {
      stamps_.not_before(job.failed ? job.doorbell_at : std::max(job.booked, job.answered));
    } else {
      finish(job.piece, std::max(job.doorbell_at, kernel_now()));
    }
    stamps_.set_to_last(job.index);
  }
}

void DmaEngine::serve(DmaJob::Kind kind) {
  ThreadMover& own = thread_movers_.emplace_back(config_, path_.host);
  own.mover.set_memory(dram_, mover_.dram_bytes());
  for (;;) {
    DmaJob* job = jobs_.next(kind);
    if (job == nullptr) {
      sc_core::wait(jobs_event_);
      continue;
    }
    run(*job, own.mover);
    own.notes.clear(); // the list was booked with the doorbell
    retire();
    tell_moved();
    path_.host.notify(jobs_event_, sc_core::SC_ZERO_TIME);
    on_progress_();
  }
}

void DmaEngine::run(DmaJob& job, DataMover& mover) {
  job.state = DmaJob::State::running;
  Slot& slot = path_.slots[job.piece.slot];
  Slot view = slot;
  PrpWalker::Use use{job.index, HostCall{job.asked_at, true}};
  std::uint16_t status = nvme::status::abort_requested;
  if (slot.state == SlotState::active) status = mover.move(job.piece, 0, 1, view, use).status;
  job.answered = std::max(kernel_now(), use.call.answered);
  job.failed = status != nvme::status::success;
  if (job.failed) path_.slots.fail(slot, status);
  job.state = DmaJob::State::ended;
}

} // namespace twinplane::hw
