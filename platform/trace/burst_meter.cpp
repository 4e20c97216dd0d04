#include "platform/trace/burst_meter.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace twinplane::platform {
namespace {

constexpr std::uint64_t kFewestArrivals = 1000;
constexpr std::size_t kCoarsest = 16; // windows

/// Pairs of arrivals that share a window: unlike the sum of squares it is not biased by windows of one
/// arrival.
double pairs(const std::vector<std::uint64_t>& windows) {
  double sum = 0.0;
  for (const std::uint64_t n : windows) {
    if (n > 1) sum += static_cast<double>(n) * static_cast<double>(n - 1);
  }
  return sum;
}

std::vector<std::uint64_t> halved(const std::vector<std::uint64_t>& windows) {
  std::vector<std::uint64_t> result((windows.size() + 1) / 2);
  for (std::size_t i = 0; i < windows.size(); ++i) result[i / 2] += windows[i];
  return result;
}

} // namespace

void BurstMeter::add(std::uint64_t arrival_ns) {
  if (arrivals_++ == 0) first_ns_ = arrival_ns;
  while ((arrival_ns - first_ns_) / width_ns_ >= kWindows) widen();
  const std::uint64_t window = (arrival_ns - first_ns_) / width_ns_;
  ++count_[window];
  used_ = std::max(used_, window + 1);
}

void BurstMeter::widen() {
  for (std::size_t i = 0; i < kWindows / 2; ++i) count_[i] = count_[2 * i] + count_[2 * i + 1];
  std::fill(count_.begin() + kWindows / 2, count_.end(), 0);
  width_ns_ *= 2;
  used_ = (used_ + 1) / 2;
}

double BurstMeter::bias() const {
  if (arrivals_ < kFewestArrivals || used_ < 2 * kCoarsest) return 0.5;
  std::vector<std::uint64_t> windows(count_.begin(), count_.begin() + static_cast<std::ptrdiff_t>(used_));
  // Scales on which a window holds few arrivals say nothing about bursts.
  while (windows.size() >= 2 * kCoarsest && arrivals_ / windows.size() < 4) windows = halved(windows);
  const double fine = pairs(windows);
  int halvings = 0;
  for (; windows.size() >= 2 * kCoarsest; ++halvings) windows = halved(windows);
  const double coarse = pairs(windows);
  if (halvings == 0 || coarse <= 0.0) return 0.5;
  const double factor = std::pow(fine / coarse, 1.0 / halvings); // b^2 + (1-b)^2
  return 0.5 + 0.5 * std::sqrt(std::clamp(2.0 * factor - 1.0, 0.0, 1.0));
}

} // namespace twinplane::platform
