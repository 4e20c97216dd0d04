// Data moves that a thread makes, because the host may take its time, and everything behind them in the ring.
//
// Moves overtake each other: reads of host memory go on side by side, and beside writes to it. What keeps
// order:
//   - two moves that touch the same DRAM, one of them filling it, go one after the other as in the ring
//   - moves to the host start in the order of the ring
//   - whatever else is in the ring (completions) waits until everything ahead of it has ended
#pragma once

#include <cstdint>
#include <deque>

#include "hw/spec/host_descriptor.h"
#include "hw/spec/sim_time.h"

namespace twinplane::hw {

struct DmaJob {
  enum class Kind : std::uint8_t { to_device, to_host, other };
  enum class State : std::uint8_t { waiting, running, ended };
  DmaDescriptor piece;
  std::uint32_t index = 0;
  std::uint32_t bytes = 0; // of DRAM, from piece.buffer on
  Kind kind = Kind::other;
  State state = State::waiting;
  bool announced = false; // by its doorbell; only then its time counts
  bool failed = false;    // takes no time
  TimePs asked_at = 0;    // when the move was asked for
  TimePs doorbell_at = 0;
  TimePs booked = 0;   // when link and DRAM would be done with it
  TimePs answered = 0; // when the host was
};

class DmaJobs {
 public:
  bool empty() const { return jobs_.empty(); }
  void add(const DmaJob& job) { jobs_.push_back(job); }
  DmaJob& front() { return jobs_.front(); }
  void pop_front() { jobs_.pop_front(); }
  /// The job of descriptor `index`, which must be one.
  DmaJob& at(std::uint32_t index) { return jobs_[index - jobs_.front().index]; }
  /// The first one that may start; null when none may.
  DmaJob* next(DmaJob::Kind kind);
  /// Descriptors before this index have known outcomes; `none` when no data are on their way.
  std::uint32_t first_open(std::uint32_t none) const;

 private:
  bool must_follow(const DmaJob& job) const;

  std::deque<DmaJob> jobs_; // by index, without gaps; a reference stays good while others come and go
};

} // namespace twinplane::hw
