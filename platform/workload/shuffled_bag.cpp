#include "platform/workload/shuffled_bag.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace twinplane::platform {

ShuffledBag::ShuffledBag(const std::vector<double>& weights, std::uint64_t total) : plan_(weights.size()) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> remainders(weights.size());
  std::uint64_t given = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double exact = static_cast<double>(total) * weights[i] / sum;
    plan_[i] = static_cast<std::uint64_t>(std::floor(exact));
    remainders[i] = exact - std::floor(exact);
    given += plan_[i];
  }
  for (; given < total; ++given) {
    const auto most = std::max_element(remainders.begin(), remainders.end());
    ++plan_[static_cast<std::size_t>(most - remainders.begin())];
    *most = -1.0;
  }
  refill();
}

void ShuffledBag::refill() {
  now_ = plan_;
  left_ = std::accumulate(plan_.begin(), plan_.end(), std::uint64_t{0});
  if (left_ != 0) return;
  now_[0] = left_ = 1; // a bag of nothing that is asked all the same
}

} // namespace twinplane::platform
