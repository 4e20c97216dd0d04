#include "hw/host_if/dma_engine.h"

#include <algorithm>

namespace twinplane::hw {

DmaEngine::DmaEngine(const DmaConfig& config, const CompletionPath& path, CompletionPoster& poster,
                     BandwidthPort& port)
    : sector_size_(config.sector_size),
      path_(path),
      poster_(poster),
      config_(config),
      mover_(config, path.host, notes_),
      port_(port),
      sector_wire_(path.link.wire(config.sector_size)),
      sector_port_(port.duration(config.sector_size)) {}

void DmaEngine::set_memory(std::uint8_t* dram, std::uint32_t bytes) {
  dram_ = dram;
  mover_.set_memory(dram, bytes);
}

bool DmaEngine::set_size(std::uint32_t entries) {
  const bool power_of_two = entries != 0 && (entries & (entries - 1)) == 0;
  if (!power_of_two || base_ + std::uint64_t{entries} * sizeof(DmaDescriptor) > mover_.dram_bytes())
    return false;
  mask_ = entries - 1;
  stamps_.assign(entries, Stamp{});
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
  return reinterpret_cast<const DmaDescriptor*>(dram_ + base_)[before & mask_];
}

// --- bytes ---

bool DmaEngine::move(std::uint32_t index, TimePs at) {
  if (index - executed_ > size()) return false;
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
  if (!moves_data(static_cast<DmaOp>(run.op))) {
    moved_ += pieces; // nothing to be moved
    return;
  }
  std::uint32_t done = 0;
  if (path_.slots.valid(run.slot) && path_.slots[run.slot].state == SlotState::active) {
    PrpWalker::Use use{moved_ + 1, HostCall{at}};
    done = mover_.move_sectors(run, pieces, path_.slots[run.slot], use);
    moved_ += done;
  }
  for (; done != pieces; ++done) {
    if (!move_piece(mover_.piece_of(run, done), at)) return add_jobs(run, done, pieces, at);
    ++moved_;
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

/// False: it must become a job.
bool DmaEngine::move_piece(const DmaDescriptor& piece, TimePs at) {
  Slot* const slot = slot_of(piece);
  if (slot == nullptr || slot->state == SlotState::orphaned) {
    if (slot != nullptr && to_device(static_cast<DmaOp>(piece.op)) && piece.length != 0)
      path_.slots.fail(*slot, nvme::status::abort_requested);
    note(DmaNote::Kind::skipped);
    return true;
  }
  std::uint16_t status = nvme::status::data_transfer_error;
  if (!mover_.fits(piece, *slot)) {
    fault("a DMA descriptor leaves its command's data or the device's DRAM");
  } else {
    if (piece.length == 0) return true;
    PrpWalker::Use use{moved_ + 1, HostCall{at}};
    status = mover_.move(piece, *slot, use);
    if (status == PrpWalker::kLater) return false;
    if (status == nvme::status::success) return true;
  }
  path_.slots.fail(*slot, status);
  note(DmaNote::Kind::failed);
  return true;
}

// --- time ---

bool DmaEngine::ring(std::uint32_t tail, TimePs at) {
  if (tail - executed_ > size()) return false;
  while (executed_ != tail) {
    const DmaDescriptor& run = at_index(executed_);
    const std::uint32_t known = std::min(moved_ - executed_, tail - executed_);
    std::uint32_t pieces = std::min(run.repeat + 1u, known);
    if (pieces == 0) {
      pieces = pieces_of(run, tail - executed_);
      if (jobs_.empty() && !moves_data(static_cast<DmaOp>(run.op))) {
        moved_ += pieces; // completions, mostly
      } else {
        move_run(run, pieces, at);
      }
    }
    book_run(run, pieces, at);
  }
  if (!jobs_.empty()) retire();
  tell_moved();
  return true;
}

inline void DmaEngine::book_run(const DmaDescriptor& run, std::uint32_t pieces, TimePs at) {
  const auto op = static_cast<DmaOp>(run.op);
  while (pieces != 0) {
    if (!jobs_.empty() && jobs_.front().index <= executed_ + 1) {
      announce_job(run, at);
      --pieces;
      continue;
    }
    if (moves_data(op)) {
      const std::uint32_t here =
          jobs_.empty() ? pieces : std::min(pieces, jobs_.front().index - executed_ - 1);
      const std::uint32_t plain = notes_.empty() ? here : plain_pieces(here, at);
      if (plain != 0) book_data(run, plain, at);
      pieces -= plain;
      if (plain != 0) continue;
    } else {
      finish(run, at);
    }
    stamp(run);
    --pieces;
  }
}

/// How many of the next pieces nothing more is to be said about. Lists read for the first of them are booked;
/// 0 when that one did not move.
std::uint32_t DmaEngine::plain_pieces(std::uint32_t pieces, TimePs at) {
  const std::uint32_t first = executed_ + 1;
  while (!notes_.empty() && notes_.front().index == first) {
    const DmaNote note = notes_.front();
    notes_.pop_front();
    if (note.slot != nullptr) {
      book_list(note, at);
    } else {
      if (note.kind == DmaNote::Kind::failed) last_done_ = std::max(last_done_, at);
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

/// Books the next `count` pieces of a run, whose data have been moved.
inline void DmaEngine::book_data(const DmaDescriptor& run, std::uint32_t count, TimePs at) {
  const auto op = static_cast<DmaOp>(run.op);
  const TimePs start = std::max(at, path_.slots[run.slot].list_ready);
  if (run.length == 1 && (op == DmaOp::to_device || op == DmaOp::to_host)) {
    (op == DmaOp::to_device ? bytes_in_ : bytes_out_) += std::uint64_t{count} * sector_size_;
    if (count != 1) return book_sectors(run, count, start);
    last_done_ = std::max(last_done_, book_sector(op == DmaOp::to_device, start));
    return stamp(run);
  }
  const std::uint32_t bytes = mover_.bytes_of(run);
  for (; count != 0; --count) {
    last_done_ = std::max(last_done_, bytes == 0 ? at : book(op, bytes, start));
    stamp(run);
  }
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
    const TimePs earliest = std::max(at, last_done_);
    last_done_ = poster_.complete(descriptor.slot, descriptor.status, descriptor.result, earliest);
  } else if (!orphaned) {
    fault("a DMA descriptor has an unknown operation");
    last_done_ = std::max(last_done_, at);
  }
}

/// For `count` more stamps. When nobody has asked for so long that there is none, the oldest are given up.
void DmaEngine::make_room(std::uint32_t count) {
  const std::uint32_t oldest = executed_ + count - (mask_ + 1); // the last one to be overwritten
  if (static_cast<std::int32_t>(oldest - visible_) <= 0) return;
  if (notices_ == 0) visible_ = oldest;
  while (visible_ != oldest) see();
}

/// One more descriptor is executed.
inline void DmaEngine::stamp(const DmaDescriptor& descriptor) {
  make_room(1);
  ++executed_;
  const bool notify = (descriptor.flags & dma_flag::notify) != 0;
  stamps_[executed_ & mask_] = Stamp{last_done_, notify};
  notices_ += notify ? 1 : 0;
}

std::uint32_t DmaEngine::done(TimePs at) {
  while (visible_ != executed_ && stamps_[(visible_ + 1) & mask_].at <= at) see();
  return visible_;
}

void DmaEngine::see() {
  ++visible_;
  notices_ -= stamps_[visible_ & mask_].notify ? 1 : 0;
}

TimePs DmaEngine::first_notice() const {
  std::uint32_t index = visible_ + 1;
  while (!stamps_[index & mask_].notify) ++index;
  return stamps_[index & mask_].at;
}

TimePs DmaEngine::done_at(std::uint32_t index) const {
  const std::uint32_t age = executed_ - index;
  if (static_cast<std::int32_t>(age) < 0) return kNever;
  return age < size() ? stamps_[index & mask_].at : 0;
}

void DmaEngine::fault(const char* what) {
  ++faults_;
  SC_REPORT_WARNING("twinplane.host_if", what);
}

/// book() of one sector, whose durations are known.
inline TimePs DmaEngine::book_sector(bool in, TimePs start) {
  PcieLink& link = path_.link;
  if (in) {
    const TimePs arrived = link.fetch(start, sector_size_, sector_wire_);
    return std::max(arrived, port_.book(arrived - sector_wire_, sector_size_, sector_port_));
  }
  return std::max(link.post(start, sector_size_, sector_wire_),
                  port_.book(start, sector_size_, sector_port_));
}

// Books link and DRAM port for data that has been moved; returns when it is done.
TimePs DmaEngine::book(DmaOp op, std::uint32_t bytes, TimePs start) {
  if (op == DmaOp::to_device || op == DmaOp::bytes_to_device) {
    if (op == DmaOp::to_device) bytes_in_ += bytes;
    const TimePs arrived = path_.link.fetch(start, bytes);
    return std::max(arrived, port_.book(arrived - path_.link.wire(bytes), bytes));
  }
  if (op != DmaOp::bytes_to_host) bytes_out_ += bytes;
  const TimePs sent = path_.link.post(start, bytes);
  return op == DmaOp::zero_to_host ? sent : std::max(sent, port_.book(start, bytes));
}

/// Books the next `count` pieces of a run of sectors, which have been moved, one after the other.
void DmaEngine::book_sectors(const DmaDescriptor& run, std::uint32_t count, TimePs start) {
  const bool in = static_cast<DmaOp>(run.op) == DmaOp::to_device;
  const bool notify = (run.flags & dma_flag::notify) != 0;
  make_room(count);
  TimePs done = last_done_;
  for (std::uint32_t i = 1; i <= count; ++i) {
    done = std::max(done, book_sector(in, start));
    stamps_[(executed_ + i) & mask_] = Stamp{done, notify};
  }
  last_done_ = done;
  executed_ += count;
  notices_ += notify ? count : 0;
}

} // namespace twinplane::hw
