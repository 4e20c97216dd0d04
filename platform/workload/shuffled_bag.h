// Drawing kinds in given numbers, in random order.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/workload/random.h"

namespace twinplane::platform {

/// Balls of several colours, drawn without putting back: after all draws each colour came exactly as often
/// as planned. An empty bag is filled again.
class ShuffledBag {
 public:
  /// `total` balls, shared out in proportion to `weights` (largest remainders). At least one weight is
  /// positive.
  ShuffledBag(const std::vector<double>& weights, std::uint64_t total);

  std::size_t draw(Random& random) {
    if (left_ == 0) refill();
    std::uint64_t ball = random.below(left_--);
    std::size_t colour = 0;
    while (ball >= now_[colour]) ball -= now_[colour++];
    --now_[colour];
    return colour;
  }

  std::uint64_t planned(std::size_t colour) const { return plan_[colour]; }

 private:
  void refill();

  std::vector<std::uint64_t> plan_;
  std::vector<std::uint64_t> now_;
  std::uint64_t left_ = 0;
};

} // namespace twinplane::platform
