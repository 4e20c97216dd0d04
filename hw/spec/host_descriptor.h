// What firmware and the NVMe front end say to each other through device DRAM.
//
// Command ring: the front end appends one CommandEntry per fetched submission queue entry.
// DMA ring: firmware appends DmaDescriptors; the front end executes them strictly in order on the
// PCIe link, so a `complete` after data movements is posted when that data has arrived.
// Ring indices run freely modulo 2^32; slot = index & (size - 1); sizes are powers of two.
// DMA index i (counted from 1) is "done" once its data has moved; a FlashDescriptor's `fence` names it.
// A descriptor with `repeat` n stands for n + 1 descriptors that continue each other, and for their indices;
// the ring slots of the further ones are skipped.
//
// Outcome: whether data moved is another question than when. The engine answers it in DmaStatus, and moves
// data up to an index ahead of the doorbell when asked (register dma_move), so that firmware knows before it
// acts. A move to the device that fails leaves the device's DRAM as it was, all `length` units of it.
#pragma once

#include <cstdint>

namespace twinplane {

/// One fetched host command, 80 bytes.
struct CommandEntry {
  std::uint8_t sqe[64] = {}; // the submission queue entry as fetched (hw/spec/nvme.h)
  std::uint16_t slot = 0;    // front-end context; names the command in DMA descriptors
  std::uint16_t sqid = 0;
  std::uint16_t queue_tag =
      0; // of queue_flags when the queue was created: tells it from a later queue of that id
  std::uint16_t reserved = 0;
  std::uint64_t reserved2 = 0;
};
static_assert(sizeof(CommandEntry) == 80, "layout is shared with firmware");

enum class DmaOp : std::uint8_t {
  to_device = 1,       // host sectors -> DRAM buffer (write data)
  to_host = 2,         // DRAM buffer -> host sectors (read data)
  zero_to_host = 3,    // host sectors := zeros (never-written or deallocated LBAs)
  bytes_to_device = 4, // raw bytes (admin data, DSM ranges); offset and length in bytes
  bytes_to_host = 5,
  complete = 6, // post the completion queue entry of `slot` and free the slot
  release = 7,  // free the slot without a completion (command dropped by a queue deletion)
};

constexpr bool moves_data(DmaOp op) {
  return op >= DmaOp::to_device && op <= DmaOp::bytes_to_host;
}
constexpr bool to_device(DmaOp op) {
  return op == DmaOp::to_device || op == DmaOp::bytes_to_device;
}

namespace dma_flag {
constexpr std::uint8_t notify = 1u << 0; // interrupt firmware when done (register DMA_DONE tells which)
} // namespace dma_flag

/// 32 bytes in device DRAM.
struct DmaDescriptor {
  std::uint8_t op = 0;      // DmaOp
  std::uint8_t flags = 0;   // dma_flag
  std::uint16_t slot = 0;   // CommandEntry::slot
  std::uint32_t offset = 0; // where in the command's data: sectors, or bytes for the bytes_* operations
  std::uint32_t length =
      0; // sectors, or bytes for the bytes_* operations; 0 moves nothing (with notify: a wake-up)
  std::uint32_t buffer = 0; // DRAM byte offset of the first sector's payload (or of the bytes)
  std::uint16_t status = 0; // complete: NVMe status field (SC | SCT << 8 | ... ), without the phase tag
  std::uint16_t repeat = 0; // to_*: as many more of the same length, each behind the last in data and buffer
  std::uint32_t result = 0; // complete: CQE dword 0
  std::uint64_t reserved2 = 0;
};
static_assert(sizeof(DmaDescriptor) == 32, "layout is shared with firmware");

/// What became of the data, 8 bytes in device DRAM where register dma_status says; written by the front end.
struct DmaStatus {
  /// The data of all descriptors up to this index have been moved, or have failed to. They may still be on
  /// their way as far as time is concerned: that is what "done" tells.
  std::uint32_t moved = 0;
  /// Commands in the device some of whose data failed to move; register data_status tells of each one.
  std::uint32_t failed = 0;
};
static_assert(sizeof(DmaStatus) == 8, "layout is shared with firmware");

} // namespace twinplane
