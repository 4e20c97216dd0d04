#include "platform/report/steadiness.h"

#include <algorithm>
#include <numeric>

namespace twinplane::platform {

void Steadiness::close_bin() {
  in_bin_ = 0;
  if (++bin_ != kBins) return;
  for (std::uint32_t i = 0; i < kBins / 2; ++i) sums_[i] = sums_[2 * i] + sums_[2 * i + 1];
  std::fill(sums_.begin() + kBins / 2, sums_.end(), 0.0);
  bin_ = kBins / 2;
  width_ *= 2;
}

std::optional<double> Steadiness::drift() const {
  if (bin_ * width_ + in_bin_ < kLeast) return std::nullopt;
  const std::uint32_t quarter = bin_ / 4; // kBins / 8 or more: the bins have been joined
  const auto end = sums_.begin() + bin_;
  const double last = std::accumulate(end - quarter, end, 0.0);
  const double before = std::accumulate(end - 2 * quarter, end - quarter, 0.0);
  if (before == 0) return std::nullopt;
  return last / before;
}

} // namespace twinplane::platform
