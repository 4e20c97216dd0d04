// What the firmware says of itself, in the drive's process of a Perfetto trace: `firmware N` has a slice for
// each thing that takes time (a block's collection, a step of recovery), on the first track that is free when
// it begins, and marks for what does not.
//
// All of the window is kept until finish(): the order in which it is learnt of, between what hardware and
// host do, depends on how far the drive is ahead of the kernel, and the file's bytes must not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/spec/sim_time.h"
#include "platform/observe/waves/trace_events.h"
#include "platform/observe/waves/wave_writer.h"

namespace twinplane::platform {

class PerfettoFirmware {
 public:
  PerfettoFirmware(TraceEventFile& file, const WaveWindow& window) : file_(file), window_(window) {}

  /// `arguments` are JSON members without braces.
  void slice(std::string name, TimePs begin, TimePs end, std::string arguments);
  void mark(std::string name, TimePs at, std::string arguments);
  /// Once, at the end.
  void finish();

 private:
  struct Item {
    std::string name;
    TimePs begin;
    TimePs end;
    std::string arguments;
    bool mark;
  };
  TraceTrack track(std::size_t number);
  bool outside(TimePs begin, TimePs end) const { return begin > window_.end || end < window_.begin; }

  TraceEventFile& file_;
  WaveWindow window_;
  std::vector<Item> items_;
  std::vector<TimePs> tracks_; // end of the last slice of each
};

} // namespace twinplane::platform
