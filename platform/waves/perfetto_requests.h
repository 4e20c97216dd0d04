// What the host sees, beside the flash of the same trace: a process of its own, named after the drive.
//
//   requests N   one slice per request ("write 16 KiB") on the first track that is free, in it "wait" (from
//   its arrival
//                to its doorbell), "queue" (until the firmware takes it), "firmware" (until the firmware is
//                done: flash included) and "completion"; arguments: offset, bytes, latency_ps, status
//   counters     queue depth (requests that have arrived and are not done), planes busy, free blocks
// Flows lead from a request's "firmware" to the planes that work for it: at the time when the firmware handed
// the command to the flash controller. What is still on its way when its request is done (write buffers) has
// none, nor has collection.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/spec/sim_time.h"
#include "platform/waves/trace_events.h"
#include "platform/waves/wave_writer.h"

namespace twinplane::platform {

/// Times of the kernel, none later than the next.
struct RequestTrace {
  std::string_view op; // "read", "write" ...
  std::uint64_t offset = 0, bytes = 0;
  TimePs arrival = 0, doorbell = 0, taken = 0, done = 0, completed = 0;
  std::uint32_t cid = 0;
  std::uint32_t status = 0;
};

/// A value over time. Changes may be told ahead of time and in any order, but none before a time that
/// was flushed.
class TraceCounter {
 public:
  TraceCounter(TraceEventFile& file, const char* name) : file_(file), name_(name) {}
  void add(TimePs at, std::int32_t by) { changes_.emplace(at, by); }
  void flush(TimePs until, const WaveWindow& window);

 private:
  using Change = std::pair<TimePs, std::int32_t>;
  TraceEventFile& file_;
  const char* name_;
  std::priority_queue<Change, std::vector<Change>, std::greater<>> changes_;
  std::int64_t value_ = 0;
  std::int64_t shown_ = -1;
};

class PerfettoRequests {
 public:
  static constexpr std::uint32_t kProcess = 1;

  PerfettoRequests(TraceEventFile& file, const WaveWindow& window);

  void arrived(TimePs at) { depth_.add(at, 1); }
  /// In order of completion.
  void finished(const RequestTrace& request);
  /// The firmware hands page operation `transaction` of command `cid` to the flash.
  void issued(std::uint32_t cid, std::uint32_t transaction, TimePs at);
  /// An array operation of `transaction` is drawn: the flow that ends there, 0 = none.
  std::uint32_t take_flow(std::uint32_t transaction);

  void plane(TimePs at, std::int32_t by) { planes_.add(at, by); }
  void free_blocks(TimePs at, std::uint64_t blocks);
  /// Nothing before `until` will be told any more.
  void flush(TimePs until);

 private:
  struct Issue {
    std::uint32_t flow;
    std::uint32_t transaction;
    TimePs at;
    bool drawn; // where it leads
  };
  TraceTrack track_of(const RequestTrace& request);
  void draw_flows(const RequestTrace& request, const TraceTrack& track);
  bool outside(TimePs start, TimePs end) const { return start > window_.end || end < window_.begin; }

  TraceEventFile& file_;
  WaveWindow window_;
  TraceCounter depth_, planes_;
  std::uint64_t blocks_ = ~std::uint64_t{0};
  std::uint32_t last_flow_ = 0;
  std::vector<TimePs> tracks_;                 // end of the last slice of each
  std::vector<std::vector<Issue>> by_command_; // of commands in flight, by identifier
  struct Place {
    std::uint32_t cid = 0;
    std::uint32_t flow = 0; // 0: nothing under way to the array
  };
  std::vector<Place> by_transaction_;
};

} // namespace twinplane::platform
