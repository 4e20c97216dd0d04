#include "platform/workload/falling_sampler.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace twinplane::platform {
namespace {

constexpr std::uint64_t kSingleRanks = 1024;
constexpr std::uint64_t kRunShare = 64; // a run is this part of the ranks before it

} // namespace

FallingSampler::FallingSampler(std::function<double(std::uint64_t)> weight, std::uint64_t ranks)
    : weight_(std::move(weight)) {
  cut_into_columns(ranks);
  fill_alias_table();
}

void FallingSampler::cut_into_columns(std::uint64_t ranks) {
  for (std::uint64_t first = 0; first < ranks;) {
    Column column;
    column.first = first;
    column.ranks = first < kSingleRanks ? 1 : std::min(first / kRunShare, ranks - first);
    column.highest = weight_(first);
    column.lowest = weight_(first + column.ranks - 1) / column.highest;
    first += column.ranks;
    columns_.push_back(column);
  }
}

void FallingSampler::fill_alias_table() {
  double sum = 0.0;
  for (const Column& column : columns_) sum += column.highest * static_cast<double>(column.ranks);
  const double mean = sum / static_cast<double>(columns_.size());
  std::vector<double> share;
  std::vector<std::size_t> small;
  std::vector<std::size_t> large;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    share.push_back(columns_[i].highest * static_cast<double>(columns_[i].ranks) / mean);
    (share[i] < 1.0 ? small : large).push_back(i);
    columns_[i].alias = i;
    columns_[i].keep_below = ~std::uint64_t{0};
  }
  while (!small.empty() && !large.empty()) {
    const std::size_t poor = small.back();
    const std::size_t rich = large.back();
    small.pop_back();
    columns_[poor].keep_below = static_cast<std::uint64_t>(std::ldexp(share[poor], 64));
    columns_[poor].alias = rich;
    share[rich] -= 1.0 - share[poor];
    if (share[rich] >= 1.0) continue;
    large.pop_back();
    small.push_back(rich);
  }
}

} // namespace twinplane::platform
