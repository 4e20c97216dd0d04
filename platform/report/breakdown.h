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
struct RequestTimes {
  TimePs host_wait = 0;       // arrival -> doorbell of that command: earlier requests, full queues
  fw::LatencyBreakdown drive; // doorbell -> firmware is done; host_queue counts from the doorbell's ringing
  TimePs completion = 0;      // firmware is done -> interrupt taken: data and completion entry on the link
};

/// Mean time per request, in nanoseconds.
struct BreakdownNs {
  double host_wait = 0, host_queue = 0, firmware = 0, map = 0, die_wait = 0, bus_wait = 0, bus = 0, array = 0,
         ecc = 0, completion = 0;
};

class BreakdownMeter {
 public:
  void add(IoOp op, const RequestTimes& times) {
    Sums& s = sums_[static_cast<std::uint32_t>(op)];
    ++s.requests;
    s.host_wait += times.host_wait;
    s.completion += times.completion;
    s.host_queue += times.drive.host_queue;
    s.firmware += times.drive.firmware;
    s.map += times.drive.map;
    s.die_wait += times.drive.die_wait;
    s.bus_wait += times.drive.bus_wait;
    s.bus += times.drive.bus;
    s.array += times.drive.array;
    s.ecc += times.drive.ecc;
  }

  /// Empty without requests.
  std::optional<BreakdownNs> mean(IoOp op) const;

 private:
  __extension__ typedef unsigned __int128 Wide; // a long overload exceeds 64 bits

  struct Sums {
    std::uint64_t requests = 0;
    Wide host_wait = 0, host_queue = 0, die_wait = 0;
    std::uint64_t firmware = 0, map = 0, bus_wait = 0, bus = 0, array = 0, ecc = 0, completion = 0;
  };

  std::array<Sums, kIoOps> sums_;
};

} // namespace twinplane::platform
