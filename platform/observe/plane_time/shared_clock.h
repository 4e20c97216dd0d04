// What a plane does with its time while it has nothing of its own: for all planes that share it at once. A
// plane asks for the time between two points and gets it by cause, however much has happened in between.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "platform/observe/plane_time/spans.h"
#include "platform/observe/plane_time/time_index.h"

namespace twinplane::platform {

class SharedClock {
 public:
  /// In order of precedence.
  enum Part : std::size_t {
    waiting,    // a write waits that could go to the plane
    dependency, // ... and cannot be queued yet
    unseen,     // a host command that the firmware has not begun with
    buffers,    // a host command waits for page buffers of the firmware
    elsewhere,  // other planes have work
    in_drive,   // a host command is in the drive
    nothing
  };
  static constexpr std::size_t kParts = 7;
  /// All parts but the last one; null: never.
  using Layers = std::array<const SpanSet*, kParts - 1>;

  void build(TimePs from, TimePs to, const Layers& layers) {
    pieces_.clear();
    std::array<const Span*, kParts - 1> next{}, end{}; // of each layer: what has not ended
    for (std::size_t i = 0; i < layers.size(); ++i) {
      if (layers[i] == nullptr) continue;
      next[i] = layers[i]->spans().data();
      end[i] = next[i] + layers[i]->spans().size();
    }
    Times before{};
    for (TimePs at = from; at < to;) {
      TimePs until = to;
      std::size_t part = 0;
      for (; part < layers.size(); ++part) {
        while (next[part] != end[part] && next[part]->end <= at) ++next[part];
        if (next[part] == end[part]) continue;
        const bool begun = next[part]->begin <= at;
        until = std::min(until, begun ? next[part]->end : next[part]->begin);
        if (begun) break;
      }
      pieces_.push_back({at, part, before});
      before[part] += until - at;
      at = until;
    }
    index_.build(pieces_, from, to);
  }

  /// Calls take(part, time) for what [begin, end), which must lie inside of what was built, has of each part.
  template <typename Take>
  void share(TimePs begin, TimePs end, Take&& take) const {
    const std::size_t first = index_.last_begun(pieces_, begin);
    if (first + 1 == pieces_.size() || end <= pieces_[first + 1].begin)
      return take(pieces_[first].part, end - begin);
    const Piece& from = pieces_[first];
    const Piece& to = pieces_[index_.last_begun(pieces_, end)];
    for (std::size_t part = 0; part < kParts; ++part) {
      TimePs time = to.before[part] - from.before[part];
      if (part == to.part) time += end - to.begin;
      if (part == from.part) time -= begin - from.begin;
      if (time != 0) take(part, time);
    }
  }

 private:
  using Times = std::array<TimePs, kParts>;
  struct Piece {
    TimePs begin;
    std::size_t part;
    Times before; // until `begin`
  };

  std::vector<Piece> pieces_;
  TimeIndex index_;
};

} // namespace twinplane::platform
