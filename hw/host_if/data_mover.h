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
  std::uint32_t buffered_bytes(const DmaDescriptor& descriptor) const {
    if (static_cast<DmaOp>(descriptor.op) == DmaOp::zero_to_host) return 0;
    return descriptor.length * (raw(descriptor) ? 1 : sector_payload_);
  }
  /// Bytes that the descriptor stands for, nominally.
  std::uint32_t bytes_of(const DmaDescriptor& descriptor) const {
    return descriptor.length * (raw(descriptor) ? 1 : sector_size_);
  }
  /// The descriptor that `run` stands for after `before` others.
  DmaDescriptor piece_of(const DmaDescriptor& run, std::uint32_t before) const;
  /// False when the descriptor would leave the command's data or the DRAM.
  bool fits(const DmaDescriptor& descriptor, const Slot& slot) const;
  /// Moves the data of a descriptor that fits. Data to the device arrive whole or not at all.
  /// PrpWalker::kLater: a thread must move them, from the beginning.
  std::uint16_t move(const DmaDescriptor& descriptor, Slot& slot, PrpWalker::Use& use);
  /// Pieces of one sector, each inside one host page that is granted, as nearly all are. Returns how many it
  /// moved; where it stops, move() must find out how the data lie or what is wrong.
  std::uint32_t move_sectors(const DmaDescriptor& run, std::uint32_t pieces, Slot& slot, PrpWalker::Use& use);

 private:
  /// What a descriptor moves, in bytes of the command's data; DRAM is packed at `payload` bytes.
  struct Units {
    std::uint32_t offset = 0;
    std::uint32_t unit = 0;    // nominal bytes per unit
    std::uint32_t payload = 0; // bytes of a unit that really move
    std::uint32_t count = 0;
  };
  /// Host memory that the device may read as its own.
  struct Source {
    const std::uint8_t* bytes = nullptr;
    std::uint32_t count = 0;
  };

  static bool raw(const DmaDescriptor& descriptor) {
    const auto op = static_cast<DmaOp>(descriptor.op);
    return op == DmaOp::bytes_to_device || op == DmaOp::bytes_to_host;
  }
  Units units_of(const DmaDescriptor& descriptor) const;
  template <typename CopyPiece>
  std::uint16_t walk(Slot& slot, const Units& units, PrpWalker::Use& use, CopyPiece copy);
  std::uint16_t fetch(Slot& slot, const Units& units, std::uint8_t* buffer, PrpWalker::Use& use);
  std::uint16_t clear(Slot& slot, const Units& units, PrpWalker::Use& use);
  std::uint16_t send(Slot& slot, const Units& units, const std::uint8_t* buffer, PrpWalker::Use& use);
  std::uint32_t move_listed(const PrpWalker::Entries& pages, bool in, std::uint8_t* buffer);

  std::uint32_t sector_size_;
  std::uint32_t sector_payload_; // bytes of a sector that really move
  HostAccess& host_;
  PrpWalker prp_;
  std::uint8_t* dram_ = nullptr;
  std::uint32_t dram_bytes_ = 0;
  std::vector<Source> sources_;      // of the descriptor under way
  std::vector<std::uint8_t> staged_; // ... when not all of it is granted
};

} // namespace twinplane::hw
