// How bursty arrivals are on all time scales, in fixed memory.
#pragma once

#include <array>
#include <cstdint>

namespace twinplane::platform {

/// Counts arrivals in windows of equal length; when they run out of windows, neighbours are added up and the
/// windows double. Afterwards the correlation dimension D2 of the arrival times is read off the windows: for
/// the b-model each halving multiplies the sum of squared shares by b^2 + (1-b)^2 (Wang et al., 2002), for
/// Poisson arrivals by 1/2.
class BurstMeter {
 public:
  /// Arrivals come in order.
  void add(std::uint64_t arrival_ns);
  /// Bias of the equivalent b-model; 0.5 when there is too little to say (fewer than 1,000 arrivals, or all
  /// within 16 us).
  double bias() const;

 private:
  static constexpr std::size_t kWindows = std::size_t{1} << 14;
  void widen();

  std::array<std::uint32_t, kWindows> count_{};
  std::uint64_t first_ns_ = 0;
  std::uint64_t arrivals_ = 0;
  std::uint64_t used_ = 0; // windows up to the last arrival
  std::uint64_t width_ns_ = 1000;
};

} // namespace twinplane::platform
