#include "hw/host_if/dma_engine.h"

#include <algorithm>
#include <cstring>

namespace twinplane::hw {

namespace {

/// Tags are by far the most frequent piece: a copy of known size needs no call.
inline void copy_bytes(std::uint8_t* to, const std::uint8_t* from, std::uint32_t bytes) {
  if (bytes == kTagBytes) {
    std::memcpy(to, from, kTagBytes);
  } else {
    std::memcpy(to, from, bytes);
  }
}

} // namespace

DmaEngine::DmaEngine(const DmaConfig& config, const CompletionPath& path, CompletionPoster& poster,
                     BandwidthPort& port)
    : sector_size_(config.sector_size),
      sector_payload_(payload_bytes(config.data_mode, config.sector_size)),
      path_(path),
      poster_(poster),
      prp_(path.host, path.link),
      port_(port),
      sector_wire_(path.link.wire(config.sector_size)),
      sector_port_(port.duration(config.sector_size)) {}

void DmaEngine::set_memory(std::uint8_t* dram, std::uint32_t bytes) {
  dram_ = dram;
  dram_bytes_ = bytes;
}

bool DmaEngine::set_size(std::uint32_t entries) {
  const bool power_of_two = entries != 0 && (entries & (entries - 1)) == 0;
  if (!power_of_two || base_ + std::uint64_t{entries} * sizeof(DmaDescriptor) > dram_bytes_) return false;
  mask_ = entries - 1;
  stamps_.assign(entries, Stamp{});
  return true;
}

bool DmaEngine::ring(std::uint32_t tail, TimePs at) {
  if (tail - executed_ > stamps_.size()) return false;
  const auto* descriptors = reinterpret_cast<const DmaDescriptor*>(dram_ + base_);
  while (executed_ != tail) {
    const DmaDescriptor& descriptor = descriptors[executed_ & mask_];
    std::uint32_t pieces = descriptor.repeat + 1u;
    if (pieces > tail - executed_) {
      fault("a DMA descriptor stands for more than its doorbell announced");
      pieces = tail - executed_;
    }
    std::uint32_t moved = move_sectors(descriptor, pieces, at);
    for (; moved != pieces; ++moved) {
      execute(piece_of(descriptor, moved), at);
      stamp(descriptor);
    }
  }
  return true;
}

/// The descriptor that `run` stands for after `before` others.
DmaDescriptor DmaEngine::piece_of(const DmaDescriptor& run, std::uint32_t before) const {
  const auto op = static_cast<DmaOp>(run.op);
  const bool raw = op == DmaOp::bytes_to_device || op == DmaOp::bytes_to_host;
  DmaDescriptor piece = run;
  piece.offset += before * run.length;
  if (op != DmaOp::zero_to_host) piece.buffer += before * run.length * (raw ? 1 : sector_payload_);
  return piece;
}

/// For `count` more stamps. When nobody has asked for so long that there is none, the oldest are given up.
inline void DmaEngine::make_room(std::uint32_t count) {
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

TimePs DmaEngine::next_notice() const {
  if (notices_ == 0) return kNever;
  std::uint32_t index = visible_ + 1;
  while (!stamps_[index & mask_].notify) ++index;
  return stamps_[index & mask_].at;
}

TimePs DmaEngine::done_at(std::uint32_t index) const {
  const std::uint32_t age = executed_ - index;
  if (static_cast<std::int32_t>(age) < 0) return kNever;
  return age < stamps_.size() ? stamps_[index & mask_].at : 0;
}

void DmaEngine::fault(const char* what) {
  ++faults_;
  SC_REPORT_WARNING("twinplane.host_if", what);
}

void DmaEngine::execute(const DmaDescriptor& descriptor, TimePs at) {
  if (!path_.slots.valid(descriptor.slot) || path_.slots[descriptor.slot].state == SlotState::free ||
      path_.slots[descriptor.slot].state == SlotState::held) {
    fault("a DMA descriptor names a slot without a command");
    return;
  }
  Slot& slot = path_.slots[descriptor.slot];
  const auto op = static_cast<DmaOp>(descriptor.op);
  const bool orphaned = slot.state == SlotState::orphaned;
  if (op == DmaOp::release || (op == DmaOp::complete && orphaned)) {
    path_.slots.release(descriptor.slot);
  } else if (op == DmaOp::complete) {
    const TimePs earliest = std::max(at, last_done_);
    last_done_ = poster_.complete(descriptor.slot, descriptor.status, descriptor.result, earliest);
  } else if (!orphaned) {
    last_done_ = std::max(last_done_, transfer(descriptor, slot, at));
  }
}

// Turns a descriptor into units; false when it would leave the command's data or the DRAM.
bool DmaEngine::plan(const DmaDescriptor& descriptor, const Slot& slot, Units& units) {
  const auto op = static_cast<DmaOp>(descriptor.op);
  const bool raw = op == DmaOp::bytes_to_device || op == DmaOp::bytes_to_host;
  const std::uint32_t scale = raw ? 1 : sector_size_;
  const std::uint64_t end = (std::uint64_t{descriptor.offset} + descriptor.length) * scale;
  if (end > slot.data_bytes) return false;
  units.offset = descriptor.offset * scale;
  units.unit = raw ? descriptor.length : scale;
  units.payload = raw ? descriptor.length : sector_payload_;
  units.count = raw ? 1 : descriptor.length;
  const std::uint64_t buffered = op == DmaOp::zero_to_host ? 0 : std::uint64_t{units.payload} * units.count;
  return descriptor.buffer + buffered <= dram_bytes_;
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
inline TimePs DmaEngine::book(DmaOp op, std::uint32_t bytes, TimePs start) {
  if (op == DmaOp::to_device || op == DmaOp::bytes_to_device) {
    if (op == DmaOp::to_device) bytes_in_ += bytes;
    const TimePs arrived = path_.link.fetch(start, bytes);
    return std::max(arrived, port_.book(arrived - path_.link.wire(bytes), bytes));
  }
  if (op != DmaOp::bytes_to_host) bytes_out_ += bytes;
  const TimePs sent = path_.link.post(start, bytes);
  return op == DmaOp::zero_to_host ? sent : std::max(sent, port_.book(start, bytes));
}

/// Moves a sector to or from each of the host's pages, as far as they are granted; returns how many.
std::uint32_t DmaEngine::move_listed(const PrpWalker::Entries& pages, bool in, std::uint8_t* buffer) {
  if (pages.count == 0 || sector_size_ != PrpWalker::kPageSize) return 0;
  const std::uint32_t payload = sector_payload_;
  HostAccess::Grant grant;
  for (std::uint32_t i = 0; i != pages.count; ++i, buffer += payload) {
    std::uint64_t address = 0;
    std::memcpy(&address, pages.first + std::size_t{i} * sizeof address, sizeof address);
    if ((address & (PrpWalker::kPageSize - 1)) != 0) return i;
    std::uint8_t* memory = grant.at(address, PrpWalker::kPageSize);
    if (memory == nullptr) {
      grant = path_.host.grant_of(address, PrpWalker::kPageSize);
      memory = grant.at(address, PrpWalker::kPageSize);
      if (memory == nullptr) return i;
    }
    copy_bytes(in ? buffer : memory, in ? memory : buffer, payload);
  }
  return pages.count;
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

// Pieces of one sector, each inside one host page, as nearly all are. Returns how many it moved; where it
// stops, the general way must find out how the data lies or what is wrong.
std::uint32_t DmaEngine::move_sectors(const DmaDescriptor& run, std::uint32_t pieces, TimePs at) {
  const auto op = static_cast<DmaOp>(run.op);
  if (run.length != 1 || (op != DmaOp::to_device && op != DmaOp::to_host)) return 0;
  if (!path_.slots.valid(run.slot) || path_.slots[run.slot].state != SlotState::active) return 0;
  Slot& slot = path_.slots[run.slot];
  if ((std::uint64_t{run.offset} + pieces) * sector_size_ > slot.data_bytes) return 0;
  if (run.buffer + std::uint64_t{pieces} * sector_payload_ > dram_bytes_) return 0;
  const bool in = op == DmaOp::to_device;
  std::uint32_t moved = 0;
  while (moved != pieces) {
    const std::uint32_t offset = (run.offset + moved) * sector_size_;
    std::uint8_t* buffer = dram_ + run.buffer + std::size_t{moved} * sector_payload_;
    const HostSegment segment = prp_.resolve(slot, offset, at);
    if (sector_size_ > segment.bytes) break;
    std::uint8_t* memory = path_.host.direct(segment.address, sector_size_);
    if (memory == nullptr) break;
    copy_bytes(in ? buffer : memory, in ? memory : buffer, sector_payload_);
    std::uint32_t count = 1;
    if (const std::uint32_t left = pieces - moved - 1; left != 0) {
      count += move_listed(prp_.listed(slot, offset + sector_size_, left), in, buffer + sector_payload_);
    }
    const TimePs start = std::max(at, slot.list_ready);
    if (count == 1) {
      last_done_ = std::max(last_done_, book_sector(in, start));
      stamp(run);
    } else {
      book_sectors(run, count, start);
    }
    moved += count;
  }
  (in ? bytes_in_ : bytes_out_) += std::uint64_t{moved} * sector_size_;
  return moved;
}

TimePs DmaEngine::transfer(const DmaDescriptor& descriptor, Slot& slot, TimePs at) {
  const auto op = static_cast<DmaOp>(descriptor.op);
  if (op < DmaOp::to_device || op > DmaOp::bytes_to_host) {
    fault("a DMA descriptor has an unknown operation");
    return at;
  }
  Units units;
  if (!plan(descriptor, slot, units)) {
    fault("a DMA descriptor leaves its command's data or the device's DRAM");
    slot.error = nvme::status::data_transfer_error;
    return at;
  }
  if (units.count == 0 || units.unit == 0) return at;
  const std::uint16_t status = move(op, slot, units, dram_ + descriptor.buffer, at);
  if (status != nvme::status::success) {
    if (slot.error == nvme::status::success) slot.error = status;
    return at;
  }
  return book(op, units.unit * units.count, std::max(at, slot.list_ready));
}

// Walks the host's side of `units` and calls copy(host pointer or null, host address, bytes) for each
// contiguous piece of payload.
template <typename CopyPiece>
std::uint16_t DmaEngine::walk(Slot& slot, const Units& units, TimePs at, CopyPiece copy) {
  HostSegment segment;
  std::uint8_t* memory = nullptr;
  std::uint32_t position = units.offset;
  const auto step = [&](std::uint32_t bytes) {
    segment.address += bytes;
    segment.bytes -= bytes;
    position += bytes;
    if (memory != nullptr) memory += bytes;
  };
  for (std::uint32_t i = 0; i < units.count; ++i) {
    std::uint32_t left = units.payload;
    do {
      if (segment.bytes == 0) {
        segment = prp_.resolve(slot, position, at);
        if (segment.status != nvme::status::success) return segment.status;
        memory = path_.host.direct(segment.address, segment.bytes);
      }
      const std::uint32_t piece = std::min(left, segment.bytes);
      if (piece != 0 && !copy(memory, segment.address, piece)) return nvme::status::data_transfer_error;
      step(piece);
      left -= piece;
    } while (left != 0);
    const std::uint32_t rest = units.unit - units.payload; // nominal bytes that do not really move
    if (rest <= segment.bytes) {
      step(rest);
    } else {
      position += rest;
      segment.bytes = 0;
    }
  }
  return nvme::status::success;
}

std::uint16_t DmaEngine::move(DmaOp op, Slot& slot, const Units& units, std::uint8_t* buffer, TimePs at) {
  HostAccess& host = path_.host;
  switch (op) {
    case DmaOp::to_device:
    case DmaOp::bytes_to_device:
      return walk(slot, units, at, [&](std::uint8_t* memory, std::uint64_t address, std::uint32_t bytes) {
        if (memory == nullptr && !host.read(address, buffer, bytes, at)) return false;
        if (memory != nullptr) copy_bytes(buffer, memory, bytes);
        buffer += bytes;
        return true;
      });
    case DmaOp::zero_to_host:
      return walk(slot, units, at, [&](std::uint8_t* memory, std::uint64_t address, std::uint32_t bytes) {
        static constexpr std::uint8_t kZeros[4096] = {};
        if (memory == nullptr) return host.write(address, kZeros, bytes, at);
        std::memset(memory, 0, bytes);
        return true;
      });
    default:
      return walk(slot, units, at, [&](std::uint8_t* memory, std::uint64_t address, std::uint32_t bytes) {
        if (memory == nullptr && !host.write(address, buffer, bytes, at)) return false;
        if (memory != nullptr) copy_bytes(memory, buffer, bytes);
        buffer += bytes;
        return true;
      });
  }
}

} // namespace twinplane::hw
