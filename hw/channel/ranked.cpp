// Arbiters that go by the kind of a tenure: one rank per kind, lower first; among equals the die that waits
// longest, then the lowest one. A steady stream of better ranks keeps the others waiting without bound,
// unless an age limit is set (aged.cpp).
#include "hw/channel/arbiter.h"

namespace twinplane::hw {

namespace {

/// In the order of TenureKind: read command, program, erase, status, data out, other.
using Ranks = std::array<std::uint8_t, 6>;

/// A read command is short and lets an array work; read data is what a host waits for; erases and status
/// are short; program data is long and no host waits for it.
constexpr Ranks kReadFirst{0, 5, 4, 2, 1, 3};

/// Lengths by kind, shorter first: a status command; three, then five address cycles; at most one page
/// of data; at least one page, mostly one of each plane. The mean wait for the bus is least this way.
constexpr Ranks kShortestFirst{3, 5, 2, 0, 4, 1};

class Ranked final : public Arbiter {
 public:
  explicit Ranked(const Ranks& ranks) : ranks_(ranks) {}

  std::size_t pick(const BusRequest* requests, std::size_t count, TimePs /*now*/) override {
    std::size_t best = 0;
    for (std::size_t i = 1; i < count; ++i) {
      if (before(requests[i], requests[best])) best = i;
    }
    return best;
  }

 private:
  std::uint8_t rank(const BusRequest& r) const { return ranks_[static_cast<std::size_t>(r.kind)]; }
  bool before(const BusRequest& a, const BusRequest& b) const {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return a.since != b.since ? a.since < b.since : a.die < b.die;
  }

  Ranks ranks_;
};

} // namespace

std::unique_ptr<Arbiter> make_read_first_arbiter() {
  return std::make_unique<Ranked>(kReadFirst);
}

std::unique_ptr<Arbiter> make_shortest_tenure_first_arbiter() {
  return std::make_unique<Ranked>(kShortestFirst);
}

} // namespace twinplane::hw
