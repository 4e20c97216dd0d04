#include "hw/host_if/dma_engine.h"

#include <algorithm>

namespace twinplane::hw {

DmaEngine::DmaEngine(const DmaConfig& config, const CompletionPath& path, CompletionPoster& poster,
                     BandwidthPort& port)
    : path_(path), poster_(poster), config_(config), mover_(config, path.host, notes_), port_(port) {}

void DmaEngine::set_memory(std::uint8_t* dram, std::uint32_t bytes) {
  dram_ = dram;
  mover_.set_memory(dram, bytes);
}

bool DmaEngine::set_size(std::uint32_t entries) {
  const bool power_of_two = entries != 0 && (entries & (entries - 1)) == 0;
  if (!power_of_two || base_ + std::uint64_t{entries} * sizeof(DmaDescriptor) > mover_.dram_bytes())
    return false;
  stamps_.set_size(entries);
  return true;
}

bool DmaEngine::set_status(std::uint32_t offset) {
  if (offset % alignof(DmaStatus) != 0 || std::uint64_t{offset} + sizeof(DmaStatus) > mover_.dram_bytes())
    return false;
  status_ = reinterpret_cast<DmaStatus*>(dram_ + offset);
  status_offset_ = offset;
  path_.slots.count_failed_in(status_->failed);
  tell_moved();
  return true;
}

/// The descriptor behind the first `before` ones.
inline const DmaDescriptor& DmaEngine::at_index(std::uint32_t before) const {
  return reinterpret_cast<const DmaDescriptor*>(dram_ + base_)[before & stamps_.mask()];
}

// --- bytes ---

bool DmaEngine::move(std::uint32_t index, TimePs at) {
  if (index - stamps_.count() > size()) return false;
  while (static_cast<std::int32_t>(index - moved_) > 0) {
    const DmaDescriptor& run = at_index(moved_);
    move_run(run, pieces_of(run, index - moved_), at);
  }
  tell_moved();
  return true;
}

inline std::uint32_t DmaEngine::pieces_of(const DmaDescriptor& run, std::uint32_t announced) {
  const std::uint32_t pieces = run.repeat + 1u;
  if (pieces <= announced) return pieces;
  fault("a DMA descriptor stands for more than its doorbell announced");
  return announced;
}

inline void DmaEngine::move_run(const DmaDescriptor& run, std::uint32_t pieces, TimePs at) {
  if (!jobs_.empty()) return add_jobs(run, 0, pieces, at);
  if (moves_data(static_cast<DmaOp>(run.op))) return move_data(run, pieces, at);
  moved_ += pieces; // nothing to be moved
}

void DmaEngine::move_data(const DmaDescriptor& run, std::uint32_t pieces, TimePs at) {
  Slot* const slot = slot_of(run);
  for (std::uint32_t done = 0; done != pieces;) {
    DataMover::Moved moved{0, kNoCommand};
    if (slot != nullptr && slot->state == SlotState::active) {
      PrpWalker::Use use{moved_ + 1, HostCall{at}};
      moved = mover_.move(run, done, pieces - done, *slot, use);
      done += moved.pieces;
      moved_ += moved.pieces;
      if (moved.status == nvme::status::success) continue;
      if (moved.status == PrpWalker::kLater) return add_jobs(run, done, pieces, at);
    }
    note_failure(run, slot, moved.status);
    ++moved_;
    ++done;
  }
}

/// The slot, when there is a command in it.
Slot* DmaEngine::slot_of(const DmaDescriptor& descriptor) {
  if (path_.slots.valid(descriptor.slot)) {
    Slot& slot = path_.slots[descriptor.slot];
    if (slot.state == SlotState::active || slot.state == SlotState::orphaned) return &slot;
  }
  fault("a DMA descriptor names a slot without a command");
  return nullptr;
}

/// The next piece is not moved: its command is gone (kNoCommand), or its data are not to be had.
void DmaEngine::note_failure(const DmaDescriptor& piece, Slot* slot, std::uint16_t status) {
  if (status == kNoCommand) {
    if (slot != nullptr && to_device(static_cast<DmaOp>(piece.op)) && piece.length != 0)
      path_.slots.fail(*slot, nvme::status::abort_requested);
    return note(DmaNote::Kind::skipped);
  }
  const bool misfit = status == DataMover::kMisfit;
  if (misfit) fault("a DMA descriptor leaves its command's data or the device's DRAM");
  path_.slots.fail(*slot, misfit ? nvme::status::data_transfer_error : status);
  note(DmaNote::Kind::failed);
}

// --- time ---

bool DmaEngine::ring(std::uint32_t tail, TimePs at) {
  if (tail - stamps_.count() > size()) return false;
  while (stamps_.count() != tail) {
    const DmaDescriptor& run = at_index(stamps_.count());
    const std::uint32_t known = std::min(moved_ - stamps_.count(), tail - stamps_.count());
    std::uint32_t pieces = std::min(run.repeat + 1u, known);
    if (pieces == 0) {
      pieces = pieces_of(run, tail - stamps_.count());
      move_run(run, pieces, at);
    }
    book_run(run, pieces, at);
  }
  if (!jobs_.empty()) retire();
  tell_moved();
  return true;
}

inline void DmaEngine::book_run(const DmaDescriptor& run, std::uint32_t pieces, TimePs at) {
  const auto op = static_cast<DmaOp>(run.op);
  const std::uint32_t all = pieces;
  while (pieces != 0) {
    if (!jobs_.empty() && jobs_.front().index <= stamps_.count() + 1) {
      announce_job(run, at);
      --pieces;
      continue;
    }
    if (moves_data(op)) {
      const std::uint32_t here =
          jobs_.empty() ? pieces : std::min(pieces, jobs_.front().index - stamps_.count() - 1);
      const std::uint32_t plain = notes_.empty() ? here : plain_pieces(here, at);
      if (plain != 0) book_data(run, all - pieces, plain, at);
      pieces -= plain;
      if (plain != 0) continue;
    } else {
      finish(run, at);
    }
    stamps_.add(stamps_.last(), notifies(run));
    --pieces;
  }
}

/// How many of the next pieces nothing more is to be said about. Lists read for the first of them are booked;
/// 0 when that one did not move.
std::uint32_t DmaEngine::plain_pieces(std::uint32_t pieces, TimePs at) {
  const std::uint32_t first = stamps_.count() + 1;
  while (!notes_.empty() && notes_.front().index == first) {
    const DmaNote note = notes_.front();
    notes_.pop_front();
    if (note.slot != nullptr) {
      book_list(note, at);
    } else {
      if (note.kind == DmaNote::Kind::failed) stamps_.not_before(at);
      return 0;
    }
  }
  return notes_.empty() ? pieces : std::min(pieces, notes_.front().index - first);
}

void DmaEngine::book_list(const DmaNote& note, TimePs at) {
  Slot& slot = *note.slot;
  const bool chained = note.kind == DmaNote::Kind::chained_list;
  slot.list_ready = path_.link.fetch(chained ? std::max(at, slot.list_ready) : at, note.bytes);
}

/// Books the next `count` pieces of a run, behind `before` others, whose data have been moved, one after the
/// other.
inline void DmaEngine::book_data(const DmaDescriptor& run, std::uint32_t before, std::uint32_t count,
                                 TimePs at) {
  const TimePs start = std::max(at, path_.slots[run.slot].list_ready);
  const bool notify = notifies(run);
  const Transfer transfer = transfer_of(run);
  if (transfer.bytes == 0) {
    stamps_.add_each(count, notify, [at] { return at; });
  } else if (port_.by_address()) {
    book_by_address(run, before, count, start);
  } else if (transfer.in) {
    stamps_.add_each(count, notify, [&, this] { return book_in(transfer, start); });
  } else {
    stamps_.add_each(count, notify, [&, this] { return book_out(transfer, start); });
  }
  count_moved(static_cast<DmaOp>(run.op), std::uint64_t{count} * transfer.bytes);
}

/// The same where the DRAM goes by addresses.
void DmaEngine::book_by_address(const DmaDescriptor& run, std::uint32_t before, std::uint32_t count,
                                TimePs start) {
  const Transfer transfer = transfer_of(run);
  const bool notify = notifies(run);
  stamps_.add_each(count, notify, [&, this] {
    return book_at(transfer, mover_.nominal_buffer(mover_.piece_of(run, before++)), start);
  });
}

/// Books the link, and asks the DRAM that goes by addresses.
TimePs DmaEngine::book_at(const Transfer& piece, std::uint64_t address, TimePs start) {
  DramAccess access{address, piece.bytes, start, DramMaster::host_dma, piece.in};
  if (piece.in) {
    const TimePs arrived = path_.link.fetch(start, piece.bytes, piece.wire);
    access.at = arrived - piece.wire;
    return std::max(arrived, port_.book(access));
  }
  const TimePs sent = path_.link.post(start, piece.bytes, piece.wire);
  return piece.buffered ? std::max(sent, port_.book(access)) : sent;
}

/// complete, release, or what is no operation.
void DmaEngine::finish(const DmaDescriptor& descriptor, TimePs at) {
  Slot* const slot = slot_of(descriptor);
  if (slot == nullptr) return;
  const auto op = static_cast<DmaOp>(descriptor.op);
  const bool orphaned = slot->state == SlotState::orphaned;
  if (op == DmaOp::release || (op == DmaOp::complete && orphaned)) {
    path_.slots.release(descriptor.slot);
  } else if (op == DmaOp::complete) {
    const TimePs earliest = std::max(at, stamps_.last());
    stamps_.not_before(poster_.complete(descriptor.slot, descriptor.status, descriptor.result, earliest));
  } else if (!orphaned) {
    fault("a DMA descriptor has an unknown operation");
    stamps_.not_before(at);
  }
}

void DmaEngine::fault(const char* what) {
  ++faults_;
  SC_REPORT_WARNING("twinplane.host_if", what);
}

} // namespace twinplane::hw
