// Where the time of the host's requests went, summed: their parts add up to the sum of their latencies, to
// the picosecond.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

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
  double host_wait = 0, host_queue = 0, page_buffer_wait = 0, write_buffer_wait = 0, firmware = 0, map = 0,
         die_wait = 0, suspend_wait = 0, bus_wait = 0, bus = 0, array = 0, ecc = 0, retry = 0, completion = 0;
};

class BreakdownMeter {
 public:
  void add(IoOp op, const RequestTimes& times) {
    const TimePs latency = times.host_wait + times.host_queue + times.in_firmware + times.completion;
    const auto power = static_cast<std::uint32_t>(63 - __builtin_clzll(latency | 16));
    const std::size_t step = (power << 4) + static_cast<std::uint32_t>(latency >> (power - 4) & 15);
    std::vector<Sums>& sums = by_latency_[static_cast<std::uint32_t>(op)];
    if (step >= sums.size()) sums.resize(step + 1);
    sums[step].add(times);
  }

  /// Empty without requests.
  std::optional<BreakdownNs> mean(IoOp op) const;
  /// Of the tenth of the reads and writes that took longest. Which these are is known to one part in 16 of a
  /// latency: of those at the border, the mean counts. Empty without requests.
  std::optional<BreakdownNs> slowest_tenth() const;

 private:
  __extension__ typedef unsigned __int128 Wide; // a long overload exceeds 64 bits

  struct Sums {
    std::uint64_t requests = 0;
    Wide host_wait = 0, host_queue = 0, page_buffer_wait = 0, write_buffer_wait = 0, in_firmware = 0,
         die_wait = 0;
    std::uint64_t completion = 0, map = 0, suspend_wait = 0, bus_wait = 0, bus = 0, array = 0, ecc = 0,
                  retry = 0;

    void add(const RequestTimes& times) {
      ++requests;
      host_wait += times.host_wait;
      host_queue += times.host_queue;
      in_firmware += times.in_firmware;
      completion += times.completion;
      page_buffer_wait += times.parts.page_buffer_wait;
      write_buffer_wait += times.parts.write_buffer_wait;
      map += times.parts.map;
      die_wait += times.parts.die_wait;
      suspend_wait += times.parts.suspend_wait;
      bus_wait += times.parts.bus_wait;
      bus += times.parts.bus;
      array += times.parts.array;
      ecc += times.parts.ecc;
      retry += times.parts.retry;
    }
    void add(const Sums& other);
    /// Of all its requests, in nanoseconds.
    BreakdownNs total() const;
  };

  std::array<std::vector<Sums>, kIoOps> by_latency_; // of each kind, sixteen steps to each power of two
};

/// Calls each(name, member) for the parts, in the order of the request's way; the names are those of
/// summary.json.
template <typename Each>
void for_each_part(const Each& each) {
  each("host_wait", &BreakdownNs::host_wait);
  each("host_queue", &BreakdownNs::host_queue);
  each("page_buffer_wait", &BreakdownNs::page_buffer_wait);
  each("write_buffer_wait", &BreakdownNs::write_buffer_wait);
  each("firmware", &BreakdownNs::firmware);
  each("map", &BreakdownNs::map);
  each("die_wait", &BreakdownNs::die_wait);
  each("suspend_wait", &BreakdownNs::suspend_wait);
  each("bus_wait", &BreakdownNs::bus_wait);
  each("bus", &BreakdownNs::bus);
  each("array", &BreakdownNs::array);
  each("ecc", &BreakdownNs::ecc);
  each("retry", &BreakdownNs::retry);
  each("completion", &BreakdownNs::completion);
}

} // namespace twinplane::platform
