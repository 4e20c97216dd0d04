#include "hw/channel/arbiter.h"

namespace twinplane::hw {

namespace {

/// The next die, in cyclic order, after the one served last.
class RoundRobin final : public Arbiter {
 public:
  std::size_t pick(const BusRequest* requests, std::size_t count, TimePs /*now*/) override {
    std::size_t best = 0;
    for (std::size_t i = 1; i < count; ++i) {
      if (distance(requests[i].die) < distance(requests[best].die)) best = i;
    }
    next_ = requests[best].die + 1;
    return best;
  }

 private:
  /// Dies before `next_` wrap around to values above all others.
  std::uint32_t distance(std::uint32_t die) const { return die - next_; }

  std::uint32_t next_ = 0;
};

} // namespace

std::unique_ptr<Arbiter> make_round_robin_arbiter() {
  return std::make_unique<RoundRobin>();
}

} // namespace twinplane::hw
