// What the host sees, beside the flash of the same trace: a process of its own, named after the drive.
//
//   requests N   one slice per request ("write 16 KiB") on the first track that is free, in it "wait" (from
//                its arrival to its doorbell), "queue" (until the firmware takes it), "firmware" (until the
//                firmware is done: flash included) and "completion"; arguments: offset, bytes, latency_ps, status
//   counters     queue depth (requests that have arrived and are not done), planes busy, free blocks; with
//                report.plane_time for each cause ("planes: held_pac") the mean number of planes that it has,
//                row by row of the timeline
// Flows lead from a request's "firmware" to the planes that work for it: at the time when the firmware handed
// the command to the flash controller. What is still on its way when its request is done (write buffers) has
// none, nor has collection.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/spec/sim_time.h"
#include "platform/observe/waves/trace_events.h"
#include "platform/observe/waves/wave_writer.h"
#include "platform/report/plane_time.h"

namespace twinplane::platform {

/// Times of the kernel, none later than the next.
struct RequestTrace {
  std::string_view op; // "read", "write" ...
  std::uint64_t offset = 0, bytes = 0;
  TimePs arrival = 0, doorbell = 0, taken = 0, done = 0, completed = 0;
  std::uint32_t command = 0; // command_key()
  std::uint32_t status = 0;
};

/// Identifiers are a submission queue's own: a host may use one on several queues at a time.
constexpr std::uint32_t command_key(std::uint32_t sqid, std::uint32_t cid) {
  return sqid << 16 | (cid & 0xFFFF);
}

/// A value over time. Changes come in any order; those of the window are kept until write(), since the order
/// in which they are learnt of depends on how far the drive is ahead of the kernel, and the file's bytes must
/// not.
class TraceCounter {
 public:
  TraceCounter(const WaveWindow& window, const char* name) : window_(window), name_(name) {}
  void add(TimePs at, std::int32_t by) {
    if (at <= window_.begin) {
      before_ += by;
    } else if (at <= window_.end) {
      changes_.emplace_back(at, by);
    }
  }
  void write(TraceEventFile& file);

 private:
  WaveWindow window_;
  const char* name_;
  std::int64_t before_ = 0; // at the begin of the window
  std::vector<std::pair<TimePs, std::int32_t>> changes_;
};

class PerfettoRequests {
 public:
  static constexpr std::uint32_t kProcess = 1;

  PerfettoRequests(TraceEventFile& file, const WaveWindow& window);

  void arrived(TimePs at) { depth_.add(at, 1); }
  /// In order of completion.
  void finished(const RequestTrace& request);
  /// The firmware hands page operation `transaction` of the command (command_key()) to the flash.
  void issued(std::uint32_t command, std::uint32_t transaction, TimePs at);
  /// An array operation of `transaction` is drawn: the flow that ends there, 0 = none.
  std::uint32_t take_flow(std::uint32_t transaction);

  void plane(TimePs at, std::int32_t by) { planes_.add(at, by); }
  void free_blocks(TimePs at, std::uint64_t blocks);
  /// What each cause had of the planes' time from `begin` to `end`; calls follow each other in time.
  void plane_times(TimePs begin, TimePs end, const PlaneTimes& spent);
  /// Once, at the end: the counters.
  void finish();

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
  std::array<double, kPlaneCauses> shown_{}; // mean number of planes
  std::uint32_t last_flow_ = 0;
  std::vector<TimePs> tracks_;                             // end of the last slice of each
  std::map<std::uint32_t, std::vector<Issue>> by_command_; // of commands in flight
  struct Place {
    std::uint32_t command = 0;
    std::uint32_t flow = 0; // 0: nothing under way to the array
  };
  std::vector<Place> by_transaction_;
};

} // namespace twinplane::platform
