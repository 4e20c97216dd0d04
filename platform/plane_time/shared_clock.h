// What a plane does with its time while it has nothing of its own: for all planes that share it at once. A
// plane asks for the time between two points and gets it by cause, however much has happened in between.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "platform/plane_time/spans.h"

namespace twinplane::platform {

class SharedClock {
 public:
  /// In order of precedence.
  enum Part : std::size_t {
    waiting,    // a write waits that could go to the plane
    dependency, // ... and cannot be queued yet
    unseen,     // a host command that the firmware has not begun with
    elsewhere,  // other planes have work
    in_drive,   // a host command is in the drive
    nothing
  };
  static constexpr std::size_t kParts = 6;
  using Times = std::array<TimePs, kParts>;
  /// All parts but the last one; null: never.
  using Layers = std::array<const SpanSet*, kParts - 1>;

  void build(TimePs from, TimePs to, const Layers& layers) {
    pieces_.clear();
    rest_.reset(from, to);
    for (std::size_t part = 0; part < layers.size(); ++part) {
      if (layers[part] == nullptr) continue;
      rest_.take(layers[part]->spans(), [&](TimePs begin, TimePs, const Span&) {
        pieces_.push_back({begin, part, {}});
      });
    }
    for (const Span& left : rest_.left()) pieces_.push_back({left.begin, nothing, {}});
    std::sort(pieces_.begin(), pieces_.end(),
              [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
    for (std::size_t i = 1; i < pieces_.size(); ++i) pieces_[i].before = at(pieces_[i].begin, i - 1);
  }

  /// [begin, end), inside of what was built, by part.
  Times between(TimePs begin, TimePs end) const {
    const Times from = at(begin, place_of(begin));
    Times times = at(end, place_of(end));
    for (std::size_t part = 0; part < kParts; ++part) times[part] -= from[part];
    return times;
  }

 private:
  struct Piece {
    TimePs begin;
    std::size_t part;
    Times before; // until `begin`
  };
  Times at(TimePs time, std::size_t place) const {
    Times times = pieces_[place].before;
    times[pieces_[place].part] += time - pieces_[place].begin;
    return times;
  }
  std::size_t place_of(TimePs time) const {
    const auto behind = std::upper_bound(pieces_.begin(), pieces_.end(), time,
                                         [](TimePs t, const Piece& p) { return t < p.begin; });
    return static_cast<std::size_t>(behind - pieces_.begin()) - 1;
  }

  std::vector<Piece> pieces_;
  Rest rest_; // scratch
};

} // namespace twinplane::platform
