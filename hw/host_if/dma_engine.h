// Executes firmware's DMA ring (hw/spec/host_descriptor.h) strictly in order.
//
// The bytes move at once, when the doorbell is rung; the time they take is booked on the link and on the
// DRAM port and kept as a stamp, one per descriptor:
//   to host    done = max(link.post(t, n), dram.book(t, n))                    (left the device)
//   to device  a = link.fetch(t, n); done = max(a, dram.book(a - wire(n), n))  (first byte at a - wire)
//   complete   not before everything ahead of it in the ring is done
// where n are nominal bytes, whatever the data mode, and t the doorbell or the arrival of the PRP list.
// Stamps never decrease along the ring.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/core/dma_fence.h"
#include "hw/core/reservation.h"
#include "hw/host_if/completion_poster.h"
#include "hw/host_if/prp.h"
#include "hw/host_if/slots.h"
#include "hw/spec/data_mode.h"
#include "hw/spec/host_descriptor.h"

namespace twinplane::hw {

struct DmaConfig {
  std::uint32_t sector_size = 4096;
  DataMode data_mode = DataMode::tag;
};

class DmaEngine final : public DmaFence {
 public:
  DmaEngine(const DmaConfig& config, const CompletionPath& path, CompletionPoster& poster,
            BandwidthPort& port);

  void set_memory(std::uint8_t* dram, std::uint32_t bytes);
  // ring registers; false when the ring does not lie in DRAM or its size is no power of two
  void set_base(std::uint32_t offset) { base_ = offset; }
  bool set_size(std::uint32_t entries);
  std::uint32_t base() const { return base_; }
  std::uint32_t size() const { return mask_ + 1; }

  /// Doorbell: executes descriptors up to `tail`. False when the ring is not set up or overrun.
  bool ring(std::uint32_t tail, TimePs at);
  /// Descriptors done by `at`.
  std::uint32_t done(TimePs at);
  /// When the next descriptor with the notify flag that was not done at the last done() will be done;
  /// kNever when none.
  TimePs next_notice() const;
  TimePs done_at(std::uint32_t index) const override;
  /// Stamp of the newest descriptor.
  TimePs last_done() const { return last_done_; }

  std::uint64_t bytes_in() const { return bytes_in_; }   // sectors of commands, host to device
  std::uint64_t bytes_out() const { return bytes_out_; } // ... device to host, zeros included
  std::uint64_t faults() const { return faults_; }       // descriptors that make no sense

 private:
  /// What a descriptor moves, in bytes of the command's data; DRAM is packed at `payload` bytes.
  struct Units {
    std::uint32_t offset = 0;
    std::uint32_t unit = 0;    // nominal bytes per unit
    std::uint32_t payload = 0; // bytes of a unit that really move
    std::uint32_t count = 0;
  };
  void execute(const DmaDescriptor& descriptor, TimePs at);
  TimePs transfer(const DmaDescriptor& descriptor, Slot& slot, TimePs at);
  bool plan(const DmaDescriptor& descriptor, const Slot& slot, Units& units);
  template <typename CopyPiece>
  std::uint16_t walk(Slot& slot, const Units& units, TimePs at, CopyPiece copy);
  DmaDescriptor piece_of(const DmaDescriptor& run, std::uint32_t before) const;
  std::uint32_t move_sectors(const DmaDescriptor& run, std::uint32_t pieces, TimePs at);
  std::uint32_t move_listed(const PrpWalker::Entries& pages, bool in, std::uint8_t* buffer);
  void book_sectors(const DmaDescriptor& run, std::uint32_t count, TimePs start);
  void stamp(const DmaDescriptor& descriptor);
  void make_room(std::uint32_t count);
  TimePs book_sector(bool in, TimePs start);
  TimePs book(DmaOp op, std::uint32_t bytes, TimePs start);
  std::uint16_t move(DmaOp op, Slot& slot, const Units& units, std::uint8_t* buffer, TimePs at);
  void see();
  void fault(const char* what);

  std::uint32_t sector_size_;
  std::uint32_t sector_payload_; // bytes of a sector that really move
  CompletionPath path_;
  CompletionPoster& poster_;
  PrpWalker prp_;
  BandwidthPort& port_;
  TimePs sector_wire_; // time of a sector on the link
  TimePs sector_port_; // ... and on the DRAM port
  std::uint8_t* dram_ = nullptr;
  std::uint32_t dram_bytes_ = 0;
  std::uint32_t base_ = 0;
  std::uint32_t mask_ = 0;
  std::uint32_t executed_ = 0;
  std::uint32_t visible_ = 0;
  TimePs last_done_ = 0;
  struct Stamp {
    TimePs at = 0;
    bool notify = false;
  };
  std::vector<Stamp> stamps_; // by index & mask_
  std::uint32_t notices_ = 0; // executed, with notify, not yet visible
  std::uint64_t bytes_in_ = 0;
  std::uint64_t bytes_out_ = 0;
  std::uint64_t faults_ = 0;
};

} // namespace twinplane::hw
