// The dies of a channel that want the bus, in the order in which they become ready for it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "hw/channel/arbiter.h"

namespace twinplane::hw {

/// The controller's register file has room for this many dies.
constexpr std::uint32_t kMaxDiesPerChannel = 64;

class BusWaiters {
 public:
  bool empty() const { return count_ == 0; }
  /// When the first one is ready; there must be one.
  TimePs earliest() const { return requests_[0].since; }

  /// Every die waits at most once.
  void add(const BusRequest& request) {
    std::size_t place = count_++;
    for (; place != 0 && requests_[place - 1].since > request.since; --place) {
      requests_[place] = requests_[place - 1];
    }
    requests_[place] = request;
  }

  /// The die, which waits, does not want the bus any more.
  void remove(std::uint32_t die) {
    std::size_t place = 0;
    while (requests_[place].die != die) ++place;
    take_out(place);
  }

  /// Lets the arbiter choose among those that are ready by `at` (at least one); returns the die.
  std::uint32_t grant(Arbiter& arbiter, TimePs at) {
    std::size_t ready = 1;
    while (ready < count_ && requests_[ready].since <= at) ++ready;
    const std::size_t chosen = arbiter.pick(requests_.data(), ready);
    const std::uint32_t die = requests_[chosen].die;
    take_out(chosen);
    return die;
  }

 private:
  void take_out(std::size_t place) {
    --count_;
    for (std::size_t i = place; i < count_; ++i) requests_[i] = requests_[i + 1];
  }

  std::array<BusRequest, kMaxDiesPerChannel> requests_;
  std::size_t count_ = 0;
};

} // namespace twinplane::hw
