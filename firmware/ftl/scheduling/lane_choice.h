// The two ways in which the schedulers of this folder choose between lanes.
#pragma once

#include "firmware/ftl/scheduling/scheduling.h"

namespace twinplane::fw {

/// The first lane of `order` (kLanes entries) that has work.
inline Lane first_of(const DieView& die, const Lane* order) {
  for (std::uint32_t i = 0; i < kLanes; ++i) {
    if (die.oldest[static_cast<std::uint32_t>(order[i])] != nullptr) return order[i];
  }
  return Lane::none;
}

/// The lane with the oldest transaction.
inline Lane oldest_of(const DieView& die) {
  Lane best = Lane::none;
  const Transaction* oldest = nullptr;
  for (std::uint32_t i = 0; i < kLanes; ++i) {
    const Transaction* t = die.oldest[i];
    if (t == nullptr || (oldest != nullptr && !older(*t, *oldest))) continue;
    oldest = t;
    best = static_cast<Lane>(i);
  }
  return best;
}

} // namespace twinplane::fw
