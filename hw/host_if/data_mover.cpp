#include "hw/host_if/data_mover.h"

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

DataMover::DataMover(const DmaConfig& config, HostAccess& host, DmaNotes& notes)
    : sector_size_(config.sector_size),
      sector_payload_(payload_bytes(config.data_mode, config.sector_size)),
      host_(host),
      prp_(host, notes) {}

void DataMover::set_memory(std::uint8_t* dram, std::uint32_t bytes) {
  dram_ = dram;
  dram_bytes_ = bytes;
}

DmaDescriptor DataMover::piece_of(const DmaDescriptor& run, std::uint32_t before) const {
  DmaDescriptor piece = run;
  piece.offset += before * run.length;
  if (static_cast<DmaOp>(run.op) != DmaOp::zero_to_host)
    piece.buffer += before * run.length * (raw(run) ? 1 : sector_payload_);
  return piece;
}

DataMover::Units DataMover::units_of(const DmaDescriptor& descriptor) const {
  Units units;
  const bool bytes = raw(descriptor);
  units.offset = descriptor.offset * (bytes ? 1 : sector_size_);
  units.unit = bytes ? descriptor.length : sector_size_;
  units.payload = bytes ? descriptor.length : sector_payload_;
  units.count = bytes ? 1 : descriptor.length;
  return units;
}

bool DataMover::fits(const DmaDescriptor& descriptor, const Slot& slot) const {
  const std::uint32_t scale = raw(descriptor) ? 1 : sector_size_;
  const std::uint64_t end = (std::uint64_t{descriptor.offset} + descriptor.length) * scale;
  if (end > slot.data_bytes) return false;
  const std::uint64_t each = raw(descriptor) ? 1 : sector_payload_;
  const bool buffered = static_cast<DmaOp>(descriptor.op) != DmaOp::zero_to_host;
  return descriptor.buffer + (buffered ? each * descriptor.length : 0) <= dram_bytes_;
}

std::uint16_t DataMover::move(const DmaDescriptor& descriptor, Slot& slot, PrpWalker::Use& use) {
  const Units units = units_of(descriptor);
  std::uint8_t* const buffer = dram_ + descriptor.buffer;
  switch (static_cast<DmaOp>(descriptor.op)) {
    case DmaOp::to_device:
    case DmaOp::bytes_to_device:
      return fetch(slot, units, buffer, use);
    case DmaOp::zero_to_host:
      return clear(slot, units, use);
    default:
      return send(slot, units, buffer, use);
  }
}

/// Moves a sector to or from each of the host's pages, as far as they are granted; returns how many.
std::uint32_t DataMover::move_listed(const PrpWalker::Entries& pages, bool in, std::uint8_t* buffer) {
  if (pages.count == 0 || sector_size_ != PrpWalker::kPageSize) return 0;
  const std::uint32_t payload = sector_payload_;
  HostAccess::Grant grant;
  for (std::uint32_t i = 0; i != pages.count; ++i, buffer += payload) {
    std::uint64_t address = 0;
    std::memcpy(&address, pages.first + std::size_t{i} * sizeof address, sizeof address);
    if ((address & (PrpWalker::kPageSize - 1)) != 0) return i;
    std::uint8_t* memory = grant.at(address, PrpWalker::kPageSize);
    if (memory == nullptr) {
      grant = host_.grant_of(address, PrpWalker::kPageSize);
      memory = grant.at(address, PrpWalker::kPageSize);
      if (memory == nullptr) return i;
    }
    copy_bytes(in ? buffer : memory, in ? memory : buffer, payload);
  }
  return pages.count;
}

