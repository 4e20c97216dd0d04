// One host I/O as traces and workloads describe it, and where such records come from.
#pragma once

#include <cstdint>

namespace twinplane::platform {

enum class IoOp : std::uint8_t { read, write, trim, flush };

/// Offsets and lengths are bytes in the traced device's address space; nothing is folded or aligned
/// yet (the replay engine does both).
struct IoRecord {
  std::uint64_t arrival_ns = 0; // from the start of the trace; workloads without a rate leave 0
  IoOp op = IoOp::read;
  bool fua = false; // a write that is done only when the medium has it (force unit access)
  std::uint64_t offset = 0;
  std::uint32_t length = 0;        // 0 only for flush
  std::uint16_t device = 0;        // traces that name several devices keep them apart here
  std::uint16_t trace = 0;         // of several traces replayed together: which one
  std::uint64_t pause_ns = 0;      // closed loop: silence before it, after all earlier ones are done
  std::uint8_t access_latency = 0; // NVMe DSM access latency hint, 0 = none
};

/// A stream of records in arrival order.
class IoSource {
 public:
  virtual ~IoSource() = default;
  /// Fills `record` and returns true, or returns false at the end. Throws InputError (platform/config/
  /// error.h) with file, line and what was expected when the input is malformed.
  virtual bool next(IoRecord& record) = 0;
  /// Starts over from the first record.
  virtual void rewind() = 0;
  /// Starts another round, with arrival times from 0 again. A trace repeats its records; a workload draws
  /// on, so that its rounds differ as the parts of one long workload do.
  virtual void next_round() { rewind(); }
  /// Whether next_round() gives other records than the round before.
  virtual bool rounds_differ() const { return false; }
  /// Records of a round when known, else 0 (for progress).
  virtual std::uint64_t size_hint() const = 0;
};

} // namespace twinplane::platform
