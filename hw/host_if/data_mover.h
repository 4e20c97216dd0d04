// Moves the data of commands between host memory and device DRAM, wherever PRPs say. It knows nothing of
// time.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/host_if/prp.h"
#include "hw/host_if/slots.h"
#include "hw/spec/data_mode.h"
#include "hw/spec/host_descriptor.h"

namespace twinplane::hw {

struct DmaConfig {
  std::uint32_t sector_size = 4096;
  DataMode data_mode = DataMode::tag;
};

class DataMover {
 public:
  DataMover(const DmaConfig& config, HostAccess& host, DmaNotes& notes);

  void set_memory(std::uint8_t* dram, std::uint32_t bytes);
  std::uint32_t dram_bytes() const { return dram_bytes_; }

  /// Bytes of DRAM that it reads or writes.
  std::uint64_t buffered_bytes(const DmaDescriptor& descriptor) const {
    if (static_cast<DmaOp>(descriptor.op) == DmaOp::zero_to_host) return 0;
    return std::uint64_t{descriptor.length} * (raw(descriptor) ? 1 : sector_payload_);
  }
  /// Bytes that the descriptor stands for, nominally.
  std::uint64_t bytes_of(const DmaDescriptor& descriptor) const {
    return std::uint64_t{descriptor.length} * (raw(descriptor) ? 1 : sector_size_);
  }
  /// Where its buffer lies, nominally (hw/core/dram_timing.h).
  std::uint64_t nominal_buffer(const DmaDescriptor& descriptor) const {
    return raw(descriptor) ? descriptor.buffer : nominal_address(descriptor.buffer, mode_, sector_size_);
  }
  /// The descriptor that `run` stands for after `before` others.
  DmaDescriptor piece_of(const DmaDescriptor& run, std::uint32_t before) const {
    DmaDescriptor piece = run;
    piece.offset += before * run.length;
    piece.buffer += static_cast<std::uint32_t>(before * buffered_bytes(run));
    return piece;
  }
  /// False when the first `pieces` pieces that `run` stands for would leave the command's data or the DRAM.
  bool fits(const DmaDescriptor& run, std::uint32_t pieces, const Slot& slot) const {
    return start_of(run) + pieces * bytes_of(run) <= slot.data_bytes &&
           run.buffer + pieces * buffered_bytes(run) <= dram_bytes_;
  }

  /// Not a status: the piece does not fit.
  static constexpr std::uint16_t kMisfit = 0xFFFE;
  struct Moved {
    std::uint32_t pieces = 0;
    /// Of the piece behind them, or PrpWalker::kLater, or kMisfit. Success with fewer pieces than asked: the
    /// host has reset the controller while it answered.
    std::uint16_t status = nvme::status::success;
  };
  /// Moves the data of an active command: of the pieces [before, before + count) that `run` stands for, up to
  /// one that cannot be moved. The data of a piece to the device arrive whole or not at all.
  /// PrpWalker::kLater: a thread must move that piece, from its beginning.
  Moved move(const DmaDescriptor& run, std::uint32_t before, std::uint32_t count, Slot& slot,
             PrpWalker::Use& use);

 private:
  /// A part of the command's data, in bytes of them.
  struct Span {
    std::uint32_t end = 0;
    std::uint32_t piece = 0;
    std::uint32_t unit = 0;    // a sector, or a piece of raw bytes
    std::uint32_t payload = 0; // the first bytes of a unit, which really move
  };

  static bool raw(const DmaDescriptor& descriptor) {
    const auto op = static_cast<DmaOp>(descriptor.op);
    return op == DmaOp::bytes_to_device || op == DmaOp::bytes_to_host;
  }
  /// Where in the command's data it begins, in bytes.
  std::uint64_t start_of(const DmaDescriptor& descriptor) const {
    return std::uint64_t{descriptor.offset} * (raw(descriptor) ? 1 : sector_size_);
  }
  /// Calls access(host address, bytes) for the payload from `position` on, page by page. `position` ends
  /// where that succeeded.
  template <typename Access>
  std::uint16_t walk(const Span& span, std::uint32_t& position, Slot& slot, PrpWalker::Use& use,
                     Access access);

  DataMode mode_;
  std::uint32_t sector_size_;
  std::uint32_t sector_payload_; // bytes of a sector that really move
  HostAccess& host_;
  PrpWalker prp_;
  std::uint8_t* dram_ = nullptr;
  std::uint32_t dram_bytes_ = 0;
  std::vector<std::uint8_t> staged_; // data to the device; as long as the most yet
};

} // namespace twinplane::hw