std::uint32_t DataMover::move_sectors(const DmaDescriptor& run, std::uint32_t pieces, Slot& slot,
                                      PrpWalker::Use& use) {
  const auto op = static_cast<DmaOp>(run.op);
  if (run.length != 1 || (op != DmaOp::to_device && op != DmaOp::to_host)) return 0;
  if ((std::uint64_t{run.offset} + pieces) * sector_size_ > slot.data_bytes) return 0;
  if (run.buffer + std::uint64_t{pieces} * sector_payload_ > dram_bytes_) return 0;
  const bool in = op == DmaOp::to_device;
  const std::uint32_t first = use.index;
  std::uint32_t moved = 0;
  while (moved != pieces) {
    const std::uint32_t offset = (run.offset + moved) * sector_size_;
    use.index = first + moved;
    std::uint8_t* buffer = dram_ + run.buffer + std::size_t{moved} * sector_payload_;
    const HostSegment segment = prp_.resolve(slot, offset, use);
    if (sector_size_ > segment.bytes) break;
    std::uint8_t* memory = host_.direct(segment.address, sector_size_);
    if (memory == nullptr) break;
    copy_bytes(in ? buffer : memory, in ? memory : buffer, sector_payload_);
    ++moved;
    if (const std::uint32_t left = pieces - moved; left != 0) {
      moved += move_listed(prp_.listed(slot, offset + sector_size_, left), in, buffer + sector_payload_);
    }
  }
  return moved;
}

// Walks the host's side of `units` and calls copy(host pointer or null, host address, bytes) for each
// contiguous piece of payload.
template <typename CopyPiece>
std::uint16_t DataMover::walk(Slot& slot, const Units& units, PrpWalker::Use& use, CopyPiece copy) {
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
        segment = prp_.resolve(slot, position, use);
        if (segment.status != nvme::status::success) return segment.status;
        memory = host_.direct(segment.address, segment.bytes);
      }
      const std::uint32_t piece = std::min(left, segment.bytes);
      if (piece != 0) {
        const HostAnswer answer = copy(memory, segment.address, piece);
        if (answer != HostAnswer::ok) return PrpWalker::status_of(answer);
      }
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

/// Nothing is written to `buffer` before all of it is known to be there. What the host grants is copied from
/// its place; from the first piece on that needs a transaction, all is staged. A grant can end with any
/// transaction, that of a list entry included: then the places found are not used.
std::uint16_t DataMover::fetch(Slot& slot, const Units& units, std::uint8_t* buffer, PrpWalker::Use& use) {
  const std::uint32_t grants_ended = host_.grants_ended();
  bool staging = false;
  sources_.clear();
  staged_.clear();
  const auto stage = [this](const Source& source) {
    staged_.insert(staged_.end(), source.bytes, source.bytes + source.count);
  };
  const auto take = [&](std::uint8_t* memory, std::uint64_t address, std::uint32_t bytes) {
    if (!staging && memory != nullptr) {
      sources_.push_back(Source{memory, bytes});
      return HostAnswer::ok;
    }
    if (!staging && host_.grants_ended() == grants_ended) {
      for (const Source& source : sources_) stage(source);
    }
    staging = true;
    if (memory != nullptr) {
      stage(Source{memory, bytes});
      return HostAnswer::ok;
    }
    staged_.resize(staged_.size() + bytes);
    return host_.read(address, staged_.data() + staged_.size() - bytes, bytes, use.call);
  };
  const std::uint16_t status = walk(slot, units, use, take);
  if (status != nvme::status::success) return status;
  if (staging) {
    if (staged_.size() == std::size_t{units.payload} * units.count) {
      std::memcpy(buffer, staged_.data(), staged_.size());
      return status;
    }
    return fetch(slot, units, buffer, use); // some places were lost: there are no grants for them any more
  }
  if (host_.grants_ended() != grants_ended) return fetch(slot, units, buffer, use);
  for (const Source& source : sources_) {
    copy_bytes(buffer, source.bytes, source.count);
    buffer += source.count;
  }
  return status;
}

std::uint16_t DataMover::clear(Slot& slot, const Units& units, PrpWalker::Use& use) {
  return walk(slot, units, use, [&](std::uint8_t* memory, std::uint64_t address, std::uint32_t bytes) {
    static constexpr std::uint8_t kZeros[4096] = {};
    if (memory == nullptr) return host_.write(address, kZeros, bytes, use.call);
    std::memset(memory, 0, bytes);
    return HostAnswer::ok;
  });
}

std::uint16_t DataMover::send(Slot& slot, const Units& units, const std::uint8_t* buffer,
                              PrpWalker::Use& use) {
  return walk(slot, units, use, [&](std::uint8_t* memory, std::uint64_t address, std::uint32_t bytes) {
    const std::uint8_t* const from = buffer;
    buffer += bytes;
    if (memory == nullptr) return host_.write(address, from, bytes, use.call);
    copy_bytes(memory, from, bytes);
    return HostAnswer::ok;
  });
}

} // namespace twinplane::hw
