// The drive of BROMS's example, and other drives of two partitions.
#pragma once

#include <vector>

#include "firmware/ftl/partition/write_cost.h"

namespace twinplane::fw {

// The part of the paper's drive, in microseconds; only the mean program is in its text.
inline constexpr FlashCosts kPart{256, 75.0, 450.0, 1300.0, 3800.0};
// Section 4.2: 30 % hot, 1 % misplaced, 3/7 of the capacity, 80 % full.
inline constexpr Division kExample{0.3, 0.01, 0.3, 0.8, 0.8};

inline Division at(const Division& d, double hot_utilisation) {
  return resized(d, growth_to(d, hot_utilisation));
}

inline WriteCosts cost_of(const Division& d, PageCount count = PageCount::real) {
  return write_costs(kPart, d, predicted_victims(d), count);
}

/// Divisions all over the place, none of them full or without data.
inline std::vector<Division> drives() {
  std::vector<Division> found;
  for (const double theta : {0.05, 0.3, 0.5, 0.7, 0.95}) {
    for (const double beta : {0.05, 0.3, 0.6}) {
      for (const double hot : {0.1, 0.5, 0.8, 0.95}) {
        for (const double cold : {0.1, 0.5, 0.8, 0.95}) found.push_back({theta, 0.01, beta, hot, cold});
      }
    }
  }
  return found;
}

} // namespace twinplane::fw
