// Does a run's latency still move when it ends? Sums over equal numbers of requests, in fixed memory: when
// all bins are full, neighbours join and the bins are twice as wide.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "hw/spec/sim_time.h"

namespace twinplane::platform {

class Steadiness {
 public:
  static constexpr std::uint64_t kLeast = 4096; // requests below which nothing is said

  void add(TimePs latency) {
    sums_[bin_] += static_cast<double>(latency);
    if (++in_bin_ == width_) close_bin();
  }

  /// Mean latency of the last quarter of the requests over that of the quarter before it: 1 when the run has
  /// settled. The open bin (less than a sixteenth of all) is left out.
  std::optional<double> drift() const;

 private:
  static constexpr std::uint32_t kBins = 64;

  void close_bin();

  std::array<double, kBins> sums_{};
  std::uint32_t bin_ = 0;
  std::uint64_t in_bin_ = 0;
  std::uint64_t width_ = 1;
};

} // namespace twinplane::platform
