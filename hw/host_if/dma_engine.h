// Executes firmware's DMA ring (hw/spec/host_descriptor.h) strictly in order.
//
// A descriptor is executed in two steps. First its bytes move, when firmware asks for it (move()) or at the
// latest with its doorbell (ring()): from then on firmware can know whether that failed. Then, with the
// doorbell, the time that takes is booked on the link and on the DRAM port and kept as a stamp, one per
// descriptor:
//   to host    done = max(link.post(t, n), dram.book(t, n))                    (left the device)
//   to device  a = link.fetch(t, n); done = max(a, dram.book(a - wire(n), n))  (first byte at a - wire)
//              (a DRAM that goes by addresses is asked for the same times)
//   complete   not before everything ahead of it in the ring is done
// where n are nominal bytes, whatever the data mode, and t the doorbell or the arrival of the PRP list.
// Stamps never decrease along the ring. What failed takes no time.
//
// Threads (dma_threads.cpp) access host memory that may wait and is not granted: the move becomes a job, and
// so does all that is behind it in the ring. Its time is booked in the same way; the job ends when that time
// has come and the host has answered, and has no stamp until then.
//
// Data of a command that the host has forgotten (controller reset) stay where they are; firmware learns that
// as it learns of an error, so that it never takes a buffer for filled that is not.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "hw/core/bandwidth_port.h"
#include "hw/core/dma_fence.h"
#include "hw/host_if/completion_poster.h"
#include "hw/host_if/data_mover.h"
#include "hw/host_if/dma_jobs.h"
#include "hw/host_if/dma_stamps.h"
#include "hw/host_if/slots.h"
#include "hw/spec/host_descriptor.h"

namespace twinplane::hw {

class DmaEngine final : public DmaFence {
 public:
  DmaEngine(const DmaConfig& config, const CompletionPath& path, CompletionPoster& poster,
            BandwidthPort& port);

  void set_memory(std::uint8_t* dram, std::uint32_t bytes);
  // ring registers; false when the ring does not lie in DRAM or its size is no power of two
  void set_base(std::uint32_t offset) { base_ = offset; }
  bool set_size(std::uint32_t entries);
  /// Where the DmaStatus lies; false when that is not in DRAM.
  bool set_status(std::uint32_t offset);
  std::uint32_t status_offset() const { return status_offset_; }
  std::uint32_t base() const { return base_; }
  std::uint32_t size() const { return stamps_.size(); }

  /// Moves the data of descriptors up to `index`. False when the ring is not set up or overrun.
  bool move(std::uint32_t index, TimePs at);
  /// Doorbell: executes descriptors up to `tail`. False when the ring is not set up or overrun.
  bool ring(std::uint32_t tail, TimePs at);
  /// Descriptors done by `at`.
  std::uint32_t done(TimePs at) { return stamps_.done(at); }
  /// What move(), ring() and done() have come to.
  std::uint32_t moved() const { return moved_; }
  std::uint32_t rung() const { return stamps_.count(); }
  std::uint32_t seen_done() const { return stamps_.seen_done(); }
  /// When the next descriptor with the notify flag that was not done at the last done() will be done;
  /// kNever when none.
  TimePs next_notice() const { return stamps_.next_notice(); }
  TimePs done_at(std::uint32_t index) const override { return stamps_.done_at(index); }
  /// Stamp of the newest descriptor.
  TimePs last_done() const { return stamps_.last(); }

  /// Bodies of SC_THREADs, for a host that may wait: one, and as many as reads may be outstanding.
  void serve_to_host() { serve(DmaJob::Kind::to_host); }
  void serve_to_device() { serve(DmaJob::Kind::to_device); }
  /// Called when such a thread has brought the ring on: there may be stamps and free slots.
  void on_progress(std::function<void()> call) { on_progress_ = std::move(call); }

  std::uint64_t bytes_in() const { return bytes_in_; }   // sectors of commands, host to device
  std::uint64_t bytes_out() const { return bytes_out_; } // ... device to host, zeros included
  std::uint64_t faults() const { return faults_; }       // descriptors that make no sense

