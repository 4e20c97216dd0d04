// Where the time of the host's requests went, summed: their parts add up to the sum of their latencies, to
// the picosecond.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "firmware/ftl/request.h"
#include "hw/spec/sim_time.h"
#include "platform/report/io_meter.h"

namespace twinplane::platform {

/// Of one request, in picoseconds: along its command that finished last.
/// What of `in_firmware` is not among `parts` is the firmware's own.
struct RequestTimes {
  TimePs host_wait = 0;   // arrival -> doorbell of that command: earlier requests, full queues
  TimePs host_queue = 0;  // doorbell -> the firmware takes the command
  TimePs in_firmware = 0; // ... -> the firmware is done
  TimePs completion = 0;  // ... -> interrupt taken: data and completion entry on the link
  const fw::LatencyBreakdown& parts;
};

/// Mean time per request, in nanoseconds.
struct BreakdownNs {
  double host_wait = 0, host_queue = 0, firmware = 0, map = 0, die_wait = 0, bus_wait = 0, bus = 0, array = 0,
         ecc = 0, retry = 0, completion = 0;
};

class BreakdownMeter {
 public:
  void add(IoOp op, const RequestTimes& times) {
    Sums& s = sums_[static_cast<std::uint32_t>(op)];
    ++s.requests;
    s.host_wait += times.host_wait;
    s.host_queue += times.host_queue;
    s.in_firmware += times.in_firmware;
    s.completion += times.completion;
    s.map += times.parts.map;
    s.die_wait += times.parts.die_wait;
    s.bus_wait += times.parts.bus_wait;
    s.bus += times.parts.bus;
    s.array += times.parts.array;
    s.ecc += times.parts.ecc;
    s.retry += times.parts.retry;
  }

  /// Empty without requests.
  std::optional<BreakdownNs> mean(IoOp op) const;

 private:
  __extension__ typedef unsigned __int128 Wide; // a long overload exceeds 64 bits

  struct Sums {
    std::uint64_t requests = 0;
    Wide host_wait = 0, host_queue = 0, in_firmware = 0, die_wait = 0;
    std::uint64_t completion = 0, map = 0, bus_wait = 0, bus = 0, array = 0, ecc = 0, retry = 0;
  };

  std::array<Sums, kIoOps> sums_;
};

} // namespace twinplane::platform
