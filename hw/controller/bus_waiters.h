// The dies of a channel that want the bus, in the order in which they become ready for it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "hw/channel/arbiter.h"

namespace twinplane::hw {

/// The controller's register file has room for this many dies.
constexpr std::uint32_t kMaxDiesPerChannel = 64;

/// A sorted run of requests with free room on both sides: most requests are either due now and go to the
/// front, or due last and go to the end, and most grants take the first.
class BusWaiters {
 public:
  bool empty() const { return begin_ == end_; }
  /// When the first one is ready; there must be one.
  TimePs earliest() const { return requests_[begin_].since; }

  /// Every die waits at most once.
  void add(const BusRequest& request) {
    if (empty()) {
      begin_ = end_ = kMaxDiesPerChannel;
    } else if (request.since < earliest() && begin_ != 0) {
      requests_[--begin_] = request;
      return;
    } else if (end_ == requests_.size()) {
      centre();
    }
    std::size_t place = end_++;
    for (; place != begin_ && requests_[place - 1].since > request.since; --place) {
      requests_[place] = requests_[place - 1];
    }
    requests_[place] = request;
  }

  /// The die, which waits, does not want the bus any more.
  void remove(std::uint32_t die) {
    std::size_t place = begin_;
    while (requests_[place].die != die) ++place;
    take_out(place);
  }

  /// Lets the arbiter choose among those that are ready by `at` (at least one); returns the die.
  std::uint32_t grant(Arbiter& arbiter, TimePs at) {
    std::size_t ready = begin_ + 1;
    while (ready < end_ && requests_[ready].since <= at) ++ready;
    const std::size_t chosen = begin_ + arbiter.pick(&requests_[begin_], ready - begin_);
    const std::uint32_t die = requests_[chosen].die;
    take_out(chosen);
    return die;
  }

 private:
  void take_out(std::size_t place) {
    for (; place != begin_; --place) requests_[place] = requests_[place - 1];
    ++begin_;
  }

  void centre() {
    const auto first = requests_.begin() + static_cast<std::ptrdiff_t>(begin_);
    std::copy(first, requests_.end(), requests_.begin() + kMaxDiesPerChannel);
    end_ = kMaxDiesPerChannel + (end_ - begin_);
    begin_ = kMaxDiesPerChannel;
  }

  std::array<BusRequest, 4 * kMaxDiesPerChannel> requests_;
  std::size_t begin_ = kMaxDiesPerChannel;
  std::size_t end_ = kMaxDiesPerChannel;
};

} // namespace twinplane::hw