 private:
  std::uint32_t pieces_of(const DmaDescriptor& run, std::uint32_t announced);
  const DmaDescriptor& at_index(std::uint32_t before) const;
  void move_run(const DmaDescriptor& run, std::uint32_t pieces, TimePs at);
  void move_data(const DmaDescriptor& run, std::uint32_t pieces, TimePs at);
  Slot* slot_of(const DmaDescriptor& descriptor);
  /// Not a status: the piece is of no command that is (still) active.
  static constexpr std::uint16_t kNoCommand = 0xFFFD;
  void note_failure(const DmaDescriptor& piece, Slot* slot, std::uint16_t status);
  void note(DmaNote::Kind kind) { notes_.push_back(DmaNote{moved_ + 1, kind, 0, nullptr}); }
  void tell_moved() { status_->moved = jobs_.empty() ? moved_ : jobs_.first_open(moved_ + 1) - 1; }
  // jobs (dma_threads.cpp)
  void add_job(const DmaDescriptor& piece, TimePs at);
  void add_jobs(const DmaDescriptor& run, std::uint32_t done, std::uint32_t pieces, TimePs at);
  void announce_job(const DmaDescriptor& run, TimePs at);
  /// A thread walks lists of its own: another one of the same command may be somewhere else. It is kept
  /// here, for the kernel gives a thread's stack back at the end without leaving its functions.
  struct ThreadMover {
    ThreadMover(const DmaConfig& config, HostAccess& host) : mover(config, host, notes) {}
    DmaNotes notes;
    DataMover mover;
  };
  void serve(DmaJob::Kind kind);
  void run(DmaJob& job, DataMover& mover);
  void retire();

  void book_run(const DmaDescriptor& run, std::uint32_t pieces, TimePs at);
  std::uint32_t plain_pieces(std::uint32_t pieces, TimePs at);
  void book_list(const DmaNote& note, TimePs at);
  void book_data(const DmaDescriptor& run, std::uint32_t before, std::uint32_t count, TimePs at);
  void finish(const DmaDescriptor& descriptor, TimePs at);
  static bool notifies(const DmaDescriptor& descriptor) { return (descriptor.flags & dma_flag::notify) != 0; }
  /// What a piece of data takes.
  struct Transfer {
    std::uint32_t bytes = 0; // nominally
    bool in = false;         // to the device
    bool buffered = false;   // by way of the DRAM
    TimePs wire = 0;         // time on the link
    TimePs port = 0;         // ... and at the DRAM
  };
  Transfer transfer_of(const DmaDescriptor& piece) const;
  TimePs book_in(const Transfer& piece, TimePs start);
  TimePs book_out(const Transfer& piece, TimePs start);
  [[gnu::noinline]] void book_by_address(const DmaDescriptor& run, std::uint32_t before, std::uint32_t count,
                                         TimePs start);
  [[gnu::noinline]] TimePs book_at(const Transfer& piece, std::uint64_t address, TimePs start);
  void count_moved(DmaOp op, std::uint64_t bytes);
  void fault(const char* what);

  CompletionPath path_;
  CompletionPoster& poster_;
  DmaNotes notes_;
  DmaConfig config_;
  DataMover mover_;
  DmaJobs jobs_;
  std::deque<ThreadMover> thread_movers_; // a deque: they stay where they are
  sc_core::sc_event jobs_event_{"jobs"};  // one may start
  std::function<void()> on_progress_;
  BandwidthPort& port_;
  std::uint8_t* dram_ = nullptr;
  std::uint32_t base_ = 0;
  DmaStatus own_status_;
  DmaStatus* status_ = &own_status_;
  std::uint32_t status_offset_ = 0;
  std::uint32_t moved_ = 0; // their data have been moved
  DmaStamps stamps_;        // ... and their time is booked
  std::uint64_t bytes_in_ = 0;
  std::uint64_t bytes_out_ = 0;
  std::uint64_t faults_ = 0;
};

inline void DmaEngine::count_moved(DmaOp op, std::uint64_t bytes) {
  if (op == DmaOp::to_device) bytes_in_ += bytes;
  if (op == DmaOp::to_host || op == DmaOp::zero_to_host) bytes_out_ += bytes;
}

inline DmaEngine::Transfer DmaEngine::transfer_of(const DmaDescriptor& piece) const {
  const auto op = static_cast<DmaOp>(piece.op);
  const auto bytes = static_cast<std::uint32_t>(mover_.bytes_of(piece));
  const bool buffered = op != DmaOp::zero_to_host;
  return {bytes, to_device(op), buffered, path_.link.wire(bytes), port_.duration(bytes)};
}

/// Books link and DRAM port for a piece to the device; returns when it is done.
inline TimePs DmaEngine::book_in(const Transfer& piece, TimePs start) {
  const TimePs arrived = path_.link.fetch(start, piece.bytes, piece.wire);
  return std::max(arrived, port_.book(arrived - piece.wire, piece.bytes, piece.port));
}
/// ... to the host.
inline TimePs DmaEngine::book_out(const Transfer& piece, TimePs start) {
  const TimePs sent = path_.link.post(start, piece.bytes, piece.wire);
  return piece.buffered ? std::max(sent, port_.book(start, piece.bytes, piece.port)) : sent;
}

} // namespace twinplane::hw
