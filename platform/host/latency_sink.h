// Where a workload reports what happened to its requests.
#pragma once

#include <cstdint>

#include "hw/spec/sim_time.h"
#include "platform/trace/io_record.h"

namespace twinplane::platform {

/// One finished request of the workload (it may have been several commands).
struct FinishedIo {
  static constexpr std::uint32_t kNoCommand = 0xFFFF'FFFF;

  IoOp op = IoOp::read;
  std::uint64_t offset = 0; // bytes on the drive, after remapping and alignment
  std::uint64_t bytes = 0;
  TimePs arrival = 0;   // open loop: trace time; closed loop: when its turn came
  TimePs submitted = 0; // that one of its commands whose completion was the last entered its submission queue
  TimePs completed = 0;
  std::uint32_t cid = kNoCommand; // of the same command; a request of no sectors has none
  std::uint16_t sqid = 0;         // its submission queue
  std::uint16_t status = 0;       // first NVMe error status, 0 = success
  std::uint16_t trace = 0;        // of several traces replayed together: which one
};

class LatencySink {
 public:
  /// A request arrived; its latency starts now. Times never go backwards over both calls.
  virtual void arrived(TimePs now) = 0;
  virtual void record(const FinishedIo& io) = 0;
  /// A request that arrived is never sent: the run was interrupted.
  virtual void given_up(TimePs /*arrival*/, TimePs /*now*/) {}
  /// The stream has ended and its last request, too.
  virtual void finished(TimePs /*now*/) {}
  /// As many requests are finished as the rounds up to this one have (the last one may be cut short).
  virtual void round_done(TimePs /*now*/) {}

 protected:
  ~LatencySink() = default;
};

} // namespace twinplane::platform
