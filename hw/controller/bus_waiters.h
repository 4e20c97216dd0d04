// The dies of a channel that want the bus, in the order in which they become ready for it.
#pragma once

#include <cstddef>

#include "hw/channel/arbiter.h"
#include "hw/core/sorted_run.h"

namespace twinplane::hw {

/// The controller's register file has room for this many dies.
constexpr std::uint32_t kMaxDiesPerChannel = 64;

class BusWaiters {
 public:
  bool empty() const { return requests_.empty(); }
  /// When the first one is ready; there must be one.
  TimePs earliest() const { return requests_[0].since; }

  /// Every die waits at most once.
  void add(const BusRequest& request) { requests_.insert(request); }

  /// The die, which waits, does not want the bus any more.
  void remove(std::uint32_t die) {
    std::size_t place = 0;
    while (requests_[place].die != die) ++place;
    requests_.erase(place);
  }

  /// Lets the arbiter choose among those that are ready by `at` (at least one); returns the die.
  std::uint32_t grant(Arbiter& arbiter, TimePs at) {
    std::size_t ready = 1;
    while (ready < requests_.size() && requests_[ready].since <= at) ++ready;
    const std::size_t chosen = arbiter.pick(requests_.data(), ready, at);
    const std::uint32_t die = requests_[chosen].die;
    requests_.erase(chosen);
    return die;
  }

 private:
  SortedRun<BusRequest, kMaxDiesPerChannel> requests_;
};

} // namespace twinplane::hw
